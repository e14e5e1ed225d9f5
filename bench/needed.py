"""How many distinct bytes of a file libhdf5 reads for a work item: what any driver has to fetch."""

from __future__ import annotations

import json
from pathlib import Path

import h5py

import work

# libhdf5 1.10 reads over gaps itself, by 64 KiB; later ones hand over the pieces of a column.
SMALL_GAP = 4096


class Recorder:
    """A local file that remembers which bytes were read."""

    def __init__(self, path: Path):
        self._file = open(path, "rb")
        self._reads: list[tuple[int, int]] = []

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: memoryview) -> int:
        start = self._file.tell()
        count = self._file.readinto(buffer)
        self._reads.append((start, start + count))
        return count

    def read(self, count: int = -1) -> bytes:
        start = self._file.tell()
        data = self._file.read(count)
        self._reads.append((start, start + len(data)))
        return data

    def distinct_bytes(self) -> int:
        """Each byte once; gaps that no driver would leave out of a request are needed too."""
        total = 0
        reached = -SMALL_GAP
        for start, end in sorted(self._reads):
            if start - reached > SMALL_GAP:
                reached = start
            total += max(0, end - reached)
            reached = max(reached, end)
        return total


def needed_bytes(path: Path, item: work.Item) -> int:
    """Counted with the chunk cache of HDF5 1.10, which the C++ programs use."""
    recorder = Recorder(path)
    with h5py.File(recorder, "r", rdcc_nbytes=1024 * 1024) as file:
        work.perform(file, item, work.Values())
    return recorder.distinct_bytes()


class NeededCache:
    """Remembers what was counted, in a file beside the benchmark's files."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._path = folder / "needed.json"
        self._known: dict[str, int] = json.loads(self._path.read_text()) if self._path.exists() else {}

    def get(self, file: str, item: work.Item) -> int:
        path = self._folder / file
        key = f"{file} {path.stat().st_mtime_ns} {item} gap={SMALL_GAP}"
        if key not in self._known:
            self._known[key] = needed_bytes(path, item)
            self._path.write_text(json.dumps(self._known, indent=1))
        return self._known[key]
