"""Debian packages, installed by one process at a time."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from functools import partial

from .cache import MissingTool, prepare

#: Another process of this machine may be installing a package, too: apt-get waits for that.
_OPTIONS = ("--yes", "--no-install-recommends", "--option", "DPkg::Lock::Timeout=300")


def install(missing: Callable[[], list[str]]) -> None:
    """Install the packages that are missing, as root. Raises MissingTool with what apt-get says."""
    if packages := missing():
        about = f"the Debian packages {' '.join(packages)}"
        prepare("debian-packages", lambda: not missing(), partial(_install, packages), about)


def _install(packages: list[str]) -> None:
    wanted = ["apt-get", *_OPTIONS, "install", *packages]
    if _run(wanted).returncode == 0:
        return
    # The lists of packages may be absent, or old.
    _run(["apt-get", "update"])
    done = _run(wanted)
    if done.returncode:
        raise MissingTool(f"{' '.join(wanted)} failed:\n{done.stderr[-2000:]}")


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
    )  # fmt: skip
