"""The project's HTTP server as a child process."""

from __future__ import annotations

import subprocess
import time
import urllib.request
from pathlib import Path

# Milliseconds and bytes a second: a remote object store, as the performance document has it.
NETWORK_MODEL = [
    "--first-byte-ms=40",
    "--connect-ms=80",
    "--rate-per-connection=60000000",
    "--rate-total=250000000",
]


class Server:
    """Serves `root` under /files/ until the context ends (and no longer than this process)."""

    def __init__(self, program: Path, root: Path, network: list[str]):
        self._process = subprocess.Popen(
            [program, "--root", root, "--exit-with-parent", *network],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        line = self._process.stdout.readline()
        if not line.startswith("listening on "):
            raise RuntimeError(f"{program} did not start")
        self.url = line.removeprefix("listening on ").strip()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait(10)

    def reset(self) -> None:
        """Forgets the requests so far, once none is being answered."""
        self._settle()
        self._get("/_reset", method="POST")

    def counters(self) -> dict[str, int]:
        """What was sent since the last reset. Waits for answers that a client has given up to end."""
        return self._settle()

    def log(self) -> str:
        """The requests since the last reset, one a line, tab-separated, after a heading."""
        return self._get("/_log")

    def _settle(self, timeout: float = 10.0) -> dict[str, int]:
        end = time.monotonic() + timeout
        while True:
            lines = self._get("/_counters").splitlines()[1:]
            counters = {name: int(value) for name, value in (line.split("\t") for line in lines)}
            if counters["in_flight"] == 0 or time.monotonic() > end:
                return counters
            time.sleep(0.02)

    def _get(self, path: str, method: str = "GET") -> str:
        request = urllib.request.Request(self.url + path, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read().decode()
