// Pointer files as the driver meets them.
#ifndef REMFILE_SRC_VFD_POINTER_HPP
#define REMFILE_SRC_VFD_POINTER_HPP

#include <string>

namespace remfile_detail {

// What a pointer file says.
struct Pointer {
    std::string url;
    std::string options; // as text; only such as a pointer file may have
};

// Reads the pointer file at the local path `path`. Throws Error: invalid_url where there is none,
// invalid_option where it has options that it may not have.
Pointer read_pointer(const std::string &path);

} // namespace remfile_detail

#endif
