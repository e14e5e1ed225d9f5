// A test fixture: a file of chunks, served, and how to fail to open it.
#ifndef REMFILE_TESTS_HDF5_SERVED_FILE_HPP
#define REMFILE_TESTS_HDF5_SERVED_FILE_HPP

#include <string>

#include <gtest/gtest.h>

#include <remfile/driver.hpp>

#include "hdf5_support.hpp"
#include "test_server.hpp"

class ServedFile : public testing::Test {
  protected:
    void SetUp() override {
        make_counting_file(folder.path("a.h5"), true);
        config = frugal_config();
    }

    // How opening fails, and that it cost so many requests.
    std::string failure(const std::string &path, std::size_t requests) {
        server.reset();
        const std::string why = why_not_open(server.url(path), &config);
        EXPECT_EQ(server.requests().size(), requests) << path;
        return why;
    }

    TemporaryFolder folder;
    TestServer server{folder.path()};
    H5FD_remfile_config_t config{};
};

inline const remfile::Driver *driver_of(hid_t file) {
    void *handle = nullptr;
    EXPECT_GE(H5Fget_vfd_handle(file, H5P_DEFAULT, &handle), 0);
    return static_cast<const remfile::Driver *>(handle);
}

#define EXPECT_HOLDS(text, part) EXPECT_NE(std::string(text).find(part), std::string::npos) << (text)

#endif
