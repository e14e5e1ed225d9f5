#!/usr/bin/env python3
"""What AqNWB's own way of reading costs over the simulated network of the benchmark.

Each run is a process of its own: openRemote, findTypes("/") for ElectricalSeries, the electrodes' locations, one
second of four channels. Medians; requests and round trips are remfile's own counts, MB what the server sent.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

from server import NETWORK_MODEL, Server

STEPS = ("open", "find", "electrodes", "second")
COUNTS = ("requests", "round_trips", "fetched_bytes")


def _run(program: Path, url: str, options: str) -> dict:
    done = subprocess.run([program, url, options], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"aqnwb_cost.py: {done.stderr.strip()}")
    return json.loads(done.stdout)


def _steps(run: dict) -> list[dict[str, float]]:
    """What each step added."""
    rows = []
    before = dict.fromkeys(COUNTS, 0)
    for step in STEPS:
        stats = run[step]["stats"]
        rows.append({"seconds": run[step]["seconds"], **{name: stats[name] - before[name] for name in COUNTS}})
        before = stats
    return rows


def _median(runs: list[list[dict[str, float]]]) -> list[dict[str, float]]:
    medians = [
        {key: statistics.median(run[step][key] for run in runs) for key in runs[0][step]}
        for step in range(len(STEPS))
    ]
    medians.append(
        {key: statistics.median(sum(step[key] for step in run) for run in runs) for key in runs[0][0]}
    )
    return medians


def _table(name: str, options: str, medians: list[dict[str, float]]) -> None:
    print(f"\n{name}, {options or 'default options'}")
    print(f"  {'':<12}{'s':>8}{'requests':>10}{'round trips':>13}{'MB':>8}")
    for step, row in zip((*STEPS, "all"), medians):
        print(
            f"  {step:<12}{row['seconds']:>8.3f}{row['requests']:>10.0f}{row['round_trips']:>13.0f}"
            f"{row['fetched_bytes'] / 1e6:>8.2f}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="aqnwb_cost")
    parser.add_argument("server", type=Path, help="remfile-test-server")
    parser.add_argument("files", type=Path, nargs="+", help="NWB files with an ElectricalSeries")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--options", nargs="*", default=["", "hints=off"], help="remfile options, a table each")
    parser.add_argument("--log", action="store_true", help="print the server's log of the last run of each table")
    arguments = parser.parse_args()

    for file in arguments.files:
        with Server(arguments.server, file.parent, NETWORK_MODEL) as server:
            for options in arguments.options:
                runs = []
                for _ in range(arguments.repeats):
                    server.reset()
                    runs.append(_steps(_run(arguments.program, f"{server.url}/files/{file.name}", options)))
                _table(file.name, options, _median(runs))
                if arguments.log:
                    server.counters()
                    print(server.log())
    return 0


if __name__ == "__main__":
    sys.exit(main())
