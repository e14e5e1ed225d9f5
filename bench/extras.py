"""Measurements without HDF5 and without a network model: the Driver alone, next to curl."""

from __future__ import annotations

import json
import subprocess
import time
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
    size = 1_000_000_000
    ours: dict[str, list[float]] = {"ours": [], "ours_fresh_memory": [], "ours_small_cache": []}
    curl = []
    for _ in range(repeats):  # in turn, so that noise hits all
        began = time.perf_counter()
        url = f"{server.url}/bytes/{size}"
        subprocess.run(["curl", "--silent", "--fail", "--output", "/dev/null", url], check=True)
        curl.append(size / (time.perf_counter() - began))
        one, small = (hot("sequential", f"/bytes/{size}", *more) for more in ((), ("--options", SMALL_CACHE)))
        ours["ours"].append(size / one["seconds"])
        ours["ours_fresh_memory"].append(size / one["first_seconds"])
        ours["ours_small_cache"].append(size / small["first_seconds"])
    shown = [f"{median(rates) / 1e6:.0f} MB/s: {100 * median(rates) / median(curl):.0f} %" for rates in ours.values()]
    return {
        "what": "1 GB over loopback, one curl beside it",
        **{f"{name}_bytes_per_second": rates for name, rates in ours.items()},
        "curl_bytes_per_second": curl,
        "figure": f"curl {median(curl) / 1e6:.0f} MB/s, ours {shown[0]}; a process's first file (its memory comes "
        f"from the machine's host) {shown[1]}; with {SMALL_CACHE} {shown[2]}",
        "limit": "90 % of curl",
        "reached": median(ours["ours"]) >= 0.9 * median(curl),
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
