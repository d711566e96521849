# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The timeline: one row a phase, one bar for each call, with their places, for SVG."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.words import PHASES, count, duration

WIDTH, LEFT, RIGHT, ROW = 1040, 170, 1030, 62
#: The least width of a bar, so that calls which took no time can be seen.
NARROWEST = 3.0


def timeline(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The timeline of the calls. Time between calls, which is Ansible's own, is left out."""
    whole = facts["worked_seconds"] or 1.0
    rows = [_row(index, phase, whole) for index, phase in enumerate(facts["phases"])]
    return {"width": WIDTH, "left": LEFT, "right": RIGHT, "height": len(rows) * ROW + 4, "rows": rows}


def _row(index: int, phase: Mapping[str, Any], whole: float) -> dict[str, Any]:
    bars = [_bar(one, whole) for one in phase["work"]]
    begin = min(stripe["x"] for stripe in bars)
    late = begin > (LEFT + RIGHT) / 2
    return {
        "y": index * ROW, "phase": phase["phase"], "duration": duration(phase["seconds"]),
        "meaning": PHASES[phase["phase"]],
        "bars": bars,
        "text": summary(phase),
        "text_x": max(stripe["x"] + stripe["width"] for stripe in bars) if late else begin,
        "anchor": "end" if late else "start",
    }  # fmt: skip


def _bar(work: Mapping[str, Any], whole: float) -> dict[str, Any]:
    scale = (RIGHT - LEFT) / whole
    width = max(work["seconds"] * scale, NARROWEST)
    x = min(LEFT + work["begins"] * scale, RIGHT - width)
    what = f"{count(work['writes'], 'write')}, {count(work['restarts'], 'restart')}"
    return {
        "x": round(x, 1), "width": round(width, 1), "kind": work["kind"],
        "title": f"{what}, {duration(work['seconds'])}",
    }  # fmt: skip


def summary(phase: Mapping[str, Any]) -> str:
    """The actions of a phase in one line."""
    writes = sum(written["times"] for written in phase["writes"])
    parts = [count(writes, "write")] if writes else []
    rolled = sum(work["seconds"] for work in phase["work"] if work["kind"] == "roll")
    if phase["restarts"]:
        parts.append(
            f"{count(len(phase['restarts']), 'pod')} restarted" + (f" in {duration(rolled)}" if rolled else "")
        )
    waited = [wait["seconds"] or 0.0 for wait in phase["waits"]]
    if waited:
        parts.append(f"waited {duration(sum(waited))} for the operator")
    return ", ".join(parts)
