#include <remfile/driver.hpp>

#include <exception>

#include <remfile/version.hpp>

#include "status.hpp"

namespace remfile {

namespace {

// Called from Rust, so nothing may be thrown.
int call_refresh(void *user, char *url, std::size_t size) noexcept {
    const auto answer = [&](std::string_view text, int outcome) {
        const std::size_t length = text.copy(url, size - 1);
        url[length] = '\0';
        return outcome;
    };
    try {
        const std::string fresh = (*static_cast<const RefreshUrl *>(user))();
        return fresh.size() < size ? answer(fresh, 0) : answer("the URL is too long", -1);
    } catch (const std::exception &error) {
        return answer(error.what(), -1);
    } catch (...) {
        return answer("an unknown exception", -1);
    }
}

} // namespace

struct Driver::Impl {
    std::unique_ptr<const RefreshUrl> refresh; // outlives the file, which calls it
    rust::Box<remfile_bridge::File> file;
};

Driver::Driver(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Driver::Driver(Driver &&) noexcept = default;
Driver &Driver::operator=(Driver &&) noexcept = default;
Driver::~Driver() = default;

Driver Driver::open(std::string_view url, const Options &options, RefreshUrl refresh) {
    auto status = remfile_detail::no_status();
    std::unique_ptr<const RefreshUrl> kept;
    remfile_bridge::Refresh bridged{0, 0};
    if (refresh) {
        kept = std::make_unique<const RefreshUrl>(std::move(refresh));
        bridged = {reinterpret_cast<std::uintptr_t>(&call_refresh),
                   reinterpret_cast<std::uintptr_t>(kept.get())};
    }
    auto file = remfile_bridge::open(remfile_detail::bytes_of(url), remfile_detail::to_bridge(options),
                                     bridged, status);
    remfile_detail::throw_if_failed(status);
    return Driver(std::make_unique<Impl>(Impl{std::move(kept), std::move(file)}));
}

std::uint64_t Driver::size() const noexcept { return impl_->file->size(); }

std::string Driver::url() const {
    auto status = remfile_detail::no_status();
    const auto url = impl_->file->url(status);
    remfile_detail::throw_if_failed(status);
    return std::string(url);
}

std::string Driver::identity() const {
    auto status = remfile_detail::no_status();
    const auto identity = impl_->file->identity(status);
    remfile_detail::throw_if_failed(status);
    return std::string(identity);
}

void Driver::read(std::uint64_t offset, ByteSpan buffer, Content content) const {
    auto status = remfile_detail::no_status();
    impl_->file->read(offset, {static_cast<std::uint8_t *>(buffer.data()), buffer.size()},
                      static_cast<std::int32_t>(content), status);
    remfile_detail::throw_if_failed(status);
}

void Driver::read_vector(const std::vector<ReadPiece> &pieces) const {
    std::vector<remfile_bridge::ReadPiece> bridged;
    bridged.reserve(pieces.size());
    for (const auto &piece : pieces)
        bridged.push_back({piece.offset, reinterpret_cast<std::uintptr_t>(piece.buffer.data()),
                           piece.buffer.size(), static_cast<std::int32_t>(piece.content)});
    auto status = remfile_detail::no_status();
    impl_->file->read_vector({bridged.data(), bridged.size()}, status);
    remfile_detail::throw_if_failed(status);
}

void Driver::prefetch(const std::vector<ByteRange> &ranges) const {
    std::vector<remfile_bridge::Range> bridged;
    bridged.reserve(ranges.size());
    for (const auto &range : ranges)
        bridged.push_back({range.offset, range.size});
    auto status = remfile_detail::no_status();
    impl_->file->prefetch({bridged.data(), bridged.size()}, status);
    remfile_detail::throw_if_failed(status);
}

Stats Driver::stats() const {
    auto status = remfile_detail::no_status();
    const auto b = impl_->file->stats(status);
    remfile_detail::throw_if_failed(status);
    Stats s;
    s.reads = b.reads;
    s.read_bytes = b.read_bytes;
    s.requests = b.requests;
    s.fetched_bytes = b.fetched_bytes;
    s.round_trips = b.round_trips;
    s.retries = b.retries;
    s.backoff_ms = b.backoff_ms;
    s.connections = b.connections;
    s.hit_blocks = b.hit_blocks;
    s.missed_blocks = b.missed_blocks;
    s.guessed_bytes = b.guessed_bytes;
    s.proved_bytes = b.proved_bytes;
    s.wasted_bytes = b.wasted_bytes;
    s.evicted_blocks = b.evicted_blocks;
    s.cached_bytes = b.cached_bytes;
    return s;
}

const char *version() noexcept { return REMFILE_VERSION; }

const char *libcurl_version() noexcept {
    try {
        static const std::string version = [] {
            auto status = remfile_detail::no_status();
            return std::string(remfile_bridge::libcurl_version(status));
        }();
        return version.c_str();
    } catch (...) { // only for want of memory
        return "";
    }
}

} // namespace remfile
