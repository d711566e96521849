# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The paths that a verifier looks for, the end of the search, and the reason that is given where it finds none."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import cross_certify
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import (
    PathResult,
    Verifier,
    validate_issued_by,
    validate_path,
)

from ...support.certificates import NOW, YEAR, Entity, key, leaf, make

A, B = make("A", key(0)), make("B", key(1))
INTERMEDIATE = make("I", key(3), A)
OTHER_A = make("A", key(9))


def certified(lower: Entity, upper: Entity) -> Certificate:
    return cross_certify(lower.certificate, upper.certificate, upper.key, not_before=NOW, validity=YEAR)


@pytest.mark.parametrize("verifier", Verifier)
def test_cas_that_all_certify_each_other_are_searched_for_a_moment_only(verifier: Verifier) -> None:
    """A leaf that is yet to be issued may be sent with any number of certificates."""
    roots = [make(f"R{number}", key(20 + number)) for number in range(12)]
    crossed = [certified(lower, upper) for lower in roots for upper in roots if lower is not upper]
    began = time.process_time()
    for sent, trusted in ((crossed, [A.certificate]), ([], crossed)):
        result = validate_issued_by(crossed[0], sent, trusted, at=NOW, verifier=verifier)
        assert not result.valid or verifier is not Verifier.OPENSSL
        # Of trusted ones it may take any.
        assert ("too many possible paths" in result.reason) is (verifier is Verifier.OPENSSL and not sent)
    assert time.process_time() - began < 5


@pytest.mark.parametrize("first", [True, False])
def test_openssl_takes_the_first_issuer_that_is_sent_and_is_valid_now(first: bool) -> None:
    """With the renewal of its own CA before the link certificate it comes to a root that it does not know, unless that one has ended."""
    link, root, ended = certified(A, B), A.certificate, make("A", key(0), end=NOW - timedelta(days=1)).certificate
    for own, accepted in ((root, first), (ended, True)):
        sent = (link, own) if first else (own, link)
        result = validate_path((leaf(A), *sent), [B.certificate], at=NOW, verifier=Verifier.OPENSSL)
        assert result.valid is accepted


@pytest.mark.parametrize("verifier", [Verifier.JVM, Verifier.GO])
def test_no_path_goes_through_a_ca_twice(verifier: Verifier) -> None:
    presented = (leaf(A), certified(A, B), certified(B, A))
    result = validate_path(presented, [], at=NOW, verifier=verifier)
    assert result.reason == "no trusted certificate for CN=A,O=io.strimzi, the issuer of CN=B,O=io.strimzi"


def test_openssl_does_not_go_from_trusted_certificates_back_to_presented_ones() -> None:
    presented = (leaf(INTERMEDIATE), make("A", key(0), B).certificate)
    trusted = [INTERMEDIATE.certificate, B.certificate]
    assert not validate_path(presented, trusted, at=NOW, verifier=Verifier.OPENSSL).valid
    assert validate_path((*presented, INTERMEDIATE.certificate), trusted[1:], at=NOW, verifier=Verifier.OPENSSL).valid


def test_whichever_of_two_issuers_openssl_takes_has_to_be_the_right_one() -> None:
    right, wrong = (make("S", key(number), subject_identifier=None) for number in (7, 8))
    presented = [leaf(right, authority_identifier=None)]
    for trusted in ((right, wrong), (wrong, right)):
        anchors = [one.certificate for one in trusted]
        assert not validate_path(presented, anchors, at=NOW, verifier=Verifier.OPENSSL).valid


@pytest.mark.parametrize("name", ["A", "Z"])
def test_an_issuer_is_known_by_its_name_first(name: str) -> None:
    other = make(name, key(0), subject_identifier=None)
    issuer = make("M", key(0)).certificate
    result = validate_issued_by(issuer, [], [other.certificate], at=NOW, verifier=Verifier.OPENSSL)
    assert result.reason == "no trusted certificate for CN=M,O=io.strimzi, the issuer of the leaf"


def test_the_ca_with_another_key_is_named_and_not_the_one_above_it() -> None:
    other = make("A", key(9), B, subject_identifier=None)
    anchors = [other.certificate, B.certificate]
    result = validate_issued_by(A.certificate, [], anchors, at=NOW, verifier=Verifier.OPENSSL)
    assert result.reason == "CN=A,O=io.strimzi has another key than the issuer of the same name"


@pytest.mark.parametrize("verifier", Verifier)
@pytest.mark.parametrize(
    ("presented", "trusted", "why"),
    [
        ((leaf(INTERMEDIATE), INTERMEDIATE), (B,), "no trusted certificate for CN=A,O=io.strimzi, the issuer of CN=I,O=io.strimzi"),
        (
            (leaf(INTERMEDIATE), INTERMEDIATE), (OTHER_A,),
            "CN=I,O=io.strimzi was signed by another key than that of the trusted CN=A,O=io.strimzi",
        ),
    ],
)  # fmt: skip
def test_where_a_path_ends_is_told(
    presented: tuple[Certificate | Entity, ...], trusted: tuple[Entity, ...], why: str, verifier: Verifier
) -> None:
    sent = [one.certificate if isinstance(one, Entity) else one for one in presented]
    result = validate_path(sent, [one.certificate for one in trusted], at=NOW, verifier=verifier)
    assert (result.valid, result.reason) == (False, why)


@pytest.mark.parametrize("verifier", Verifier)
def test_where_a_leaf_that_is_yet_to_be_issued_ends_is_told(verifier: Verifier) -> None:
    result = validate_issued_by(A.certificate, [], [OTHER_A.certificate], at=NOW, verifier=verifier)
    assert result.reason == "the leaf was signed by another key than that of the trusted CN=A,O=io.strimzi"


@pytest.mark.parametrize("verifier", [Verifier.JVM, Verifier.GO])
def test_of_several_reasons_the_first_is_told(verifier: Verifier) -> None:
    day = timedelta(days=1)
    expired, early = make("A", key(0), end=NOW - day), make("A", key(0), begin=NOW + day)
    for trusted, why in (((expired, early), "expired on"), ((early, expired), "is not valid before")):
        result = validate_path([leaf(A)], [one.certificate for one in trusted], at=NOW, verifier=verifier)
        assert why in result.reason


def test_a_result_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        PathResult(False).valid = True  # type: ignore[misc]
