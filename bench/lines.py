"""The lines of the benchmark, one work item on one file each, with their targets (targets.json)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import work

TARGETS = Path(__file__).with_name("targets.json")


@dataclass(frozen=True)
class Line:
    file: str
    title: str
    item: work.Item
    held_out: bool
    figures: dict[str, Any]  # targets and reported figures; empty for held-out files

    @property
    def name(self) -> str:
        return f"{self.file.removesuffix('.nwb')} {self.item.work}"

    def target(self, hdf5: str) -> tuple[float, float] | None:
        """Seconds and megabytes to reach with this version of HDF5."""
        figures = self.figures
        if "seconds" not in figures:
            return None
        if not hdf5.startswith("1."):
            figures = figures.get("hdf5_2", figures)
        return figures["seconds"], figures["mb"]

    def reported_seconds(self, driver: str) -> float | None:
        """What the performance document says of driver A or B."""
        return self.figures.get(driver, {}).get("seconds")


def load() -> list[Line]:
    lines = []
    for entry in json.loads(TARGETS.read_text())["files"]:
        for name, figures in entry["work"].items():
            item = work.Item(name, entry["dataset"], entry["window"])
            lines.append(Line(entry["file"], entry["title"], item, entry.get("held_out", False), figures))
    return lines


def choose(files: list[str], works: list[str], held_out: bool) -> list[Line]:
    """Lines whose file name contains one of `files` and whose work is one of `works` (all if empty)."""
    return [
        line
        for line in load()
        if (held_out or not line.held_out)
        and (not files or any(text in line.file for text in files))
        and (not works or line.item.work in works)
    ]
