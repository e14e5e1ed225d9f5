// A program that opens files with libhdf5 through remfile.
#include <cstdio>

#include <remfile/hdf5.hpp>
#include <remfile/remfile_vfd.h>

int main() {
    if (H5FD_remfile_init() < 0)
        return 1;
    remfile::Options options;
    options.max_retries = 0;
    try {
        remfile::open_hdf5("http://127.0.0.1:1/file.h5", options);
    } catch (const remfile::Error &error) {
        std::printf("%s [%s]\n", error.what(), remfile::to_string(error.code()));
        return error.code() == remfile::ErrorCode::unreachable ? 0 : 1;
    }
    return 1;
}
