"""``python -m tests.tools.mutation [PATH ...]``: mutate modules and see whether a test notices. ``make mutation`` runs it."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from ..checks.places import ROOT
from ..checks.trees import copied_tree
from .session import CannotMutate, Mutant, mutate, warm_up
from .summary import THRESHOLD, Summary, summarise
from .targets import CODE, NotMutated, modules

_SESSIONS = ROOT / "build" / "mutation"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.tools.mutation", description="Mutations that tests have to notice."
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files or folders below the work tree; none: all")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="how many modules at a time (default: %(default)s)"
    )
    arguments = parser.parse_args()
    try:
        found = run(modules(arguments.paths), arguments.jobs)
    except (NotMutated, CannotMutate) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    total = summarise(found)
    show(total)
    return 0 if total.passes else 1


def run(asked: Sequence[Path], jobs: int) -> list[Mutant]:
    """Each job has a copy of the work tree to itself: a module is changed where it lies."""
    trees: SimpleQueue[Path] = SimpleQueue()
    for number in range(min(jobs, len(asked))):
        tree = copied_tree(f"mutation-{number}")
        warm_up(tree, asked)
        trees.put(tree)

    def mutate_module(module: Path) -> tuple[Mutant, ...]:
        tree, begun, name = trees.get(), time.monotonic(), module.relative_to(CODE)
        try:
            found = mutate(module, tree, _SESSIONS / f"{'.'.join(name.with_suffix('').parts)}.sqlite")
        finally:
            trees.put(tree)
        print(f"{summarise(found)}  {name}  ({time.monotonic() - begun:.0f} s)", flush=True)
        return found

    with ThreadPoolExecutor(jobs) as pool:
        return [mutant for found in pool.map(mutate_module, asked) for mutant in found]


def show(total: Summary) -> None:
    for mutant in total.survivors:
        print(f"\nsurvived: {mutant.module}, {mutant.definition or 'module'}\n  - {mutant.before}\n  + {mutant.after}")
    for sentence in total.untrue:
        print(f"\nlist of equivalent mutants: {sentence}")
    print(f"\n{total}; at least {THRESHOLD:.0f} % wanted")


if __name__ == "__main__":
    sys.exit(main())
