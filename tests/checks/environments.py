"""Virtual environments, keyed by Python version and by the lock file they are made from."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from .places import REQUIREMENTS, cache_root, locked
from .pythons import find_python


class CannotPrepare(Exception):
    """Something has to be installed first; the text says what."""


def environment(python: str, requirements: str) -> Path:
    """The folder of the environment for ``python`` with exactly the packages of ``requirements``, made when it is not there."""
    lock_file = REQUIREMENTS / requirements
    digest = hashlib.sha256(lock_file.read_bytes()).hexdigest()[:12]
    folder = cache_root() / "venvs" / f"{lock_file.stem}-{python}-{digest}"
    complete = folder / ".complete"
    if complete.exists():
        return folder
    with locked(folder.name):
        if not complete.exists():
            # An environment knows its own path, so it is made in place; without the mark it counts as broken.
            shutil.rmtree(folder, ignore_errors=True)
            _make(folder, python, lock_file)
            complete.touch()
    return folder


def _make(folder: Path, python: str, lock_file: Path) -> None:
    interpreter = find_python(python)
    if interpreter is None:
        raise CannotPrepare(f"Python {python} is neither in the PATH nor among pyenv's versions")
    print(f"making the environment {folder.name} (once) ...", file=sys.stderr, flush=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    for command in (
        [str(interpreter), "-m", "venv", str(folder)],
        [*pip, "install", "--quiet", "--no-deps", "--requirement", str(lock_file)],
        [*pip, "check"],
    ):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise CannotPrepare(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}")
