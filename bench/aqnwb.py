"""Writes a file as AqNWB writes one: latest format, extendable chunks without filters, in SWMR mode."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

import signals

# What AqNWB 0.3 wrote, two series of 4 channels; everything but the series is taken from it.
TEMPLATE = Path(__file__).parent.parent / "tests/data/aqnwb_recording.nwb"
ROWS_A_CHUNK = 2048


def recording(path: Path, *, seed: int, rows: int, channels: int, rows_a_write: int) -> None:
    """Two series that grow in turn, buffer by buffer, as they do while an experiment runs."""
    with h5py.File(TEMPLATE, "r") as template, h5py.File(path, "w", libver=("v110", "v110")) as file:
        for name in template:
            if name != "acquisition":
                template.copy(name, file)
        _copy_attributes(template, file, file)
        series = [_series(template[f"acquisition/{name}"], file, channels) for name in ("probe0", "probe1")]
        file.swmr_mode = True
        _record(series, seed, rows, rows_a_write)


def _series(model: h5py.Group, file: h5py.File, channels: int) -> h5py.Group:
    group = file.require_group("acquisition").create_group(model.name.rsplit("/", 1)[1])
    _copy_attributes(model, group, file)
    shapes = {
        "data": ((0, channels), (None, channels), (ROWS_A_CHUNK, channels)),
        "timestamps": ((0,), (None,), (ROWS_A_CHUNK,)),
        "electrodes": ((channels,), (None,), (channels,)),
        "channel_conversion": ((channels,), (None,), (channels,)),
    }
    for name, (shape, maximum, chunks) in shapes.items():
        dataset = group.create_dataset(
            name, shape, dtype=model[name].dtype, maxshape=maximum, chunks=chunks, fill_time="never"
        )
        _copy_attributes(model[name], dataset, file)
    group["electrodes"][:] = np.arange(channels)
    group["channel_conversion"][:] = 1.0
    return group


def _copy_attributes(
    source: h5py.Group | h5py.Dataset, target: h5py.Group | h5py.Dataset, file: h5py.File
) -> None:
    for name, value in source.attrs.items():
        if isinstance(value, h5py.Reference):
            value = file[source.file[value].name].ref
        target.attrs[name] = value


def _record(series: list[h5py.Group], seed: int, rows: int, rows_a_write: int) -> None:
    data = [
        signals.ephys(seed + number, rows, group["data"].shape[1], 20.0)
        for number, group in enumerate(series)
    ]
    times = np.arange(rows) / signals.SAMPLING_RATE
    for start in range(0, rows, rows_a_write):
        stop = min(rows, start + rows_a_write)
        for values, group in zip(data, series):
            for name, piece in (("data", values[start:stop]), ("timestamps", times[start:stop])):
                dataset = group[name]
                dataset.resize(stop, axis=0)
                dataset[start:stop] = piece
                dataset.flush()
