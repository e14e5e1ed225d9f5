#!/usr/bin/env python3
"""Makes the benchmark's files, once, under .cache/bench-files. See --help."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import aqnwb
import nwb
import plan

FOLDER = Path(__file__).parent.parent / ".cache/bench-files"
HOUR = 108_000_000  # rows of an hour at 30 kHz


@dataclass(frozen=True)
class Recipe:
    name: str
    what: str
    make: Callable[[Path], None]


def _pieces(shape: tuple[int, int], window: int) -> list[plan.Window]:
    """What slice and random read of a long recording, in order and without overlap."""
    wanted = [plan.slice_window(shape[0], 2 * shape[1]), *plan.random_windows(shape[0], window)]
    merged: list[plan.Window] = []
    for start, count in sorted(wanted):
        end = merged[-1][0] + merged[-1][1] if merged else 0
        if merged and start < end:
            merged[-1] = (merged[-1][0], max(end, start + count) - merged[-1][0])
        else:
            merged.append((start, count))
    return merged


def _long(seed: int, shape: tuple[int, int], chunks: tuple[int, int] | None) -> Callable[[Path], None]:
    pieces = _pieces(shape, 300)
    return partial(nwb.long_recording, seed=seed, shape=shape, chunks=chunks, pieces=pieces, noise=20.0)


RECIPES = [
    Recipe(
        "big_chunks.nwb",
        "NWB, gzip chunks (20000×64)",
        partial(nwb.ephys, seed=1, rows=600_000, channels=128, noise=34.0, chunks=(20_000, 64)),
    ),
    Recipe(
        "small_chunks.nwb",
        "NWB, small gzip chunks (1000×4)",
        partial(nwb.ephys, seed=2, rows=300_000, channels=128, noise=27.0, chunks=(1_000, 4)),
    ),
    Recipe(
        "contiguous.nwb",
        "NWB, contiguous",
        partial(nwb.ephys, seed=3, rows=600_000, channels=128, noise=20.0, chunks=None),
    ),
    Recipe(
        "intracellular.nwb",
        "NWB, 600 intracellular sweeps",
        partial(nwb.intracellular, seed=4_000, sweeps=600, samples=9_600),
    ),
    Recipe(
        "imaging.nwb",
        "imaging, one frame a chunk, 1.10 format",
        partial(nwb.imaging, seed=5, frames=600, height=256, width=256, rois=400, noise=950.0, growing=False),
    ),
    Recipe(
        "aqnwb.nwb",
        "AqNWB recording, chunks (2048×32)",
        partial(aqnwb.recording, seed=6, rows=300_000, channels=32, rows_a_write=2_048),
    ),
    Recipe("hour_contiguous.nwb", "one hour of 384 channels, contiguous", _long(7, (HOUR, 384), None)),
    Recipe(
        "hour_chunks.nwb", "one hour of 384 channels, chunks (13653×96)", _long(8, (HOUR, 384), (13_653, 96))
    ),
]

# The same kinds with other shapes, so that nothing is tuned to the files above.
HELD_OUT = [
    Recipe(
        "held_out_big_chunks.nwb",
        "NWB, gzip chunks (12500×48)",
        partial(nwb.ephys, seed=101, rows=430_000, channels=144, noise=30.0, chunks=(12_500, 48)),
    ),
    Recipe(
        "held_out_small_chunks.nwb",
        "NWB, small gzip chunks (750×6)",
        partial(nwb.ephys, seed=102, rows=340_000, channels=96, noise=22.0, chunks=(750, 6)),
    ),
    Recipe(
        "held_out_contiguous.nwb",
        "NWB, contiguous",
        partial(nwb.ephys, seed=103, rows=1_100_000, channels=64, noise=20.0, chunks=None),
    ),
    Recipe(
        "held_out_intracellular.nwb",
        "NWB, 430 intracellular sweeps",
        partial(nwb.intracellular, seed=104_000, sweeps=430, samples=15_000),
    ),
    Recipe(
        "held_out_imaging.nwb",
        "imaging, one frame a chunk, growing, 1.10 format",
        partial(
            nwb.imaging, seed=105, frames=380, height=320, width=300, rois=250, noise=700.0, growing=True
        ),
    ),
    Recipe(
        "held_out_aqnwb.nwb",
        "AqNWB recording, chunks (2048×48)",
        partial(aqnwb.recording, seed=106, rows=210_000, channels=48, rows_a_write=1_500),
    ),
    Recipe(
        "held_out_hour_contiguous.nwb", "one hour of 256 channels, contiguous", _long(107, (HOUR, 256), None)
    ),
    Recipe(
        "held_out_hour_chunks.nwb",
        "one hour of 320 channels, chunks (9000×80)",
        _long(108, (HOUR, 320), (9_000, 80)),
    ),
]


def make(recipes: list[Recipe], folder: Path = FOLDER, again: bool = False) -> None:
    """Makes what is missing of `recipes` in `folder`, with one line each."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, recipe in enumerate(recipes, 1):
        path = folder / recipe.name
        began = time.monotonic()
        if again or not path.exists():
            print(f"[{number}/{len(recipes)}] {recipe.name}: making ({recipe.what}) ...", flush=True)
            part = path.with_name(path.name + ".part")
            recipe.make(part)
            os.replace(part, path)
        status = path.stat()
        print(
            f"[{number}/{len(recipes)}] {recipe.name}: {status.st_size / 1e6:,.1f} MB, "
            f"{status.st_blocks * 512 / 1e6:,.1f} MB on disk, {time.monotonic() - began:.1f} s",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", action="store_true", help="also the held-out files")
    parser.add_argument("--again", action="store_true", help="make them anew where they exist")
    parser.add_argument(
        "--folder", type=Path, default=FOLDER, help="where to put them (default: %(default)s)"
    )
    parser.add_argument("names", nargs="*", help="only files whose name contains one of these")
    arguments = parser.parse_args()
    recipes = RECIPES + (HELD_OUT if arguments.held_out else [])
    if arguments.names:
        recipes = [recipe for recipe in recipes if any(name in recipe.name for name in arguments.names)]
    make(recipes, arguments.folder, arguments.again)


if __name__ == "__main__":
    main()
