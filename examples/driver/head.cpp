// Reads the head of a remote file, of whatever kind, without HDF5.
//
//     head https://example.org/recording.nwb 64 "max_connections=4"
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <remfile/driver.hpp>

namespace {

const char usage[] =
    "usage: head URL [BYTES [OPTIONS]]\n"
    "\n"
    "Prints the size of the file at URL, its first BYTES (16) in hexadecimal, and what it cost to\n"
    "read them. OPTIONS are remfile's, as in \"head_size=64KiB, max_retries=2\".\n";

void print_bytes(const std::vector<std::byte> &bytes) {
    for (std::size_t i = 0; i < bytes.size(); i++)
        std::printf("%02x%c", std::to_integer<unsigned>(bytes[i]), i % 16 == 15 ? '\n' : ' ');
    if (bytes.size() % 16 != 0)
        std::putchar('\n');
}

void print_head(const char *url, std::uint64_t wanted, const remfile::Options &options) {
    const auto driver = remfile::Driver::open(url, options);
    std::printf("%s: %llu bytes\n", driver.url().c_str(), static_cast<unsigned long long>(driver.size()));

    std::vector<std::byte> bytes(wanted < driver.size() ? wanted : driver.size());
    driver.read(0, bytes);
    print_bytes(bytes);

    const auto stats = driver.stats();
    std::printf("%llu requests, %llu bytes fetched\n", static_cast<unsigned long long>(stats.requests),
                static_cast<unsigned long long>(stats.fetched_bytes));
}

} // namespace

int main(int count, char **arguments) {
    if (count == 2 && std::strcmp(arguments[1], "--help") == 0) {
        std::fputs(usage, stdout);
        return 0;
    }
    char *end = nullptr;
    const auto wanted = count > 2 ? std::strtoull(arguments[2], &end, 10) : 16;
    if (count < 2 || count > 4 || (end != nullptr && *end != '\0')) {
        std::fputs(usage, stderr);
        return 2;
    }
    try {
        print_head(arguments[1], wanted, remfile::Options::parse(count > 3 ? arguments[3] : ""));
    } catch (const remfile::Error &error) {
        // what() is for people; code() is for programs.
        std::fprintf(stderr, "head: %s\n", error.what());
        return error.code() == remfile::ErrorCode::not_found ? 4 : 1;
    }
    return 0;
}
