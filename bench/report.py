"""Writes results as JSON and as a Markdown table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from measure import LOCAL, OURS, PREFETCH, is_local


def write(results: dict[str, Any], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    name = results["label"]
    (folder / f"{name}.json").write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n")
    (folder / f"{name}.md").write_text(markdown(results))


def markdown(results: dict[str, Any]) -> str:
    parts = [f"# Benchmark `{results['label']}`", _conditions(results), _main_table(results["lines"])]
    if any(not is_local(d) and d != OURS for line in results["lines"] for d in line["drivers"]):
        parts += ["## Every driver", _driver_table(results["lines"])]
    if results.get("extras"):
        parts += ["## Without a network model", _extras(results["extras"])]
    errors = [
        f"- {line['file']} {line['work']} {driver}: `{one['error'].splitlines()[-1]}`"
        for line in results["lines"]
        for driver, one in line["drivers"].items()
        if "error" in one
    ]
    if errors:
        parts += ["## What failed", "\n".join(errors)]
    return "\n\n".join(parts) + "\n"


def _conditions(results: dict[str, Any]) -> str:
    machine = results["machine"]
    busy = [one["busy"] for line in results["lines"] for one in line["drivers"].values() if "busy" in one]
    average = sum(busy) / max(1, len(busy))
    text = (
        f"{results['date']}, commit `{results['commit']}`, "
        f"{machine['cores']} cores ({machine['processor']}), "
        f"{results['repeats']} repeats, medians. Load average {results['load_before']} before and "
        f"{results['load_after']} after; before each run other processes used {100 * average:.0f} % of the "
        f"cores on average, {100 * max(busy, default=0):.0f} % before the runs of the worst line."
    )
    if results.get("peers_of"):
        text += f" Peers and local-py are from `{results['peers_of']}`."
    if results["options"]:
        text += f" remfile options: `{results['options']}`."
    return text + (
        "\n\nlocal: libhdf5's own driver on the file. floor: 0.12 s + needed bytes / 250 MB/s, or "
        "the fastest local run where that is more. A, B: the performance document's figures for the former C++ driver and ROS3 "
        "of HDF5 2.2, not measured here. target: seconds (MB at the most)."
    )


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def _number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _main_table(lines: list[dict[str, Any]]) -> str:
    head = ["file", "work", "local", "floor", "ours s", "requests", "MB", "connections", "round trips"]
    head += ["prefetch s", "best peer s, MB", "ours / peer", "A", "B", "target", "ours / target", "reached"]
    rows, last = [], ""
    for line in lines:
        drivers = line["drivers"]
        ours, local = drivers.get(OURS, {}), drivers.get(LOCAL, {})
        peer = drivers.get(line.get("best_peer", ""), {})
        target = line.get("target")
        rows.append(
            [
                line["title"] if line["title"] != last else "",
                line["work"] + ("" if line["same_values"] else " **values differ**"),
                _number(local.get("seconds")),
                _number(line.get("floor")),
                f"**{_number(ours.get('seconds'))}**",
                str(ours.get("requests", "–")),
                _number(ours.get("mb"), 1),
                str(ours.get("connections", "–")),
                str(ours.get("round_trips", "–")),
                _number(drivers.get(PREFETCH, {}).get("seconds")),
                f"{line['best_peer']} {peer['seconds']:.2f}, {peer['mb']:.1f}" if peer else "–",
                _number(line.get("to_best_peer")),
                _number(line["reported"]["A"]),
                _number(line["reported"]["B"]),
                f"{target['seconds']} ({target['mb']})" if target else "–",
                _number(line.get("to_target")),
                {True: "yes", False: "**no**", None: "–"}[line.get("reached")],
            ]
        )
        last = line["title"]
    reached = [line["reached"] for line in lines if "reached" in line]
    return _table(head, rows) + f"\n\n{sum(reached)} of {len(reached)} targets reached."


def _driver_table(lines: list[dict[str, Any]]) -> str:
    rows = []
    for line in lines:
        for driver, one in line["drivers"].items():
            if "error" in one:
                rows.append([line["file"], line["work"], driver, "failed"] + [""] * 6)
                continue
            rows.append(
                [line["file"], line["work"], driver, _number(one["seconds"])]
                + [f"{one['fastest']:.2f}–{one['slowest']:.2f}"]
                + [
                    str(one[name])
                    for name in ("requests", "mb", "connections", "round_trips", "head_requests")
                ]
            )
    head = ["file", "work", "driver", "s", "range", "requests", "MB", "connections", "round trips", "HEAD"]
    return _table(head, rows)


def _extras(extras: dict[str, Any]) -> str:
    rows = [
        [one["what"], one["figure"], one["limit"], "yes" if one["reached"] else "**no**"]
        for one in extras.values()
    ]
    return _table(["what", "measured", "limit", "reached"], rows)
