"""Draws the results: one group of bars per line, seconds on a logarithmic axis."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter  # noqa: E402

from measure import OURS, PREFETCH  # noqa: E402

COLOURS = {
    OURS: "#c8102e",
    PREFETCH: "#f2a2ad",
    "remfile-py": "#4477aa",
    "fsspec": "#66aabb",
    "fsspec-readahead": "#88ccaa",
    "fsspec-blocks": "#aacc88",
    "ros3": "#bbaa55",
}


def draw(results: dict[str, Any], folder: Path) -> None:
    """Writes <label>.png and <label>.svg into `folder`."""
    lines = results["lines"]
    shown = [name for name in COLOURS if any("seconds" in line["drivers"].get(name, {}) for line in lines)]
    if not shown:
        return
    figure, axes = plt.subplots(figsize=(2 + 0.62 * max(8, len(lines)), 7), layout="constrained")
    width = 0.84 / len(shown)
    for place, name in enumerate(shown):
        at = [n + (place - (len(shown) - 1) / 2) * width for n in range(len(lines))]
        seconds = [line["drivers"].get(name, {}).get("seconds", float("nan")) for line in lines]
        axes.bar(at, seconds, width, color=COLOURS[name], label=name)
    for number, line in enumerate(lines):
        span = (number - 0.45, number + 0.45)
        if "target" in line:
            label = "target" if not number else None
            axes.hlines(line["target"]["seconds"], *span, color="black", linewidth=1.6, label=label)
        if "floor" in line:
            label = "floor" if not number else None
            axes.hlines(line["floor"], *span, color="grey", linestyle=":", linewidth=1.6, label=label)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_ylabel("seconds (median)")
    axes.set_xticks(range(len(lines)), [_name(line) for line in lines], rotation=55, ha="right")
    axes.set_xlim(-0.6, len(lines) - 0.4)
    axes.grid(axis="y", which="both", color="#e4e4e4", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(ncols=len(shown) + 2, loc="upper center", bbox_to_anchor=(0.5, 1.08), frameon=False)
    for suffix in ("png", "svg"):
        figure.savefig(folder / f"{results['label']}.{suffix}", dpi=130)
    plt.close(figure)


def _name(line: dict[str, Any]) -> str:
    return f"{line['file'].removesuffix('.nwb').replace('_', ' ')}: {line['work']}"
