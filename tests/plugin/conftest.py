"""Fixtures: what is served, and a header that tells which plugin met which HDF5."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python/src"))

import support  # noqa: E402


def pytest_report_header() -> str:
    digest = hashlib.sha256(support.PLUGIN.read_bytes()).hexdigest()
    programs = [f"h5py {h5py.__version__} with HDF5 {h5py.version.hdf5_version}"]
    for name in ("pynwb", "netCDF4", "tables"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            programs.append(f"{name} {importlib.metadata.version(name)}")
    return f"plugin {digest} with {', '.join(programs)}"


@pytest.fixture(scope="session")
def data():
    """The server of the files of many writers."""
    server = support.Server(support.DATA)
    yield server
    server.stop()


@pytest.fixture
def folder(tmp_path):
    """A folder that is served, with counting.h5 in it."""
    (tmp_path / "served").mkdir()
    with h5py.File(tmp_path / "served/counting.h5", "w") as file:
        file.create_dataset("values", data=np.arange(4096, dtype="i4").reshape(64, 64), chunks=(16, 16), compression=4)
    return tmp_path / "served"


@pytest.fixture
def server(folder):
    running = support.Server(folder)
    yield running
    running.stop()
