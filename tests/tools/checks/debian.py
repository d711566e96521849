"""Debian packages that the checks use, installed where that is allowed, named where it is not."""

from __future__ import annotations

import importlib.util
import os
import shutil

from ..cluster import debian
from ..cluster.cache import MissingTool

#: How each program or module is looked for, and the package that brings it. The rest (make, Go, Java, Maven) is expected to be there.
_WANTED = (
    (lambda: shutil.which("git") is not None, "git"),
    (lambda: shutil.which("openssl") is not None, "openssl"),
    (lambda: shutil.which("shellcheck") is not None, "shellcheck"),
    (lambda: importlib.util.find_spec("ensurepip") is not None, "python3-venv"),
)


def _missing() -> list[str]:
    return [package for present, package in _WANTED if not present()]


def install_missing() -> str:
    """Installs what is missing when root; returns a message for a person, empty when nothing is missing any more."""
    try:
        if os.geteuid() == 0 and shutil.which("apt-get"):
            debian.install(_missing)
            return ""
    except MissingTool:
        pass  # the checks that need it say so
    missing = _missing()
    return f"missing Debian packages; please run: apt-get install {' '.join(missing)}" if missing else ""
