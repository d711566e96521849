# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Path validation: the paths that a verifier looks for, uncommon paths, and a certificate whose signer is assumed."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import combinations, product
from typing import Any

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._pki import paths
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import cross_certify, make_double
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import (
    PathResult,
    Verifier,
    check_authority_chain,
    validate_issued_by,
    validate_path,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import AssumedCertificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import defects

from ...tools.support.certificates import NOW, YEAR, Entity, key, leaf, make
from ...tools.support.golden import GoldenFiles
from ...tools.support.path_cases import PATHS, PathCase

ALL = frozenset(Verifier)
JVM, OPENSSL, GO = Verifier.JVM, Verifier.OPENSSL, Verifier.GO
PAST, FUTURE = NOW - timedelta(days=1), NOW + timedelta(days=1)


def link(new: Entity, old: Entity) -> Certificate:
    return cross_certify(new.certificate, old.certificate, old.key, not_before=NOW, validity=YEAR)


A0 = make("A", key(0), path_length=0)
A1 = make("A", key(0), path_length=1)
A_RENEWED = make("A", key(0), path_length=1, end=NOW + 2 * YEAR)
A_OTHER_KEY = make("A", key(9))
B = make("B", key(1), path_length=1)
C = make("C", key(2))
A_IDENTIFIED = make(
    "A", key(0), path_length=1, subject_identifier=b"another"
)  # a renewal with an identifier of its own
A_UNIDENTIFIED = make("A", key(0), path_length=1, subject_identifier=None)
LEAF_A, LEAF_B = leaf(A1), leaf(B)
X0, X1 = link(B, A0), link(B, A1)
EXPIRED = make("A", key(0), end=PAST)
EARLY = make("A", key(0), begin=FUTURE)
INTERMEDIATE = make("I", key(3), A1, path_length=0)
ENDED_BELOW = make("I", key(3), A1, end=PAST)
DEEP = make("J", key(4), INTERMEDIATE)
ROLLOVER = make("A", key(5), A1, path_length=0)  # self-issued: the same CA's next key, certified by its old one
BELOW_ROLLOVER = make("I", key(3), ROLLOVER)
OUT_OF_ORDER = "the chain is out of order:"
UNKNOWN = (x509.UnrecognizedExtension(x509.ObjectIdentifier("1.2.3.4"), b"\x05\x00"), True)
CONSTRAINED = (x509.NameConstraints(permitted_subtrees=[x509.RFC822Name("svc")], excluded_subtrees=None), True)


def c(*entities: Entity | Certificate) -> tuple[Certificate, ...]:
    return tuple(one.certificate if isinstance(one, Entity) else one for one in entities)


@dataclass(frozen=True)
class Case:
    name: str
    presented: tuple[Certificate, ...]
    anchors: tuple[Certificate, ...]
    valid_for: frozenset[Verifier] = field(default=frozenset())
    reason: str = ""


CASES = [
    Case("direct", c(LEAF_A), c(A1), ALL),
    Case("root sent along", c(LEAF_A, A1), c(A1), ALL),
    Case("among several roots", c(LEAF_A), c(B, C, A_OTHER_KEY, A1), ALL),
    Case("unrelated certificates sent along", c(LEAF_A, C, LEAF_B, B), c(A1), ALL),
    Case("renewed root trusted", c(LEAF_A), c(A_RENEWED), ALL),
    Case("renewed root presented, old trusted", c(LEAF_A, A_RENEWED), c(A1), ALL),
    Case(
        "renewed with another identifier", c(LEAF_A), c(A_IDENTIFIED), frozenset({GO}), "names another key identifier"
    ),
    Case("renewed with another identifier, and the issuer sent", c(LEAF_A, A1), c(A_IDENTIFIED), frozenset({GO})),
    Case("renewed with another identifier, both trusted", c(LEAF_A, A1), c(A_IDENTIFIED, A1), ALL),
    Case("renewed without identifier", c(LEAF_A), c(A_UNIDENTIFIED), ALL),
    Case("issued without identifier", c(leaf(A_UNIDENTIFIED)), c(A_IDENTIFIED), ALL),
    Case("intermediate", c(leaf(INTERMEDIATE), INTERMEDIATE), c(A1), ALL),
    Case("intermediate missing", c(leaf(INTERMEDIATE)), c(A1), reason="no trusted certificate for CN=I"),
    Case("intermediate itself trusted", c(leaf(INTERMEDIATE)), c(INTERMEDIATE), frozenset({JVM, GO})),
    Case("link, room for one below", c(LEAF_B, X1, A1), c(A1), ALL),
    Case("link without its root", c(LEAF_B, X1), c(A1), ALL),
    Case("link, new root trusted", c(LEAF_B, X1, A1), c(B), ALL),
    Case("link, both trusted", c(LEAF_B, X1, A1), c(A1, B), ALL),
    Case("link, both trusted the other way round", c(LEAF_B, X1, A1), c(B, A1), ALL),
    Case("link, pathlen:0 at the anchor", c(LEAF_B, X0, A0), c(A0), frozenset({JVM}), "path length"),
    Case("link, pathlen:0 but new root trusted", c(LEAF_B, X0, A0), c(A0, B), ALL),
    Case("link, pathlen:0 and new root trusted first", c(LEAF_B, X0, A0), c(B, A0), ALL),
    Case("link missing", c(LEAF_B, A1), c(A1), reason="no trusted certificate for CN=B"),
    Case("same name, other key", c(LEAF_A), c(A_OTHER_KEY), reason="another key"),
    Case("presented root is no anchor", c(LEAF_A, A1), c(B), reason="no trusted certificate for CN=A"),
    Case("nothing trusted", c(LEAF_A, A1), (), reason="no trusted certificate for CN=A"),
    Case("nothing presented", (), c(A1), reason="no certificate was presented"),
    Case("root as its own leaf", c(A1), c(A1), ALL),
    Case("leaf itself trusted", c(LEAF_A), c(LEAF_A), frozenset({JVM, GO})),
    Case(
        "expired anchor",
        c(LEAF_A),
        c(EXPIRED),
        frozenset({JVM}),
        reason="CN=A,O=io.strimzi expired on 2026-05-31 12:00:00 UTC",
    ),
    Case(
        "anchor not yet valid",
        c(LEAF_A),
        c(EARLY),
        frozenset({JVM}),
        reason="is not valid before 2026-06-02 12:00:00 UTC",
    ),
    Case("expired and renewed anchor", c(LEAF_A), c(EXPIRED, A_RENEWED), ALL),
    Case("expired leaf", c(leaf(A1, end=PAST)), c(A1), reason="CN=my-kafka,O=io.strimzi expired"),
    Case("early leaf", c(leaf(A1, begin=FUTURE)), c(A1), reason="CN=my-kafka,O=io.strimzi is not valid before"),
    Case("last second", c(leaf(A1, end=NOW)), c(A1), reason="CN=my-kafka,O=io.strimzi expired"),
    Case("first second", c(leaf(A1, begin=NOW)), c(A1), ALL),
    Case("issuer is no CA", c(leaf(make("I", key(3), A1, ca=False)), make("I", key(3), A1, ca=False)), c(A1)),
    Case("anchor without basicConstraints", c(leaf(make("N", key(3), ca=None, signing=None))), (), reason="no trusted"),
    Case("path length of an intermediate", c(leaf(DEEP), DEEP, INTERMEDIATE), c(A1), reason="path length"),
    Case("... even as JVM anchor's child", c(leaf(DEEP), DEEP), c(INTERMEDIATE), frozenset({JVM})),
    Case("self-issued does not count", c(leaf(ROLLOVER), ROLLOVER), c(A0), frozenset({JVM, OPENSSL})),
    Case("below self-issued", c(leaf(BELOW_ROLLOVER), BELOW_ROLLOVER, ROLLOVER), c(A1), reason="path length"),
    Case("critical extension in leaf", c(leaf(A1, extra=[UNKNOWN])), c(A1), reason="1.2.3.4"),
]


@pytest.mark.parametrize(("case", "verifier"), list(product(CASES, Verifier)), ids=lambda v: getattr(v, "name", str(v)))
def test_cases(case: Case, verifier: Verifier) -> None:
    result = validate_path(case.presented, case.anchors, at=NOW, verifier=verifier)
    assert result.valid == (verifier in case.valid_for), result
    if result.valid:
        assert result.path[0] == case.presented[0]
        assert result.path[-1] in case.anchors
        assert not result.reason
    else:
        assert not result.path
        assert case.reason in result.reason


@pytest.mark.parametrize("verifier", Verifier)
@pytest.mark.parametrize(
    ("root", "reason"),
    [
        (make("R", key(6), ca=None, signing=None), "is not a CA certificate"),
        (make("R", key(6), ca=False, signing=None), "is not a CA certificate"),
        (make("R", key(6), signing=False), "key usage"),
        (make("R", key(6), extra=[UNKNOWN]), "1.2.3.4"),
        (make("R", key(6), extra=[CONSTRAINED]), "2.5.29.30"),
    ],
    ids=["no constraints", "not CA", "no signing", "unknown extension", "name constraints"],
)
def test_unfit_anchors_and_issuers(root: Entity, reason: str, verifier: Verifier) -> None:
    direct = validate_path(c(leaf(root)), c(root), at=NOW, verifier=verifier)
    below = validate_issued_by(root.certificate, (), c(root), at=NOW, verifier=verifier)
    assert not direct.valid
    assert reason in direct.reason
    assert not below.valid
    assert reason in below.reason


def test_openssl_choices_without_identifiers() -> None:
    """Nothing tells the two CAs of one name apart: OpenSSL takes the first it finds, the others try both."""
    first = make("S", key(7), subject_identifier=None)
    second = make("S", key(8), subject_identifier=None)
    presented = c(leaf(first, authority_identifier=None))
    results = {one: validate_path(presented, c(second, first), at=NOW, verifier=one).valid for one in Verifier}
    assert results == {JVM: True, GO: True, OPENSSL: False}


def test_identifier_with_serial_number_does_not_fit_a_renewal() -> None:
    old = make("S", key(7))
    new = make("S", key(7), end=NOW + 2 * YEAR)
    issuer = x509.load_der_x509_certificate(old.certificate.der).subject
    identifier = x509.AuthorityKeyIdentifier(None, [x509.DirectoryName(issuer)], old.certificate.serial_number)
    presented = c(leaf(old, authority_identifier=identifier))
    assert validate_path(presented, c(old), at=NOW, verifier=OPENSSL).valid
    results = {one: validate_path(presented, c(new), at=NOW, verifier=one).valid for one in Verifier}
    assert results == {JVM: False, GO: True, OPENSSL: False}


def test_openssl_takes_self_issued_certificates_without_identifier_for_self_signed() -> None:
    """Name and identifier decide, not the signature: a self-issued certificate without identifier ends its paths."""
    unidentified = make("A", key(5), A1, authority_identifier=None)
    assert validate_path(c(leaf(unidentified)), c(unidentified), at=NOW, verifier=OPENSSL).valid
    assert not validate_path(c(leaf(ROLLOVER)), c(ROLLOVER), at=NOW, verifier=OPENSSL).valid


@pytest.mark.parametrize(
    ("issuer", "sent", "anchors", "valid_for"),
    [
        (A1, (), c(A1), ALL),
        (A1, (), c(A_RENEWED), ALL),
        (A1, (), c(A_IDENTIFIED), frozenset({GO})),
        (A1, c(A1), c(A_IDENTIFIED), frozenset({GO})),
        (A1, c(A1), c(A_IDENTIFIED, A1), ALL),
        (A1, (), c(A_UNIDENTIFIED), ALL),
        (A_UNIDENTIFIED, (), c(A1), ALL),
        (A_UNIDENTIFIED, (), c(A_IDENTIFIED), frozenset({GO})),
        (A1, (), c(A_OTHER_KEY), frozenset()),
        (A1, (), c(A_OTHER_KEY, A1), ALL),
        (A1, (), (), frozenset()),
        (A1, (), c(EXPIRED), frozenset({JVM})),
        (X1, c(A1), c(A1), ALL),
        (X1, c(A1), c(B), ALL),
        (X0, c(A0), c(A0), frozenset({JVM})),
        (X1, (), c(A1), frozenset()),
        (X1, (), c(B), ALL),
        (B, (), c(A1), frozenset()),
        (INTERMEDIATE, c(A1), c(A1), ALL),
        (INTERMEDIATE, (), c(A1), frozenset()),
        (INTERMEDIATE, (), c(INTERMEDIATE), frozenset({JVM, GO})),
        (DEEP, c(INTERMEDIATE, A1), c(A1), frozenset()),
    ],
)
def test_leaves_that_do_not_exist_yet(
    issuer: Entity | Certificate,
    sent: tuple[Certificate, ...],
    anchors: tuple[Certificate, ...],
    valid_for: frozenset[Verifier],
) -> None:
    certificate = c(issuer)[0]
    results = {one for one in Verifier if validate_issued_by(certificate, sent, anchors, at=NOW, verifier=one).valid}
    assert results == valid_for


def test_a_naive_time_is_utc() -> None:
    assert validate_path(c(LEAF_A), c(A1), at=datetime(2026, 6, 1, 12, 0)).valid


@pytest.mark.parametrize("verifier", Verifier)
def test_search_ends_where_every_root_certifies_every_root(verifier: Verifier) -> None:
    roots = [make(f"R{number}", key(20 + number)) for number in range(12)]
    crossed = [make(f"R{i}", key(20 + i), roots[j]).certificate for i in range(12) for j in range(12) if i != j]
    began = time.process_time()
    result = validate_path((leaf(roots[0]), *crossed), c(C), at=NOW, verifier=verifier)
    assert not result.valid
    assert result.reason
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("chain", "problems"),
    [
        ((), []),
        (c(LEAF_A), []),
        (c(EXPIRED), []),
        (c(INTERMEDIATE, A1), []),
        (c(X1, A1), []),
        (c(A1, INTERMEDIATE), [f"{OUT_OF_ORDER} CN=A,O=io.strimzi was not issued by CN=I,O=io.strimzi."]),
        (c(A1, B), [f"{OUT_OF_ORDER} CN=A,O=io.strimzi was not issued by CN=B,O=io.strimzi."]),
        (c(LEAF_A, A1), ["CN=my-kafka,O=io.strimzi is not a CA certificate."]),
        (c(INTERMEDIATE, EXPIRED), []),
        (c(A1, A1), [f"CN=A,O=io.strimzi ({A1.certificate.sha256[:16]}) is in the chain more than once, and Kafka loads no such chain."]),
        (c(INTERMEDIATE, A1, A1), [f"CN=A,O=io.strimzi ({A1.certificate.sha256[:16]}) is in the chain more than once, and Kafka loads no such chain."]),
    ],
)  # fmt: skip
def test_authority_chains(chain: tuple[Certificate, ...], problems: list[str]) -> None:
    assert check_authority_chain(chain) == problems


