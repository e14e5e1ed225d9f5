// Links out of a remote file.
#include <algorithm>
#include <filesystem>

#include <remfile/hdf5.hpp>

#include "hdf5_served_file.hpp"

namespace {

class VfdLinks : public ServedFile {};

TEST_F(VfdLinks, FollowsARelativeLinkToTheNeighbourOnTheServer) {
    {
        const Handle file(
            H5Fcreate(folder.path("links.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        H5Lcreate_external("a.h5", "/values", file, "near", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_external("/etc/hostname", "/values", file, "local", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_external(server.url("files/a.h5?far=1").c_str(), "/values", file, "far", H5P_DEFAULT,
                           H5P_DEFAULT);
    }
    const Handle file = open_remote(server.url("files/links.h5?signature=secret"), &config);
    server.reset();
    EXPECT_EQ(read_ints(file, "near").size(), counting_rows * counting_columns);
    for (const auto &request : server.requests())
        EXPECT_EQ(request.path + "?" + request.query, "/files/a.h5?");
    server.reset();
    EXPECT_EQ(read_ints(file, "far").size(), counting_rows * counting_columns);
    for (const auto &request : server.requests())
        EXPECT_EQ(request.path + "?" + request.query, "/files/a.h5?far=1");
    server.reset();
    const QuietHdf5 quiet;
    EXPECT_LT(H5Dopen2(file, "local", H5P_DEFAULT), 0);
    for (const auto &request : server.requests()) // never the local file; libhdf5 may ask the server
        EXPECT_EQ(request.path.rfind("/files/", 0), 0u) << request.path;
}

TEST_F(VfdLinks, GivesLinkTargetsTheOptionsOfTheFileWithTheLink) {
    {
        const Handle file(
            H5Fcreate(folder.path("links.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        H5Lcreate_external("a.h5", "/values", file, "near", H5P_DEFAULT, H5P_DEFAULT);
    }
    config.user_agent = "inherited";
    const Handle file = open_remote(server.url("files/links.h5"), &config);
    EXPECT_EQ(read_ints(file, "near").size(), counting_rows * counting_columns);
    const auto requests = server.requests("/files/a.h5");
    ASSERT_FALSE(requests.empty());
    EXPECT_EQ(requests.front().headers.at("user-agent"), "inherited");
}

// links.h5 on the server, which leads to the local files first.h5, by a link,
// and second.h5, virtually; first.h5 leads to second.h5 beside it.
class VfdLocalLinks : public VfdLinks {
  protected:
    void SetUp() override {
        VfdLinks::SetUp();
        make_counting_file(local.path("second.h5"), true);
        {
            const Handle file(
                H5Fcreate(local.path("first.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
            H5Lcreate_external("second.h5", "/values", file, "values", H5P_DEFAULT, H5P_DEFAULT);
        }
        const Handle file(
            H5Fcreate(folder.path("links.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        H5Lcreate_external(local.path("first.h5").c_str(), "/values", file, "link", H5P_DEFAULT, H5P_DEFAULT);
        const hsize_t size[] = {counting_rows, counting_columns};
        const Handle space(H5Screate_simple(2, size, nullptr));
        const Handle dcpl(H5Pcreate(H5P_DATASET_CREATE));
        H5Pset_virtual(dcpl, space, local.path("second.h5").c_str(), "/values", space);
        const Handle virtual_one(
            H5Dcreate2(file, "virtual", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    }

    TemporaryFolder local;
};

TEST_F(VfdLocalLinks, AreFollowedIfAnOptionAllowsIt) {
    const Handle own(H5Fopen(local.path("second.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    const auto values = read_ints(own, "values");
    config.local_links = 1;
    const Handle file = open_remote(server.url("files/links.h5"), &config);
    EXPECT_EQ(read_ints(file, "link"), values);
    EXPECT_EQ(read_ints(file, "virtual"), values);
    const Handle dataset(H5Dopen2(file, "link", H5P_DEFAULT));
    try { // it is no remote file
        remfile::stats(dataset);
        FAIL();
    } catch (const remfile::Error &error) {
        EXPECT_EQ(error.code(), remfile::ErrorCode::hdf5) << error.what();
    }
}

TEST_F(VfdLocalLinks, AreRefusedElse) {
    const Handle file = open_remote(server.url("files/links.h5"), &config);
    const QuietHdf5 quiet;
    EXPECT_LT(H5Dopen2(file, "link", H5P_DEFAULT), 0);
    const auto values = read_ints(file, "virtual"); // a source that is missing reads as the fill value
    EXPECT_EQ(std::count(values.begin(), values.end(), 0), static_cast<long>(values.size()));
}

TEST_F(VfdLocalLinks, OfMissingFilesAreErrors) {
    std::filesystem::remove(local.path("second.h5"));
    config.local_links = 1;
    const Handle file = open_remote(server.url("files/links.h5"), &config);
    const QuietHdf5 quiet;
    EXPECT_LT(H5Dopen2(file, "link", H5P_DEFAULT), 0);
}

} // namespace
