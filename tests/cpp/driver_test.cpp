// remfile::Driver: what reading costs the server, and what goes wrong.
#include <algorithm>
#include <array>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <remfile/driver.hpp>

#include "generated.hpp"
#include "test_server.hpp"

namespace {

constexpr std::uint64_t block = 100 * 1024;

static_assert(std::is_nothrow_move_constructible_v<remfile::Driver>);
static_assert(!std::is_copy_constructible_v<remfile::Driver>);

class DriverTest : public testing::Test {
  protected:
    TestServer server;

    // The defaults, but never the rest of a small file early: when that pays depends on the machine.
    static remfile::Options defaults() {
        remfile::Options options;
        options.complete_small_files = false;
        return options;
    }

    remfile::Driver open(const std::string &path, const remfile::Options &options = defaults()) {
        return remfile::Driver::open(server.url(path), options);
    }

    static void expect_read(const remfile::Driver &driver, std::uint64_t offset, std::size_t size) {
        std::vector<std::uint8_t> bytes(size, 0xEE);
        driver.read(offset, bytes);
        EXPECT_EQ(bytes, generated(offset, size)) << size << " bytes at " << offset;
    }

    // The error of opening `path`.
    remfile::Error failure(const std::string &path, const remfile::Options &options = {}) {
        return failure_of_url(server.url(path), options);
    }

