"""A progress bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import shutil
import sys
import time


class Progress:
    def __init__(self, total: int):
        self._total = total
        self._done = 0
        self._start = time.monotonic()
        self._terminal = sys.stderr.isatty()

    def begin(self, what: str) -> None:
        if self._terminal:
            self._draw(what)

    def end(self, what: str, outcome: str) -> None:
        self._done += 1
        if self._terminal:
            self._draw(f"{what}: {outcome}")
        else:
            print(f"[{self._done}/{self._total}] {what}: {outcome}{self._eta()}", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._terminal:
            print(file=sys.stderr)

    def _eta(self) -> str:
        if not self._done:
            return ""
        left = (time.monotonic() - self._start) / self._done * (self._total - self._done)
        return f"  (ETA {int(left) // 60}:{int(left) % 60:02d})"

    def _draw(self, what: str) -> None:
        width = shutil.get_terminal_size().columns
        filled = 24 * self._done // max(1, self._total)
        bar = "█" * filled + "·" * (24 - filled)
        text = f"{bar} {self._done}/{self._total}{self._eta()}  {what}"
        print(f"\r\x1b[K{text[: width - 1]}", end="", file=sys.stderr, flush=True)
