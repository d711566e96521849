"""Debian packages that the checks use, installed where that is allowed, named where it is not."""

from __future__ import annotations

import importlib.util
import os
import shutil

from ..cluster import debian
from ..cluster.cache import MissingTool

#: How each program or module is looked for, and the package that brings it. The rest (make, Go, Java, Maven) is expected to be there.
_OF_THE_DEMO = (
    (lambda: shutil.which("git") is not None, "git"),
    (lambda: shutil.which("openssl") is not None, "openssl"),
    (lambda: importlib.util.find_spec("ensurepip") is not None, "python3-venv"),
)
_OF_THE_CHECKS = (*_OF_THE_DEMO, (lambda: shutil.which("shellcheck") is not None, "shellcheck"))


def install_missing(*, for_the_demo: bool = False) -> str:
    """Installs what is missing when root; returns a message for a person, empty when nothing is missing any more."""

    def missing_now() -> list[str]:
        return [package for present, package in (_OF_THE_DEMO if for_the_demo else _OF_THE_CHECKS) if not present()]

    try:
        if os.geteuid() == 0 and shutil.which("apt-get"):
            debian.install(missing_now)
            return ""
    except MissingTool:
        pass  # the checks that need it say so
    missing = missing_now()
    return f"missing Debian packages; please run: apt-get install {' '.join(missing)}" if missing else ""
