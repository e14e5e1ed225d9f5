#!/usr/bin/env python3
"""Sums up request logs of the server (scripts/bench --logs): where the time of a run went.

One line a log: seconds from the first request's arrival to the last one's end, and of these the
seconds in which no request was being answered (the client computed), one (a round trip in a row) or
more; requests by size; bytes asked more than once, requests, connections.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Request:
    connection: int
    start: int  # first byte asked for
    end: int
    sent: int
    began: float  # seconds
    ended: float


def read(path: Path) -> list[Request]:
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    at = {name: column for column, name in enumerate(rows[0])}
    requests = []
    for row in rows[1:]:
        if row[at["range_start"]] == "-":
            continue
        requests.append(
            Request(
                int(row[at["connection"]]),
                int(row[at["range_start"]]),
                int(row[at["range_end"]]),
                int(row[at["bytes_sent"]]),
                int(row[at["started"]]) / 1e6,
                int(row[at["ended"]]) / 1e6,
            )
        )
    return sorted(requests, key=lambda one: one.began)


def seconds_by_parallel(requests: list[Request]) -> dict[int, float]:
    """For how long so many requests were being answered at once."""
    edges = sorted([(one.began, 1) for one in requests] + [(one.ended, -1) for one in requests])
    spent: Counter[int] = Counter()
    running, last = 0, edges[0][0]
    for when, change in edges:
        spent[running] += when - last
        running, last = running + change, when
    return dict(spent)


def twice(requests: list[Request]) -> int:
    """Bytes that were asked for more than once."""
    total = reached = 0
    for one in sorted(requests, key=lambda one: one.start):
        total += max(0, min(reached, one.end) - one.start)
        reached = max(reached, one.end)
    return total


def main() -> None:
    head = f"{'log':34} {'s':>6} {'none':>6} {'one':>6} {'2-4':>6} {'5+':>6} {'req':>5} {'conn':>4}"
    print(head + f" {'MB':>7} {'<128K':>6} {'<1M':>5} {'1M+':>5} {'largest':>8} {'again':>6}")
    for name in sys.argv[1:]:
        requests = read(Path(name))
        if not requests:
            continue
        spent = seconds_by_parallel(requests)
        sizes = [one.end - one.start for one in requests]
        few = sum(spent.get(count, 0) for count in (2, 3, 4))
        many = sum(seconds for count, seconds in spent.items() if count > 4)
        print(
            f"{Path(name).stem:34} {max(one.ended for one in requests) - requests[0].began:6.2f} "
            f"{spent.get(0, 0):6.2f} {spent.get(1, 0):6.2f} {few:6.2f} {many:6.2f} {len(requests):5} "
            f"{len({one.connection for one in requests}):4} {sum(one.sent for one in requests) / 1e6:7.1f} "
            f"{sum(size < 131072 for size in sizes):6} {sum(131072 <= size < 1 << 20 for size in sizes):5} "
            f"{sum(size >= 1 << 20 for size in sizes):5} {max(sizes) / 1e6:8.1f} {twice(requests) / 1e6:6.2f}"
        )


if __name__ == "__main__":
    main()
