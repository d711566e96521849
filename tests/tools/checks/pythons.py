"""Finding interpreters, and the pairs of Python and ansible-core that the checks run with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Pair:
    """A Python, an ansible-core, and the lock file that has the latter's exact version."""

    python: str
    core: str
    requirements: str


#: All checks run with the first of these that is here; the tests of modules and connections, and in `make test-long` the
#: unit and sanity tests too, with the others.
PAIRS = (Pair("3.11", "2.19", "dev-py311.txt"), Pair("3.13", "2.21", "dev-py313.txt"))
#: The lower bound in meta/runtime.yml; the tests of modules, filters and templates run with it.
OLDEST = Pair("3.11", "2.16", "oldest-py311.txt")
#: `make demo` runs with it: a third of the packages of the checks.
DEMO = Pair("3.11", "2.19", "demo.txt")


def pyenv_root() -> Path:
    """Where pyenv keeps its interpreters, whether there is a pyenv or not."""
    return Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")


def find_python(version: str) -> Path | None:
    """The real interpreter of ``version`` ("3.11"), looked for in the PATH and among pyenv's, or None."""
    names = [f"python{version}", "python3"]
    found = [sys.executable, *(path for name in names if (path := shutil.which(name)))]
    of_pyenv = sorted(pyenv_root().glob(f"versions/{version}.*"), reverse=True)
    for candidate in [*found, *(str(folder / "bin" / "python3") for folder in of_pyenv)]:
        if executable := _is(candidate, version):
            return executable
    return None


def _is(candidate: str, version: str) -> Path | None:
    # A pyenv shim exists for versions that are not active and fails when run; a venv's Python is traced to its base.
    script = "import sys; print('%d.%d' % sys.version_info[:2], getattr(sys, '_base_executable', sys.executable))"
    try:
        done = subprocess.run([candidate, "-c", script], capture_output=True, text=True, check=False)
    except OSError:
        return None
    words = done.stdout.split(maxsplit=1)
    return Path(words[1].strip()) if done.returncode == 0 and len(words) == 2 and words[0] == version else None


def available_pairs() -> tuple[Pair, ...]:
    """The pairs whose Python is here, the main one first."""
    return tuple(pair for pair in PAIRS if find_python(pair.python))
