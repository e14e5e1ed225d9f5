// Read a remote file over HTTP(S). No HDF5 needed; remfile/hdf5.hpp adds that.
//
//     auto driver = remfile::Driver::open("https://example.org/recording.nwb");
//     std::vector<std::byte> head(512);
//     driver.read(0, head);
#ifndef REMFILE_DRIVER_HPP
#define REMFILE_DRIVER_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <remfile/error.hpp>
#include <remfile/export.h>
#include <remfile/options.hpp>
#include <remfile/stats.hpp>

namespace remfile {

// A run of bytes of the file: offset and size, both in bytes from the file's start.
struct ByteRange {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

// What the bytes of a read are to HDF5, where the reader knows. It guides what is fetched ahead, never
// what is returned. The values are those of libhdf5's H5FD_mem_t.
enum class Content : std::int32_t {
    any = 0,
    superblock = 1,
    btree = 2,
    raw = 3,
    global_heap = 4,
    local_heap = 5,
    object_header = 6,
};

// A view of writable memory that somebody else owns (C++17 has no std::span). Anything contiguous
// of trivially copyable elements converts to it: std::vector, std::array, std::span, ...
class ByteSpan {
  public:
    ByteSpan(void *data, std::size_t size) noexcept : data_(data), size_(size) {}

    template <class Container,
              class Element = std::remove_pointer_t<decltype(std::declval<Container &>().data())>,
              class = std::enable_if_t<std::is_trivially_copyable_v<Element> && !std::is_const_v<Element>>>
    ByteSpan(Container &&container) noexcept
        : data_(container.data()), size_(container.size() * sizeof(Element)) {}

    void *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; } // bytes

  private:
    void *data_;
    std::size_t size_;
};

// One piece of Driver::read_vector: the bytes of the file from `offset` on, as many as `buffer` has room for.
struct ReadPiece {
    std::uint64_t offset;
    ByteSpan buffer;
    Content content = Content::any;
};

// Supplies a fresh URL of a file whose own has expired. What it throws becomes the error of the read.
using RefreshUrl = std::function<std::string()>;

// One open remote file.
//
// Move-only; a moved-from driver may only be assigned to or destroyed. Every const member may be called from
// several threads at once; moving and destroying may not overlap other calls. After fork() a driver is usable
// on both sides: the child starts with an empty cache and connections of its own.
class REMFILE_API Driver {
  public:
    // Opens `url` (http://, https:// or s3://bucket/key) with one range request, which brings the size
    // and the first blocks. Throws Error.
    //
    // `refresh`, if given, is for URLs that expire. It is called when the file is refused as they are
    // (HTTP 401, 403, 410, or a 400 that says so), once for all requests and threads that are refused
    // together, by a thread that is in open or read; others that read the file wait. It may open and read
    // other files but must not use this one. Its URL must be for the same object: another size or entity
    // tag is ErrorCode::changed. What is cached stays of use. The driver keeps a copy of it.
    static Driver open(std::string_view url, const Options &options = {}, RefreshUrl refresh = {});

    Driver(Driver &&other) noexcept;
    Driver &operator=(Driver &&other) noexcept;
    Driver(const Driver &) = delete;
    Driver &operator=(const Driver &) = delete;
    // Gives up what is still in flight; does not wait for the server.
    ~Driver();

    // Size of the file in bytes, as it was when opened.
    std::uint64_t size() const noexcept;

    // The URL with credentials and query values removed: fit for logs.
    std::string url() const;

    // What the file is known by: its URL without user and signature, its size, and its entity tag or else
    // its date. Equal for two files of one process exactly if they are the same object, as far as the
    // server lets anybody tell. Not meant to be stored.
    std::string identity() const;

    // Fills `buffer` with the bytes from `offset` on: all of them, or Error is thrown and the
    // buffer's contents are unspecified. A range that reaches past the end is out_of_bounds; an
    // empty buffer is always fine.
    void read(std::uint64_t offset, ByteSpan buffer, Content content = Content::any) const;

    // Fills the buffers of all pieces, or Error is thrown and their contents are unspecified. What is not in
    // the cache is asked for at once, in parallel, each byte once and near pieces together, before any of it
    // is waited for; what is more than half of max_cache_size goes in parts. Pieces may overlap, be empty and
    // come in any order; where two share memory, the later one wins. The buffers stay the caller's; none may
    // be used by others until the call returns. A piece that reaches past the end is out_of_bounds, and
    // nothing is fetched then.
    void read_vector(const std::vector<ReadPiece> &pieces) const;

    // Starts fetching what of these ranges is not in the cache, in parallel, and returns without
    // waiting. Ranges are cut at the end of the file; what does not fit in half of max_cache_size
    // is left out. Failures show when the bytes are read.
    void prefetch(const std::vector<ByteRange> &ranges) const;

    // What this file has cost so far.
    Stats stats() const;

  private:
    struct Impl;
    explicit Driver(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

// remfile's version, "0.1.0", and that of the libcurl in use. Static storage.
REMFILE_API const char *version() noexcept;
REMFILE_API const char *libcurl_version() noexcept;

} // namespace remfile

#endif
