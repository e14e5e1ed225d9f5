#include "test_server.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <curl/curl.h>

extern char **environ;

namespace {

std::runtime_error failure(const std::string &what) { return std::runtime_error("test server: " + what); }

struct Pipe {
    int ends[2];

    Pipe() {
        // Not for other children: they would keep the server's input open.
        if (pipe2(ends, O_CLOEXEC) != 0)
            throw failure(std::strerror(errno));
    }
};

pid_t spawn(const std::vector<std::string> &words, int input, int output) {
    std::vector<char *> arguments;
    for (const auto &word : words)
        arguments.push_back(const_cast<char *>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    pid_t process = -1;
    const int error = posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        throw failure("cannot start " + words[0] + ": " + std::strerror(error));
    return process;
}

std::string read_line(int from) {
    std::string line;
    char c = 0;
    while (read(from, &c, 1) == 1 && c != '\n')
        line += c;
    return line;
}

std::vector<std::string> columns_of(const std::string &line) {
    std::vector<std::string> columns;
    std::istringstream stream(line);
    for (std::string column; std::getline(stream, column, '\t');)
        columns.push_back(column == "-" ? "" : column);
    return columns;
}

std::size_t append(char *data, std::size_t size, std::size_t count, void *text) {
    static_cast<std::string *>(text)->append(data, size * count);
    return size * count;
}

// The columns of a line of the log; tests/server/src/entry.rs writes them.
LoggedRequest request_of(const std::vector<std::string> &columns) {
    LoggedRequest request;
    request.connection = std::stoull(columns.at(1));
    request.method = columns.at(2);
    request.path = columns.at(3);
    request.query = columns.at(4);
    if (!columns.at(5).empty())
        request.range = {std::stoull(columns[5]), std::stoull(columns.at(6))};
    request.status = std::stoi(columns.at(8));
    request.bytes_sent = std::stoull(columns.at(9));
    for (std::size_t i = 12; i < columns.size(); ++i) {
        const std::size_t colon = columns[i].find(": ");
        if (colon != std::string::npos)
            request.headers.emplace(columns[i].substr(0, colon), columns[i].substr(colon + 2));
    }
    return request;
}

} // namespace

TestServer::TestServer(const std::string &root, std::vector<std::string> arguments) {
    std::vector<std::string> words{REMFILE_TEST_SERVER, "--root", root, "--exit-with-parent"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Pipe input;
    const Pipe output;
    process_ = spawn(words, input.ends[0], output.ends[1]);
    close(input.ends[0]);
    close(output.ends[1]);
    standard_input_ = input.ends[1];
    const std::string line = read_line(output.ends[0]);
    close(output.ends[0]);
    const std::string greeting = "listening on ";
    if (line.rfind(greeting, 0) != 0) {
        kill();
        throw failure("said '" + line + "'");
    }
    address_ = line.substr(greeting.size());
}

TestServer::~TestServer() { kill(); }

void TestServer::kill() {
    if (process_ < 0)
        return;
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
    close(standard_input_);
}

std::string TestServer::url(const std::string &path) const { return address_ + "/" + path; }

std::string TestServer::control(const char *method, const std::string &path) const {
    CURL *curl = curl_easy_init();
    std::string text;
    const std::string url = address_ + path;
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &text);
    const CURLcode result = curl_easy_perform(curl);
    curl_easy_cleanup(curl);
    if (result != CURLE_OK)
        throw failure(path + ": " + curl_easy_strerror(result));
    return text;
}

std::vector<LoggedRequest> TestServer::requests(const std::string &prefix) const {
    std::istringstream log(control("GET", "/_log?path=" + prefix));
    std::string line;
    std::getline(log, line); // the heading
    std::vector<LoggedRequest> requests;
    while (std::getline(log, line))
        requests.push_back(request_of(columns_of(line)));
    return requests;
}

std::map<std::string, std::uint64_t> TestServer::counters() const {
    std::istringstream lines(control("GET", "/_counters"));
    std::string line;
    std::getline(lines, line); // the heading
    std::map<std::string, std::uint64_t> counters;
    while (std::getline(lines, line)) {
        const auto columns = columns_of(line);
        counters[columns.at(0)] = std::stoull(columns.at(1));
    }
    return counters;
}

void TestServer::settle() const {
    for (int turn = 0; turn < 500 && counters().at("in_flight") > 0; ++turn)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

void TestServer::reset() const { control("POST", "/_reset"); }
