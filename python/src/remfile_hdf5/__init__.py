"""Read remote HDF5 files with h5py.

    import h5py
    import remfile_hdf5

    with h5py.File("https://example.org/recording.nwb", "r", driver="remfile") as file:
        ...

Importing this registers the driver "remfile" with h5py. It is chosen file by file; files opened without
it are read as ever. Options of remfile are further arguments: ``h5py.File(url, "r", driver="remfile",
max_retries=20)``.
"""

from ._driver import register
from ._plugin import PluginNotFoundError, find_plugin
from ._pointer import write_pointer
from ._version import __version__

__all__ = ["PluginNotFoundError", "find_plugin", "register", "write_pointer", "__version__"]

register()
