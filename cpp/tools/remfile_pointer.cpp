// remfile-pointer: writes a pointer file.
#include <cstdio>
#include <exception>
#include <string>

#include <remfile/pointer.hpp>

namespace {

constexpr const char *usage =
    "usage: remfile-pointer [--options TEXT] [--keep-secrets] URL FILE\n"
    "\n"
    "Writes FILE, a small local file that stands for the remote file at URL: programs that read HDF5 with\n"
    "the remfile plugin and insist on a local path open FILE and read URL.\n"
    "\n"
    "  --options TEXT  how to read it, as \"key=value, key=value\"; of remfile's options min_chunk_size,\n"
    "                  max_chunk_size, head_size, read_ahead, connect_timeout_ms, stall_timeout_ms,\n"
    "                  read_timeout_ms, max_retries\n"
    "  --keep-secrets  write a URL with a user name, password or query, too; any of them may be a secret\n"
    "  --help          this text\n"
    "\n"
    "Exit code: 0 when FILE is written, 1 when not, 2 wrong use.\n";

int misused() {
    std::fputs(usage, stderr);
    return 2;
}

} // namespace

int main(int count, char **words) {
    std::string options;
    auto secrets = remfile::UrlSecrets::refuse;
    int next = 1;
    for (; next < count && words[next][0] == '-'; ++next) {
        const std::string word = words[next];
        if (word == "--help" || word == "-h") {
            std::fputs(usage, stdout);
            return 0;
        }
        if (word == "--keep-secrets")
            secrets = remfile::UrlSecrets::keep;
        else if (word == "--options" && next + 1 < count)
            options = words[++next];
        else
            return misused();
    }
    if (count - next != 2)
        return misused();
    try {
        remfile::write_pointer_file(words[next + 1], words[next], remfile::Options::parse(options), secrets);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "remfile-pointer: %s\n", error.what());
        return 1;
    }
    return 0;
}
