// The libhdf5 that this library is linked to: there is only one.
#include "libhdf5.hpp"

namespace remfile_detail {

Libhdf5 libhdf5_of(const void *) {
    Libhdf5 lib{};
    lib.push_error = H5Epush2;
    lib.clear_errors = H5Eclear2;
    lib.is_auto_v2 = H5Eauto_is_v2;
    lib.get_auto2 = H5Eget_auto2;
    lib.set_auto2 = H5Eset_auto2;
#ifndef H5_NO_DEPRECATED_SYMBOLS
    lib.get_auto1 = H5Eget_auto1;
    lib.set_auto1 = H5Eset_auto1;
#endif
    lib.driver_info = H5Pget_driver_info;
#if H5_VERSION_GE(1, 14, 0)
    lib.driver_config = H5Pget_driver_config_str;
#endif
    lib.error_class = H5E_ERR_CLS;
    lib.major_vfl = H5E_VFL;
    lib.major_plist = H5E_PLIST;
    lib.minor_open = H5E_CANTOPENFILE;
    lib.minor_read = H5E_READERROR;
    lib.minor_write = H5E_WRITEERROR;
    lib.minor_value = H5E_BADVALUE;
    return lib;
}

} // namespace remfile_detail
