// Links out of a remote file.
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

} // namespace