def test_a_chain_with_a_critical_extension_that_the_operator_does_not_know() -> None:
    """Its reconcile would fail as soon as the chain lies in the certificate Secret. Of its anchor it reads no extension."""
    strange = x509.UnrecognizedExtension(x509.ObjectIdentifier("1.2.3.4.5"), b"\x05\x00")
    below = make("issuing", key(20), A1, extra=[(strange, True)])
    told = "CN=issuing,O=io.strimzi has critical extensions that a JVM does not know (1.2.3.4.5)."
    assert check_authority_chain(c(below, A1)) == [told]
    assert check_authority_chain(c(make("leaf CA", key(21), below), below, A1)) == [told]
    assert check_authority_chain(c(make("issuing", key(20), A1, extra=[(strange, False)]), A1)) == []
    root = make("A", key(22), extra=[(strange, True)])
    assert check_authority_chain(c(make("issuing", key(20), root), root)) == []


def test_a_chain_with_more_cas_than_one_of_them_allows() -> None:
    """Its own certificate is no CA below another to the operator, which has no leaf behind it, and nor does it read what its anchor allows."""
    top = make("top", key(20), A1, path_length=0)
    middle = make("middle", key(21), top)
    issuing = make("issuing", key(22), middle)
    told = "CN=top,O=io.strimzi allows 0 CAs below it (path length constraint), and there are 1."
    assert check_authority_chain(c(issuing, middle, top, A1)) == [told]
    assert check_authority_chain(c(middle, top, A1)) == []
    assert check_authority_chain(c(issuing, middle, top)) == []


