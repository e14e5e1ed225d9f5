#include <remfile/driver.hpp>

#include <remfile/version.hpp>

#include "status.hpp"

namespace remfile {

struct Driver::Impl {
    rust::Box<remfile_bridge::File> file;
};

Driver::Driver(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Driver::Driver(Driver &&) noexcept = default;
Driver &Driver::operator=(Driver &&) noexcept = default;
Driver::~Driver() = default;

Driver Driver::open(std::string_view url, const Options &options) {
    auto status = remfile_detail::no_status();
    auto file =
        remfile_bridge::open(remfile_detail::bytes_of(url), remfile_detail::to_bridge(options), status);
    remfile_detail::throw_if_failed(status);
    return Driver(std::make_unique<Impl>(Impl{std::move(file)}));
}

std::uint64_t Driver::size() const noexcept { return impl_->file->size(); }

std::string Driver::url() const {
    auto status = remfile_detail::no_status();
    const auto url = impl_->file->url(status);
    remfile_detail::throw_if_failed(status);
    return std::string(url);
}

void Driver::read(std::uint64_t offset, ByteSpan buffer, Content content) const {
    auto status = remfile_detail::no_status();
    impl_->file->read(offset, {static_cast<std::uint8_t *>(buffer.data()), buffer.size()},
                      static_cast<std::int32_t>(content), status);
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
