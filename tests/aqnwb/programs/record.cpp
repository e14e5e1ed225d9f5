// Records a file with AqNWB as an acquisition program does: several arrays of electrodes, in SWMR mode.
//
//     aqnwb_record FILE ROWS
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "Channel.hpp"
#include "io/hdf5/HDF5IO.hpp"
#include "nwb/NWBFile.hpp"
#include "nwb/ecephys/ElectricalSeries.hpp"

using namespace AQNWB;

namespace {

constexpr SizeType ARRAYS = 2;
constexpr SizeType CHANNELS = 32;
constexpr SizeType ROWS_A_WRITE = 2048;
constexpr double SAMPLING_RATE = 30000.0;

void require(Status status, const char *what) {
    if (status != Status::Success)
        throw std::runtime_error(std::string("AqNWB cannot ") + what);
}

std::vector<Types::ChannelVector> arrays() {
    std::vector<Types::ChannelVector> arrays(ARRAYS);
    for (SizeType array = 0; array < ARRAYS; ++array)
        for (SizeType channel = 0; channel < CHANNELS; ++channel)
            arrays[array].emplace_back("ch" + std::to_string(channel), "probe" + std::to_string(array), array,
                                       channel, array * CHANNELS + channel);
    return arrays;
}

// A wave and noise from a fixed seed.
class Signal {
  public:
    std::int16_t next(SizeType row, SizeType channel) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        const double phase =
            static_cast<double>(row) / SAMPLING_RATE * 6.28 * static_cast<double>(channel + 1);
        return static_cast<std::int16_t>(300 * std::sin(phase) + static_cast<double>(state_ >> 56));
    }

  private:
    std::uint64_t state_ = 1;
};

void record(const std::string &path, SizeType rows) {
    auto io = std::make_shared<IO::HDF5::HDF5IO>(path);
    require(io->open(IO::FileMode::Overwrite), "create the file");
    auto nwbfile = NWB::NWBFile::create(io);
    require(nwbfile->initialize("aqnwb_record", "a recording to be read remotely", "",
                                "2026-01-01T00:00:00.000000+00:00", "2026-01-01T00:00:00.000000+00:00"),
            "initialize the file");
    if (!nwbfile->createElectrodesTable(arrays()))
        throw std::runtime_error("AqNWB cannot make the table of electrodes");
    std::vector<SizeType> series;
    require(nwbfile->createElectricalSeries(arrays(), {"probe0", "probe1"}, IO::BaseDataType::I16, series),
            "make the series");
    require(io->startRecording(), "start recording");

    Signal signal;
    std::vector<std::int16_t> data(ROWS_A_WRITE * CHANNELS);
    std::vector<double> times(ROWS_A_WRITE);
    for (SizeType start = 0; start < rows; start += ROWS_A_WRITE) {
        const SizeType count = std::min(ROWS_A_WRITE, rows - start);
        for (const SizeType index : series) {
            for (SizeType row = 0; row < count; ++row) {
                times[row] = static_cast<double>(start + row) / SAMPLING_RATE;
                for (SizeType channel = 0; channel < CHANNELS; ++channel)
                    data[row * CHANNELS + channel] = signal.next(start + row, channel);
            }
            auto object = io->getRecordingObjects()->getRecordingObject(index);
            auto electrical = std::dynamic_pointer_cast<NWB::ElectricalSeries>(object);
            require(electrical->writeAllChannels(count, data.data(), times.data()), "write");
        }
        require(io->flush(), "flush");
    }
    // Its status is not asked for: AqNWB finalizes its tables once more here, which SWMR mode refuses.
    io->stopRecording();
    if (io->isOpen())
        throw std::runtime_error("AqNWB did not close the file");
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 3) {
        std::cerr << "usage: aqnwb_record FILE ROWS\n";
        return 2;
    }
    try {
        record(argv[1], std::strtoull(argv[2], nullptr, 10));
        std::cout << argv[1] << ": " << std::filesystem::file_size(argv[1]) << " bytes\n";
        return 0;
    } catch (const std::exception &error) {
        std::cerr << "aqnwb_record: " << error.what() << '\n';
        return 1;
    }
}
