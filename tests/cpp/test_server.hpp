// The HTTP server of tests/server for C++ tests: runs the program, reads its log.
//
//     TestServer server("/some/folder");
//     ... server.url("files/a.h5?status=503&first=2") ...
//     EXPECT_EQ(server.requests().size(), 3u);
//
// Which knobs a URL may have stands in tests/server/src/knobs.md.
#ifndef REMFILE_TESTS_TEST_SERVER_HPP
#define REMFILE_TESTS_TEST_SERVER_HPP

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

// One request as the server saw it.
struct LoggedRequest {
    std::string method;
    std::string path;
    std::string query;                                            // without the question mark
    std::optional<std::pair<std::uint64_t, std::uint64_t>> range; // start and end, the end not included
    int status = 0;
    std::uint64_t bytes_sent = 0;
    std::uint64_t connection = 0;
    std::map<std::string, std::string> headers; // names in lower case
};

class TestServer {
  public:
    // Serves the files of `root` under /files/ until destroyed. Throws std::runtime_error.
    explicit TestServer(const std::string &root = REMFILE_TEST_DATA, std::vector<std::string> arguments = {});
    ~TestServer();
    TestServer(const TestServer &) = delete;
    TestServer &operator=(const TestServer &) = delete;

    // "http://127.0.0.1:PORT/" and `path`.
    std::string url(const std::string &path = "") const;

    // The requests since the start or the last reset whose path begins with `prefix`, in order of arrival.
    std::vector<LoggedRequest> requests(const std::string &prefix = "/") const;

    // The sums that the server keeps: requests, bytes, connections, round_trips, head_requests, ...
    std::map<std::string, std::uint64_t> counters() const;

    // Waits, some seconds at the most, until the end of each request has been noticed, those that were given
    // up included.
    void settle() const;

    // Forgets requests and counters.
    void reset() const;

    // Ends the server at once, in the middle of whatever it does.
    void kill();

  private:
    std::string control(const char *method, const std::string &path) const;

    pid_t process_ = -1;
    int standard_input_ = -1; // the server ends with it, so also where the test crashes
    std::string address_;
};

#endif
