// Reads a file by openRemote and its local copy by open(ReadOnly), through AqNWB's own interface, and
// compares.
//
//     aqnwb_compare URL FILE
#include <iostream>

#include <H5Cpp.h>

#include "contents.hpp"

using namespace AQNWB;

namespace {

Contents remote(const std::string &url) {
    auto io = std::make_shared<IO::HDF5::HDF5IO>(url);
    if (io->openRemote() != Status::Success)
        throw std::runtime_error(io->getRemoteError());
    if (!io->isOpen() || io->getFileName() != url || io->canModifyObjects())
        throw std::runtime_error("the file is not open for reading under its URL");
    Contents contents = read_all(io);
    if (io->close() != Status::Success || io->isOpen())
        throw std::runtime_error("the remote file does not close");
    return contents;
}

Contents local(const std::string &path) {
    auto io = std::make_shared<IO::HDF5::HDF5IO>(path);
    if (io->open(IO::FileMode::ReadOnly) != Status::Success)
        throw std::runtime_error("cannot open " + path);
    return read_all(io);
}

// Prints what differs and returns how much does.
std::size_t differences(const Contents &ours, const Contents &theirs) {
    std::size_t count = 0;
    for (const auto &[what, entry] : theirs.entries) {
        const auto found = ours.entries.find(what);
        if (found != ours.entries.end() && found->second == entry)
            continue;
        std::cout << "differs: " << what << '\n';
        ++count;
    }
    for (const auto &[what, entry] : ours.entries)
        if (theirs.entries.count(what) == 0) {
            std::cout << "only remote: " << what << '\n';
            ++count;
        }
    return count;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 3) {
        std::cerr << "usage: aqnwb_compare URL FILE\n";
        return 2;
    }
    H5::Exception::dontPrint(); // AqNWB asks for what is not there, too
    try {
        const Contents theirs = local(argv[2]);
        const Contents ours = remote(argv[1]);
        const std::size_t different = differences(ours, theirs);
        std::cout << theirs.entries.size() << " reads, " << theirs.value_bytes << " bytes, " << theirs.series
                  << " series; AqNWB refused " << theirs.refused << "; " << different << " differ\n";
        return different == 0 && !theirs.entries.empty() ? 0 : 1;
    } catch (const H5::Exception &error) {
        std::cerr << "aqnwb_compare: " << error.getDetailMsg() << '\n';
    } catch (const std::exception &error) {
        std::cerr << "aqnwb_compare: " << error.what() << '\n';
    }
    return 1;
}
