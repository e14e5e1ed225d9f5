// What a program can see of remfile::Driver without a server: headers and library are there and of one
// version, and C++, Rust and libcurl work together, for it is told that nobody serves the URL.
#include <cstdio>
#include <cstring>

#include <remfile/driver.hpp>
#include <remfile/version.hpp>

inline bool driver_works() {
    if (std::strcmp(remfile::version(), EXPECTED_VERSION) != 0 ||
        std::strcmp(REMFILE_VERSION, EXPECTED_VERSION) != 0) {
        std::fprintf(stderr, "library %s, headers %s, wanted %s\n", remfile::version(), REMFILE_VERSION,
                     EXPECTED_VERSION);
        return false;
    }
    try {
        remfile::Driver::open("http://127.0.0.1:1/file.h5", remfile::Options::parse("max_retries=0"));
    } catch (const remfile::Error &error) {
        std::printf("%s [%s] libcurl %s\n", error.what(), remfile::to_string(error.code()),
                    remfile::libcurl_version());
        return error.code() == remfile::ErrorCode::unreachable;
    }
    return false;
}
