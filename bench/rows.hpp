#ifndef REMFILE_BENCH_ROWS_HPP
#define REMFILE_BENCH_ROWS_HPP

#include <cstdint>
#include <string>

#include <hdf5.h>

#include "values.hpp"

namespace bench {

// Does slice, channel, stream or random on `dataset`. With `prefetch`, remfile is told of every
// selection before it is read.
void read_rows(hid_t file, const std::string &work, const std::string &dataset, std::uint64_t window,
               bool prefetch, Values &values);

} // namespace bench

#endif
