"""The libhdf5 that h5py uses, for the one call that h5py does not offer."""

from __future__ import annotations

import ctypes
import functools

import h5py


@functools.cache
def _library() -> ctypes.CDLL:
    # A look-up in an extension module goes on to the libraries it is linked to: so this is h5py's own
    # libhdf5 whatever its name and wherever it lies, also where a process holds several.
    library = ctypes.CDLL(h5py.defs.__file__)
    library.H5Pset_driver_by_name.argtypes = [ctypes.c_int64, ctypes.c_char_p, ctypes.c_char_p]
    library.H5Pset_driver_by_name.restype = ctypes.c_int
    return library


def has_plugins() -> bool:
    """Whether h5py's libhdf5 can load drivers at all, which began with 1.14."""
    return bool(h5py.version.hdf5_version_tuple >= (1, 14, 0))


def add_plugin_folder(folder: bytes) -> None:
    """Has h5py's libhdf5 look for plugins in `folder`, too."""
    known = [h5py.h5pl.get(i) for i in range(h5py.h5pl.size())]
    if folder not in known:
        h5py.h5pl.append(folder)


def set_driver_by_name(access_plist: int, driver: bytes, config: bytes) -> bool:
    """H5Pset_driver_by_name; whether it worked."""
    return bool(_library().H5Pset_driver_by_name(access_plist, driver, config) >= 0)
