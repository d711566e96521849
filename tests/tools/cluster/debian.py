"""Debian packages, installed by one process at a time; and roots of Debian with packages that this machine does not
have.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from .cache import MissingTool, prepare
from .java import run_tool

#: Another process of this machine may be installing a package, too: apt-get waits for that.
_OPTIONS = ("--yes", "--no-install-recommends", "--option", "DPkg::Lock::Timeout=300")


def install(absent: Callable[[], list[str]]) -> None:
    """Install the packages that are missing, as root. Raises MissingTool with what apt-get says."""
    if packages := absent():
        about = f"the Debian packages {' '.join(packages)}"
        prepare("debian-packages", lambda: not absent(), partial(_install, packages), about)


def missing(packages: Mapping[str, str]) -> list[str]:
    """The packages of programs or files that are not here; keys: a name in the PATH, or a path."""
    return sorted({
        package for program, package in packages.items() if not Path(program).exists() and shutil.which(program) is None
    })  # fmt: skip


def of_roots(release: str) -> dict[str, str]:
    """The needs of ``make_root`` for this release, such as "trixie", as for ``missing``."""
    keyring = f"/usr/share/keyrings/debian-archive-{release}-stable.gpg"
    return {"mmdebstrap": "mmdebstrap", keyring: "debian-archive-keyring"}


def make_root(release: str, packages: tuple[str, ...], target: Path, *options: str) -> None:
    """Packages of a release with what they depend on, from the mirror of Debian: a folder, or an archive where the
    target ends with .tar. The options are those of mmdebstrap. Raises MissingTool.
    """
    documentation = [f"--dpkgopt=path-exclude=/usr/share/{folder}/*" for folder in ("doc", "locale")]
    run_tool("mmdebstrap", f"--include={','.join(packages)}", "--quiet", *documentation, *options, release, str(target))


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
