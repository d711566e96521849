"""``make bench``: how fast and how small, as ratios. Figures are reported and not asserted.

Each line is ``BENCH <name> <value> <target> ok|short``. The exit code says only whether everything could be measured.
``python -m tests.tools.bench leaves memory`` measures these only.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

from . import curves, files, fleet, issuers, leaves, observing, playbooks, rolling, users
from .measurement import Measurement

BENCHMARKS: dict[str, Callable[[], Iterator[Measurement]]] = {
    "curves": curves.measure,
    "files": files.measure,
    "fleet": fleet.measure,
    "leaves": leaves.measure,
    "issuers": issuers.measure,
    "observing": observing.measure,
    "playbooks": playbooks.measure,
    "rolling": rolling.measure,
    "users": users.measure,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.bench")
    parser.add_argument(
        "only", nargs="*", choices=[[], *BENCHMARKS], metavar="NAME", help=f"of {', '.join(BENCHMARKS)}; all by default"
    )
    code = 0
    for name in parser.parse_args().only or BENCHMARKS:
        try:
            for measurement in BENCHMARKS[name]():
                print(measurement.line(), flush=True)
        except Exception as problem:
            # The other figures are still worth having, whatever went wrong with this one.
            print(f"{name} could not be measured: {type(problem).__name__}: {problem}", file=sys.stderr, flush=True)
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
