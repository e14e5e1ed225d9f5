// Which part of a dataset each work item reads: the arithmetic of plan.py.
#ifndef REMFILE_BENCH_PLAN_HPP
#define REMFILE_BENCH_PLAN_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct Window {
    std::uint64_t start; // first row
    std::uint64_t count; // rows
};

// The rows that `work` reads of a dataset, one entry a read: slice (a third of the way on, 23.04 MB),
// channel (all, of one column), stream (all, 4 MB at a time), random (60 times `window` rows).
std::vector<Window> plan(const std::string &work, std::uint64_t rows, std::uint64_t row_bytes,
                         std::uint64_t window);

} // namespace bench

#endif
