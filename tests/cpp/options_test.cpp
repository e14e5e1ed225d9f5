// remfile::Options: one set of options in C++ and Rust.
#include <gtest/gtest.h>

#include <remfile/error.hpp>
#include <remfile/options.hpp>

namespace {

TEST(Options, TheDefaultsAreThoseOfRust) {
    EXPECT_EQ(remfile::Options{}.to_string(), remfile::Options::parse("").to_string());
}

TEST(Options, EveryFieldIsParsedAndPrinted) {
    // In the order of to_string, and no value its default.
    const std::string text =
        "min_chunk_size=4096, max_cache_size=1, max_chunk_size=8192, verbose=1, "
        "head_size=2, read_ahead=0, hints=0, complete_small_files=0, max_connections=3, "
        "connect_timeout_ms=4, stall_timeout_ms=5, read_timeout_ms=6, max_retries=7, "
        "user_agent=\"a, b\", ca_file=\"c\", verify_tls=0, proxy=\"d\", http2=0, local_links=1, "
        "authorization=\"token d\", username=\"e\", password=\"f\", "
        "headers=\"X-A: g\\nX-B: h\", cookies=\"i=j; k=l\", cookie_file=\"m\", "
        "netrc=1, credentials_host=\"https://n\", max_whole_file=8, s3_region=\"o\", "
        "s3_endpoint=\"https://p\", s3_path_style=1, s3_requester_pays=1, "
        "s3_anonymous=1";
    const auto options = remfile::Options::parse(text);
    EXPECT_EQ(options.to_string(), text);
    EXPECT_EQ(options.user_agent, "a, b");
    EXPECT_EQ(options.max_retries, 7u);
    EXPECT_FALSE(options.verify_tls);
    EXPECT_EQ(options.headers, "X-A: g\nX-B: h");
    EXPECT_EQ(options.max_whole_file, 8u);
}

TEST(Options, WhatIsWrongIsRefusedByName) {
    for (const std::string text :
         {"no_such_option=1", "max_connections=0", "verbose=perhaps", "max_retries"}) {
        try {
            remfile::Options::parse(text);
            FAIL() << text;
        } catch (const remfile::Error &error) {
            EXPECT_EQ(error.code(), remfile::ErrorCode::invalid_option);
            const std::string name = text.substr(0, text.find('='));
            EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
        }
    }
}

} // namespace