@pytest.mark.parametrize(
    ("identifier", "fits"),
    [
        (x509.AuthorityKeyIdentifier(b"another", None, None), False),
        (x509.AuthorityKeyIdentifier(None, [x509.DirectoryName(x509.Name([]))], 7), False),
        (x509.AuthorityKeyIdentifier(None, [x509.DirectoryName(x509.Name([]))], A1.certificate.serial_number), True),
        (None, True),
    ],
)
def test_a_chain_whose_root_is_another_certificate_than_is_named_below(
    identifier: x509.AuthorityKeyIdentifier | None, fits: bool, golden: GoldenFiles
) -> None:
    """As a renewed root below which openssl has named the serial number of the root before: the operator finds no anchor, and its reconcile fails."""
    below = make("issuing", key(20), A1, authority_identifier=identifier)
    problems = check_authority_chain(c(below, A1))
    assert len(problems) == (0 if fits else 1)
    for problem in problems:
        golden.compare_said("certificates", problem)
    # The operator does not look at it in between.
    between = make(
        "leaf CA", key(21), INTERMEDIATE, authority_identifier=x509.AuthorityKeyIdentifier(b"another", None, None)
    )
    assert check_authority_chain(c(between, INTERMEDIATE, A1)) == []


@pytest.mark.parametrize("validate", [validate_path, validate_issued_by])
def test_when_and_for_whom_is_named(validate: Any) -> None:
    with pytest.raises(TypeError, match="positional"):
        validate(*([c(LEAF_A), c(A1)] if validate is validate_path else [A1.certificate, (), c(A1)]), NOW, JVM)


