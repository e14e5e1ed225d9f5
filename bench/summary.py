"""From measurements to the figures of the table."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

from lines import Line
from measure import LOCAL, MORE_PEERS, OURS, PEERS

# The network model's best: connecting and the first byte, then all bytes at the rate of all connections.
FIRST_BYTE_SECONDS = 0.12
TOTAL_RATE = 250e6

Run = dict[str, Any]


def floor_seconds(needed_bytes: int, local_seconds: float) -> float:
    """What no driver can beat: the needed bytes over that network, or libhdf5's own work on them."""
    return max(FIRST_BYTE_SECONDS + needed_bytes / TOTAL_RATE, local_seconds)


def of_runs(runs: list[Run]) -> dict[str, Any]:
    """Medians over the runs of one driver on one line."""
    good = [run for run in runs if "error" not in run]
    if not good:
        return {"error": runs[-1]["error"], "runs": len(runs)}

    def middle(value: Callable[[Run], float]) -> float:
        return median(value(run) for run in good)

    def counter(name: str) -> int:
        return round(middle(lambda run: run["server"][name]))

    seconds = [run["seconds"] for run in good]
    return {
        "seconds": round(median(seconds), 4),
        "fastest": round(min(seconds), 4),
        "slowest": round(max(seconds), 4),
        "close_seconds": round(middle(lambda run: run["close_seconds"]), 4),
        "requests": counter("requests"),
        "mb": round(middle(lambda run: run["server"]["bytes"]) / 1e6, 2),
        "connections": counter("connections"),
        "round_trips": counter("round_trips"),
        "head_requests": counter("head_requests"),
        "hdf5": good[-1]["hdf5"],
        "checksum": good[-1]["checksum"],
        "busy": middle(lambda run: run["busy"]),
        "runs": len(good),
        "errors": len(runs) - len(good),
        **({"stats": good[-1]["stats"]} if "stats" in good[-1] else {}),
    }


def of_line(line: Line, needed: int, drivers: dict[str, list[Run]]) -> dict[str, Any]:
    """The figures of one line of the table."""
    medians = {driver: of_runs(runs) for driver, runs in drivers.items() if runs}
    result: dict[str, Any] = {
        "file": line.file,
        "title": line.title,
        "work": line.item.work,
        "needed_mb": round(needed / 1e6, 2),
        "reported": {driver: line.reported_seconds(driver) for driver in "AB"},
        "drivers": medians,
    }
    checksums = {one["checksum"] for one in medians.values() if "checksum" in one}
    checksums |= {run["checksum"] for runs in drivers.values() for run in runs if "checksum" in run}
    result["same_values"] = len(checksums) <= 1

    good = {driver: one for driver, one in medians.items() if "seconds" in one}
    if LOCAL in good:
        result["floor"] = round(floor_seconds(needed, good[LOCAL]["fastest"]), 3)
    peers = [driver for driver in PEERS + MORE_PEERS if driver in good]
    if peers:
        result["best_peer"] = min(peers, key=lambda driver: good[driver]["seconds"])
    if OURS in good:
        ours = good[OURS]
        if peers:
            result["to_best_peer"] = round(ours["seconds"] / good[result["best_peer"]]["seconds"], 2)
        if "floor" in result:
            result["to_floor"] = round(ours["seconds"] / result["floor"], 2)
        if target := line.target(ours["hdf5"]):
            result["target"] = {"seconds": target[0], "mb": target[1]}
            result["to_target"] = round(ours["seconds"] / target[0], 2)
            # The table has whole megabytes.
            result["reached"] = ours["seconds"] <= target[0] and round(ours["mb"]) <= target[1]
    return result
