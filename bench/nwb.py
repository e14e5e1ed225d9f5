"""Writes the benchmark's NWB files with pynwb."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from hdmf.backends.hdf5.h5_utils import H5DataIO
from pynwb import NWBHDF5IO, NWBFile
from pynwb.ecephys import ElectricalSeries
from pynwb.icephys import CurrentClampSeries, CurrentClampStimulusSeries
from pynwb.ophys import (
    DfOverF,
    ImageSegmentation,
    OpticalChannel,
    RoiResponseSeries,
    TwoPhotonSeries,
)

import signals

START = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


def new_file(identifier: str) -> NWBFile:
    return NWBFile(
        session_description="a session made for benchmarks",
        identifier=identifier,
        session_start_time=START,
        file_create_date=START,
        experimenter=["Doe, Jane"],
        institution="remfile",
        lab="bench",
        keywords=["benchmark"],
    )


def write(file: NWBFile, path: Path, libver: Any = None) -> None:
    """Writes `file` as one HDF5 file, in the earliest format unless `libver` says otherwise."""
    with h5py.File(path, "w", libver=libver) as target, NWBHDF5IO(file=target, mode="w") as io:
        io.write(file)


def add_probe(file: NWBFile, channels: int) -> Any:
    """Electrodes of one probe; returns the region of all of them."""
    device = file.create_device(name="probe", description="a silicon probe")
    groups = [
        file.create_electrode_group(f"shank{shank}", f"shank {shank}", "cortex", device)
        for shank in range(max(1, channels // 64))
    ]
    for channel in range(channels):
        group = groups[min(channel // 64, len(groups) - 1)]
        file.add_electrode(x=float(channel % 4), y=float(channel) * 20, z=0.0, location="cortex", group=group)
    return file.create_electrode_table_region(list(range(channels)), "all electrodes")


def add_units_and_trials(file: NWBFile, seed: int, seconds: float, units: int) -> None:
    rng = np.random.default_rng(seed)
    for start in np.arange(0.0, seconds - 1.0, 1.0):
        file.add_trial(start_time=float(start), stop_time=float(start) + 0.8)
    for _ in range(units):
        file.add_unit(spike_times=np.sort(rng.uniform(0, seconds, int(rng.integers(1500, 4000)))))


def add_series(file: NWBFile, data: Any, channels: int) -> None:
    file.add_acquisition(
        ElectricalSeries(
            name="ElectricalSeries",
            data=data,
            electrodes=add_probe(file, channels),
            starting_time=0.0,
            rate=signals.SAMPLING_RATE,
            conversion=1.95e-7,
        )
    )


def ephys(
    path: Path, *, seed: int, rows: int, channels: int, noise: float, chunks: tuple[int, int] | None
) -> None:
    """One ElectricalSeries, gzip in `chunks` or contiguous, with electrodes, trials and units."""
    file = new_file(path.stem)
    data = signals.ephys(seed, rows, channels, noise)
    if chunks is not None:
        data = H5DataIO(data, chunks=chunks, compression="gzip", compression_opts=4)
    add_series(file, data, channels)
    add_units_and_trials(file, seed, rows / signals.SAMPLING_RATE, units=40)
    write(file, path)


def intracellular(path: Path, *, seed: int, sweeps: int, samples: int) -> None:
    """`sweeps` pairs of stimulus and response, each a small contiguous dataset."""
    file = new_file(path.stem)
    device = file.create_device(name="amplifier")
    electrode = file.create_icephys_electrode(name="electrode", description="a pipette", device=device)
    for sweep in range(sweeps):
        common = {"electrode": electrode, "gain": 1.0, "starting_time": sweep * 2.0, "rate": 50_000.0}
        file.add_acquisition(
            CurrentClampSeries(
                name=f"sweep_{sweep:04d}",
                data=signals.sweep(seed + sweep, samples),
                sweep_number=np.uint32(sweep),
                **common,
            )
        )
        file.add_stimulus(
            CurrentClampStimulusSeries(
                name=f"stimulus_{sweep:04d}",
                data=signals.stimulus(seed - 1 - sweep, samples),
                sweep_number=np.uint32(sweep),
                **common,
            )
        )
    write(file, path)


def imaging(
    path: Path, *, seed: int, frames: int, height: int, width: int, rois: int, noise: float, growing: bool
) -> None:
    """A two-photon movie, one gzip frame a chunk, and its fluorescence, in the format of HDF5 1.10.

    A growing movie has an extensible array as chunk index, another one a fixed array.
    """
    file = new_file(path.stem)
    device = file.create_device(name="microscope")
    channel = OpticalChannel(name="green", description="GCaMP", emission_lambda=520.0)
    plane = file.create_imaging_plane(
        name="plane",
        optical_channel=channel,
        description="layer 2/3",
        device=device,
        excitation_lambda=920.0,
        indicator="GCaMP6f",
        location="V1",
        imaging_rate=30.0,
    )
    movie = H5DataIO(
        signals.movie(seed, frames, height, width, noise),
        chunks=(1, height, width),
        maxshape=(None if growing else frames, height, width),
        compression="gzip",
        compression_opts=4,
    )
    file.add_acquisition(
        TwoPhotonSeries(name="TwoPhotonSeries", data=movie, imaging_plane=plane, rate=30.0, unit="a.u.")
    )
    segmentation = ImageSegmentation()
    planes = segmentation.create_plane_segmentation(name="cells", description="found", imaging_plane=plane)
    rng = np.random.default_rng(seed)
    for _ in range(rois):
        row, column = rng.integers(0, height), rng.integers(0, width)
        planes.add_roi(pixel_mask=[(int(column), int(row), 1.0)])
    region = planes.create_roi_table_region(region=list(range(rois)), description="all")
    traces = rng.standard_normal((frames * 4, rois), np.float32)
    response = RoiResponseSeries(
        name="RoiResponseSeries",
        data=traces,
        rois=region,
        rate=120.0,
        unit="n.a.",
    )
    module = file.create_processing_module("ophys", "processed")
    module.add(segmentation)
    module.add(DfOverF(roi_response_series=[response]))
    write(file, path, libver=("v110", "v110"))


def long_recording(
    path: Path,
    *,
    seed: int,
    shape: tuple[int, int],
    chunks: tuple[int, int] | None,
    pieces: list[tuple[int, int]],
    noise: float,
) -> None:
    """A recording larger than the disk: all of its storage has an address, `pieces` have contents.

    Storage is allocated when the dataset is created and not filled, so the file has holes.
    """
    file = new_file(path.stem)
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    plist.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    data = H5DataIO(shape=shape, dtype=np.dtype("int16"), chunks=chunks)
    data.io_settings["dcpl"] = plist
    add_series(file, data, shape[1])
    with h5py.File(path, "w") as target, NWBHDF5IO(file=target, mode="w") as io:
        io.write(file)
        for start, count in pieces:
            data.dataset[start : start + count] = signals.ephys(seed + start, count, shape[1], noise)
