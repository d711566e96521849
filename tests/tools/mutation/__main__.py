"""``python -m tests.tools.mutation [--part N/M] [PATH ...]``: mutate modules and see whether a test notices. ``make mutation`` runs it."""

from __future__ import annotations

import argparse
import os
import sys
import time

from .mutant import CannotMutate, mutants
from .session import try_all
from .summary import THRESHOLD, rooms, summarise, untrue
from .targets import NotMutated, modules

_ALL = "1/1"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.tools.mutation", description="Mutations that tests have to notice."
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files or folders below the work tree; none: all")
    parser.add_argument(
        "--part", default=_ALL, help="one part of the mutants, such as 3/24: the same mutants each time"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="how many mutants at a time (default: %(default)s)"
    )
    arguments = parser.parse_args()
    begun = time.monotonic()
    try:
        found = mutants(modules(arguments.paths), arguments.part)
        print(f"{len(found)} mutants", flush=True)
        tried = []
        for one in try_all(found, arguments.jobs):
            tried.append(one)
            if not one.is_killed and not one.mutant.is_listed:
                print(f"\nsurvived: {one.mutant}", flush=True)
    except (NotMutated, CannotMutate) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    print()
    for room, of_room in rooms(tried).items():
        print(f"{summarise(of_room)}  {room}")
    total = summarise(tried)
    print(f"\n{total}; at least {THRESHOLD:.0f} % wanted ({time.monotonic() - begun:.0f} s)")
    if arguments.part != _ALL:
        low, high = total.interval
        print(f"of all mutants: between {low:.1f} and {high:.1f} %, with a probability of 95 %")
        return 0 if total.passes else 1
    mistakes = list(untrue(tried))
    for sentence in mistakes:
        print(f"list of equivalent mutants: {sentence}")
    return 0 if total.passes and not mistakes else 1


if __name__ == "__main__":
    sys.exit(main())
