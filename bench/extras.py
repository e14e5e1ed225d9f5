"""Measurements without HDF5 and without a network model: the Driver alone, next to curl."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from measure import Programs
from server import Server

MEBI = 1024 * 1024
SMALL_CACHE = "max_cache_size=64MiB"
CONNECTION_CAP = 16  # the default of max_connections


def run(programs: Programs, repeats: int, options: str) -> dict[str, Any]:
    with Server(programs.server, programs.files, network=[]) as server:

        def hot(mode: str, url: str, *more: str) -> dict[str, Any]:
            words = [str(programs.hot), mode, server.url + url, *more]
            words += ["--options", options] if options and "--options" not in more else []
            done = subprocess.run(words, capture_output=True, text=True, timeout=600)
            if done.returncode != 0:
                raise RuntimeError(done.stderr.strip())
            return json.loads(done.stdout)

        results = {
            "hot": _hot(hot, repeats),
            "copy": _copy(hot, repeats),
            "sequential": _sequential(hot, server, repeats),
            "memory": _memory(hot),
            "connections": _connections(hot, server),
        }
    for one in results.values():
        verdict = "ok" if one["reached"] else "NOT REACHED"
        print(f"{one['what']}: {one['figure']} (limit: {one['limit']}) {verdict}")
    return results


def _hot(hot: Any, repeats: int) -> dict[str, Any]:
    seconds = [hot("hot", "/bytes/16000000")["seconds"] for _ in range(repeats)]
    return {
        "what": "a million cached reads of 8 bytes",
        "seconds": seconds,
        "figure": f"{median(seconds):.3f} s",
        "limit": "0.5 s",
        "reached": median(seconds) < 0.5,
    }


def _copy(hot: Any, repeats: int) -> dict[str, Any]:
    runs = [hot("copy", "/bytes/268435456") for _ in range(repeats)]
    ratio = median(one["memcpy_seconds"] / one["seconds"] for one in runs)
    rate = median(one["bytes"] / one["seconds"] for one in runs)
    return {
        "what": "cached reads of 1 MiB",
        "runs": runs,
        "figure": f"{rate / 1e9:.1f} GB/s, {100 * ratio:.0f} % of memcpy",
        "limit": "memory speed (80 % of memcpy)",
        "reached": ratio >= 0.8,
    }


def _sequential(hot: Any, server: Server, repeats: int) -> dict[str, Any]:
    """Passing a GB on, as curl to /dev/null does, and keeping it: what is kept takes memory that was not in use, which
    costs a machine, above all a virtual one, as much as the reading."""
    size = 1_000_000_000
    url = f"{server.url}/bytes/{size}"

    def ours(*more: str) -> float:
        one = hot("sequential", f"/bytes/{size}", *more)
        return one["bytes"] / one["seconds"]

    def curl(target: str) -> float:
        began = time.perf_counter()
        subprocess.run(["curl", "--silent", "--fail", "--output", target, url], check=True)
        return size / (time.perf_counter() - began)

    with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
        ways = {
            "curl": lambda: curl("/dev/null"),
            "ours": lambda: ours("--options", SMALL_CACHE),
            "curl_keeping": lambda: curl(f"{memory}/kept"),
            "ours_keeping": lambda: ours(),
        }
        rates: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(repeats):  # in turn, so that noise hits all
            for name, way in ways.items():
                rates[name].append(way())
                Path(memory, "kept").unlink(missing_ok=True)
    rate = {name: median(values) for name, values in rates.items()}
    ratio, ratio_keeping = rate["ours"] / rate["curl"], rate["ours_keeping"] / rate["curl_keeping"]
    return {
        "what": "1 GB over loopback, one curl beside it",
        "bytes_per_second": rates,
        "figure": f"{rate['ours'] / 1e6:.0f} MB/s with {SMALL_CACHE}, curl to /dev/null {rate['curl'] / 1e6:.0f} MB/s: "
        f"{100 * ratio:.0f} %; kept in memory {rate['ours_keeping'] / 1e6:.0f} MB/s, curl to /dev/shm "
        f"{rate['curl_keeping'] / 1e6:.0f} MB/s: {100 * ratio_keeping:.0f} %",
        "limit": "90 % of curl, both ways",
        "reached": min(ratio, ratio_keeping) >= 0.9,
    }


def _memory(hot: Any) -> dict[str, Any]:
    one = hot("memory", "/bytes/2000000000")
    over = one["resident_peak"] - one["cache_bytes"]
    return {
        "what": "peak of resident memory, 2 GB through a cache of 64 MiB",
        **one,
        "figure": f"{one['resident_peak'] / MEBI:.0f} MiB, {over / MEBI:.0f} MiB above the cache",
        "limit": "cache + 32 MiB",
        "reached": over <= 32 * MEBI,
    }


def _connections(hot: Any, server: Server) -> dict[str, Any]:
    server.reset()
    one = hot("many", "/bytes/1000000", "50")
    counted = server.counters()["connections"]
    return {
        "what": "connections for opening 50 files",
        **one,
        "connections": counted,
        "figure": str(counted),
        "limit": f"{CONNECTION_CAP} + 4",
        "reached": counted <= CONNECTION_CAP + 4,
    }
