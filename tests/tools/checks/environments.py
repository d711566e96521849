"""Virtual environments, keyed by Python version and by the lock file they are made from."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from ..cluster.cache import MissingTool, cache_root, digest, prepare
from . import debian_python
from .places import REQUIREMENTS
from .pythons import find_python


class CannotPrepare(Exception):
    """Something has to be installed first; the text says what."""


def environment(python: str, requirements: str) -> Path:
    """The folder of the environment for ``python`` with exactly the packages of ``requirements``, made when it is not there."""
    lock_file = REQUIREMENTS / requirements
    folder = cache_root() / "venvs" / f"{lock_file.stem}-{python}-{digest(lock_file)}"
    complete = folder / ".complete"

    def make() -> None:
        # An environment knows its own path, so it is made in place; without the mark it counts as broken.
        shutil.rmtree(folder, ignore_errors=True)
        _make(folder, python, lock_file)
        complete.touch()

    prepare(folder.name, complete.exists, make, f"the environment {lock_file.stem} of Python {python}", "half a minute")
    return folder


def reason_to_do_without(python: str) -> str:
    """Why no environment of this Python can be made here, or an empty string; asks, and changes nothing."""
    reason = "" if find_python(python) else debian_python.reason_to_do_without(python)
    return f"no Python {python} in the PATH or among pyenv's versions; {reason}" if reason else ""


def _interpreter(python: str) -> Path:
    if found := find_python(python):
        return found
    if reason := reason_to_do_without(python):
        raise CannotPrepare(reason)
    try:
        return debian_python.debian_python(python)
    except MissingTool as problem:
        raise CannotPrepare(str(problem)) from None


def _make(folder: Path, python: str, lock_file: Path) -> None:
    interpreter = _interpreter(python)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    for command in (
        [str(interpreter), "-m", "venv", str(folder)],
        # A package without a wheel would be built by others that no hash is known of; a lock file names its exceptions.
        [
            *pip,
            "install",
            "--quiet",
            # Python compiles what is imported, which is a small part of the packages.
            "--no-compile",
            "--no-deps",
            "--require-hashes",
            "--only-binary",
            ":all:",
            "--requirement",
            str(lock_file),
        ],
        [*pip, "check"],
    ):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise CannotPrepare(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}")
