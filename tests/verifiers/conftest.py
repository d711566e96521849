# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real verifiers: a Go program and a JVM that are asked line by line."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate

from ..broker.jars import find_java
from ..cluster.binaries import find_path_verifier
from ..support.certificates import NOW
from ..unit._pki.test_path_properties import Hierarchy

SOURCE = Path(__file__).parent / "Paths.java"


@dataclass
class Asked:
    """A program that answers line by line."""

    process: subprocess.Popen[str]

    def accepts(self, hierarchy: Hierarchy) -> bool:
        """Whether it does; AssertionError where it says neither yes nor no."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        fields = (
            str(int(NOW.timestamp())),
            _encoded([hierarchy.leaf]),
            _encoded(hierarchy.sent),
            _encoded(hierarchy.anchors),
        )
        self.process.stdin.write(" ".join(fields) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer.startswith(("accepted", "refused")), answer
        return answer.startswith("accepted")


def _encoded(certificates: Iterable[Certificate]) -> str:
    return ",".join(base64.b64encode(one.der).decode() for one in certificates) or "-"


def _started(*command: str | Path) -> Iterator[Asked]:
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Asked(process)


@pytest.fixture(scope="session")
def go() -> Iterator[Asked]:
    yield from _started(find_path_verifier())


@pytest.fixture(scope="session")
def jvm() -> Iterator[Asked]:
    yield from _started(find_java(), "-Xmx128m", "-XX:+UseSerialGC", SOURCE)
