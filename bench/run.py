#!/usr/bin/env python3
"""Runs the benchmark and writes bench/results/<label>.{json,md,png,svg}. Started by scripts/bench."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from datetime import datetime
from pathlib import Path
from typing import Any

import extras
import lines as line_table
import machine
import make_files
import measure
import plan
import plot
import report
import summary
from lines import Line
from needed import NeededCache
from progress import Progress
from server import NETWORK_MODEL, Server

RESULTS = Path(__file__).parent / "results"
Runs = dict[str, dict[str, list[dict[str, Any]]]]  # line, driver


def parse(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one repeat of a few lines, no peers, no extras")
    parser.add_argument(
        "--files", nargs="+", default=[], metavar="TEXT", help="files whose name contains this"
    )
    parser.add_argument("--work", nargs="+", default=[], choices=plan.WORKS, help="only these work items")
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="(default: %(default)s)")
    parser.add_argument("--no-peers", action="store_true", help="ours and local only")
    parser.add_argument(
        "--peers",
        nargs="+",
        default=measure.PEERS,
        choices=measure.PEERS + measure.MORE_PEERS,
        help="(default: all but fsspec's other caches)",
    )
    parser.add_argument(
        "--peers-of",
        default="",
        metavar="LABEL",
        help="take what peers needed from these results instead of measuring it again",
    )
    parser.add_argument("--options", default="", metavar="TEXT", help='remfile options, "key=value, ..."')
    parser.add_argument("--label", default="", help="name of the results (default: the time)")
    parser.add_argument(
        "--held-out", action="store_true", help="also the held-out files, which have no targets"
    )
    parser.add_argument("--no-extras", action="store_true", help="without the measurements that need no HDF5")
    parser.add_argument("--logs", action="store_true", help="keep the server's log of every last run of ours")
    parser.add_argument(
        "--wait-quiet",
        type=float,
        default=0,
        metavar="S",
        help="before each run, wait up to S seconds for other processes to use less than 15 %% of the cores",
    )
    programs = parser.add_argument_group("programs")
    for name in ("work", "hot", "server", "python", "python-s3"):
        programs.add_argument(f"--{name}-program", type=_absolute, required=True, metavar="PATH")
    arguments = parser.parse_args(words)
    if arguments.quick:
        arguments.repeats, arguments.no_peers, arguments.no_extras = 1, True, True
        arguments.files = arguments.files or ["big_chunks", "intracellular"]
        arguments.work = arguments.work or ["open", "walk", "slice"]
    arguments.label = arguments.label or datetime.now().strftime("%Y-%m-%d-%H%M%S")
    return arguments


def main() -> int:
    arguments = parse()
    chosen = line_table.choose(arguments.files, arguments.work, arguments.held_out)
    if not chosen:
        print("no line of the benchmark has such a file and work", file=sys.stderr)
        return 2
    programs = measure.Programs(
        work=arguments.work_program,
        hot=arguments.hot_program,
        server=arguments.server_program,
        python=arguments.python_program,
        python_s3=arguments.python_s3_program,
        files=make_files.FOLDER,
    )
    wanted = {line.file for line in chosen}
    make_files.make([one for one in make_files.RECIPES + make_files.HELD_OUT if one.name in wanted])
    cache = NeededCache(make_files.FOLDER)
    needed = {line.name: cache.get(line.file, line.item) for line in chosen}

    drivers = [measure.OURS, measure.PREFETCH, measure.LOCAL]
    earlier = _earlier(arguments.peers_of)
    if not arguments.no_peers and not earlier:
        drivers += [measure.LOCAL_PYTHON, *arguments.peers]
    results: dict[str, Any] = {
        "label": arguments.label,
        "date": datetime.now().isoformat(" ", "minutes"),
        "commit": _commit(),
        "machine": machine.describe(),
        "network": NETWORK_MODEL,
        "options": arguments.options,
        "peers_of": arguments.peers_of,
        "load_before": _load(),
    }

    def save(runs: Runs, repeats: int) -> None:
        for name, drivers_then in earlier.items():
            if name in runs:
                runs[name].update(drivers_then)
        results.update(repeats=repeats, load_after=_load())
        results["lines"] = [summary.of_line(line, needed[line.name], runs[line.name]) for line in chosen]
        results["runs"] = runs
        report.write(results, RESULTS)

    try:
        _measure(arguments, programs, chosen, drivers, save)
    except KeyboardInterrupt:
        print("\ninterrupted; the repeats that ended are written", file=sys.stderr)
        return 130
    if not arguments.no_extras:
        results["extras"] = extras.run(programs, min(3, arguments.repeats), arguments.options)
        report.write(results, RESULTS)
    plot.draw(results, RESULTS)
    print(report.markdown(results))
    print(f"written: {RESULTS / arguments.label}.json, .md, .png, .svg")
    differing = [line for line in results["lines"] if not line["same_values"]]
    return 1 if differing else 0


def _measure(
    arguments: argparse.Namespace,
    programs: measure.Programs,
    chosen: list[Line],
    drivers: list[str],
    save: Any,
) -> None:
    """Repeat by repeat, line by line, the drivers in turn: noise hits all alike. Saves after each repeat."""
    tasks = [(line, driver) for line in chosen for driver in drivers if measure.applies(driver, line)]
    progress = Progress(len(tasks) * arguments.repeats)
    runs: Runs = defaultdict(lambda: defaultdict(list))
    with Server(programs.server, programs.files, NETWORK_MODEL) as server:
        for repeat in range(arguments.repeats):
            for line in chosen:
                turn = repeat % len(drivers)
                for driver in drivers[turn:] + drivers[:turn]:
                    if not measure.applies(driver, line):
                        continue
                    what = f"{line.name} {driver}"
                    if _hopeless(driver, runs[line.name][driver]):
                        progress.end(what, "too slow to be repeated")
                        continue
                    progress.begin(what)
                    busy = machine.wait_until_quiet(0.15, arguments.wait_quiet)
                    one = measure.run(programs, driver, line, server, arguments.options)
                    one["busy"] = busy
                    runs[line.name][driver].append(one)
                    progress.end(what, "failed" if "error" in one else f"{one['seconds']:.2f} s")
                    if arguments.logs and driver == measure.OURS:
                        _keep_log(arguments.label, line, server.log())
            save(runs, repeat + 1)
    progress.close()


def _hopeless(driver: str, runs: list[dict[str, Any]]) -> bool:
    """Whether a peer failed or took so long that once is enough."""
    peer = driver in measure.PEERS + measure.MORE_PEERS
    return peer and any("error" in one or one["seconds"] > measure.SLOW for one in runs)


def _keep_log(label: str, line: Line, text: str) -> None:
    folder = RESULTS / f"{label}-logs"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{line.name.replace(' ', '-')}.tsv").write_text(text)


def _earlier(label: str) -> Runs:
    """The runs of all peers in earlier results."""
    if not label:
        return {}
    runs: Runs = json.loads((RESULTS / f"{label}.json").read_text())["runs"]
    ours = (measure.OURS, measure.PREFETCH, measure.LOCAL)
    return {
        name: {driver: list(one) for driver, one in drivers.items() if driver not in ours}
        for name, drivers in runs.items()
    }


def _absolute(text: str) -> Path:
    """Without following links, by which Python knows its environment."""
    return Path(text).absolute()


def _load() -> float:
    return round(os.getloadavg()[0], 2)


def _commit() -> str:
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, cwd=Path(__file__).parent
    )
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main())
