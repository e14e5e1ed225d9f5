// What a pointer file looks like:
//
//     \x89HDF\r\n\x1a\n            HDF5's signature, by which programs that look at it take it for HDF5
//     remfile-pointer 1            the tag; libhdf5 without remfile takes it for a bad superblock
//     url=https://host/file.nwb
//     max_retries=20               any of the options below, one a line
#ifndef REMFILE_SRC_POINTER_FORMAT_HPP
#define REMFILE_SRC_POINTER_FORMAT_HPP

#include <cstddef>
#include <string_view>

namespace remfile_detail {

constexpr std::string_view pointer_signature = "\x89HDF\r\n\x1a\nremfile-pointer ";
constexpr std::string_view pointer_version = "1\n";
constexpr std::string_view pointer_url = "url=";
constexpr std::size_t pointer_max_size = 64 * 1024;

// A pointer file may come from anybody. So it has a say in how bytes are fetched, and none in whom to
// trust, what to reveal or how much of the machine to use.
constexpr std::string_view pointer_options[] = {
    "min_chunk_size",     "max_chunk_size",   "head_size",       "read_ahead",
    "connect_timeout_ms", "stall_timeout_ms", "read_timeout_ms", "max_retries",
};

} // namespace remfile_detail

#endif
