"""``python -m tests.traffic``: records and handshakes through flows, as a table and as JSON; exit code 1 on any harm."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..cluster.bed import ROOT
from ..cluster.commands import run_command
from .flows import CREATE, FLOWS, WAYS, flows_named
from .measure import measure
from .verdict import broken_rules


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.traffic", description=__doc__)
    names = [flow.name for flow in FLOWS]
    parser.add_argument("--way", action="append", choices=WAYS, help="this one only; may be given again")
    parser.add_argument(
        "--flow", action="append", choices=names, help=f"after {CREATE.name} this one only; may be given again"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "traffic.json", help="default: %(default)s")
    arguments = parser.parse_args()
    ways, flows = tuple(arguments.way or WAYS), flows_named(arguments.flow or names)
    measured = measure(ways, flows, arguments.output)
    broken = broken_rules(measured, ways, flows)
    print(measured.table(), *broken, sep="\n")
    return 1 if broken else 0


if __name__ == "__main__":
    run_command(main)
