"""``python -m tests.tools.mutation [--part N/M] [PATH ...]``: mutate modules and see whether a test notices. ``make mutation`` runs it."""

from __future__ import annotations

import argparse
import os
import sys
import time

from .mutant import CannotMutate, mutants
from .session import try_all
from .summary import THRESHOLD, Summary, rooms, summarise
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
        print(f"{summarise(of_room, all_made=False)}  {room}")
    total = summarise(tried, all_made=arguments.part == _ALL)
    show(total, time.monotonic() - begun)
    return 0 if total.passes else 1


def show(total: Summary, seconds: float) -> None:
    for sentence in total.untrue:
        print(f"\nlist of equivalent mutants: {sentence}")
    low, high = total.interval
    print(f"\n{total}; at least {THRESHOLD:.0f} % wanted ({seconds:.0f} s)")
    print(f"as a sample of more: between {low:.1f} and {high:.1f} %, with a probability of 95 %")


if __name__ == "__main__":
    sys.exit(main())
