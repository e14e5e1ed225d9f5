// remfile/hdf5.hpp: opening, statistics, errors as exceptions.
#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

#include <remfile/hdf5.hpp>

#include "hdf5_support.hpp"
#include "test_server.hpp"

namespace {

using remfile::ErrorCode;

class OpenHdf5 : public testing::Test {
  protected:
    void SetUp() override { make_counting_file(folder.path("a.h5"), true); }

    // The error that opening fails with; what libhdf5 prints must be nothing.
    static remfile::Error error_of(const std::string &url, hid_t access_plist = H5P_DEFAULT) {
        remfile::Options options;
        options.max_retries = 0;
        testing::internal::CaptureStderr();
        remfile::Error found(ErrorCode::ok, "");
        try {
            const Handle file(remfile::open_hdf5(url, options, access_plist));
        } catch (const remfile::Error &error) {
            found = error;
        }
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
        return found;
    }

    TemporaryFolder folder;
    TestServer server{folder.path()};
};

TEST_F(OpenHdf5, GivesAFileForLibhdf5) {
    const Handle file(remfile::open_hdf5(server.url("files/a.h5")));
    EXPECT_EQ(H5Iget_type(file), H5I_FILE);
    EXPECT_EQ(read_ints(file, "values").size(), counting_rows * counting_columns);
}

TEST_F(OpenHdf5, ThrowsWhatTheDriverFound) {
    const remfile::Error missing = error_of(server.url("files/missing.h5"));
    EXPECT_EQ(missing.code(), ErrorCode::not_found) << missing.what();
    EXPECT_EQ(missing.http_status(), 404);
    EXPECT_EQ(missing.attempts(), 1u);
    EXPECT_EQ(server.requests().size(), 1u);
    EXPECT_EQ(error_of(server.url("files/a.h5?status=403")).code(), ErrorCode::denied);
    EXPECT_EQ(error_of(server.url("files/a.h5?ranges=off&chunked=1")).code(), ErrorCode::range_unsupported);
    EXPECT_EQ(error_of(server.url("files/a.h5?html=1")).code(), ErrorCode::not_hdf5);
    EXPECT_EQ(error_of(server.url("files/a.h5?status=500")).code(), ErrorCode::server);
    EXPECT_EQ(error_of("http://127.0.0.1:1/a.h5").code(), ErrorCode::unreachable);
    EXPECT_EQ(error_of("a.h5").code(), ErrorCode::invalid_url);
    EXPECT_EQ(error_of("").code(), ErrorCode::invalid_url);
    EXPECT_EQ(error_of(std::string("http://host/a\0b", 15)).code(), ErrorCode::invalid_url);
}

TEST_F(OpenHdf5, ThrowsWhatTheDriverFoundInALaterReadOfTheOpening) {
    const Handle fcpl(H5Pcreate(H5P_FILE_CREATE));
    ASSERT_GE(H5Pset_userblock(fcpl, 4096), 0); // beyond the first block
    make_counting_file(folder.path("a.h5"), true, fcpl);
    remfile::Options options;
    options.min_chunk_size = 1024;
    options.head_size = 1;
    options.max_retries = 0;
    try {
        remfile::open_hdf5(server.url("files/a.h5?status=404&after=1"), options);
        FAIL();
    } catch (const remfile::Error &error) {
        EXPECT_EQ(error.code(), ErrorCode::not_found) << error.what();
    }
}

TEST_F(OpenHdf5, ThrowsWhatLibhdf5SaysWhereTheDriverFoundNothing) {
    std::ofstream(folder.path("text.h5")) << std::string(5000, 'x');
    const remfile::Error text = error_of(server.url("files/text.h5?signature=secret"));
    EXPECT_EQ(text.code(), ErrorCode::not_hdf5) << text.what();
    EXPECT_EQ(std::string(text.what()),
              "cannot open " + server.url("files/text.h5?...") + ": " +
                  std::string(text.what()).substr(std::string(text.what()).rfind(": ") + 2));

    const Handle dcpl(H5Pcreate(H5P_DATASET_CREATE)); // no file access property list
    EXPECT_EQ(error_of(server.url("files/a.h5"), dcpl).code(), ErrorCode::hdf5);
}

TEST_F(OpenHdf5, RefusesOptionsOutOfBounds) {
    remfile::Options options;
    options.min_chunk_size = 1;
    const auto code = [&](auto call) {
        try {
            call();
        } catch (const remfile::Error &error) {
            return error.code();
        }
        return ErrorCode::ok;
    };
    const Handle fapl(H5Pcreate(H5P_FILE_ACCESS));
    EXPECT_EQ(code([&] { remfile::open_hdf5(server.url("files/a.h5"), options); }),
              ErrorCode::invalid_option);
    EXPECT_EQ(code([&] { remfile::set_fapl(fapl, options); }), ErrorCode::invalid_option);
    EXPECT_EQ(server.requests().size(), 0u);
}

TEST_F(OpenHdf5, LeavesTheGivenPropertyListAlone) {
    const Handle fapl(H5Pcreate(H5P_FILE_ACCESS));
    const hid_t driver = H5Pget_driver(fapl);
    ASSERT_GE(H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG), 0);
    const Handle file(remfile::open_hdf5(server.url("files/a.h5"), {}, fapl));
    EXPECT_EQ(H5Pget_driver(fapl), driver);
    const Handle used(H5Fget_access_plist(file));
    H5F_close_degree_t degree{};
    ASSERT_GE(H5Pget_fclose_degree(used, &degree), 0);
    EXPECT_EQ(degree, H5F_CLOSE_STRONG); // the rest of it holds
}

