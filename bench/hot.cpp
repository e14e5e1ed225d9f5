// Measures remfile::Driver without HDF5 and prints one line of JSON. See --help.
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <remfile/driver.hpp>

namespace {

using Clock = std::chrono::steady_clock;

const char *const usage =
    "usage: remfile_bench_hot hot URL          a million cached reads of 8 bytes\n"
    "       remfile_bench_hot copy URL         cached reads of 1 MiB, 4 GB in all, and plain memcpy beside "
    "it\n"
    "       remfile_bench_hot sequential URL   all of it, 4 MiB at a time\n"
    "       remfile_bench_hot memory URL       the same with a cache of 64 MiB: peak of resident memory\n"
    "       remfile_bench_hot many URL N       opens URL/0, URL/1, ... and keeps them all open\n"
    "\n"
    "  --options TEXT   remfile options, \"key=value, key=value\"\n";

constexpr std::size_t window = 4 << 20;
constexpr std::size_t mebi = 1 << 20;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Linux: a line of /proc/self/status in bytes, 0 elsewhere.
std::uint64_t status_bytes(const char *name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind(name, 0) == 0)
            return std::stoull(line.substr(std::strlen(name) + 1)) * 1024;
    return 0;
}

void read_all(const remfile::Driver &driver) {
    std::vector<std::byte> buffer(window);
    for (std::uint64_t offset = 0; offset < driver.size(); offset += window) {
        const std::uint64_t rest = driver.size() - offset;
        driver.read(offset, {buffer.data(), rest < window ? static_cast<std::size_t>(rest) : window});
    }
}

void hot(const remfile::Driver &driver) {
    constexpr std::uint64_t reads = 1'000'000;
    const std::uint64_t span = std::min<std::uint64_t>(driver.size(), 8 * mebi);
    std::vector<std::byte> all(span);
    driver.read(0, all);
    std::uint64_t sum = 0, word = 0;
    const Clock::time_point start = Clock::now();
    for (std::uint64_t number = 0; number < reads; ++number) {
        driver.read(number * 1009 * 8 % (span - 8), {&word, sizeof word});
        sum += word;
    }
    std::printf("{\"reads\": %" PRIu64 ", \"seconds\": %.6f, \"sum\": %" PRIu64 "}\n", reads, since(start),
                sum);
}

void copy(const remfile::Driver &driver) {
    const std::uint64_t span = driver.size() / mebi * mebi;
    constexpr std::uint64_t rounds = 4000;
    std::vector<std::byte> all(span), buffer(mebi);
    driver.read(0, all);
    Clock::time_point start = Clock::now();
    for (std::uint64_t number = 0; number < rounds; ++number)
        driver.read(number * mebi % span, buffer);
    const double cached = since(start);
    start = Clock::now();
    for (std::uint64_t number = 0; number < rounds; ++number) {
        std::memcpy(buffer.data(), all.data() + number * mebi % span, mebi);
        asm volatile("" : : "r"(buffer.data()) : "memory"); // the copy has to happen
    }
    std::printf("{\"bytes\": %" PRIu64 ", \"seconds\": %.6f, \"memcpy_seconds\": %.6f}\n", rounds * mebi,
                cached, since(start));
}

void sequential(const std::string &url, const remfile::Options &options) {
    const Clock::time_point start = Clock::now();
    const remfile::Driver driver = remfile::Driver::open(url, options);
    read_all(driver);
    std::printf("{\"bytes\": %" PRIu64 ", \"seconds\": %.6f}\n", driver.size(), since(start));
}

void memory(const std::string &url, remfile::Options options) {
    options.max_cache_size = 64 * mebi;
    const std::uint64_t before = status_bytes("VmRSS:");
    const remfile::Driver driver = remfile::Driver::open(url, options);
    read_all(driver);
    std::printf("{\"bytes\": %" PRIu64 ", \"cache_bytes\": %" PRIu64 ", \"resident_before\": %" PRIu64
                ", \"resident_peak\": %" PRIu64 "}\n",
                driver.size(), options.max_cache_size, before, status_bytes("VmHWM:"));
}

void many(const std::string &url, int count, const remfile::Options &options) {
    std::vector<remfile::Driver> drivers;
    std::vector<std::byte> buffer(64 * 1024);
    const Clock::time_point start = Clock::now();
    for (int number = 0; number < count; ++number) {
        drivers.push_back(remfile::Driver::open(url + "/" + std::to_string(number), options));
        drivers.back().read(drivers.back().size() - buffer.size(), buffer);
    }
    std::uint64_t connections = 0;
    for (const remfile::Driver &driver : drivers)
        connections += driver.stats().connections;
    std::printf("{\"files\": %d, \"connections\": %" PRIu64 ", \"seconds\": %.6f}\n", count, connections,
                since(start));
}

void run(std::vector<std::string> words) {
    remfile::Options options;
    for (std::size_t index = 0; index + 1 < words.size(); ++index) {
        if (words[index] == "--options") {
            options = remfile::Options::parse(words[index + 1]);
            words.erase(words.begin() + index, words.begin() + index + 2);
        }
    }
    if (words.size() < 2)
        throw std::invalid_argument("a mode and a URL are wanted");
    const std::string &mode = words[0], &url = words[1];
    if (mode == "hot")
        hot(remfile::Driver::open(url, options));
    else if (mode == "copy")
        copy(remfile::Driver::open(url, options));
    else if (mode == "sequential")
        sequential(url, options);
    else if (mode == "memory")
        memory(url, options);
    else if (mode == "many" && words.size() == 3)
        many(url, std::stoi(words[2]), options);
    else
        throw std::invalid_argument("no such mode: " + mode);
}

} // namespace

int main(int argc, char **argv) {
    if (argc > 1 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0)) {
        std::fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    try {
        run({argv + 1, argv + argc});
    } catch (const std::invalid_argument &error) {
        std::fprintf(stderr, "remfile_bench_hot: %s\n%s", error.what(), usage);
        return 2;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "remfile_bench_hot: %s\n", error.what());
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
