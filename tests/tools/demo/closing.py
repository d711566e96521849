"""The last output of the demo: the report of the flow as tables for a terminal of 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.trustops.strimzi.plugins.filter.report_view import report_view

WIDTH = 100
GAP = "  "
Row = Sequence[str]


def closing(facts: Mapping[str, Any], width: int = WIDTH) -> str:
    """The content of report.json for people."""
    shown = report_view(facts)
    parts = [f"{shown['title']}\n{shown['mark']} {shown['result']}\n{shown['when']}"]
    if shown["phases"]:
        parts.append(table(("phase", "what it is for", "writes", "restarts", "time"), _phases(facts, shown), width))
    parts.append(table(("CA", "before", "after"), [_authority(ca) for ca in shown["cas"]], width))
    parts.append(table(("who", "presents a certificate of", "trusts"), _parties(facts, shown), width))
    parts.append("\n".join(textwrap.fill(sentence, width, subsequent_indent=GAP) for sentence in shown["sentences"]))
    return "\n\n".join(parts)


def _phases(facts: Mapping[str, Any], shown: Mapping[str, Any]) -> list[Row]:
    rows: list[Row] = []
    for phase, seen in zip(facts["phases"], shown["phases"], strict=True):
        writes = sum(write["times"] for write in phase["writes"])
        restarted = ", ".join(seen["restarted"]) or "none"
        rows.append((phase["phase"], seen["meaning"], str(writes), restarted, seen["duration"]))
    return rows


def _authority(ca: Mapping[str, Any]) -> Row:
    return f"{ca['letter']} {ca['name']} ({ca['short']})", ca["before"], ca["after"]


def _parties(facts: Mapping[str, Any], shown: Mapping[str, Any]) -> list[Row]:
    names = {ca["short"]: f"{ca['letter']} {ca['name']}" for ca in shown["cas"]}
    return [
        (
            party["title"],
            *(
                ", ".join(names.get(short, short) for short in facts_of_party[kind]) or "-"
                for kind in ("presents", "trusts")
            ),
        )
        for party, facts_of_party in zip(shown["pictures"][-1]["parties"], facts["parties"], strict=True)
    ]


def table(head: Row, rows: Sequence[Row], width: int) -> str:
    """Columns as wide as what is in them; the widest gives way until the table fits, and its cells are wrapped."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    while sum(widths) + len(GAP) * (len(widths) - 1) > width:
        widths[widths.index(max(widths))] -= 1
    lines = [_line(head, widths), GAP.join("-" * width for width in widths)]
    for row in rows:
        cells = [textwrap.wrap(cell, width) or [""] for cell, width in zip(row, widths, strict=True)]
        for number in range(max(map(len, cells))):
            lines.append(_line([cell[number] if number < len(cell) else "" for cell in cells], widths))
    return "\n".join(lines)


def _line(cells: Row, widths: Sequence[int]) -> str:
    return GAP.join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