def test_each_link_of_a_long_chain_has_to_hold() -> None:
    assert check_authority_chain(c(DEEP, INTERMEDIATE, A1)) == []
    for wrong in (c(DEEP, INTERMEDIATE, B), c(B, INTERMEDIATE, A1), c(INTERMEDIATE, DEEP, A1)):
        assert any(problem.startswith(OUT_OF_ORDER) for problem in check_authority_chain(wrong))


@pytest.mark.parametrize(
    ("presented", "anchors", "valid"),
    [
        pytest.param(c(LEAF_A), c(EXPIRED), True, id="ended"),
        pytest.param(c(LEAF_A), c(EARLY), True, id="yet to begin"),
        pytest.param(c(leaf(A1, end=PAST)), c(A1), False, id="its leaf has ended"),
        pytest.param(c(leaf(A1, end=PAST)), c(leaf(A1, end=PAST)), False, id="a leaf that is trusted itself has ended"),
        pytest.param(c(leaf(ENDED_BELOW), ENDED_BELOW), c(A1), False, id="a CA below it has ended"),
        pytest.param(c(leaf(ENDED_BELOW)), c(ENDED_BELOW), True, id="one below another that is trusted itself"),
        pytest.param(c(LEAF_A), c(make("A", key(0), end=PAST, ca=False)), False, id="no CA"),
    ],
)
def test_a_verifier_that_does_not_look_at_the_dates_of_anchors(
    presented: tuple[Certificate, ...], anchors: tuple[Certificate, ...], valid: bool
) -> None:
    assert validate_path(presented, anchors, at=NOW).valid is valid


