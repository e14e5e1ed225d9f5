// remfile::Driver with files that are not for everybody: credentials, URLs that expire, identity.
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <remfile/driver.hpp>

#include "generated.hpp"
#include "test_server.hpp"

namespace {

class PrivateFile : public testing::Test {
  protected:
    void SetUp() override { options.complete_small_files = false; }

    static void expect_read(const remfile::Driver &driver, std::uint64_t offset, std::size_t size) {
        std::vector<std::uint8_t> bytes(size, 0xEE);
        driver.read(offset, bytes);
        EXPECT_EQ(bytes, generated(offset, size)) << size << " bytes at " << offset;
    }

    // The error of reading 10 bytes at 5,000,000.
    static remfile::Error failure(const remfile::Driver &driver) {
        try {
            expect_read(driver, 5'000'000, 10);
        } catch (const remfile::Error &error) {
            return error;
        }
        return remfile::Error(remfile::ErrorCode::ok, "it was read");
    }

    TestServer server;
    TestServer other;
    remfile::Options options;
};

TEST_F(PrivateFile, CredentialsGoToTheFilesHostAndNotToWhereItRedirects) {
    options.authorization = "token topsecret";
    options.headers = "X-Api-Key: topsecret\nX-Other: b";
    options.cookies = "session=topsecret";
    const std::string port = other.url().substr(other.url().rfind(':') + 1);
    const auto driver = remfile::Driver::open(
        server.url("bytes/1?redirect=302&to=http%3A//127.0.0.1%3A" + port + "bytes/9000000"), options);
    expect_read(driver, 5'000'000, 10);
    ASSERT_EQ(server.requests().size(), 1u);
    const auto given = server.requests().front().headers;
    EXPECT_EQ(given.at("authorization"), "token topsecret");
    EXPECT_EQ(given.at("x-api-key"), "topsecret");
    EXPECT_EQ(given.at("x-other"), "b");
    EXPECT_EQ(given.at("cookie"), "session=topsecret");
    ASSERT_EQ(other.requests().size(), 2u);
    for (const auto &request : other.requests())
        for (const auto &[name, value] : request.headers)
            EXPECT_EQ(value.find("topsecret"), std::string::npos) << name;
}

TEST_F(PrivateFile, AFreshUrlIsAskedForOnceByAllThreads) {
    std::atomic<int> calls{0};
    const auto driver =
        remfile::Driver::open(server.url("bytes/900000000/old?status=403&after=1&delay=30"), options, [&] {
            ++calls;
            return server.url("bytes/900000000/fresh");
        });
    std::vector<std::thread> threads;
    for (std::uint64_t i = 1; i < 9; ++i)
        threads.emplace_back([&driver, i] { expect_read(driver, i * i * i * 1'700'000, 100'000); });
    for (auto &thread : threads)
        thread.join();
    EXPECT_EQ(calls, 1);
}

TEST_F(PrivateFile, WhatTheCallbackThrowsIsTheErrorOfTheRead) {
    const std::string url = server.url("bytes/9000000?status=403&after=1");
    const auto logged_out =
        remfile::Driver::open(url, options, []() -> std::string { throw std::runtime_error("logged out"); });
    EXPECT_EQ(failure(logged_out).code(), remfile::ErrorCode::denied);
    EXPECT_NE(std::string(failure(logged_out).what()).find("logged out"), std::string::npos);
    server.reset();
    const auto odd = remfile::Driver::open(url, options, []() -> std::string { throw 1; });
    EXPECT_NE(std::string(failure(odd).what()).find("unknown exception"), std::string::npos);
    server.reset();
    const auto endless = remfile::Driver::open(url, options, [] { return std::string(1 << 20, 'a'); });
    EXPECT_NE(std::string(failure(endless).what()).find("too long"), std::string::npos);
}

TEST_F(PrivateFile, AFreshUrlOfAnotherObjectIsRefused) {
    const auto driver = remfile::Driver::open(server.url("bytes/9000000?status=403&after=1"), options,
                                              [&] { return server.url("bytes/9000001"); });
    EXPECT_EQ(failure(driver).code(), remfile::ErrorCode::changed);
}

TEST_F(PrivateFile, TheIdentityIsTheObjectsWhateverSignsItsUrl) {
    const auto identity = [&](const std::string &path) {
        return remfile::Driver::open(server.url(path), options).identity();
    };
    const std::string first = identity("bytes/9000000?X-Amz-Signature=1");
    EXPECT_EQ(first, identity("bytes/9000000?X-Amz-Signature=2"));
    EXPECT_NE(first, identity("bytes/9000000?etag_flip=1"));
    EXPECT_NE(first, identity("bytes/9000001"));
}

TEST_F(PrivateFile, ASmallFileComesWholeWhereThereAreNoRanges) {
    const auto driver = remfile::Driver::open(server.url("bytes/1000000?ranges=off"), options);
    expect_read(driver, 900'000, 100'000);
    EXPECT_EQ(server.requests().size(), 1u);
    options.max_whole_file = 0;
    EXPECT_THROW(remfile::Driver::open(server.url("bytes/1000000?ranges=off"), options), remfile::Error);
}

} // namespace
