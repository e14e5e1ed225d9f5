#include "rows.hpp"

#include <vector>

#include <remfile/hdf5.hpp>

#include "id.hpp"
#include "plan.hpp"

namespace bench {

namespace {

// What of each row is read: a box over the axes after the first.
struct Row {
    std::vector<hsize_t> origin, extent;

    hsize_t elements() const {
        hsize_t product = 1;
        for (const hsize_t size : extent)
            product *= size;
        return product;
    }
};

// The shape of what `window` reads. Memory gets the same shape: libhdf5 maps selections of unlike
// shapes element by element.
std::vector<hsize_t> box(const Window &window, const Row &row) {
    std::vector<hsize_t> count{window.count};
    count.insert(count.end(), row.extent.begin(), row.extent.end());
    return count;
}

void select(hid_t space, const Window &window, const Row &row) {
    std::vector<hsize_t> start{window.start};
    start.insert(start.end(), row.origin.begin(), row.origin.end());
    checked(
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, box(window, row).data(), nullptr),
        "H5Sselect_hyperslab");
}

} // namespace

void read_rows(hid_t file, const std::string &work, const std::string &dataset_name, std::uint64_t window,
               bool prefetch, Values &values) {
    const Id dataset(H5Dopen2(file, dataset_name.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2");
    const Id type(H5Dget_type(dataset), H5Tclose, "H5Dget_type");
    const Id space(H5Dget_space(dataset), H5Sclose, "H5Dget_space");
    std::vector<hsize_t> shape(
        static_cast<std::size_t>(checked(H5Sget_simple_extent_ndims(space), "H5Sget_simple_extent_ndims")));
    checked(H5Sget_simple_extent_dims(space, shape.data(), nullptr), "H5Sget_simple_extent_dims");
    const std::size_t element_size = H5Tget_size(type);

    Row row{std::vector<hsize_t>(shape.size() - 1, 0), {shape.begin() + 1, shape.end()}};
    const std::vector<Window> windows = plan(work, shape[0], row.elements() * element_size, window);
    if (work == "channel") {
        for (std::size_t axis = 1; axis < shape.size(); ++axis) {
            row.origin[axis - 1] = shape[axis] / 3;
            row.extent[axis - 1] = 1;
        }
    }

    hsize_t rows = 0;
    for (const Window &one : windows)
        rows += one.count;
    unsigned char *target = values.array(rows * row.elements() * element_size);
    for (const Window &one : windows) {
        select(space, one, row);
        if (prefetch)
            remfile::prefetch(dataset, space);
        const Id memory(H5Screate_simple(static_cast<int>(shape.size()), box(one, row).data(), nullptr),
                        H5Sclose, "H5Screate_simple");
        checked(H5Dread(dataset, type, memory, space, H5P_DEFAULT, target), "H5Dread");
        target += one.count * row.elements() * element_size;
    }
}

} // namespace bench
