// All that AqNWB's own interface reads of a file, as text and bytes to compare.
#ifndef REMFILE_TESTS_AQNWB_CONTENTS_HPP
#define REMFILE_TESTS_AQNWB_CONTENTS_HPP

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "io/hdf5/HDF5IO.hpp"

using Io = std::shared_ptr<AQNWB::IO::HDF5::HDF5IO>;

struct Contents {
    // What was read -> what came: the values' bytes, or what AqNWB threw.
    std::map<std::string, std::string> entries;
    std::size_t value_bytes = 0;
    std::size_t series = 0;
    // Reads that ended in an exception, on purpose: AqNWB does not know every type.
    std::size_t refused = 0;
};

// Every group, dataset and attribute with shape, chunking, type and values; every object of a type that
// findTypes finds; the fields and slices of each ElectricalSeries; the table of electrodes.
Contents read_all(const Io &io);

#endif
