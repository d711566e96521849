# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whom a CA certificate is of no use for, on any path."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.defects import Verifiers, named_verifiers
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import defects
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier

from ...support.unusable import UNUSABLE, USABLE, Case


@pytest.mark.parametrize("case", UNUSABLE, ids=lambda case: case.name)
def test_who_cannot_use_it(case: Case) -> None:
    (found,) = defects(case.authority)
    assert found.verifiers == case.refused_by
    assert found.cause
    assert found.wanted


@pytest.mark.parametrize("case", USABLE, ids=lambda case: case.name)
def test_everybody_can_use_it(case: Case) -> None:
    assert list(defects(case.authority)) == []


@pytest.mark.parametrize(
    ("verifiers", "expected"),
    [
        ({Verifier.GO}, "Go programs (Kafka Exporter)"),
        ({Verifier.GO, Verifier.JVM}, "JVMs (Kafka and Strimzi) and Go programs (Kafka Exporter)"),
        (set(Verifier), "JVMs (Kafka and Strimzi), OpenSSL (librdkafka) and Go programs (Kafka Exporter)"),
    ],
)
def test_verifiers_are_named_as_people_know_them(verifiers: Verifiers, expected: str) -> None:
    assert named_verifiers(frozenset(verifiers)) == expected
