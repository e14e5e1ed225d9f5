// Prints the size of a remote file.
#include <cstdio>
#include <cstring>

#include <remfile/driver.hpp>

int main(int count, char **arguments) {
    const bool help = count == 2 && std::strcmp(arguments[1], "--help") == 0;
    if (count != 2 || help) {
        std::fputs("usage: size URL\n\nPrints the size in bytes of the file at URL.\n",
                   help ? stdout : stderr);
        return help ? 0 : 2;
    }
    try {
        const auto driver = remfile::Driver::open(arguments[1]);
        std::printf("%llu\n", static_cast<unsigned long long>(driver.size()));
    } catch (const remfile::Error &error) {
        std::fprintf(stderr, "size: %s\n", error.what());
        return 1;
    }
    return 0;
}
