// Which elements of a dataset are selected, and what of its storage they lie in. No files, no network.
#ifndef REMFILE_SRC_HDF5_SELECTION_HPP
#define REMFILE_SRC_HDF5_SELECTION_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <hdf5.h>

#include <remfile/driver.hpp>

namespace remfile_detail {

// The selected places along one dimension: `count` blocks of `block` places, `stride` from one start to
// the next. Not empty, and block <= stride where count > 1.
struct Steps {
    std::uint64_t start;
    std::uint64_t stride;
    std::uint64_t count;
    std::uint64_t block;

    // Are there no gaps?
    bool is_solid() const noexcept { return count == 1 || stride == block; }
    // The last selected place.
    std::uint64_t last() const noexcept { return start + (count - 1) * stride + block - 1; }
    // The first selected place that is not before `from`; false if there is none.
    bool next(std::uint64_t from, std::uint64_t &place) const noexcept;
};

// Selected are all combinations of the dimensions' places.
using Grid = std::vector<Steps>;

// The selection of `space` as a union of grids, in a dataset of the size `dims`. An irregular selection
// of more than 65536 blocks or points is cut there. Throws Error where `space` does not fit.
std::vector<Grid> grids_of(hid_t space, const std::vector<hsize_t> &dims);

// Calls `visit` with the first element of each chunk that has selected elements, each once, in the order
// of storage, until `visit` returns false.
void for_each_chunk(const std::vector<Grid> &grids, const std::vector<hsize_t> &chunk,
                    const std::function<bool(const std::vector<hsize_t> &)> &visit);

// A contiguous dataset and how it is read.
struct Rows {
    std::vector<hsize_t> dims;
    std::uint64_t element_size; // bytes, in the file
    std::uint64_t gap;          // fewer bytes than this between two ranges are not left out
    std::uint64_t sieve;        // a piece of fewer bytes is read with what follows it, up to this size
    std::size_t most;           // ranges
};

// The bytes that reading the selected elements takes, relative to the dataset's start, in ascending order
// for each grid.
std::vector<remfile::ByteRange> contiguous_ranges(const std::vector<Grid> &grids, const Rows &rows);

} // namespace remfile_detail

#endif
