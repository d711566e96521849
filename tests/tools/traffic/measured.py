"""The findings of a measurement, as a table, and in the file that it leaves."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

_COLUMNS = (
    "layout",
    "variant",
    "name",
    "seconds",
    "restarts",
    "sent",
    "lost",
    "duplicated",
    "longest_stall_s",
    "handshakes",
    "failed_handshakes",
)


@dataclass
class Measured:
    flows: list[dict[str, Any]] = field(default_factory=list)
    #: Mistakes that were made on purpose.
    controls: list[dict[str, Any]] = field(default_factory=list)
    #: Handshakes that failed and records that were lost in a flow, in words.
    unexpected: list[str] = field(default_factory=list)
    #: Clients that ended by themselves, by name.
    exits: dict[str, int] = field(default_factory=dict)

    def write(self, file: Path) -> None:
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(asdict(self), indent=2) + "\n")

    def table(self) -> str:
        rows = [_COLUMNS, *(tuple(str(flow[column]) for column in _COLUMNS) for flow in self.flows)]
        widths = [max(len(row[place]) for row in rows) for place in range(len(_COLUMNS))]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
        controls = [
            f"negative control, {control['name']}: {control['failures']} failed handshakes" for control in self.controls
        ]
        return "\n".join([*lines, *controls])
