# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whom a CA certificate is of no use for, on any path."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.defects import Verifiers, named_verifiers
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import chain_defects, defects
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier

from ...support.spellings import LIKE
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


def test_each_ca_of_a_chain_is_told_of_and_how_it_names_the_next() -> None:
    """In its order: one that names its issuer in another spelling, one of no use by itself, and what is in order."""
    (plain,) = (case for case in UNUSABLE if case.name == "clients only, below")
    spelling = LIKE[0]
    chain = (spelling.below, spelling.authority, plain.authority, plain.root)
    found = [(one, defect.verifiers) for one, defect in chain_defects(chain)]
    assert found == [(spelling.below, {Verifier.GO}), (plain.authority, plain.refused_by)]


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
