"""Following a page of the documentation: what it says, and its blocks as they stand, with commands that the machine may not have."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

from ..cluster.bed import ROOT


def block(page: str, language: str, has: str) -> str:
    """The block that the page (of docs/issuers) shows in this language and with these words."""
    text = (ROOT / "docs" / "issuers" / page).read_text()
    found = re.findall(rf"^ *```{language}\n(.*?)^ *```$", text, re.DOTALL | re.MULTILINE)
    (code,) = (shown for shown in found if has in shown)
    return textwrap.dedent(code)


def page_says(page: str, words: str) -> bool:
    """Whether the file says this in these words. page: below the work tree; the words may stand on several lines."""
    return words in " ".join((ROOT / page).read_text().split())


def quick(script: str) -> str:
    """The playbooks of a script without the time that clients get: none has to read a new CA."""
    return "".join(f"{line} -e strimzi_client_grace=0\n" for line in script.splitlines())


def shell(script: str, folder: Path, variables: Mapping[str, str]) -> str:
    """The output of the script. variables: of the environment, beside those of this process."""
    environment = {**os.environ, **variables}
    done = subprocess.run(
        ["sh", "-c", f"set -eu\n{script}"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    return done.stdout


def stand_in(name: str, module: str, folder: Path) -> None:
    """A command of this name in the folder: a module of ``tests.tools.support``."""
    path = folder / name
    package = "ansible_collections.trustops.strimzi.tests.tools.support"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {package}.{module} "$@"\n')
    path.chmod(0o755)
