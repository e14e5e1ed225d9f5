"""What the tests of the plugin have in common: the test server, a walk over a file, other programs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import h5py
import numpy as np

TOP = Path(__file__).resolve().parents[2]
PLUGIN = Path(os.environ.get("REMFILE_PLUGIN_PATH", TOP / "build/test/plugin/libremfile_vfd_plugin.so"))
DATA = Path(os.environ.get("REMFILE_TEST_DATA", TOP / "tests/data"))


class Server:
    """tests/server, serving `root` under /files/; which knobs a URL may have stands in its knobs.md."""

    def __init__(self, root: Path):
        command = [os.environ["REMFILE_TEST_SERVER"], "--root", str(root), "--exit-with-parent"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().split()[-1]

    def url(self, path: str = "") -> str:
        return f"{self.address}/files/{path}"

    def requests(self) -> list[str]:
        """The paths that were asked for since the last reset."""
        with urllib.request.urlopen(f"{self.address}/_log") as log:
            return [line.split("\t")[3] for line in log.read().decode().splitlines()[1:]]

    def reset(self) -> None:
        urllib.request.urlopen(urllib.request.Request(f"{self.address}/_reset", method="POST")).close()

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


def environment(**more: str) -> dict[str, str]:
    """The environment for a program that is to find the plugin by itself."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("HDF5_", "REMFILE_LOG"))}
    return {**clean, "HDF5_PLUGIN_PATH": str(PLUGIN.parent), "PYTHONPATH": str(TOP / "python/src"), **more}


def run_python(program: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs a Python program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", program, *words],
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=100,
    )


def output_of(program: str, *words: str, **variables: str) -> str:
    """The same for a program that is to succeed in silence but for what it prints."""
    done = run_python(program, *words, **variables)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


#: Prints which libhdf5 are in the process (those of one build: its high-level library is not one).
PRINT_LIBHDF5 = r"""
import re
paths = {line.split()[-1] for line in open("/proc/self/maps")}
print(*sorted(p for p in paths if re.search(r"/libhdf5(?!_hl)[^/]*\.so", p)), sep="\n")
"""


def describe(file: h5py.File) -> dict[str, object]:
    """All of a file as comparable values: structure, attributes, datasets. Errors are values, too."""
    seen: dict[str, object] = {}

    def note(path: str, value: object) -> None:
        seen[path] = value

    def attempt(path: str, read) -> None:
        try:
            note(path, read())
        except Exception as error:  # noqa: BLE001 - what h5py cannot read it says in many ways
            note(path, f"{type(error).__name__}: {re.sub('address=.*', '', str(error))}")

    def look(name: str, item) -> None:
        attempt(f"{name} type", lambda: (type(item).__name__, getattr(item, "shape", None)))
        for key in sorted(item.attrs):
            attempt(f"{name}@{key}", lambda key=key: comparable(item.attrs[key]))
        if isinstance(item, h5py.Dataset):
            attempt(f"{name} dtype", lambda: str(item.dtype))
            attempt(f"{name} values", lambda: comparable(values_of(item)))

    look("/", file["/"])
    file.visititems(look)
    return seen


def values_of(dataset: h5py.Dataset) -> object:
    if dataset.shape and dataset.size > 2_000_000:
        return dataset[tuple(slice(0, 3) for _ in dataset.shape)]
    return dataset[()]


def comparable(value: object) -> object:
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return (value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, np.ndarray):
        return (value.shape, [comparable(v) for v in value.ravel().tolist()])
    if isinstance(value, np.generic):
        return (value.dtype.str, value.tobytes())
    if isinstance(value, (h5py.Reference, h5py.RegionReference)):
        return type(value).__name__
    if isinstance(value, (tuple, list)):
        return [comparable(v) for v in value]
    return repr(value)
