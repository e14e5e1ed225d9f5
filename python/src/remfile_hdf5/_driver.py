"""h5py's driver "remfile"."""

from __future__ import annotations

from typing import Any

import h5py

from . import _libhdf5
from ._options import Value, to_text
from ._plugin import PluginNotFoundError, find_plugin

NAME = "remfile"


def register() -> None:
    """Makes ``h5py.File(url, "r", driver="remfile", **options)`` work. Importing the package does it."""
    h5py.register_driver(NAME, set_fapl)


def set_fapl(plist: Any, **options: Value) -> None:
    """Called by h5py, under its lock, with the access property list of the file to open."""
    if not _libhdf5.has_plugins():
        raise PluginNotFoundError(
            f"h5py is built with HDF5 {h5py.version.hdf5_version}; drivers as plugins need 1.14 or newer"
        )
    plugin = find_plugin()
    _libhdf5.add_plugin_folder(str(plugin.parent).encode())
    if not _libhdf5.set_driver_by_name(plist.id, NAME.encode(), to_text(options).encode()):
        raise PluginNotFoundError(
            f"HDF5 {h5py.version.hdf5_version} did not load the remfile plugin {plugin} "
            f"(HDF5_PLUGIN_PRELOAD=:: forbids plugins; `ldd {plugin}` shows what it may miss)"
        )
