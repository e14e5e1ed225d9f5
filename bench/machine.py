"""How busy this machine is with other things, which decides what a measurement is worth."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path


def busy_fraction(seconds: float = 0.2) -> float:
    """The share of all cores that is in use, sampled while this benchmark does nothing."""
    before = _cpu_times()
    time.sleep(seconds)
    after = _cpu_times()
    total = sum(after) - sum(before)
    idle = after[3] + after[4] - before[3] - before[4]
    return round(1 - idle / total, 3) if total > 0 else 0.0


def wait_until_quiet(limit: float, timeout: float) -> float:
    """Waits until less than `limit` is in use or the time is over; returns what is in use then."""
    end = time.monotonic() + timeout
    while (busy := busy_fraction()) > limit and time.monotonic() < end:
        time.sleep(1)
    return busy


def describe() -> dict[str, str | int]:
    model = "unknown"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    return {"cores": os.cpu_count() or 0, "processor": model, "system": platform.platform()}


def _cpu_times() -> list[int]:
    return [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
