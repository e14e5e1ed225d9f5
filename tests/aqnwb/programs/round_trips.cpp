// AqNWB knows the whole selection of a read before it reads: the chunks come together, not one after another.
//
//     aqnwb_round_trips URL      (of a recording by aqnwb_record)
#include <iostream>
#include <stdexcept>

#include <H5Cpp.h>
#include <remfile/hdf5.hpp>

#include "io/hdf5/HDF5IO.hpp"

using namespace AQNWB;

namespace {

// So far, of the only file that is open.
std::uint64_t round_trips() {
    hid_t file = H5I_INVALID_HID;
    if (H5Fget_obj_ids(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_FILE, 1, &file) != 1)
        throw std::runtime_error("no file is open");
    return remfile::stats(file).round_trips;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) {
        std::cerr << "usage: aqnwb_round_trips URL\n";
        return 2;
    }
    H5::Exception::dontPrint();
    try {
        IO::HDF5::HDF5IO io(argv[1]);
        if (io.openRemote("hints=off, read_ahead=off, complete_small_files=off") != Status::Success)
            throw std::runtime_error(io.getRemoteError());
        const std::uint64_t before = round_trips();
        io.readDataset("/acquisition/probe0/data", {100000, 0}, {30000, 4}); // of 16 chunks
        const std::uint64_t cost = round_trips() - before;
        std::cout << cost << " round trips for 16 chunks\n";
        return cost <= 2 ? 0 : 1; // the index, the chunks
    } catch (const H5::Exception &error) {
        std::cerr << "aqnwb_round_trips: " << error.getDetailMsg() << '\n';
    } catch (const std::exception &error) {
        std::cerr << "aqnwb_round_trips: " << error.what() << '\n';
    }
    return 1;
}
