// Where in its file the selected elements of a dataset lie.
#ifndef REMFILE_SRC_HDF5_STORAGE_HPP
#define REMFILE_SRC_HDF5_STORAGE_HPP

#include <cstdint>
#include <vector>

#include <hdf5.h>

#include <remfile/driver.hpp>
#include <remfile/options.hpp>

namespace remfile_detail {

// How the file is fetched: in whole blocks, no more of them at once than there is room for.
struct Blocks {
    std::uint64_t size;      // bytes
    std::uint64_t room;      // in blocks
    std::uint64_t file_size; // bytes

    Blocks(const remfile::Options &options, std::uint64_t file_bytes);
};

// The stored chunks, or runs of a contiguous dataset, that hold selected elements; nothing for compact,
// external and virtual data. Stops where there is no room for more. Reads the index of chunks as far as
// it must. Throws Error.
std::vector<remfile::ByteRange> stored_ranges(hid_t dataset, hid_t selection, hid_t fapl,
                                              const remfile::Driver &driver, const Blocks &blocks);

// The blocks that `ranges` lie in, in ascending order, as far as there is room.
std::vector<remfile::ByteRange> whole_blocks(std::vector<remfile::ByteRange> ranges, const Blocks &blocks);

} // namespace remfile_detail

#endif