@pytest.mark.parametrize(("verifier", "valid"), [(Verifier.JVM, True), (Verifier.OPENSSL, False), (Verifier.GO, False)])
def test_the_dates_of_an_anchor_count_for_some_before_a_leaf_exists(verifier: Verifier, valid: bool) -> None:
    assert validate_issued_by(EXPIRED.certificate, (), c(EXPIRED), at=NOW, verifier=verifier).valid is valid


# The paths that a verifier looks for, the end of the search, and the reason that is given where it finds none.

A, OTHER_B = make("A", key(0)), make("B", key(1))
BELOW_A = make("I", key(3), A)
OTHER_A = make("A", key(9))


def certified(lower: Entity, upper: Entity) -> Certificate:
    return cross_certify(lower.certificate, upper.certificate, upper.key, not_before=NOW, validity=YEAR)


@pytest.mark.parametrize("verifier", Verifier)
def test_cas_that_all_certify_each_other_are_searched_for_a_moment_only(
    verifier: Verifier, golden: GoldenFiles
) -> None:
    """A leaf that is yet to be issued may be sent with any number of certificates."""
    roots = [make(f"R{number}", key(20 + number)) for number in range(12)]
    crossed = [certified(lower, upper) for lower in roots for upper in roots if lower is not upper]
    rising = [make(f"R{low}", key(20 + low), roots[high]).certificate for low, high in combinations(range(12), 2)]
    began = time.process_time()
    of_sent, of_trusted = (
        validate_issued_by(crossed[0], sent, trusted, at=NOW, verifier=verifier)
        for sent, trusted in ((crossed, [A.certificate]), ([], [*rising, roots[-1].certificate]))
    )
    assert time.process_time() - began < 5
    assert of_sent.reason != of_trusted.reason
    # OpenSSL may take any trusted certificate.
    assert (of_sent.valid, of_trusted.valid) == (False, verifier is not Verifier.OPENSSL)
    if not of_trusted.valid:
        golden.compare_said("certificates", of_trusted.reason)


