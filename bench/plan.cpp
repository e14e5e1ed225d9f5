#include "plan.hpp"

#include <algorithm>
#include <stdexcept>

namespace bench {

namespace {

constexpr std::uint64_t slice_bytes = 23'040'000;
constexpr std::uint64_t stream_bytes = 4'000'000;
constexpr std::uint64_t random_windows = 60;
constexpr std::uint64_t random_seed = 20240506;

std::uint64_t splitmix64(std::uint64_t x) {
    std::uint64_t z = x + 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

} // namespace

std::vector<Window> plan(const std::string &work, std::uint64_t rows, std::uint64_t row_bytes,
                         std::uint64_t window) {
    std::vector<Window> windows;
    if (work == "slice") {
        const std::uint64_t count = std::min(rows, slice_bytes / row_bytes);
        windows.push_back({std::min(rows / 3, rows - count), count});
    } else if (work == "channel") {
        windows.push_back({0, rows});
    } else if (work == "stream") {
        const std::uint64_t step = std::max<std::uint64_t>(1, stream_bytes / row_bytes);
        for (std::uint64_t start = 0; start < rows; start += step)
            windows.push_back({start, std::min(step, rows - start)});
    } else if (work == "random") {
        const std::uint64_t count = std::min(rows, window);
        for (std::uint64_t number = 0; number < random_windows; ++number)
            windows.push_back({splitmix64(random_seed + number) % (rows - count + 1), count});
    } else {
        throw std::invalid_argument(work + " reads no rows");
    }
    return windows;
}

} // namespace bench
