// What the file driver says where it fails, and to whom.
#include "hdf5_served_file.hpp"

namespace {

class VfdErrors : public ServedFile {};

TEST_F(VfdErrors, SaysThatThereIsNoSuchFileAfterOneRequest) {
    const std::string why = failure("files/missing.h5", 1);
    EXPECT_EQ(why.rfind("remfile: cannot read " + server.url("files/missing.h5") + ": ", 0), 0u) << why;
    EXPECT_HOLDS(why, "HTTP 404");
    EXPECT_HOLDS(why, "[not_found]");
}

TEST_F(VfdErrors, SaysThatAccessIsDeniedInTheServersWordsAndHidesTheQuery) {
    const std::string why = failure("files/a.h5?status=403&body=expired+token&signature=secret", 1);
    EXPECT_HOLDS(why, "HTTP 403");
    EXPECT_HOLDS(why, "expired");
    EXPECT_HOLDS(why, "[denied]");
    EXPECT_EQ(why.find("secret"), std::string::npos) << why;
}

TEST_F(VfdErrors, RefusesAServerThatIgnoresRanges) {
    EXPECT_HOLDS(failure("files/a.h5?ranges=off&chunked=1", 1), "[range_unsupported]");
}

TEST_F(VfdErrors, RefusesAWebPageInPlaceOfTheFile) {
    EXPECT_HOLDS(failure("files/a.h5?html=1", 1), "[not_hdf5]");
    EXPECT_HOLDS(failure("files/a.h5?html=1&status=200", 1), "[range_unsupported]");
}

TEST_F(VfdErrors, SaysThatAHostIsUnreachable) {
    EXPECT_HOLDS(why_not_open("http://127.0.0.1:1/a.h5", &config), "[unreachable]");
}

TEST_F(VfdErrors, SaysWhatIsWrongWithAUrl) {
    EXPECT_HOLDS(why_not_open("ftp://host/a.h5", &config), "[invalid_url]");
    EXPECT_HOLDS(why_not_open("http:///a.h5", &config), "[invalid_url]");
    EXPECT_HOLDS(why_not_open("http://host/\xff", &config), "[invalid_url]");
    const std::string why = why_not_open("/etc/hostname", &config);
    EXPECT_HOLDS(why, "'/etc/hostname': it is not a URL");
    EXPECT_HOLDS(why, "[invalid_url]");
}

TEST_F(VfdErrors, SaysWhyAReadFailed) {
    const Handle file = open_remote(server.url("files/a.h5"), &config);
    const Handle dataset(H5Dopen2(file, "values", H5P_DEFAULT));
    ASSERT_GE(dataset, 0);
    server.kill();
    const QuietHdf5 quiet;
    std::vector<std::int32_t> values(counting_rows * counting_columns);
    ASSERT_LT(H5Dread(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    const std::string why = error_stack().front();
    EXPECT_EQ(why.rfind("remfile: cannot read " + server.url("files/a.h5"), 0), 0u) << why;
    EXPECT_TRUE(why.find("[unreachable]") != std::string::npos ||
                why.find("[interrupted]") != std::string::npos)
        << why;
}

TEST_F(VfdErrors, SaysTheSameAgainWhenOpeningFailsAgain) {
    const std::string first = failure("files/missing.h5", 1);
    EXPECT_EQ(failure("files/missing.h5", 1), first);
}

TEST_F(VfdErrors, RefusesToWriteToCreateAndToDelete) {
    const QuietHdf5 quiet;
    const std::string url = server.url("files/a.h5?signature=secret");
    const std::string why = why_not_open(url, &config, H5F_ACC_RDWR);
    EXPECT_EQ(why, "remfile: cannot open " + server.url("files/a.h5?...") +
                       " for writing: remote files are read-only [read_only]");
    EXPECT_HOLDS(why_not_open(url, &config, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE), "as a SWMR writer");
    const Handle fapl = remote_fapl(&config);
    for (const unsigned flags : {H5F_ACC_TRUNC, H5F_ACC_EXCL}) {
        EXPECT_LT(H5Fcreate(url.c_str(), flags, H5P_DEFAULT, fapl), 0);
        EXPECT_EQ(error_stack().front(), "remfile: cannot create " + server.url("files/a.h5?...") +
                                             ": remote files are read-only [read_only]");
    }
    EXPECT_EQ(server.requests().size(), 0u);
#if H5_VERSION_GE(1, 14, 0)
    EXPECT_LT(H5Fdelete(url.c_str(), fapl), 0);
    EXPECT_HOLDS(error_stack().front(), "cannot delete");
#endif
    const Handle file = open_remote(url, &config);
    EXPECT_LT(H5Gcreate2(file, "new", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), 0);
    EXPECT_FALSE(error_stack().empty());
}

TEST_F(VfdErrors, PrintsNothingUnlessToldTo) {
    const QuietHdf5 quiet;
    testing::internal::CaptureStderr();
    {
        const Handle file = open_remote(server.url("files/a.h5"), &config);
        EXPECT_EQ(read_ints(file, "values").size(), counting_rows * counting_columns);
        why_not_open(server.url("files/missing.h5"), &config);
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    config.verbose = 1;
    testing::internal::CaptureStderr();
    open_remote(server.url("files/a.h5"), &config);
    EXPECT_HOLDS(testing::internal::GetCapturedStderr(), "remfile: ");
}

} // namespace