    static remfile::Error failure_of_url(const std::string &url, const remfile::Options &options = {}) {
        try {
            remfile::Driver::open(url, options);
        } catch (const remfile::Error &error) {
            return error;
        }
        return remfile::Error(remfile::ErrorCode::ok, "it opened");
    }
};

TEST_F(DriverTest, OpensWithOneRangeGetThatBringsSizeAndHead) {
    const auto driver = open("bytes/200000000");
    EXPECT_EQ(driver.size(), 200'000'000u);
    expect_read(driver, 0, 5 * block);
    const auto requests = server.requests();
    ASSERT_EQ(requests.size(), 1u);
    EXPECT_EQ(requests[0].method, "GET");
    EXPECT_EQ(requests[0].range, std::make_pair(std::uint64_t{0}, 5 * block));
    EXPECT_EQ(server.counters().at("head_requests"), 0u);
}

TEST_F(DriverTest, ACacheHitCostsNoRequest) {
    const auto driver = open("bytes/10000000");
    expect_read(driver, 5'000'000, 1000);
    const auto before = server.requests().size();
    for (int i = 0; i < 100; ++i)
        expect_read(driver, 5'000'100, 500);
    EXPECT_EQ(server.requests().size(), before);
}

TEST_F(DriverTest, A5MbReadCostsAtMost2RequestsAndTwiceItsBytes) {
    for (const std::uint64_t offset : {0u, 1u, 20'000'000u, 77'777'777u}) {
        const auto driver = open("bytes/900000000");
        server.reset();
        expect_read(driver, offset, 5'000'000);
        const auto requests = server.requests();
        EXPECT_LE(requests.size(), 2u);
        std::uint64_t bytes = 0;
        for (const auto &request : requests)
            bytes += request.bytes_sent;
        EXPECT_LE(bytes, 10'000'000u);
    }
}

TEST_F(DriverTest, AReadNeverFetchesLessThanItNeeds) {
    auto options = defaults();
    options.max_chunk_size = 1024 * 1024;
    const auto driver = open("bytes/900000000", options);
    server.reset();
    expect_read(driver, 500 * block, 30 * block);
    auto requests = server.requests();
    std::uint64_t bytes = 0;
    for (const auto &request : requests) {
        ASSERT_TRUE(request.range);
        EXPECT_LE(request.range->second - request.range->first, options.max_chunk_size);
        bytes += request.bytes_sent;
    }
    EXPECT_EQ(bytes, 30 * block);
}

TEST_F(DriverTest, AMissingFileCostsExactlyOneRequest) {
    const auto error = failure("files/none.h5");
    EXPECT_EQ(error.code(), remfile::ErrorCode::not_found);
    EXPECT_EQ(error.http_status(), 404);
    EXPECT_EQ(error.attempts(), 1u);
    EXPECT_EQ(server.requests().size(), 1u);
    EXPECT_NE(std::string(error.what()).find("/files/none.h5"), std::string::npos) << error.what();
}

TEST_F(DriverTest, ATransientFailureIsSurvivedAtOpenAndAtRead) {
    for (const std::string fault : {"status=503", "status=429", "cut=1000", "reset=1"}) {
        const auto at_open = open("bytes/5000000/open?first=2&" + fault);
        expect_read(at_open, 0, 1000);
        const auto at_read = open("bytes/5000000/read?after=1&first=2&" + fault);
        expect_read(at_read, 2'000'000, 300'000);
        EXPECT_GE(server.requests("/bytes/5000000/open").size(), 3u) << fault;
        EXPECT_GE(server.requests("/bytes/5000000/read").size(), 4u) << fault;
        server.reset();
    }
}

TEST_F(DriverTest, EachRefusalHasItsCodeInOneSentenceAndCostsOneRequest) {
    const std::vector<std::pair<std::string, remfile::ErrorCode>> refusals{
        {"bytes/20000000?ranges=off", remfile::ErrorCode::range_unsupported},
        {"bytes/1000?status=403", remfile::ErrorCode::denied},
        {"bytes/1000?status=401", remfile::ErrorCode::denied},
        {"bytes/1000?status=400", remfile::ErrorCode::server},
        {"bytes/1000?html=1", remfile::ErrorCode::not_hdf5},
        {"bytes/1000?html=1&ranges=off", remfile::ErrorCode::range_unsupported},
        {"bytes/1000?gzip=1", remfile::ErrorCode::bad_response},
        {"bytes/1000?shift=4", remfile::ErrorCode::bad_response},
    };
    for (const auto &[path, code] : refusals) {
        server.reset();
        const auto error = failure(path);
        EXPECT_EQ(error.code(), code) << path << ": " << error.what();
        server.settle();
        EXPECT_EQ(server.requests().size(), 1u) << path;
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
        EXPECT_EQ(std::string(error.what()).rfind("cannot read http://127.0.0.1", 0), 0u) << error.what();
    }
}

TEST_F(DriverTest, ABadUrlAndAnUnreachableHostAreToldApart) {
    remfile::Options once;
    once.max_retries = 0;
    EXPECT_EQ(failure_of_url("/tmp/a.h5").code(), remfile::ErrorCode::invalid_url);
    EXPECT_EQ(failure_of_url("https://").code(), remfile::ErrorCode::invalid_url);
    EXPECT_EQ(failure_of_url("http://h/\xff").code(), remfile::ErrorCode::invalid_url);
    EXPECT_EQ(failure_of_url("http://127.0.0.1:1/a.h5", once).code(), remfile::ErrorCode::unreachable);
    EXPECT_EQ(failure_of_url("http://no-such-host.invalid/a.h5", once).code(),
              remfile::ErrorCode::unreachable);
}

TEST_F(DriverTest, AServerThatGivesNoAnswerIsNotWaitedForForEver) {
    remfile::Options options;
    options.stall_timeout_ms = 100;
    options.max_retries = 1;
    const auto error = failure("bytes/1000?stall=head", options);
    EXPECT_EQ(error.code(), remfile::ErrorCode::timed_out);
    EXPECT_EQ(error.attempts(), 2u);
}

TEST_F(DriverTest, AFileThatChangesWhileOpenIsNoticed) {
    const auto driver = open("bytes/5000000?etag_flip=1&after=1");
    std::array<std::uint8_t, 10> bytes{};
    try {
        driver.read(3'000'000, bytes);
        FAIL() << "it read another file";
    } catch (const remfile::Error &error) {
        EXPECT_EQ(error.code(), remfile::ErrorCode::changed);
    }
}

TEST_F(DriverTest, ReadingPastTheEndIsAnErrorAndAnEmptyReadIsFine) {
    const auto driver = open("bytes/1000");
    std::array<std::uint8_t, 2> two{};
    EXPECT_THROW(driver.read(999, two), remfile::Error);
    EXPECT_THROW(driver.read(~std::uint64_t{0}, two), remfile::Error);
    driver.read(1000, remfile::ByteSpan(nullptr, 0));
    expect_read(driver, 998, 2);
    EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(DriverTest, PrefetchedRangesCostNothingWhenRead) {
    const auto driver = open("bytes/900000000");
    server.reset();
    driver.prefetch({{100'000'000, 10}, {370'000'000, 200'000}, {899'999'999, 1'000'000}});
    expect_read(driver, 100'000'000, 10);
    expect_read(driver, 370'000'000, 200'000);
    expect_read(driver, 899'999'999, 1);
    EXPECT_EQ(server.requests().size(), 3u);
    EXPECT_EQ(driver.stats().missed_blocks, 0u);
}

TEST_F(DriverTest, AVectorOfScatteredPiecesTakesOneRoundTrip) {
    const auto driver = open("bytes/900000000?delay=20");
    std::vector<std::vector<std::uint8_t>> buffers(20, std::vector<std::uint8_t>(1000, 0xEE));
    std::vector<remfile::ReadPiece> pieces;
    for (std::uint64_t i = 0; i < buffers.size(); ++i)
        pieces.push_back({(buffers.size() - i) * 40'000'000, buffers[i]});
    pieces.push_back({7, {nullptr, 0}});
    const auto before = driver.stats();
    driver.read_vector(pieces);
    for (std::size_t i = 0; i < buffers.size(); ++i)
        EXPECT_EQ(buffers[i], generated(pieces[i].offset, 1000)) << i;
    EXPECT_EQ(driver.stats().round_trips - before.round_trips, 1u);
    EXPECT_EQ(driver.stats().requests - before.requests, buffers.size());
}

TEST_F(DriverTest, WherePiecesOfAVectorShareMemoryTheLaterOneWins) {
    const auto driver = open("bytes/10000000");
    std::vector<std::uint8_t> bytes(30);
    driver.read_vector({{5'000'000, {bytes.data(), 20}}, {9'000'000, {bytes.data() + 10, 20}}});
    auto expected = generated(5'000'000, 10);
    const auto later = generated(9'000'000, 20);
    expected.insert(expected.end(), later.begin(), later.end());
    EXPECT_EQ(bytes, expected);
}

TEST_F(DriverTest, AVectorWithAPiecePastTheEndIsRefusedBeforeAnythingIsFetched) {
    const auto driver = open("bytes/10000000");
    server.reset();
    std::vector<std::uint8_t> bytes(30);
    try {
        driver.read_vector({{5'000'000, bytes}, {9'999'971, bytes}});
        ADD_FAILURE();
    } catch (const remfile::Error &error) {
        EXPECT_EQ(error.code(), remfile::ErrorCode::out_of_bounds);
    }
    EXPECT_TRUE(server.requests().empty());
}

TEST_F(DriverTest, IsSharedBetweenThreadsAndMoved) {
    auto first = open("bytes/40000000");
    const remfile::Driver driver = std::move(first);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&driver, t] {
            for (std::uint64_t i = 0; i < 20; ++i)
                expect_read(driver, (i * 7 + static_cast<std::uint64_t>(t)) * 250'000, 1000);
        });
    for (auto &thread : threads)
        thread.join();
    first = open("bytes/1000");
    expect_read(first, 0, 1000);
}

TEST_F(DriverTest, CountsWhatTheServerSaw) {
    const auto driver = open("bytes/30000000");
    expect_read(driver, 10'000'000, 1'000'000);
    std::uint64_t bytes = 0;
    for (const auto &request : server.requests())
        bytes += request.bytes_sent;
    const auto stats = driver.stats();
    EXPECT_EQ(stats.requests, server.requests().size());
    EXPECT_EQ(stats.fetched_bytes, bytes);
    EXPECT_EQ(stats.round_trips, 2u);
    EXPECT_EQ(stats.read_bytes, 1'000'000u);
}

TEST_F(DriverTest, ShowsNoSecretsOfItsUrl) {
    const auto driver = open("bytes/1000?signature=topsecret");
    EXPECT_EQ(driver.url().find("topsecret"), std::string::npos) << driver.url();
    const auto error = failure("files/none.h5?signature=topsecret");
    EXPECT_EQ(std::string(error.what()).find("topsecret"), std::string::npos) << error.what();
}

TEST(Version, IsTold) {
    EXPECT_NE(std::string(remfile::version()), "");
    EXPECT_NE(std::string(remfile::libcurl_version()), "");
}

} // namespace
