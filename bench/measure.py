"""Runs one work item with one driver in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lines import Line
from server import Server

HERE = Path(__file__).parent
TIMEOUT = 60  # seconds for one run
SLOW = 20  # seconds; a driver that took longer on a line is not asked again


@dataclass(frozen=True)
class Programs:
    """Where things are."""

    work: Path  # remfile_bench_work
    hot: Path  # remfile_bench_hot
    server: Path  # remfile-test-server
    python: Path  # with h5py, remfile, fsspec
    python_s3: Path  # with h5py-s3
    files: Path  # folder of the benchmark's files


# What is compared. Local ones read the file itself.
OURS = "ours"
PREFETCH = "ours+prefetch"
LOCAL = "local"
LOCAL_PYTHON = "local-py"
PEERS = ["remfile-py", "fsspec", "ros3"]
MORE_PEERS = ["fsspec-readahead", "fsspec-blocks"]


def is_local(driver: str) -> bool:
    return driver in (LOCAL, LOCAL_PYTHON)


def applies(driver: str, line: Line) -> bool:
    """Prefetch is for reads whose selection is known."""
    return driver != PREFETCH or line.item.work not in ("open", "walk")


def command(programs: Programs, driver: str, line: Line, server: Server, options: str) -> list[str]:
    name = str(programs.files / line.file) if is_local(driver) else f"{server.url}/files/{line.file}"
    item = [line.item.work, name, "--dataset", line.item.dataset, "--window", str(line.item.window)]
    if driver == LOCAL:
        return [str(programs.work), *item]
    if driver in (OURS, PREFETCH):
        more = ["--options", options] if options else []
        return [str(programs.work), *item, "--driver", "remfile", *more] + (
            ["--prefetch"] if driver == PREFETCH else []
        )
    python = programs.python_s3 if driver == "ros3" else programs.python
    return [
        str(python),
        str(HERE / "work.py"),
        *item,
        "--driver",
        "local" if driver == LOCAL_PYTHON else driver,
    ]


def run(programs: Programs, driver: str, line: Line, server: Server, options: str = "") -> dict[str, Any]:
    """One measurement: what the program printed and what the server counted, or `error`."""
    server.reset()
    environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    environment["HDF5_USE_FILE_LOCKING"] = "FALSE"
    try:
        done = subprocess.run(
            command(programs, driver, line, server, options),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            env=environment,
            cwd=HERE,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"took more than {TIMEOUT} s"}
    if done.returncode != 0:
        return {"error": (done.stderr.strip() or f"exit code {done.returncode}")[-2000:]}
    result = json.loads(done.stdout.strip().splitlines()[-1])
    result["server"] = server.counters()
    return result
