// What the driver's callbacks call in libhdf5.
//
// A table and not plain calls, because the plugin is linked to no libhdf5: it fills the table from the
// one that called it, of which a process may hold several. Hence also: no such table in a static.
#ifndef REMFILE_SRC_VFD_LIBHDF5_HPP
#define REMFILE_SRC_VFD_LIBHDF5_HPP

#include <cstddef>

#include <hdf5.h>

namespace remfile_detail {

struct Libhdf5 {
    decltype(&::H5Epush2) push_error;
    decltype(&::H5Eclear2) clear_errors;

    // How errors are printed. The pair of version 1 is for programs that set a handler of that kind;
    // it is null where libhdf5 was built without it.
    decltype(&::H5Eauto_is_v2) is_auto_v2;
    decltype(&::H5Eget_auto2) get_auto2;
    decltype(&::H5Eset_auto2) set_auto2;
    herr_t (*get_auto1)(herr_t (**function)(void *), void **data);
    herr_t (*set_auto1)(herr_t (*function)(void *), void *data);

    decltype(&::H5Pget_driver_info) driver_info;
    ssize_t (*driver_config)(hid_t fapl, char *buffer, std::size_t size); // null before 1.14

    // Identifiers of libhdf5's own error classes; new ones after each H5close.
    hid_t error_class;
    hid_t major_vfl;
    hid_t major_plist;
    hid_t minor_open;
    hid_t minor_read;
    hid_t minor_write;
    hid_t minor_value;

    // The first of all these that a libhdf5 should have and this one has not; null for none.
    const char *missing;
};

// The libhdf5 that holds `caller`, which is an address in it.
Libhdf5 libhdf5_of(const void *caller);

} // namespace remfile_detail

// The address that the function it is written in returns to.
#if defined(__GNUC__)
#define REMFILE_CALLER __builtin_return_address(0)
#else
#define REMFILE_CALLER nullptr
#endif

#endif