TEST_F(OpenHdf5, OpensWithTheFlagsGivenAndRefusesThoseThatWrite) {
    const std::string url = server.url("files/a.h5");
    const Handle file(remfile::open_hdf5(url, {}, H5P_DEFAULT, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ));
    unsigned flags = 0;
    ASSERT_GE(H5Fget_intent(file, &flags), 0);
    EXPECT_EQ(flags, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ);
    for (const unsigned writing : {H5F_ACC_RDWR, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE}) {
        try {
            remfile::open_hdf5(url, {}, H5P_DEFAULT, writing);
            FAIL() << writing;
        } catch (const remfile::Error &error) {
            EXPECT_EQ(error.code(), ErrorCode::read_only) << error.what();
        }
    }
}

TEST_F(OpenHdf5, PassesEveryOptionOn) {
    remfile::Options options;
    options.user_agent = "agent, with; separators";
    options.read_timeout_ms = 0;
    options.max_retries = 0;
    options.max_cache_size = 0;
    options.read_ahead = false;
    options.hints = false;
    options.complete_small_files = false;
    options.verify_tls = false;
    options.local_links = true;
    const Handle file(remfile::open_hdf5(server.url("files/a.h5"), options));
    EXPECT_EQ(server.requests().front().headers.at("user-agent"), options.user_agent);
    const Handle fapl(H5Fget_access_plist(file));
    const auto *config = static_cast<const H5FD_remfile_config_t *>(H5Pget_driver_info(fapl));
    ASSERT_NE(config, nullptr);
    EXPECT_EQ(config->read_timeout_ms, -1);
    EXPECT_EQ(config->max_retries, -1);
    EXPECT_EQ(config->read_ahead, -1);
    EXPECT_EQ(config->hints, -1);
    EXPECT_EQ(config->complete_small_files, -1);
    EXPECT_EQ(config->verify_tls, -1);
    EXPECT_EQ(config->local_links, 1);
    EXPECT_LE(config->max_cache_size, 1u);
}

TEST_F(OpenHdf5, LeavesTheProgramsErrorHandlerAsItWas) {
    static int calls = 0;
    const H5E_auto2_t mine = [](hid_t, void *) -> herr_t { return ++calls, 0; };
    H5E_auto2_t old = nullptr;
    void *old_data = nullptr;
    H5Eget_auto2(H5E_DEFAULT, &old, &old_data);
    H5Eset_auto2(H5E_DEFAULT, mine, &calls);
    error_of(server.url("files/missing.h5"));
    EXPECT_EQ(calls, 0);
    H5E_auto2_t found = nullptr;
    void *data = nullptr;
    EXPECT_GE(H5Eget_auto2(H5E_DEFAULT, &found, &data), 0);
    EXPECT_EQ(found, mine);
    EXPECT_EQ(data, &calls);
    H5Eset_auto2(H5E_DEFAULT, old, old_data);
}

#ifndef H5_NO_DEPRECATED_SYMBOLS
TEST_F(OpenHdf5, LeavesAnErrorHandlerOfTheFirstKindAsItWas) {
    static int calls = 0;
    const H5E_auto1_t mine = [](void *) -> herr_t { return ++calls, 0; };
    H5E_auto2_t old = nullptr;
    void *old_data = nullptr;
    H5Eget_auto2(H5E_DEFAULT, &old, &old_data);
    H5Eset_auto1(mine, &calls);
    error_of(server.url("files/missing.h5"));
    const Handle file(remfile::open_hdf5(server.url("files/a.h5")));
    EXPECT_GT(remfile::stats(file).requests, 0u);
    EXPECT_EQ(calls, 0);
    H5E_auto1_t found = nullptr;
    void *data = nullptr;
    EXPECT_GE(H5Eget_auto1(&found, &data), 0);
    EXPECT_EQ(found, mine);
    EXPECT_EQ(data, &calls);
    H5Eset_auto2(H5E_DEFAULT, old, old_data);
}
#endif

TEST_F(OpenHdf5, CountsWhatTheServerCounts) {
    remfile::Options options;
    options.min_chunk_size = 1024;
    options.head_size = 1;
    const Handle file(remfile::open_hdf5(server.url("files/a.h5"), options));
    EXPECT_EQ(read_ints(file, "values").size(), counting_rows * counting_columns);
    const Handle dataset(H5Dopen2(file, "values", H5P_DEFAULT));
    const remfile::Stats stats = remfile::stats(dataset);
    const auto counters = server.counters();
    EXPECT_EQ(stats.requests, counters.at("requests"));
    EXPECT_EQ(stats.fetched_bytes, counters.at("bytes"));
    EXPECT_EQ(counters.at("head_requests"), 0u);
    EXPECT_EQ(remfile::stats(file).requests, stats.requests);
}

TEST_F(OpenHdf5, HasNoStatisticsOfOtherFiles) {
    const QuietHdf5 quiet;
    const Handle local(H5Fopen(folder.path("a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    for (const hid_t id : {static_cast<hid_t>(local), static_cast<hid_t>(H5T_NATIVE_INT), hid_t(-1)}) {
        try {
            remfile::stats(id);
            ADD_FAILURE();
        } catch (const remfile::Error &error) {
            EXPECT_EQ(error.code(), ErrorCode::hdf5) << error.what();
        }
    }
}

} // namespace
