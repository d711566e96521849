"""Virtual environments, keyed by Python version and by the lock file they are made from."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from ..cluster.cache import cache_root, digest, prepare
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


def _make(folder: Path, python: str, lock_file: Path) -> None:
    interpreter = find_python(python)
    if interpreter is None:
        raise CannotPrepare(f"Python {python} is neither in the PATH nor among pyenv's versions")
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
