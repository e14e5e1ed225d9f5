// What AqNWB says of URLs that cannot be opened or break off, and of a recording that was interrupted.
//
//     aqnwb_failures URL      (of a server that serves the corpus)
#include <algorithm>
#include <iostream>
#include <string>

#include <H5Cpp.h>

#include "contents.hpp"

using namespace AQNWB;

namespace {

int bad = 0;

void expect(bool holds, const std::string &what) {
    std::cout << (holds ? "ok: " : "FAILED: ") << what << '\n';
    bad += holds ? 0 : 1;
}

// The URL does not open, and the reason holds `words`.
void refused(const std::string &url, const std::string &words, const std::string &options = "") {
    IO::HDF5::HDF5IO io(url);
    const Status status = io.openRemote(options);
    const std::string reason = io.getRemoteError();
    expect(status == Status::Failure && !io.isOpen() && reason.find(words) != std::string::npos, reason);
}

// What libhdf5 prints of an error: its stack, here into a text.
herr_t print_to(hid_t stack, void *text) {
    return H5Ewalk2(
        stack, H5E_WALK_UPWARD,
        [](unsigned, const H5E_error2_t *error, void *to) -> herr_t {
            *static_cast<std::string *>(to) += std::string(error->desc ? error->desc : "") + '\n';
            return 0;
        },
        text);
}

// A server that fails once the file is open: the read throws, and the reason is on HDF5's error stack.
void breaks_off(const std::string &url) {
    auto io = std::make_shared<IO::HDF5::HDF5IO>(url + "?status=410&after=1");
    expect(io->openRemote("complete_small_files=off, read_ahead=off, hints=off") == Status::Success,
           "opens with the first request");
    std::string printed;
    bool thrown = false;
    H5Eset_auto2(H5E_DEFAULT, print_to, &printed);
    try {
        io->readDataset("/acquisition/probe1/data");
    } catch (const H5::Exception &) {
        thrown = true;
    } catch (const std::exception &) {
        thrown = true;
    }
    H5::Exception::dontPrint();
    expect(thrown && printed.find("HTTP 410") != std::string::npos, "a read that fails throws: " + printed);
}

// It was killed while recording: libhdf5 marks such a file, and it opens nevertheless.
void interrupted(const std::string &base) {
    auto io = std::make_shared<IO::HDF5::HDF5IO>(base + "/aqnwb_interrupted_recording.nwb");
    expect(io->openRemote() == Status::Success, "an interrupted recording opens " + io->getRemoteError());
    auto whole = std::make_shared<IO::HDF5::HDF5IO>(base + "/aqnwb_recording.nwb");
    expect(whole->openRemote() == Status::Success, "and the same, finished");
    const Contents left = read_all(io);
    const Contents all = read_all(whole);
    expect(left.series == 2 && left.series == all.series, "its series are there");
    for (const std::string series : {"/acquisition/probe0", "/acquisition/probe1"}) {
        const auto rows = [&](const Io &of) { return of->getStorageObjectShape(series + "/data").at(0); };
        const SizeArray count = {std::min(rows(io), rows(whole)), 4};
        const auto values = [&](const Io &of) {
            return of->readDataset(series + "/data", {0, 0}, count).as_variant();
        };
        expect(count[0] > 1000 && values(io) == values(whole),
               series + ": " + std::to_string(rows(io)) + " rows, as in the finished one");
    }
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) {
        std::cerr << "usage: aqnwb_failures URL\n";
        return 2;
    }
    H5::Exception::dontPrint();
    try {
        const std::string files = std::string(argv[1]) + "/files";
        refused("recording.nwb", "URL");
        refused("ftp://127.0.0.1/recording.nwb", "http");
        refused("", "without a name");
        refused(files + "/missing.nwb?signature=secret", "404");
        refused(files + "/aqnwb_recording.nwb?status=403", "403");
        refused(files + "/aqnwb_recording.nwb?html=1", "not");
        refused(files + "/aqnwb_recording.nwb?ranges=off", "range", "max_whole_file=0");
        refused("http://127.0.0.1:1/recording.nwb", "127.0.0.1:1", "max_retries=0");
        refused(files + "/aqnwb_recording.nwb", "max_retrys", "max_retrys=1");
        breaks_off(files + "/aqnwb_recording.nwb");
        interrupted(files);
    } catch (const H5::Exception &error) {
        expect(false, error.getDetailMsg());
    } catch (const std::exception &error) {
        expect(false, error.what());
    }
    return bad == 0 ? 0 : 1;
}
