#!/usr/bin/env python3
"""Does one work item through h5py and prints one line of JSON. The counterpart of work.cpp.

seconds       from before the file is opened until its last read is done
close_seconds closing it
checksum      CRC-32 of all values read, the same with every driver and in work.cpp
"""

from __future__ import annotations

import argparse
import importlib
import json
import time
import zlib
from dataclasses import dataclass

import h5py
import numpy as np

import drivers
import plan


@dataclass(frozen=True)
class Item:
    work: str
    dataset: str = ""
    window: int = 300  # rows of one window of `random`


def perform(file: h5py.File, item: Item, values: Values) -> None:
    if item.work == "open":
        values.add_number(h5py.h5g.open(file.id, b"/").get_num_objs())
    elif item.work == "walk":
        _walk(file, values)
    else:
        _read(file, item, values)


class Values:
    """What was read, kept until the clock has stopped.

    Memory for the largest stream is there and touched before the clock starts.
    """

    READY_BYTES = 160 * 1024 * 1024

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._ready = np.full(self.READY_BYTES, 1, np.uint8)
        self._used = 0

    def add_bytes(self, data: bytes) -> None:
        self._bytes += data

    def add_number(self, number: int) -> None:
        self._bytes += number.to_bytes(8, "little")

    def array(self, size: int, dtype: np.dtype) -> np.ndarray:
        """Memory for `size` elements. Called at most once."""
        self._used = size * dtype.itemsize
        if self._used > self._ready.size:
            self._ready = np.empty(self._used, np.uint8)
        return self._ready[: self._used].view(dtype)

    def checksum(self) -> int:
        return zlib.crc32(self._ready[: self._used], zlib.crc32(self._bytes))


def _walk(file: h5py.File, values: Values) -> None:
    """Every object by its name, every attribute by its name, their values where they are plain."""

    def visit(name: bytes) -> None:
        values.add_bytes(name)
        object_id = h5py.h5o.open(file.id, name)

        def attribute(attribute_name: bytes) -> None:
            values.add_bytes(attribute_name)
            _attribute(h5py.h5a.open(object_id, attribute_name), values)

        h5py.h5a.iterate(object_id, attribute)

    visit(b".")
    h5py.h5o.visit(file.id, visit)


def _attribute(attribute: h5py.h5a.AttrID, values: Values) -> None:
    kind = attribute.get_type()
    space = attribute.get_space()
    count = 0 if space.get_simple_extent_type() == h5py.h5s.NULL else space.get_simple_extent_npoints()
    values.add_number(count)
    if count == 0:
        return
    array = np.empty(attribute.shape, attribute.dtype)
    attribute.read(array)
    if isinstance(kind, h5py.h5t.TypeStringID) and kind.is_variable_str():
        for text in array.ravel():
            values.add_bytes(text if isinstance(text, bytes) else text.encode())
    elif isinstance(kind, h5py.h5t.TypeIntegerID | h5py.h5t.TypeFloatID | h5py.h5t.TypeEnumID):
        values.add_bytes(array.tobytes())
    # References and compounds are read, but look different to each program.


def _read(file: h5py.File, item: Item, values: Values) -> None:
    dataset = h5py.h5d.open(file.id, item.dataset.encode())
    shape, dtype = dataset.shape, dataset.dtype
    row_elements = int(np.prod(shape[1:]))
    windows = plan.windows(item.work, shape[0], row_elements * dtype.itemsize, item.window)
    origin, extent = (0,) * (len(shape) - 1), shape[1:]
    if item.work == "channel":
        origin, extent, row_elements = tuple(n // 3 for n in extent), (1,) * len(extent), 1
    target = values.array(sum(count for _, count in windows) * row_elements, dtype)
    space = dataset.get_space()
    done = 0
    for start, count in windows:
        space.select_hyperslab((start, *origin), (count, *extent))
        size = count * row_elements
        # Of the same shape: libhdf5 maps selections of unlike shapes element by element.
        memory = h5py.h5s.create_simple((count, *extent))
        dataset.read(memory, space, target[done : done + size])
        done += size


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", choices=plan.WORKS)
    parser.add_argument("name", help="path or URL")
    parser.add_argument("--driver", choices=drivers.OPENERS, default="local")
    parser.add_argument("--dataset", default="")
    parser.add_argument("--window", type=int, default=300, help="rows of one window of `random`")
    arguments = parser.parse_args()
    item = Item(arguments.work, arguments.dataset, arguments.window)
    for module in drivers.MODULES.get(arguments.driver, []):
        importlib.import_module(module)

    values = Values()

    began = time.perf_counter()
    file = drivers.OPENERS[arguments.driver](arguments.name)
    perform(file, item, values)
    done = time.perf_counter()
    file.close()
    closed = time.perf_counter()
    print(
        json.dumps(
            {
                "work": item.work,
                "driver": arguments.driver,
                "hdf5": h5py.version.hdf5_version,
                "seconds": round(done - began, 6),
                "close_seconds": round(closed - done, 6),
                "checksum": f"{values.checksum():08x}",
            }
        )
    )


if __name__ == "__main__":
    main()
