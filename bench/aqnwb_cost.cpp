// What AqNWB's own way of reading costs: one run, one line of JSON.
//
//     aqnwb_cost URL [OPTIONS]
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_set>

#include <H5Fpublic.h>
#include <remfile/hdf5.hpp>

#include "io/hdf5/HDF5IO.hpp"
#include "nwb/NWBFile.hpp"
#include "nwb/ecephys/ElectricalSeries.hpp"
#include "nwb/file/ElectrodesTable.hpp"

#include "stats_json.hpp"

using namespace AQNWB;

namespace {

constexpr SizeType SECOND = 30000; // rows
constexpr SizeType CHANNELS = 4;

// The only file that is open; AqNWB keeps its identifier to itself.
remfile::Stats stats() {
    hid_t file = H5I_INVALID_HID;
    if (H5Fget_obj_ids(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_FILE, 1, &file) != 1)
        throw std::runtime_error("no file is open");
    return remfile::stats(file);
}

void run(const std::string &step, const std::function<void()> &work) {
    const auto began = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    std::cout << (step == "open" ? "{" : ", ") << '"' << step << "\": {\"seconds\": " << took.count()
              << ", \"stats\": " << bench::to_json(stats()) << '}';
}

void read(const std::string &url, const std::string &options) {
    auto io = std::make_shared<IO::HDF5::HDF5IO>(url);
    std::string series;
    SizeType electrodes = 0;
    SizeType values = 0;
    run("open", [&] {
        if (io->openRemote(options) != Status::Success)
            throw std::runtime_error(io->getRemoteError());
    });
    run("find", [&] {
        const std::unordered_set<std::string> types = {"core::ElectricalSeries"};
        for (const auto &[path, type] : io->findTypes("/", types, IO::SearchMode::CONTINUE_ON_TYPE))
            if (series.empty() || path < series)
                series = path;
        if (series.empty())
            throw std::runtime_error("there is no ElectricalSeries in the file");
    });
    run("electrodes", [&] {
        auto file = NWB::RegisteredType::create<NWB::NWBFile>("/", io);
        electrodes = file->readElectrodesTable()->readLocationColumn()->readData()->values().data.size();
    });
    run("second", [&] {
        auto data = NWB::RegisteredType::create<NWB::ElectricalSeries>(series, io)->readData();
        const SizeType rows = data->getShape().at(0);
        values = data->valuesGeneric({rows / 3, 0}, {SECOND, CHANNELS}).shape.at(0);
    });
    std::cout << ", \"series\": \"" << series << "\", \"locations\": " << electrodes
              << ", \"rows\": " << values << "}\n";
    io->close();
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3) {
        std::cerr << "usage: aqnwb_cost URL [OPTIONS]\n";
        return 2;
    }
    try {
        read(argv[1], argc > 2 ? argv[2] : "");
        return 0;
    } catch (const std::exception &error) {
        std::cerr << "aqnwb_cost: " << error.what() << '\n';
        return 1;
    }
}
