// Does one work item on an HDF5 file and prints one line of JSON. See --help; work.py is the same in
// Python.
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <hdf5.h>

#include <remfile/hdf5.hpp>
#include <remfile/remfile_vfd.h>

#include "id.hpp"
#include "rows.hpp"
#include "stats_json.hpp"
#include "values.hpp"
#include "walk.hpp"

namespace {

using namespace bench;
using Clock = std::chrono::steady_clock;

const char *const usage =
    "usage: remfile_bench_work WORK NAME [OPTION...]\n"
    "\n"
    "WORK is open, walk, slice, channel, stream or random; NAME a path or URL. Prints one line of JSON:\n"
    "seconds from before H5Fopen until after the last read, seconds of closing, the CRC-32 of the values\n"
    "read and, of remfile, its statistics.\n"
    "\n"
    "  --driver NAME    local (libhdf5's own, the default) or remfile\n"
    "  --dataset PATH   what slice, channel, stream and random read\n"
    "  --window N       rows of one window of random (default: 300)\n"
    "  --options TEXT   remfile options, \"key=value, key=value\"; without, the C interface with NULL\n"
    "  --prefetch       call remfile::prefetch before every read\n";

struct Arguments {
    std::string work, name, driver = "local", dataset, options;
    std::uint64_t window = 300;
    bool prefetch = false;
};

Arguments parse(int argc, char **argv) {
    Arguments arguments;
    std::vector<std::string> names;
    for (int index = 1; index < argc; ++index) {
        const std::string argument = argv[index];
        const auto value = [&]() -> std::string {
            if (++index == argc)
                throw std::invalid_argument(argument + " needs a value");
            return argv[index];
        };
        if (argument == "--driver")
            arguments.driver = value();
        else if (argument == "--dataset")
            arguments.dataset = value();
        else if (argument == "--window")
            arguments.window = std::stoull(value());
        else if (argument == "--options")
            arguments.options = value();
        else if (argument == "--prefetch")
            arguments.prefetch = true;
        else
            names.push_back(argument);
    }
    if (names.size() != 2)
        throw std::invalid_argument("WORK and NAME are wanted, and options that exist");
    arguments.work = names[0];
    arguments.name = names[1];
    if (arguments.driver != "local" && arguments.driver != "remfile")
        throw std::invalid_argument("no driver " + arguments.driver);
    return arguments;
}

void set_driver(hid_t fapl, const Arguments &arguments) {
    if (arguments.driver != "remfile")
        return;
    if (arguments.options.empty())
        checked(H5Pset_fapl_remfile(fapl, nullptr), "H5Pset_fapl_remfile");
    else
        remfile::set_fapl(fapl, remfile::Options::parse(arguments.options));
}

void perform(hid_t file, const Arguments &arguments, Values &values) {
    if (arguments.work == "open") {
        const Id root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose, "H5Gopen2");
        H5G_info_t info;
        checked(H5Gget_info(root, &info), "H5Gget_info");
        values.add_number(info.nlinks);
    } else if (arguments.work == "walk") {
        walk(file, values);
    } else {
        const bool prefetch = arguments.prefetch && arguments.driver == "remfile";
        read_rows(file, arguments.work, arguments.dataset, arguments.window, prefetch, values);
    }
}

double seconds(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

void run(const Arguments &arguments) {
    const Id fapl(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "H5Pcreate");
    set_driver(fapl, arguments);
    Values values;
    std::optional<remfile::Stats> stats;

    const Clock::time_point began = Clock::now();
    Id file(H5Fopen(arguments.name.c_str(), H5F_ACC_RDONLY, fapl), H5Fclose, "H5Fopen");
    perform(file, arguments, values);
    const Clock::time_point done = Clock::now();
    if (arguments.driver == "remfile")
        stats = remfile::stats(file);
    const Clock::time_point closing = Clock::now();
    file.close("H5Fclose");
    const Clock::time_point closed = Clock::now();

    std::printf("{\"work\": \"%s\", \"driver\": \"%s\", \"hdf5\": \"%d.%d.%d\", \"seconds\": %.6f, "
                "\"close_seconds\": %.6f, \"checksum\": \"%08" PRIx32 "\"%s%s}\n",
                arguments.work.c_str(), arguments.driver.c_str(), H5_VERS_MAJOR, H5_VERS_MINOR,
                H5_VERS_RELEASE, seconds(began, done), seconds(closing, closed), values.checksum(),
                stats ? ", \"stats\": " : "", stats ? to_json(*stats).c_str() : "");
}

} // namespace

int main(int argc, char **argv) {
    if (argc > 1 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0)) {
        std::fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    try {
        run(parse(argc, argv));
    } catch (const std::invalid_argument &error) {
        std::fprintf(stderr, "remfile_bench_work: %s\n%s", error.what(), usage);
        return 2;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "remfile_bench_work: %s\n", error.what());
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
