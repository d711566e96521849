"""``python3 -m tests.tools.checks [NAME ...]``: all checks of ``make test``, or the named ones. Standard library only."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from functools import partial

from ..cluster.side_by_side import both
from .ahead import ANY, NONE, REAL, prepare_bed
from .catalogue import checks
from .check import Check
from .debian import install_missing
from .environments import CannotPrepare
from .places import ROOT
from .pythons import DEMO
from .run import choose, choose_long, run_all, run_check, summarise


def _install_missing(*, for_the_demo: bool = False) -> None:
    if message := install_missing(for_the_demo=for_the_demo):
        print(message, file=sys.stderr)


def _variables(check: Check, *, for_the_demo: bool) -> dict[str, str]:
    _install_missing(for_the_demo=for_the_demo)
    return (replace(check, pair=DEMO) if for_the_demo else check).command_environment()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m tests.tools.checks", description="The checks of this collection.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="checks to run; none: every one of 'make test'")
    parser.add_argument("--long", action="store_true", help="those that 'make test' has no time for")
    parser.add_argument("--list", action="store_true", help="only say which checks there are")
    parser.add_argument("--setup", action="store_true", help="only make the environments")
    parser.add_argument("--bed", choices=[REAL, ANY, NONE], default=NONE, help="prepare this test bed, before --exec")
    parser.add_argument(
        "--demo", action="store_true", help="the environment of the demo and not of the checks, before --exec"
    )
    parser.add_argument("--exec", nargs=argparse.REMAINDER, metavar="COMMAND", help="run a command as the checks do")
    arguments = parser.parse_args()
    try:
        known = {check.name: check for check in checks()}
        if arguments.exec:
            variables, _bed = both(
                partial(_variables, next(iter(known.values())), for_the_demo=arguments.demo),
                partial(prepare_bed, arguments.bed),
            )
            os.chdir(ROOT)
            os.execvpe(arguments.exec[0], arguments.exec, variables)  # its terminal and signals are the caller's
        _install_missing()
        if arguments.setup:
            for check in known.values():
                if not check.reason_to_skip():
                    check.command_environment()
            return 0
    except CannotPrepare as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    if arguments.list:
        print(*(f"{check.name:18} {check.about}" for check in known.values()), sep="\n")
        return 0
    if unknown := [name for name in arguments.names if name not in known]:
        parser.error(f"no such check: {', '.join(unknown)}; there are: {', '.join(known)}")
    if arguments.long:
        return summarise(run_all(choose_long(list(known.values()))))
    if len(arguments.names) == 1:
        return summarise([run_check(known[arguments.names[0]], None)])
    return summarise(run_all(choose(list(known.values()), arguments.names)))


if __name__ == "__main__":
    sys.exit(main())
