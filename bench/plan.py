"""Which part of a dataset each work item reads. work.cpp (plan.hpp) has the same arithmetic.

slice    23.04 MB of rows in one read, from a third of the length on
channel  one column (the element at a third of every other axis) over the whole length, in one read
stream   all rows, in windows of 4 MB
random   60 windows of `window` rows, from positions of splitmix64
"""

from __future__ import annotations

from collections.abc import Iterator

Window = tuple[int, int]  # first row, number of rows

WORKS = ("open", "walk", "slice", "channel", "stream", "random")
SLICE_BYTES = 23_040_000
STREAM_BYTES = 4_000_000
RANDOM_WINDOWS = 60
RANDOM_SEED = 20240506
_MASK = (1 << 64) - 1


def slice_window(rows: int, row_bytes: int) -> Window:
    count = min(rows, SLICE_BYTES // row_bytes)
    return min(rows // 3, rows - count), count


def stream_windows(rows: int, row_bytes: int) -> Iterator[Window]:
    step = max(1, STREAM_BYTES // row_bytes)
    for start in range(0, rows, step):
        yield start, min(step, rows - start)


def random_windows(rows: int, window: int) -> Iterator[Window]:
    count = min(rows, window)
    for number in range(RANDOM_WINDOWS):
        yield _splitmix64(RANDOM_SEED + number) % (rows - count + 1), count


def windows(work: str, rows: int, row_bytes: int, window: int) -> list[Window]:
    """The rows that `work` reads, one entry a read."""
    if work == "slice":
        return [slice_window(rows, row_bytes)]
    if work == "channel":
        return [(0, rows)]
    if work == "stream":
        return list(stream_windows(rows, row_bytes))
    if work == "random":
        return list(random_windows(rows, window))
    raise ValueError(f"{work} reads no rows")


def _splitmix64(x: int) -> int:
    z = (x + 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)
