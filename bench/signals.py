"""Deterministic data that looks and compresses like what laboratories store.

Every function gives the same values for the same arguments on every machine with the same numpy.
"""

from __future__ import annotations

import numpy as np

SAMPLING_RATE = 30_000.0


def ephys(seed: int, rows: int, channels: int, noise: float) -> np.ndarray:
    """Extracellular voltage, int16 [rows, channels]: noise, a slow common signal, spikes.

    `noise` is the standard deviation in steps of the converter; it decides how well gzip does.
    """
    rng = np.random.default_rng(seed)
    data = np.empty((rows, channels), np.int16)
    phases = rng.uniform(0, 2 * np.pi, 3)
    gains = rng.uniform(0.6, 1.4, channels).astype(np.float32)
    block = max(1, 4_000_000 // channels)
    for start in range(0, rows, block):
        stop = min(rows, start + block)
        time = np.arange(start, stop) / SAMPLING_RATE
        common = sum(
            12.0 * np.sin(2 * np.pi * hertz * time + phase) for hertz, phase in zip((0.9, 7.3, 61.0), phases)
        )
        values = rng.standard_normal((stop - start, channels), np.float32) * np.float32(noise)
        values += common.astype(np.float32)[:, None] * gains
        _add_spikes(rng, values)
        np.rint(values, out=values)
        data[start:stop] = np.clip(values, -32768, 32767)
    return data


def _add_spikes(rng: np.random.Generator, values: np.ndarray) -> None:
    rows, channels = values.shape
    shape = -180.0 * np.exp(-0.5 * ((np.arange(40) - 12) / 3.5) ** 2)
    shape += 70.0 * np.exp(-0.5 * ((np.arange(40) - 22) / 6.0) ** 2)
    count = rows * channels // 20_000  # about 1.5 a second and channel
    starts = rng.integers(0, max(1, rows - 40), count)
    places = rng.integers(0, channels, count)
    for start, place in zip(starts, places):
        piece = values[start : start + 40, place]
        piece += shape[: len(piece)].astype(np.float32)


def sweep(seed: int, samples: int) -> np.ndarray:
    """The membrane potential of one intracellular sweep in volts, float32."""
    rng = np.random.default_rng(seed)
    time = np.linspace(0, 1, samples, dtype=np.float32)
    step = np.where((time > 0.2) & (time < 0.7), np.float32(0.02), np.float32(0))
    return (-0.065 + step + rng.standard_normal(samples, np.float32) * np.float32(0.0004)).astype(np.float32)


def stimulus(seed: int, samples: int) -> np.ndarray:
    """The current of one intracellular sweep in amperes, float32: a step with the noise of its source."""
    rng = np.random.default_rng(seed)
    time = np.linspace(0, 1, samples, dtype=np.float32)
    step = np.where((time > 0.2) & (time < 0.7), np.float32(2e-10), np.float32(0))
    return (step + rng.standard_normal(samples, np.float32) * np.float32(1e-13)).astype(np.float32)


def movie(seed: int, frames: int, height: int, width: int, noise: float) -> np.ndarray:
    """Two-photon frames, uint16 [frames, height, width]: cells on a background, with noise."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    background = 9_000 + 1_500 * np.sin(x / 40) * np.cos(y / 55)
    centres = rng.uniform(0, 1, (40, 2)) * (height, width)
    cells = [np.exp(-0.5 * ((y - cy) ** 2 + (x - cx) ** 2) / 16).astype(np.float32) for cy, cx in centres]
    rates = rng.uniform(0.02, 0.2, 40)
    data = np.empty((frames, height, width), np.uint16)
    for frame in range(frames):
        image = background + rng.standard_normal((height, width), np.float32) * np.float32(noise)
        for cell, rate in zip(cells, rates):
            image += cell * (6_000 * max(0.0, np.sin(frame * rate)))
        data[frame] = np.clip(image, 0, 65535)
    return data
