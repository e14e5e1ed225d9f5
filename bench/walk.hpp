#ifndef REMFILE_BENCH_WALK_HPP
#define REMFILE_BENCH_WALK_HPP

#include <hdf5.h>

#include "values.hpp"

namespace bench {

// Visits every object of the file by its name and reads every attribute. Names, numbers, enumerations
// and variable-length strings go into `values`; the rest (references, compounds) is only read.
void walk(hid_t file, Values &values);

} // namespace bench

#endif
