# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real verifiers: a Go program and a JVM that are asked line by line, and the command of OpenSSL."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import Purpose
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier

from ..broker.jars import find_java
from ..tools.cluster.binaries import find_path_verifier
from ..tools.support.certificates import NOW
from ..unit._pki.test_path_properties import Hierarchy

SOURCE = Path(__file__).parent / "Paths.java"


class Asked(Protocol):
    """A real verifier."""

    def accepts(self, hierarchy: Hierarchy, purpose: Purpose = Purpose.SERVER) -> bool:
        """Whether it accepts the leaf of this end of a connection; AssertionError where it says neither yes nor no."""


@dataclass
class Program:
    """A program that answers line by line."""

    process: subprocess.Popen[str]

    def accepts(self, hierarchy: Hierarchy, purpose: Purpose = Purpose.SERVER) -> bool:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        fields = (
            purpose.value,
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


@dataclass
class Command:
    """``openssl verify``, at security level 2, which is the default of Debian and of OpenSSL since 3.2."""

    folder: Path

    def accepts(self, hierarchy: Hierarchy, purpose: Purpose = Purpose.SERVER) -> bool:
        parts: dict[str, tuple[Certificate, ...]] = {
            "leaf": (hierarchy.leaf,), "sent": hierarchy.sent, "anchors": hierarchy.anchors,
        }  # fmt: skip
        for name, certificates in parts.items():
            (self.folder / name).write_bytes(b"".join(one.pem for one in certificates))
        sent = ("-untrusted", self.folder / "sent") if hierarchy.sent else ()
        command = (
            "openssl", "verify", "-no-CApath", "-no-CAstore", "-auth_level", "2", "-purpose", f"ssl{purpose.value}",
            "-attime", str(int(NOW.timestamp())), "-CAfile", self.folder / "anchors", *sent, self.folder / "leaf",
        )  # fmt: skip
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _encoded(certificates: Iterable[Certificate]) -> str:
    return ",".join(base64.b64encode(one.der).decode() for one in certificates) or "-"


def _started(*command: str | Path) -> Iterator[Program]:
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Program(process)


@pytest.fixture(scope="session")
def go() -> Iterator[Program]:
    yield from _started(find_path_verifier())


@pytest.fixture(scope="session")
def jvm() -> Iterator[Program]:
    yield from _started(find_java(), "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", SOURCE)


@pytest.fixture
def verifiers(go: Program, jvm: Program, tmp_path: Path) -> Mapping[Verifier, Asked]:
    return {Verifier.GO: go, Verifier.JVM: jvm, Verifier.OPENSSL: Command(tmp_path)}
