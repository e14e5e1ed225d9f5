// Stands in for HDF5's own <hdf5.h> where the plugin is compiled: what of libhdf5's binary interface the
// driver touches, as it is in every libhdf5 from 1.14.0 to 2.2 (H5FD_CLASS_VERSION 1).
//
// The plugin is one binary for all of them and so must not be laid out by the headers of whichever HDF5
// the machine happens to have; those of 1.10 have another H5FD_class_t, for one. This header is first on
// the plugin's include path and nowhere else. tests/plugin/abi_layout compares it with real headers.
#ifndef REMFILE_SRC_PLUGIN_ABI_HDF5_H
#define REMFILE_SRC_PLUGIN_ABI_HDF5_H

#include <cstddef>
#include <cstdint>

#include <sys/types.h>

using hid_t = std::int64_t;
using herr_t = int;
using hbool_t = bool;
using haddr_t = std::uint64_t;
using hsize_t = std::uint64_t;

constexpr hid_t H5E_DEFAULT = 0;

enum H5F_close_degree_t { H5F_CLOSE_DEFAULT, H5F_CLOSE_WEAK, H5F_CLOSE_SEMI, H5F_CLOSE_STRONG };

constexpr unsigned H5F_ACC_RDONLY = 0x00;
constexpr unsigned H5F_ACC_RDWR = 0x01;
constexpr unsigned H5F_ACC_TRUNC = 0x02;
constexpr unsigned H5F_ACC_EXCL = 0x04;
constexpr unsigned H5F_ACC_CREAT = 0x10;
constexpr unsigned H5F_ACC_SWMR_WRITE = 0x20;
constexpr unsigned H5F_ACC_SWMR_READ = 0x40;

constexpr unsigned long H5FD_FEAT_AGGREGATE_METADATA = 0x0001;
constexpr unsigned long H5FD_FEAT_ACCUMULATE_METADATA_READ = 0x0004;
constexpr unsigned long H5FD_FEAT_DATA_SIEVE = 0x0008;
constexpr unsigned long H5FD_FEAT_AGGREGATE_SMALLDATA = 0x0010;
constexpr unsigned long H5FD_FEAT_SUPPORTS_SWMR_IO = 0x1000;
constexpr unsigned long H5FD_FEAT_DEFAULT_VFD_COMPATIBLE = 0x8000;

// A macro as in HDF5, for the driver's sources ask whether it is there.
#define H5FD_CLASS_VERSION 0x01

using H5FD_class_value_t = int;

enum H5FD_mem_t {
    H5FD_MEM_NOLIST = -1,
    H5FD_MEM_DEFAULT,
    H5FD_MEM_SUPER,
    H5FD_MEM_BTREE,
    H5FD_MEM_DRAW,
    H5FD_MEM_GHEAP,
    H5FD_MEM_LHEAP,
    H5FD_MEM_OHDR,
    H5FD_MEM_NTYPES
};

struct H5FD_class_t;

// What libhdf5 keeps at the beginning of every open file.
struct H5FD_t {
    hid_t driver_id;
    const H5FD_class_t *cls;
    unsigned long fileno;
    unsigned access_flags;
    unsigned long feature_flags;
    haddr_t maxaddr;
    haddr_t base_addr;
    hsize_t threshold;
    hsize_t alignment;
    hbool_t paged_aggr;
};

// A driver's table. HDF5's documentation tells what each callback is to do.
struct H5FD_class_t {
    unsigned version;
    H5FD_class_value_t value;
    const char *name;
    haddr_t maxaddr;
    H5F_close_degree_t fc_degree;
    herr_t (*terminate)();

    hsize_t (*sb_size)(H5FD_t *);
    herr_t (*sb_encode)(H5FD_t *, char *, unsigned char *);
    herr_t (*sb_decode)(H5FD_t *, const char *, const unsigned char *);

    std::size_t fapl_size;
    void *(*fapl_get)(H5FD_t *);
    void *(*fapl_copy)(const void *);
    herr_t (*fapl_free)(void *);
    std::size_t dxpl_size;
    void *(*dxpl_copy)(const void *);
    herr_t (*dxpl_free)(void *);

    H5FD_t *(*open)(const char *, unsigned, hid_t, haddr_t);
    herr_t (*close)(H5FD_t *);
    int (*cmp)(const H5FD_t *, const H5FD_t *);
    herr_t (*query)(const H5FD_t *, unsigned long *);
    herr_t (*get_type_map)(const H5FD_t *, H5FD_mem_t *);

    haddr_t (*alloc)(H5FD_t *, H5FD_mem_t, hid_t, hsize_t);
    herr_t (*free)(H5FD_t *, H5FD_mem_t, hid_t, haddr_t, hsize_t);
    haddr_t (*get_eoa)(const H5FD_t *, H5FD_mem_t);
    herr_t (*set_eoa)(H5FD_t *, H5FD_mem_t, haddr_t);
    haddr_t (*get_eof)(const H5FD_t *, H5FD_mem_t);
    herr_t (*get_handle)(H5FD_t *, hid_t, void **);

    herr_t (*read)(H5FD_t *, H5FD_mem_t, hid_t, haddr_t, std::size_t, void *);
    herr_t (*write)(H5FD_t *, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void *);
    herr_t (*read_vector)(H5FD_t *, hid_t, std::uint32_t, H5FD_mem_t *, haddr_t *, std::size_t *, void **);
    herr_t (*write_vector)(H5FD_t *, hid_t, std::uint32_t, H5FD_mem_t *, haddr_t *, std::size_t *,
                           const void **);
    herr_t (*read_selection)(H5FD_t *, H5FD_mem_t, hid_t, std::size_t, hid_t *, hid_t *, haddr_t *,
                             std::size_t *, void **);
    herr_t (*write_selection)(H5FD_t *, H5FD_mem_t, hid_t, std::size_t, hid_t *, hid_t *, haddr_t *,
                              std::size_t *, const void **);

    herr_t (*flush)(H5FD_t *, hid_t, hbool_t);
    herr_t (*truncate)(H5FD_t *, hid_t, hbool_t);
    herr_t (*lock)(H5FD_t *, hbool_t);
    herr_t (*unlock)(H5FD_t *);
    herr_t (*del)(const char *, hid_t);
    herr_t (*ctl)(H5FD_t *, std::uint64_t, std::uint64_t, const void *, void **);
    H5FD_mem_t fl_map[H5FD_MEM_NTYPES];
};

// Functions of libhdf5 whose types the driver's table of calls is made of. Nothing calls them by name:
// that would leave the plugin with an undefined symbol.
extern "C" {
using H5E_auto2_t = herr_t (*)(hid_t, void *);
herr_t H5Epush2(hid_t, const char *, const char *, unsigned, hid_t, hid_t, hid_t, const char *, ...);
herr_t H5Eclear2(hid_t);
herr_t H5Eauto_is_v2(hid_t, unsigned *);
herr_t H5Eget_auto2(hid_t, H5E_auto2_t *, void **);
herr_t H5Eset_auto2(hid_t, H5E_auto2_t, void *);
const void *H5Pget_driver_info(hid_t);
}

#endif
