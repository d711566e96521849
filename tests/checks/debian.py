"""Debian packages that the checks use, installed where that is allowed, named where it is not."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess

#: What to look for, and the package that brings it. The rest (git, make, Go, Java, Maven) is expected to be there.
_WANTED = (
    (lambda: shutil.which("git") is not None, "git"),
    (lambda: shutil.which("openssl") is not None, "openssl"),
    (lambda: shutil.which("shellcheck") is not None, "shellcheck"),
    (lambda: importlib.util.find_spec("ensurepip") is not None, "python3-venv"),
)


def install_missing() -> str:
    """Installs what is missing when root; returns a message for a person, empty when nothing is missing."""
    missing = [package for present, package in _WANTED if not present()]
    if not missing:
        return ""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        install = ["apt-get", "install", "--yes", "--no-install-recommends", *missing]
        for command in (install, ["apt-get", "update"], install):
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            )
            if command == install and done.returncode == 0:
                return f"installed Debian packages: {' '.join(missing)}"
    return f"missing Debian packages; please run: apt-get install {' '.join(missing)}"
