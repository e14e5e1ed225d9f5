// The file driver through the C interface: reading, and what is shared.
#include "hdf5_served_file.hpp"

namespace {

class Vfd : public ServedFile {};

TEST_F(Vfd, ReadsWhatTheLocalDriverReads) {
    const Handle local(H5Fopen(folder.path("a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    const Handle remote = open_remote(server.url("files/a.h5"), &config);
    ASSERT_GE(remote, 0) << error_stack().front();
    const auto values = read_ints(remote, "values");
    EXPECT_EQ(values.size(), counting_rows * counting_columns);
    EXPECT_EQ(values, read_ints(local, "values"));
}

TEST_F(Vfd, OpensWithOneRequestWhereTheHeadHoldsTheMetadata) {
    const Handle file = open_remote(server.url("files/a.h5"));
    ASSERT_GE(file, 0);
    EXPECT_EQ(read_ints(file, "values").size(), counting_rows * counting_columns);
    const auto requests = server.requests();
    ASSERT_EQ(requests.size(), 1u);
    EXPECT_EQ(requests[0].method, "GET");
    EXPECT_EQ(requests[0].status, 206);
    EXPECT_EQ(requests[0].range->first, 0u);
}

TEST_F(Vfd, GivesTheDriverAsTheFilesHandle) {
    const Handle file = open_remote(server.url("files/a.h5"), &config);
    hsize_t size = 0;
    ASSERT_GE(H5Fget_filesize(file, &size), 0);
    EXPECT_EQ(driver_of(file)->size(), size);
}

TEST_F(Vfd, IsReadAsASwmrReaderToo) {
    const Handle fapl = remote_fapl(&config);
    const Handle file(H5Fopen(server.url("files/a.h5").c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, fapl));
    ASSERT_GE(file, 0);
    EXPECT_EQ(read_ints(file, "values").size(), counting_rows * counting_columns);
}

TEST(VfdCorpus, OpensARecordingThatWasInterrupted) {
    const TestServer server(REMFILE_TEST_DATA);
    const std::string name = "aqnwb_interrupted_recording.nwb";
    const Handle file = open_remote(server.url("files/" + name));
    ASSERT_GE(file, 0) << error_stack().front();
    const Handle whole = open_remote(server.url("files/aqnwb_recording.nwb"));
    H5G_info_t info{};
    EXPECT_GE(H5Gget_info(file, &info), 0);
    H5G_info_t expected{};
    EXPECT_GE(H5Gget_info(whole, &expected), 0);
    EXPECT_EQ(info.nlinks, expected.nlinks);
}

TEST_F(Vfd, SharesOneFileBetweenTwoOpensOfOneUrl) {
    const Handle first = open_remote(server.url("files/a.h5"), &config);
    EXPECT_EQ(read_ints(first, "values").size(), counting_rows * counting_columns);
    server.reset();
    const Handle second = open_remote(server.url("files/a.h5"), &config);
    EXPECT_EQ(read_ints(second, "values").size(), counting_rows * counting_columns);
    EXPECT_EQ(server.requests().size(), 1u); // to learn that it is the same file
    EXPECT_EQ(driver_of(first), driver_of(second));
}

TEST_F(Vfd, KeepsUrlsOfDifferentQueriesApart) {
    const Handle first = open_remote(server.url("files/a.h5?version=1"), &config);
    const Handle second = open_remote(server.url("files/a.h5?version=2"), &config);
    EXPECT_NE(driver_of(first), driver_of(second));
}

} // namespace
