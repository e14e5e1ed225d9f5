// What libhdf5 asks of a plugin. It may ask again after an open has failed, and each libhdf5 of the
// process asks for itself.
#include <remfile/export.h>

#include "vfd/class.hpp"

extern "C" {

REMFILE_API int H5PLget_plugin_type();
REMFILE_API const void *H5PLget_plugin_info();

int H5PLget_plugin_type() { return 2; } // H5PL_TYPE_VFD

const void *H5PLget_plugin_info() {
    // Without a destructor, and nothing in it depends on who asks.
    static const H5FD_class_t table = remfile_detail::driver_class(nullptr);
    return &table;
}

} // extern "C"
