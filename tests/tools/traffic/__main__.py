"""``python -m tests.tools.traffic``: records and handshakes through flows, as a table and as JSON; exit code 1 on any harm."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..cluster.bed import ROOT
from ..cluster.commands import run_command
from .clients import LIBRARIES, Demand
from .flows import CREATE, FLOWS, flows_named
from .measure import measure
from .scenario import LAYOUTS, VARIANTS, scenarios
from .verdict import CONTROLS, broken_rules


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.traffic", description=__doc__)
    names = [flow.name for flow in FLOWS]
    parser.add_argument(
        "--layout", action="append", choices=[layout.name for layout in LAYOUTS],
        help="nodes that are controller and broker, or as many of each; may be given again; default: dual-role",
    )  # fmt: skip
    parser.add_argument(
        "--variant", action="append", choices=[variant.name for variant in VARIANTS],
        help="how a new key comes to the nodes: supplied from elsewhere by three rolls, by two with a link certificate, one and"
        " reloads, or none until the nodes restart, or with a CA whose key cert-manager or Vault keeps; may be given again;"
        " default: reload",
    )  # fmt: skip
    parser.add_argument(
        "--path-length", type=int, choices=(0, 1), default=1,
        help="of the CAs that are made; with 0, clients of librdkafka learn of a new CA before it is used;"
        " default: %(default)s",
    )  # fmt: skip
    parser.add_argument(
        "--flow", action="append", choices=names,
        help=f"this one only, after {CREATE.name} where it is about the cluster CA; may be given again",
    )  # fmt: skip
    controls = [name for names in CONTROLS.values() for name in names]
    parser.add_argument(
        "--control", action="append", choices=controls,
        help="of the mistakes that are made on purpose in the end this one only; may be given again",
    )  # fmt: skip
    parser.add_argument("--rate", type=float, default=40.0, help="handshakes a second; default: %(default)s")
    parser.add_argument(
        "--library", action="append", choices=LIBRARIES, help="of the clients; may be given again; default: every one"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "traffic.json", help="default: %(default)s")
    arguments = parser.parse_args()
    flows = flows_named(arguments.flow or names)
    wanted = scenarios(arguments.layout or ["dual-role"], arguments.variant or ["reload"], arguments.path_length)
    chosen = arguments.control or controls
    demand = Demand(arguments.rate, tuple(arguments.library or LIBRARIES))
    measured = measure(wanted, flows, chosen, demand, arguments.output)
    broken = broken_rules(measured, wanted, flows, chosen)
    print(measured.table(), *broken, sep="\n")
    return 1 if broken else 0


if __name__ == "__main__":
    run_command(main)
