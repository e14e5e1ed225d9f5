"""``python -m remfile_hdf5``: says which plugin and which HDF5 are used, and opens a remote file."""

from __future__ import annotations

import argparse
import sys

import h5py

from . import __version__, find_plugin
from ._driver import set_fapl

DESCRIPTION = "Says which plugin and which HDF5 are used, and opens a remote file."


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m remfile_hdf5", description=DESCRIPTION)
    parser.add_argument("--plugin-dir", action="store_true", help="print the folder for HDF5_PLUGIN_PATH, only")
    parser.add_argument("url", nargs="?", help="a remote HDF5 file to open")
    arguments = parser.parse_args()
    try:
        plugin = find_plugin()
        if arguments.plugin_dir:
            print(plugin.parent)
            return 0
        print(f"remfile_hdf5 {__version__}, h5py {h5py.__version__}, HDF5 {h5py.version.hdf5_version}")
        print(f"plugin: {plugin}")
        set_fapl(h5py.h5p.create(h5py.h5p.FILE_ACCESS))  # a plugin that does not load shows without any network
        print("h5py loads it")
        if arguments.url:
            with h5py.File(arguments.url, "r", driver="remfile") as file:
                print(f"{arguments.url}: {', '.join(file) or 'empty'}")
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
