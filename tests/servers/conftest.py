"""What is served, and what reading it must give. The plugin reads, through h5py."""

from __future__ import annotations

import os
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "python/src"), str(TOP / "tests/plugin")]
# No proxy or key of this machine's may have a say.
for name in [n for n in os.environ if n.lower().endswith("_proxy") or n.startswith("AWS_")]:
    del os.environ[name]
os.environ["HOME"] = "/nonexistent"

import h5py  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402

import remfile_hdf5  # noqa: E402, F401
import support  # noqa: E402
from nginx import Nginx  # noqa: E402
from programs import NWB  # noqa: E402


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """A folder with a real NWB file and one of 24 MB in 36 chunks."""
    folder = tmp_path_factory.mktemp("data")
    (folder / NWB).write_bytes((TOP / "tests/data" / NWB).read_bytes())
    with h5py.File(folder / "large.h5", "w") as file:
        for name in "abc":
            values = np.random.default_rng(5).random((1000, 1000))
            file.create_dataset(name, data=values, chunks=(250, 334))
    return folder


@pytest.fixture(scope="module")
def nginx(data, tmp_path_factory):
    running = Nginx(tmp_path_factory.mktemp("nginx"), data)
    yield running
    running.program.stop()


@pytest.fixture(scope="module")
def trusted(nginx, trust) -> bool:
    """Whether the libcurl in use is new enough for HTTP/2."""
    visit = nginx.visit("plain", host="127.0.0.1")  # shares no connection with the tests
    with h5py.File(visit.url, "r", driver="remfile", http2=False, **trust):
        libcurl = visit.answers()[-1][-1].removeprefix("libcurl/").split("-")[0]
    return tuple(map(int, libcurl.split("."))) >= (8, 5)


@pytest.fixture(scope="module")
def trust(nginx):
    """Options to read from nginx what is asked for and no more."""
    return {"ca_file": str(nginx.authority), "complete_small_files": False}


@pytest.fixture(scope="session")
def equal(data):
    """Reads all of a file by its URL and compares it with the local one."""

    def check(url: str, name: str = NWB, **options: object) -> None:
        with h5py.File(data / name) as local, h5py.File(url, "r", driver="remfile", **options) as remote:
            there = support.describe(remote)
            assert len(there) > 2
            assert there == support.describe(local)

    return check


@pytest.fixture(scope="session")
def refused():
    """Opens a URL that must be refused with this code."""

    def check(url: str, code: str, **options: object) -> str:
        with pytest.raises(OSError, match=rf"\[{code}\]") as caught:
            h5py.File(url, "r", driver="remfile", **options)
        return str(caught.value)

    return check
