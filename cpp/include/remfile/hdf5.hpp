// Open remote HDF5 files with libhdf5 from C++.
//
//     hid_t file = remfile::open_hdf5("https://example.org/recording.nwb");
//     ... any H5 function ...
//     H5Fclose(file);
#ifndef REMFILE_HDF5_HPP
#define REMFILE_HDF5_HPP

#include <string>

#include <hdf5.h>

#include <remfile/driver.hpp>
#include <remfile/export.h>

namespace remfile {

// Opens `url` read-only through the remfile driver. The caller owns the identifier and closes it
// with H5Fclose. `access_plist`, if given, is copied and its driver replaced; the original is left
// as it is. `flags` are those of H5Fopen: H5F_ACC_RDONLY, with H5F_ACC_SWMR_READ or without; writing is
// refused (read_only). Throws Error: what the driver found where it failed (not_found, denied, ...), else
// not_hdf5 or hdf5 with libhdf5's own message. Nothing is printed.
REMFILE_API hid_t open_hdf5(const std::string &url, const Options &options = {},
                            hid_t access_plist = H5P_DEFAULT, unsigned flags = H5F_ACC_RDONLY);

// Makes `access_plist` (a file access property list) open files through the remfile driver.
// Throws Error.
REMFILE_API void set_fapl(hid_t access_plist, const Options &options = {});

// What an open file has cost so far. `file` may be a file or any object in it. Throws Error
// (ErrorCode::hdf5) where it was not opened through the remfile driver.
REMFILE_API Stats stats(hid_t file);

// Starts fetching, in parallel, exactly the stored chunks (or the stretches of a contiguous dataset)
// that reading `selection` of `dataset` will touch, and returns without waiting for them; what of the
// dataset's index of chunks is not here yet it does wait for. `selection` is a dataspace of the
// dataset's rank with the elements selected, or H5S_ALL. Returns the number of bytes, in whole blocks,
// that will be fetched at the most. Compact, external and virtual data is left alone. What does not fit
// in half of max_cache_size is left out, as are chunks beyond the 100,000th. Throws Error.
REMFILE_API std::uint64_t prefetch(hid_t dataset, hid_t selection = H5S_ALL);

} // namespace remfile

#endif
