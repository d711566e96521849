# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random hierarchies, and what Go and a JVM really make of them: what the gates let pass, both accept."""

from __future__ import annotations

import base64
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier

from ..broker.jars import find_java
from ..cluster.binaries import find_path_verifier
from ..support.certificates import NOW
from ..unit._pki.test_path_properties import Hierarchy, hierarchies, valid

SOURCE = Path(__file__).parent / "Paths.java"
#: Of either verdict: with fewer, agreement would mean little.
ENOUGH = 100
SETTINGS = settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))


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


def in_order(hierarchy: Hierarchy) -> Hierarchy:
    """What is sent is one ordered chain, as every entry with a CA has to be before any gate is asked. A JVM follows the
    order of what is sent where the names fit, and does not look further when a signature does not."""
    path = [hierarchy.leaf]
    for one in hierarchy.sent:
        if path[-1].signed_by(one):
            path.append(one)
    return replace(hierarchy, sent=tuple(path[1:]))


def test_go(go: Asked) -> None:
    said: Counter[bool] = Counter()

    @SETTINGS
    @given(hierarchies())
    def agrees(hierarchy: Hierarchy) -> None:
        found = go.accepts(hierarchy)
        said[found] += 1
        assert valid(hierarchy, Verifier.GO) == found

    agrees()
    assert min(said[True], said[False]) > ENOUGH, said


def test_a_jvm(jvm: Asked) -> None:
    """It does not look at the dates of what it trusts; the gates do, and let nothing pass that rests on an expired CA."""

    said: Counter[bool] = Counter()

    @SETTINGS
    @given(hierarchies().map(in_order))
    def agrees(hierarchy: Hierarchy) -> None:
        found, foreseen = jvm.accepts(hierarchy), valid(hierarchy, Verifier.JVM)
        said[found] += 1
        if found and not foreseen:
            assert not all(one.not_before <= NOW <= one.not_after for one in hierarchy.anchors)
        else:
            assert foreseen == found

    agrees()
    assert min(said[True], said[False]) > ENOUGH, said
