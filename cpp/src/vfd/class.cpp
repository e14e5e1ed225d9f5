#include "class.hpp"

#include <algorithm>
#include <iterator>

#include <remfile/remfile_vfd.h>

#include "file.hpp"

namespace remfile_detail {

// By name, because fields come, go and move between versions of HDF5. What is not named stays null:
//  - lock, unlock: files left flagged by a writer that never closed them are then opened nevertheless
//  - flush, truncate: called for files open for writing only
//  - read_selection: libhdf5 then makes vectors of selections itself
//  - ctl: libhdf5 then answers itself that no operation is known
//  - alloc, free, get_type_map, sb_*, dxpl_*: the defaults are right
H5FD_class_t driver_class(herr_t (*terminate)()) noexcept {
    H5FD_class_t table{};
#ifdef H5FD_CLASS_VERSION // since 1.14
    table.version = H5FD_CLASS_VERSION;
    table.value = static_cast<H5FD_class_value_t>(H5FD_REMFILE_VALUE);
    table.del = remove;
    table.read_vector = read_vector;
#endif
    table.name = H5FD_REMFILE_NAME;
    table.maxaddr = largest_address;
    table.fc_degree = H5F_CLOSE_WEAK; // like the drivers of local files
    table.terminate = terminate;
    table.fapl_size = sizeof(H5FD_remfile_config_t);
    table.fapl_get = fapl_get;
    table.fapl_copy = fapl_copy;
    table.fapl_free = fapl_free;
    table.open = open;
    table.close = close;
    table.cmp = compare;
    table.query = query;
    table.get_eoa = get_eoa;
    table.set_eoa = set_eoa;
    table.get_eof = get_eof;
    table.get_handle = get_handle;
    table.read = read;
    table.write = write;
    // One free list for all kinds of data, as in sec2; a read-only file has no use for any.
    std::fill(std::begin(table.fl_map), std::end(table.fl_map), H5FD_MEM_SUPER);
    return table;
}

} // namespace remfile_detail
