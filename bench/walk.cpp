#include "walk.hpp"

#include <cstring>
#include <exception>
#include <vector>

#include "id.hpp"

namespace bench {

namespace {

// No exception may pass through libhdf5, so callbacks leave theirs here.
struct Visit {
    Values &values;
    std::exception_ptr failure;
};

template <class Action> herr_t guarded(Visit &visit, Action action) {
    try {
        action();
        return 0;
    } catch (...) {
        visit.failure = std::current_exception();
        return -1;
    }
}

void read_attribute(hid_t object, const char *name, Values &values) {
    values.add_bytes(name);
    const Id attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, "H5Aopen");
    const Id type(H5Aget_type(attribute), H5Tclose, "H5Aget_type");
    const Id space(H5Aget_space(attribute), H5Sclose, "H5Aget_space");
    const hssize_t count = H5Sget_simple_extent_type(space) == H5S_NULL
                               ? 0
                               : checked(H5Sget_simple_extent_npoints(space), "H5Sget_simple_extent_npoints");
    values.add_number(static_cast<std::uint64_t>(count));
    if (count == 0)
        return;
    std::vector<char> data(static_cast<std::size_t>(count) * H5Tget_size(type));
    checked(H5Aread(attribute, type, data.data()), "H5Aread");
    const H5T_class_t kind = H5Tget_class(type);
    if (H5Tis_variable_str(type) > 0) {
        for (hssize_t index = 0; index < count; ++index) {
            const char *text = nullptr;
            std::memcpy(&text, data.data() + static_cast<std::size_t>(index) * sizeof text, sizeof text);
            values.add_bytes(text ? text : "");
        }
    } else if (kind == H5T_INTEGER || kind == H5T_FLOAT || kind == H5T_ENUM) {
        values.add_bytes({data.data(), data.size()});
    }
    if (H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tdetect_class(type, H5T_STRING) > 0)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, data.data());
}

herr_t on_attribute(hid_t object, const char *name, const H5A_info_t *, void *context) {
    Visit &visit = *static_cast<Visit *>(context);
    return guarded(visit, [&] { read_attribute(object, name, visit.values); });
}

void read_object(hid_t file, const char *name, Visit &visit) {
    visit.values.add_bytes(name);
    const Id object(H5Oopen(file, name, H5P_DEFAULT), H5Oclose, "H5Oopen");
    if (H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, on_attribute, &visit) < 0 && !visit.failure)
        throw std::runtime_error("H5Aiterate2 failed");
}

#if H5_VERSION_GE(1, 12, 0)
using ObjectInfo = H5O_info2_t;
#else
using ObjectInfo = H5O_info_t;
#endif

herr_t on_object(hid_t file, const char *name, const ObjectInfo *, void *context) {
    Visit &visit = *static_cast<Visit *>(context);
    return guarded(visit, [&] { read_object(file, name, visit); });
}

} // namespace

void walk(hid_t file, Values &values) {
    Visit visit{values, nullptr};
#if H5_VERSION_GE(1, 12, 0)
    const herr_t status = H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, on_object, &visit, H5O_INFO_BASIC);
#else
    const herr_t status = H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, on_object, &visit, H5O_INFO_BASIC);
#endif
    if (visit.failure)
        std::rethrow_exception(visit.failure);
    checked(status, "H5Ovisit");
}

} // namespace bench
