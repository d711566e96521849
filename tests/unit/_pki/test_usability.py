# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verifiers that cannot use the certificate of a CA, on any path, or a leaf."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import (
    Purpose,
    chain_defects,
    defects,
    key_defects,
    leaf_defects,
    signature_defects,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import (
    Verifier,
    Verifiers,
    named_verifiers,
)

from ...tools.support.golden import GoldenFiles
from ...tools.support.spellings import LIKE
from ...tools.support.unusable import UNUSABLE, USABLE, Case
from ...tools.support.unusable_leaves import CASES, LeafCase


@pytest.mark.parametrize("case", UNUSABLE, ids=lambda case: case.name)
def test_verifiers_that_cannot_use_a_ca(case: Case) -> None:
    (found,) = defects(case.authority)
    assert found.verifiers == case.refused_by
    assert found.cause
    assert found.wanted


@pytest.mark.parametrize("case", USABLE, ids=lambda case: case.name)
def test_a_usable_ca_has_no_defect(case: Case) -> None:
    assert list(defects(case.authority)) == []


def test_each_ca_of_a_chain_is_told_of_and_how_it_names_the_next() -> None:
    """In the order of the chain: a CA that names its issuer in another spelling, and a CA of no use by itself; two are in order."""
    (plain,) = (case for case in UNUSABLE if case.name == "clients only, below")
    spelling = LIKE[0]
    chain = (spelling.below, spelling.authority, plain.authority, plain.root)
    found = [(one, defect.verifiers) for one, defect in chain_defects(chain)]
    assert found == [(spelling.below, {Verifier.GO}), (plain.authority, plain.refused_by)]


_RSA, _ECDSA, _NIST = "1.2.840.113549.1.1", "1.2.840.10045.4.3", "2.16.840.1.101.3.4.3"


@pytest.mark.parametrize(
    ("algorithm", "refused_by", "name"),
    [
        *((f"{_RSA}.{last}", set(), "") for last in (10, 11, 12, 13)),
        *((f"{_ECDSA}.{last}", set(), "") for last in (2, 3, 4)),
        ("1.3.101.112", set(), ""),
        (f"{_RSA}.4", set(Verifier), "MD5"),
        *(
            (one, {Verifier.GO, Verifier.OPENSSL}, "SHA-1")
            for one in (f"{_RSA}.5", "1.2.840.10045.4.1", "1.2.840.10040.4.3")
        ),
        *(
            (f"{_NIST}.{last}", {Verifier.GO, Verifier.OPENSSL}, f"the algorithm {_NIST}.{last}")
            for last in (9, 10, 11, 12)
        ),
        *(
            (one, {Verifier.GO}, f"the algorithm {one}")
            for one in (
                f"{_RSA}.3",
                f"{_RSA}.9",
                f"{_RSA}.14",
                f"{_ECDSA}.1",
                f"{_ECDSA}.5",
                f"{_NIST}.8",
                f"{_NIST}.13",
            )
        ),
    ],
)
def test_verifiers_that_refuse_a_signature(algorithm: str, refused_by: set[Verifier], name: str) -> None:
    """Also algorithms that no library here signs with. A root is not judged by its own signature."""
    signed: Any = SimpleNamespace(signature_algorithm=algorithm, is_root=False)
    found = [(defect.verifiers, defect.cause) for defect in signature_defects(signed)]
    assert found == ([(refused_by, f"is signed with {name}")] if refused_by else [])
    root: Any = SimpleNamespace(signature_algorithm=algorithm, is_root=True)
    assert list(signature_defects(root)) == []


@pytest.mark.parametrize(
    ("bits", "refused_by"),
    [(1023, set(Verifier)), (1024, {Verifier.OPENSSL}), (2047, {Verifier.OPENSSL}), (2048, set())],
)
def test_verifiers_that_refuse_a_short_rsa_key(bits: int, refused_by: set[Verifier]) -> None:
    """To the bit, although no library here makes keys of each size."""
    short: Any = SimpleNamespace(key_type=("rsa", bits), curve=None, has_compressed_key=False)
    assert [defect.verifiers for defect in key_defects(short)] == ([refused_by] if refused_by else [])


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


# The verifiers that cannot use a leaf, at either end of a connection.

BOTH = frozenset(Purpose)


@pytest.mark.parametrize("purpose", Purpose)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verifiers_that_cannot_use_a_leaf(case: LeafCase, purpose: Purpose) -> None:
    found = list(leaf_defects(case.leaf, frozenset({purpose})))
    assert {verifier for defect in found for verifier in defect.verifiers} == case.refused_by(purpose)
    assert len(found) == bool(case.refused_by(purpose))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_leaf_for_both_ends_has_the_defects_of_either(case: LeafCase) -> None:
    found = {verifier for defect in leaf_defects(case.leaf, BOTH) for verifier in defect.verifiers}
    assert found == case.as_server | case.as_client


def test_a_missing_usage_is_named_for_server_and_client(golden: GoldenFiles) -> None:
    (signing,) = (case.leaf for case in CASES if case.name == "code signing")
    said = (f"{defect.cause}: {defect.wanted}" for defect in leaf_defects(signing, BOTH))
    golden.compare_said("certificates", "\n".join(said))