@pytest.mark.parametrize("first", [True, False])
def test_openssl_takes_the_first_issuer_that_is_sent_and_is_valid_now(first: bool) -> None:
    """With the renewal of its own CA before the link certificate it comes to a root that it does not know, unless that one has ended."""
    link, root, ended = certified(A, OTHER_B), A.certificate, make("A", key(0), end=NOW - timedelta(days=1)).certificate
    for own, accepted in ((root, first), (ended, True)):
        sent = (link, own) if first else (own, link)
        result = validate_path((leaf(A), *sent), [OTHER_B.certificate], at=NOW, verifier=Verifier.OPENSSL)
        assert result.valid is accepted


@pytest.mark.parametrize("verifier", [Verifier.JVM, Verifier.GO])
def test_no_path_goes_through_a_ca_twice(verifier: Verifier, golden: GoldenFiles) -> None:
    presented = (leaf(A), certified(A, OTHER_B), certified(OTHER_B, A))
    result = validate_path(presented, [], at=NOW, verifier=verifier)
    golden.compare_said("certificates", result.reason)


@pytest.mark.parametrize("verifier", Verifier)
def test_openssl_may_go_in_circles_where_trusted_cas_certify_each_other(
    verifier: Verifier, golden: GoldenFiles
) -> None:
    trusted = [A.certificate, certified(A, OTHER_B), OTHER_B.certificate]
    circle = [*trusted[:2], certified(OTHER_B, A)]
    assert validate_path([leaf(A)], trusted, at=NOW, verifier=verifier).valid
    found = validate_path([leaf(A)], circle, at=NOW, verifier=verifier)
    assert found.valid is (verifier is not Verifier.OPENSSL)
    if not found.valid:
        golden.compare_said("certificates", found.reason)


def test_openssl_does_not_go_from_trusted_certificates_back_to_presented_ones() -> None:
    presented = (leaf(BELOW_A), make("A", key(0), OTHER_B).certificate)
    trusted = [BELOW_A.certificate, OTHER_B.certificate]
    assert not validate_path(presented, trusted, at=NOW, verifier=Verifier.OPENSSL).valid
    assert validate_path((*presented, BELOW_A.certificate), trusted[1:], at=NOW, verifier=Verifier.OPENSSL).valid


def test_whichever_of_two_issuers_openssl_takes_has_to_be_the_right_one() -> None:
    right, wrong = (make("S", key(number), subject_identifier=None) for number in (7, 8))
    presented = [leaf(right, authority_identifier=None)]
    for trusted in ((right, wrong), (wrong, right)):
        anchors = [one.certificate for one in trusted]
        assert not validate_path(presented, anchors, at=NOW, verifier=Verifier.OPENSSL).valid


@pytest.mark.parametrize("name", ["A", "Z"])
def test_an_issuer_is_known_by_its_name_first(name: str, golden: GoldenFiles) -> None:
    other = make(name, key(0), subject_identifier=None)
    issuer = make("M", key(0)).certificate
    result = validate_issued_by(issuer, [], [other.certificate], at=NOW, verifier=Verifier.OPENSSL)
    golden.compare_said("certificates", result.reason)


def test_the_ca_with_another_key_is_named_and_not_the_one_above_it(golden: GoldenFiles) -> None:
    other = make("A", key(9), OTHER_B, subject_identifier=None)
    anchors = [other.certificate, OTHER_B.certificate]
    result = validate_issued_by(A.certificate, [], anchors, at=NOW, verifier=Verifier.OPENSSL)
    golden.compare_said("certificates", result.reason)


