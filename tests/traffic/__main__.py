"""``python -m tests.traffic``: records and handshakes through every flow, as a table and in build/traffic.json."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..cluster.cache import MissingTool
from .measure import FLOWS, RESULT, WAYS, Measured, measure

_COLUMNS = (
    "way",
    "name",
    "seconds",
    "sent",
    "lost",
    "duplicated",
    "longest_stall_s",
    "handshakes",
    "failed_handshakes",
)


def table(measured: Measured) -> str:
    rows = [_COLUMNS, *(tuple(str(flow[column]) for column in _COLUMNS) for flow in measured.flows)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(_COLUMNS))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join([*lines, f"negative control: {measured.negative_control_failures} failed handshakes"])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.traffic", description=__doc__)
    parser.add_argument("--way", action="append", choices=WAYS, help="one way only; may be given again")
    parser.add_argument("--flow", action="append", choices=FLOWS, help="one flow only, in the order given")
    parser.add_argument("--output", type=Path, default=RESULT, help="default: %(default)s")
    arguments = parser.parse_args()
    print(table(measure(tuple(arguments.way or WAYS), tuple(arguments.flow or FLOWS), arguments.output)))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (MissingTool, TimeoutError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        sys.exit(2)
