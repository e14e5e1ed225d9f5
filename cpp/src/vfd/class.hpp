// The driver as libhdf5 gets to know it.
#ifndef REMFILE_SRC_VFD_CLASS_HPP
#define REMFILE_SRC_VFD_CLASS_HPP

#include <hdf5.h>

namespace remfile_detail {

// The table of callbacks, for the HDF5 whose headers this is compiled against. libhdf5 calls `terminate`
// when it forgets the driver.
H5FD_class_t driver_class(herr_t (*terminate)()) noexcept;

} // namespace remfile_detail

#endif
