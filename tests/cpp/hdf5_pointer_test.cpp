// Pointer files and the linked driver; tests/plugin has more of them with the plugin.
#include <fstream>

#include <remfile/pointer.hpp>

#include "hdf5_served_file.hpp"

namespace {

class VfdPointer : public ServedFile {
  protected:
    std::string pointer(const std::string &target, const remfile::Options &options = {}) const {
        const std::string path = local.path("pointer.h5");
        remfile::write_pointer_file(path, server.url(target), options, remfile::UrlSecrets::keep);
        return path;
    }

    TemporaryFolder local; // not served
};

TEST_F(VfdPointer, LeadsToTheRemoteFile) {
    const Handle file = open_remote(pointer("files/a.h5"), &config);
    EXPECT_EQ(read_ints(file, "values").size(), counting_rows * counting_columns);
}

TEST_F(VfdPointer, IsTheSameFileAsItsUrl) {
    const Handle by_pointer = open_remote(pointer("files/a.h5"), &config);
    const Handle by_url = open_remote(server.url("files/a.h5"), &config);
    H5O_info_t a, b;
#if H5_VERSION_GE(1, 12, 0)
    H5Oget_info3(by_pointer, &a, H5O_INFO_BASIC);
    H5Oget_info3(by_url, &b, H5O_INFO_BASIC);
#else
    H5Oget_info(by_pointer, &a);
    H5Oget_info(by_url, &b);
#endif
    EXPECT_EQ(a.fileno, b.fileno);
}

TEST_F(VfdPointer, LeadsLinksBesideTheRemoteFile) {
    {
        const Handle file(
            H5Fcreate(folder.path("links.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        H5Lcreate_external("a.h5", "/values", file, "near", H5P_DEFAULT, H5P_DEFAULT);
    }
    const Handle file = open_remote(pointer("files/links.h5?signature=secret"), &config);
    server.reset();
    EXPECT_EQ(read_ints(file, "near").size(), counting_rows * counting_columns);
    for (const auto &request : server.requests())
        EXPECT_EQ(request.path + "?" + request.query, "/files/a.h5?");
}

TEST_F(VfdPointer, IsNotFollowedFromARemoteFile) {
    {
        const Handle file(
            H5Fcreate(folder.path("links.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        H5Lcreate_external(pointer("files/a.h5").c_str(), "/values", file, "local", H5P_DEFAULT, H5P_DEFAULT);
    }
    const Handle file = open_remote(server.url("files/links.h5"), &config);
    server.reset();
    const QuietHdf5 quiet;
    EXPECT_LT(H5Dopen2(file, "local", H5P_DEFAULT), 0);
    EXPECT_TRUE(server.requests("/files/a.h5").empty());
}

TEST_F(VfdPointer, WithAnOptionThatItMayNotHaveIsRefused) {
    const std::string path = pointer("files/a.h5");
    std::ofstream(path, std::ios::app) << "verify_tls=0\n";
    const std::string why = why_not_open(path, &config);
    EXPECT_HOLDS(why, "the line 'verify_tls=0'");
    EXPECT_HOLDS(why, "[invalid_option]");
}

TEST_F(VfdPointer, OfAnotherVersionIsRefused) {
    const std::string path = local.path("later.h5");
    std::ofstream(path, std::ios::binary) << "\x89HDF\r\n\x1a\nremfile-pointer 2\nurl=http://h/\n";
    EXPECT_HOLDS(why_not_open(path, &config), "of a version that this remfile does not know");
}

} // namespace
