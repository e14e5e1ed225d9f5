// Reads some rows of a remote dataset, all the chunks they need at once.
//
//     slice https://example.org/recording.nwb /acquisition/probe0/data 1000 500
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <remfile/hdf5.hpp>

namespace {

const char usage[] =
    "usage: slice URL DATASET FIRST COUNT\n"
    "\n"
    "Reads COUNT rows from row FIRST on of DATASET, a dataset of numbers in the HDF5 file at URL,\n"
    "and prints their shape, least, mean and greatest value, and what it cost to read them.\n";

// An identifier of libhdf5 that is closed when it goes out of scope.
class Id {
  public:
    Id(hid_t id, herr_t (*close)(hid_t), const std::string &what) : id_(id), close_(close) {
        if (id < 0)
            throw std::runtime_error("cannot open " + what);
    }
    ~Id() { close_(id_); }
    Id(const Id &) = delete;
    Id &operator=(const Id &) = delete;
    operator hid_t() const { return id_; }

  private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

// Selects the rows, cut at the end of the dataset, and returns the selection's shape.
std::vector<hsize_t> select_rows(hid_t space, hsize_t first, hsize_t count) {
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 1)
        throw std::runtime_error("the dataset has no rows");
    std::vector<hsize_t> shape(rank);
    H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    if (first >= shape[0])
        throw std::runtime_error("the dataset has " + std::to_string(shape[0]) + " rows");
    shape[0] = std::min(count, shape[0] - first);
    std::vector<hsize_t> start(rank);
    start[0] = first;
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, shape.data(), nullptr) < 0)
        throw std::runtime_error("cannot select the rows");
    return shape;
}

void print_values(const std::vector<double> &values) {
    if (values.empty())
        return;
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    std::printf("least %g, mean %g, greatest %g\n", *least, sum / static_cast<double>(values.size()),
                *greatest);
}

void print_rows(const char *url, const char *name, hsize_t first, hsize_t count) {
    const Id file(remfile::open_hdf5(url), H5Fclose, url);
    const Id dataset(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose, name);
    const Id rows(H5Dget_space(dataset), H5Sclose, name);
    const auto shape = select_rows(rows, first, count);

    // Without this libhdf5 would ask for one chunk after the other.
    const auto fetching = remfile::prefetch(dataset, rows);

    std::vector<double> values(static_cast<std::size_t>(H5Sget_select_npoints(rows)));
    const Id memory(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose,
                    "memory");
    if (H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, rows, H5P_DEFAULT, values.data()) < 0)
        throw std::runtime_error(std::string("cannot read ") + name);

    std::printf("%s:", name);
    for (const auto length : shape)
        std::printf(" %llu", static_cast<unsigned long long>(length));
    std::putchar('\n');
    print_values(values);
    const auto stats = remfile::stats(file);
    std::printf("%llu bytes prefetched, %llu requests, %llu bytes fetched\n",
                static_cast<unsigned long long>(fetching), static_cast<unsigned long long>(stats.requests),
                static_cast<unsigned long long>(stats.fetched_bytes));
}

} // namespace

int main(int count, char **arguments) {
    if (count == 2 && std::strcmp(arguments[1], "--help") == 0) {
        std::fputs(usage, stdout);
        return 0;
    }
    if (count != 5) {
        std::fputs(usage, stderr);
        return 2;
    }
    try {
        print_rows(arguments[1], arguments[2], std::strtoull(arguments[3], nullptr, 10),
                   std::strtoull(arguments[4], nullptr, 10));
    } catch (const std::exception &error) { // remfile::Error is one; libhdf5 prints its errors by itself
        std::fprintf(stderr, "slice: %s\n", error.what());
        return 1;
    }
    return 0;
}
