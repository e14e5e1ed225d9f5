// The file driver on property lists: by structure, by name and string.
#include "hdf5_served_file.hpp"

namespace {

class VfdFapl : public ServedFile {};

TEST_F(VfdFapl, CopiesTheConfigurationAndItsStrings) {
    Handle file;
    {
        std::string agent = "mine";
        H5FD_remfile_config_t own = config;
        own.user_agent = agent.c_str();
        Handle fapl = remote_fapl(&own);
        agent = "theirs";
        own.user_agent = nullptr;
        Handle copy(H5Pcopy(fapl));
        fapl.close();
        const Handle other = remote_fapl(&config);
        file = Handle(H5Fopen(server.url("files/a.h5").c_str(), H5F_ACC_RDONLY, copy));
    }
    EXPECT_EQ(read_ints(file, "values").size(), counting_rows * counting_columns);
    for (const auto &request : server.requests())
        EXPECT_EQ(request.headers.at("user-agent"), "mine");
    const Handle fapl(H5Fget_access_plist(file));
    const auto *kept = static_cast<const H5FD_remfile_config_t *>(H5Pget_driver_info(fapl));
    ASSERT_NE(kept, nullptr);
    EXPECT_EQ(kept->min_chunk_size, config.min_chunk_size);
    EXPECT_STREQ(kept->user_agent, "mine");
}

TEST_F(VfdFapl, WorksWithAConfigurationGivenToH5PsetDriverOrWithNone) {
    const Handle fapl(H5Pcreate(H5P_FILE_ACCESS));
    config.user_agent = "mine";
    ASSERT_GE(H5Pset_driver(fapl, H5FD_remfile_init(), &config), 0);
    EXPECT_GE(Handle(H5Fopen(server.url("files/a.h5").c_str(), H5F_ACC_RDONLY, fapl)), 0);
    EXPECT_EQ(server.requests().front().headers.at("user-agent"), "mine");
    server.reset();
    ASSERT_GE(H5Pset_driver(fapl, H5FD_remfile_init(), nullptr), 0);
    testing::internal::CaptureStderr();
    EXPECT_GE(Handle(H5Fopen(server.url("files/a.h5").c_str(), H5F_ACC_RDONLY, fapl)), 0);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(server.requests().size(), 1u);
}

TEST(VfdConfig, StartsWithTheDefaults) {
    H5FD_remfile_config_t config;
    H5FD_remfile_config_init(&config);
    const remfile::Options defaults;
    EXPECT_EQ(config.min_chunk_size, defaults.min_chunk_size);
    EXPECT_EQ(config.max_cache_size, defaults.max_cache_size);
    EXPECT_EQ(config.max_chunk_size, defaults.max_chunk_size);
    EXPECT_EQ(config.verbose, 0);
    EXPECT_EQ(config.head_size, 0u);
    EXPECT_EQ(config.user_agent, nullptr);
    H5FD_remfile_config_init(nullptr);
}

TEST(VfdConfig, IsRefusedWhereAValueIsOutOfBounds) {
    const QuietHdf5 quiet;
    const Handle fapl(H5Pcreate(H5P_FILE_ACCESS));
    const auto refused = [&](const char *name, auto set) {
        H5FD_remfile_config_t config{};
        set(config);
        EXPECT_LT(H5Pset_fapl_remfile(fapl, &config), 0) << name;
        const auto stack = error_stack();
        const std::string why = stack.empty() ? "" : stack.front();
        EXPECT_HOLDS(why, std::string("the option ") + name);
        EXPECT_HOLDS(why, "[invalid_option]");
    };
    refused("min_chunk_size", [](auto &config) { config.min_chunk_size = 1; });
    refused("max_chunk_size", [](auto &config) { config.max_chunk_size = 1; });
    refused("verbose", [](auto &config) { config.verbose = -1; });
    refused("head_size", [](auto &config) { config.head_size = std::size_t(2) << 30; });
    refused("read_ahead", [](auto &config) { config.read_ahead = 2; });
    refused("max_connections", [](auto &config) { config.max_connections = -1; });
    refused("max_connections", [](auto &config) { config.max_connections = 1000; });
    refused("connect_timeout_ms", [](auto &config) { config.connect_timeout_ms = -5; });
    refused("stall_timeout_ms", [](auto &config) { config.stall_timeout_ms = -1; });
    refused("read_timeout_ms", [](auto &config) { config.read_timeout_ms = -2; });
    refused("max_retries", [](auto &config) { config.max_retries = -2; });
    refused("user_agent", [](auto &config) { config.user_agent = "a\r\nb"; });
    refused("user_agent", [](auto &config) { config.user_agent = "\xff"; });
    refused("verify_tls", [](auto &config) { config.verify_tls = -7; });
    EXPECT_NE(H5Pget_driver(fapl), H5FD_remfile_init());
}

TEST(VfdConfig, IsRefusedWithAnythingButAFileAccessPropertyList) {
    const QuietHdf5 quiet;
    EXPECT_LT(H5Pset_fapl_remfile(H5P_DEFAULT, nullptr), 0);
    const Handle dcpl(H5Pcreate(H5P_DATASET_CREATE));
    EXPECT_LT(H5Pset_fapl_remfile(dcpl, nullptr), 0);
}

#if H5_VERSION_GE(1, 14, 0)
TEST_F(VfdFapl, IsConfiguredByAString) {
    H5FD_remfile_init();
    const Handle fapl(H5Pcreate(H5P_FILE_ACCESS));
    ASSERT_GE(H5Pset_driver_by_name(fapl, "remfile", "user_agent=by name; head_size=1KiB"), 0);
    const Handle file(H5Fopen(server.url("files/a.h5").c_str(), H5F_ACC_RDONLY, fapl));
    ASSERT_GE(file, 0);
    EXPECT_EQ(server.requests().front().headers.at("user-agent"), "by name");

    const QuietHdf5 quiet;
    ASSERT_GE(H5Pset_driver_by_name(fapl, "remfile", "colour=red"), 0);
    EXPECT_LT(H5Fopen(server.url("files/a.h5").c_str(), H5F_ACC_RDONLY, fapl), 0);
    const std::string why = error_stack().front();
    EXPECT_HOLDS(why, "unknown option 'colour'");
    EXPECT_HOLDS(why, "min_chunk_size");
    EXPECT_HOLDS(why, "[invalid_option]");
    for (const char *empty : {"", " "}) {
        ASSERT_GE(H5Pset_driver_by_name(fapl, "remfile", empty), 0);
        EXPECT_GE(Handle(H5Fopen(server.url("files/a.h5").c_str(), H5F_ACC_RDONLY, fapl)), 0);
    }
    ASSERT_GE(H5Pset_driver_by_name(fapl, "remfile", nullptr), 0);
    EXPECT_GE(Handle(H5Fopen(server.url("files/a.h5").c_str(), H5F_ACC_RDONLY, fapl)), 0);
}
#endif

} // namespace