@pytest.mark.parametrize("verifier", Verifier)
@pytest.mark.parametrize(
    ("presented", "trusted", "why"),
    [
        ((leaf(BELOW_A), BELOW_A), (OTHER_B,), "no trusted certificate for CN=A,O=io.strimzi, the issuer of CN=I,O=io.strimzi"),
        (
            (leaf(BELOW_A), BELOW_A), (OTHER_A,),
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
def test_where_a_leaf_that_is_yet_to_be_issued_ends_is_told(verifier: Verifier, golden: GoldenFiles) -> None:
    result = validate_issued_by(A.certificate, [], [OTHER_A.certificate], at=NOW, verifier=verifier)
    golden.compare_said("certificates", result.reason)


def test_of_several_reasons_the_first_is_told() -> None:
    day = timedelta(days=1)
    expired, early = make("A", key(0), end=NOW - day), make("A", key(0), begin=NOW + day)
    for trusted, why in (((expired, early), "expired on"), ((early, expired), "is not valid before")):
        result = validate_path([leaf(A)], [one.certificate for one in trusted], at=NOW, verifier=Verifier.GO)
        assert why in result.reason


def test_a_result_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        PathResult(False).valid = True  # type: ignore[misc]


# Uncommon certificate paths: what a verifier refuses we refuse, and little else.


@pytest.mark.parametrize("verifier", Verifier)
@pytest.mark.parametrize("case", PATHS, ids=lambda case: case.name)
def test_verdict(case: PathCase, verifier: Verifier) -> None:
    """The defects of a CA itself are reported when a user supplies it, and no gate looks at them again."""
    result = validate_path((case.leaf, *case.sent), case.anchors, at=NOW, verifier=verifier)
    unfit = any(verifier in defect.verifiers for one in result.path[1:] for defect in defects(one))
    assert (result.valid and not unfit) == (verifier not in case.refused_by | case.stricter), result.reason


def test_names_are_distinct() -> None:
    assert len({case.name for case in PATHS}) == len(PATHS)


@pytest.mark.parametrize("case", PATHS, ids=lambda case: case.name)
def test_we_are_stricter_only_where_a_verifier_is_not(case: PathCase) -> None:
    assert not case.stricter & case.refused_by


# A certificate of which it is assumed who has signed it: the assumption is all that differs.

CA = make("cluster-ca v1", key(1))


#: The same name and key; the same name with another key; another name with the same key.
RENEWED, IMPOSTOR, RENAMED = (
    make("cluster-ca v1", key(1), end=NOW + 2 * YEAR),
    make("cluster-ca v1", key(2)),
    make("cluster-ca v2", key(1)),
)


#: The leaf that a forecast makes: signed by a key that stands in for the CA's, which is not at hand.
DOUBLE = Entity(make_double(CA.certificate, key(3)), key(3))
MADE = leaf(DOUBLE)
ASSUMED = AssumedCertificate(MADE.der, CA.certificate)


@pytest.mark.parametrize(
    ("by", "expected"), [(CA, True), (RENEWED, True), (IMPOSTOR, False), (RENAMED, False), (DOUBLE, False)]
)
def test_a_leaf_is_signed_by_the_name_and_key_of_its_ca(by: Entity, expected: bool) -> None:
    assert ASSUMED.signed_by(by.certificate) is expected


def test_all_else_is_the_certificates_own() -> None:
    assert (ASSUMED.der, ASSUMED.sha256, ASSUMED.not_after) == (MADE.der, MADE.sha256, MADE.not_after)
    assert not MADE.signed_by(CA.certificate)


@pytest.mark.parametrize(("anchor", "accepted"), [(CA, True), (RENEWED, True), (IMPOSTOR, False)])
def test_a_path_to_it_is_judged_by_the_assumption(anchor: Entity, accepted: bool) -> None:
    """Names, key identifiers and dates are those of the CA; the one signature is not looked at."""
    found: Certificate = anchor.certificate
    assert (validate_path((ASSUMED,), (found,), at=NOW).reason == "") is accepted
    assert validate_path((MADE,), (found,), at=NOW).reason != ""


@pytest.mark.parametrize("verifier", [Verifier.JVM, Verifier.OPENSSL])
@pytest.mark.parametrize("allowed", [1, 2, 3])
def test_how_many_steps_a_search_takes(allowed: int, verifier: Verifier, monkeypatch: pytest.MonkeyPatch) -> None:
    """The leaf is a step and its issuer another; the anchor is a third step of OpenSSL."""
    monkeypatch.setattr(paths, "_MOST_STEPS", allowed)
    root = make("root", key(1))
    ca = make("ca", key(2), root)
    found = validate_path((leaf(ca), ca.certificate), (root.certificate,), at=NOW, verifier=verifier)
    assert found.valid is (allowed >= (3 if verifier is Verifier.OPENSSL else 2))
