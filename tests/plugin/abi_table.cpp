// REMFILE_ABI_TABLE is the name of the function; which <hdf5.h> this is, the include path decides.
#include "abi_table.hpp"

#include <cstddef>

#include <hdf5.h>

// HDF5's constants call H5open and H5check_version on the way; only their values matter here.
#undef H5OPEN
#undef H5CHECK
#define H5OPEN
#define H5CHECK

#define NUMBER(value) table.emplace_back(#value, static_cast<unsigned long long>(value))
#define MEMBER(type, name)                                                                                   \
    table.emplace_back("offset of " #type "::" #name, offsetof(type, name));                                 \
    table.emplace_back("size of " #type "::" #name, sizeof(type::name))

AbiTable REMFILE_ABI_TABLE() {
    AbiTable table;
    for (auto [name, size] : AbiTable{{"hid_t", sizeof(hid_t)},
                                      {"herr_t", sizeof(herr_t)},
                                      {"haddr_t", sizeof(haddr_t)},
                                      {"hsize_t", sizeof(hsize_t)},
                                      {"hbool_t", sizeof(hbool_t)},
                                      {"H5FD_mem_t", sizeof(H5FD_mem_t)},
                                      {"H5FD_t", sizeof(H5FD_t)},
                                      {"H5FD_class_t", sizeof(H5FD_class_t)}})
        table.emplace_back("size of " + name, size);

    NUMBER(H5FD_CLASS_VERSION);
    NUMBER(H5E_DEFAULT);
    NUMBER(H5F_CLOSE_WEAK);
    NUMBER(H5F_ACC_RDONLY);
    NUMBER(H5F_ACC_RDWR);
    NUMBER(H5F_ACC_TRUNC);
    NUMBER(H5F_ACC_EXCL);
    NUMBER(H5F_ACC_CREAT);
    NUMBER(H5F_ACC_SWMR_WRITE);
    NUMBER(H5F_ACC_SWMR_READ);
    NUMBER(H5FD_FEAT_AGGREGATE_METADATA);
    NUMBER(H5FD_FEAT_ACCUMULATE_METADATA_READ);
    NUMBER(H5FD_FEAT_DATA_SIEVE);
    NUMBER(H5FD_FEAT_AGGREGATE_SMALLDATA);
    NUMBER(H5FD_FEAT_SUPPORTS_SWMR_IO);
    NUMBER(H5FD_FEAT_DEFAULT_VFD_COMPATIBLE);
    NUMBER(H5FD_MEM_SUPER);
    NUMBER(H5FD_MEM_DRAW);
    NUMBER(H5FD_MEM_NTYPES);

    MEMBER(H5FD_t, driver_id);
    MEMBER(H5FD_t, cls);
    MEMBER(H5FD_t, fileno);
    MEMBER(H5FD_t, access_flags);
    MEMBER(H5FD_t, feature_flags);
    MEMBER(H5FD_t, maxaddr);
    MEMBER(H5FD_t, base_addr);
    MEMBER(H5FD_t, threshold);
    MEMBER(H5FD_t, alignment);
    MEMBER(H5FD_t, paged_aggr);

    MEMBER(H5FD_class_t, version);
    MEMBER(H5FD_class_t, value);
    MEMBER(H5FD_class_t, name);
    MEMBER(H5FD_class_t, maxaddr);
    MEMBER(H5FD_class_t, fc_degree);
    MEMBER(H5FD_class_t, terminate);
    MEMBER(H5FD_class_t, sb_size);
    MEMBER(H5FD_class_t, sb_encode);
    MEMBER(H5FD_class_t, sb_decode);
    MEMBER(H5FD_class_t, fapl_size);
    MEMBER(H5FD_class_t, fapl_get);
    MEMBER(H5FD_class_t, fapl_copy);
    MEMBER(H5FD_class_t, fapl_free);
    MEMBER(H5FD_class_t, dxpl_size);
    MEMBER(H5FD_class_t, dxpl_copy);
    MEMBER(H5FD_class_t, dxpl_free);
    MEMBER(H5FD_class_t, open);
    MEMBER(H5FD_class_t, close);
    MEMBER(H5FD_class_t, cmp);
    MEMBER(H5FD_class_t, query);
    MEMBER(H5FD_class_t, get_type_map);
    MEMBER(H5FD_class_t, alloc);
    MEMBER(H5FD_class_t, free);
    MEMBER(H5FD_class_t, get_eoa);
    MEMBER(H5FD_class_t, set_eoa);
    MEMBER(H5FD_class_t, get_eof);
    MEMBER(H5FD_class_t, get_handle);
    MEMBER(H5FD_class_t, read);
    MEMBER(H5FD_class_t, write);
    MEMBER(H5FD_class_t, read_vector);
    MEMBER(H5FD_class_t, write_vector);
    MEMBER(H5FD_class_t, read_selection);
    MEMBER(H5FD_class_t, write_selection);
    MEMBER(H5FD_class_t, flush);
    MEMBER(H5FD_class_t, truncate);
    MEMBER(H5FD_class_t, lock);
    MEMBER(H5FD_class_t, unlock);
    MEMBER(H5FD_class_t, del);
    MEMBER(H5FD_class_t, ctl);
    MEMBER(H5FD_class_t, fl_map);
    return table;
}
