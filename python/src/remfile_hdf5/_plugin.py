"""Where the plugin lies."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

FILE_NAME = "libremfile_vfd_plugin.so"

#: Environment variable that names the plugin, or the folder it lies in.
VARIABLE = "REMFILE_PLUGIN_PATH"


class PluginNotFoundError(OSError):
    """The plugin is not there, or h5py's libhdf5 cannot load it."""


def find_plugin() -> Path:
    """The plugin's path: where REMFILE_PLUGIN_PATH says, else in this package, else in a folder of
    HDF5_PLUGIN_PATH, else where CMake installs it (under this Python's prefix, CMAKE_PREFIX_PATH,
    /usr/local, /usr).

    Raises PluginNotFoundError with the places looked at.
    """
    named = os.environ.get(VARIABLE)
    if named:  # and then nowhere else: another one would be a surprise
        path = Path(named)
        found = path / FILE_NAME if path.is_dir() else path
        if not found.is_file():
            raise PluginNotFoundError(f"{VARIABLE} is {named}, but there is no {found}")
        return found.resolve()
    looked_at = list(dict.fromkeys(_folders()))
    for folder in looked_at:
        if (folder / FILE_NAME).is_file():
            return (folder / FILE_NAME).resolve()
    places = "".join(f"\n  {folder}" for folder in looked_at)
    raise PluginNotFoundError(
        f"the remfile plugin, {FILE_NAME}, was not found. Build and install remfile with "
        f"-DREMFILE_BUILD_PLUGIN=ON, or set {VARIABLE} to it. Looked in:{places}"
    )


def _folders() -> Iterator[Path]:
    yield Path(__file__).resolve().parent / "plugin"
    for folder in os.environ.get("HDF5_PLUGIN_PATH", "").split(":"):
        if folder and folder != "::":
            yield Path(folder)
    libraries = ["lib", "lib64"]
    multiarch = sysconfig.get_config_var("MULTIARCH")
    if multiarch:
        libraries.append(f"lib/{multiarch}")
    for prefix in _prefixes():
        for library in libraries:
            yield Path(prefix) / library / "hdf5" / "plugin"


def _prefixes() -> Iterator[str]:
    yield sys.prefix
    yield sys.base_prefix
    yield from filter(None, os.environ.get("CMAKE_PREFIX_PATH", "").replace(";", ":").split(":"))
    yield "/usr/local"
    yield "/usr"
