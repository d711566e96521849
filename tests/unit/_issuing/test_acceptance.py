# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A certificate from an issuer is checked as if it came from a stranger: each way in which it can be wrong is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.x509.oid import ExtendedKeyUsageOID

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.acceptance import Acceptance, Acceptances
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import IssuedCertificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import (
    Certificate,
    certificate_from_der,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import sign_leaf
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import KeyPolicy, Purpose
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.subjects import LeafSubject, subject_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component

from ...tools.support.certificates import NOW, YEAR, Entity, key, make
from ...tools.support.constrained import names as constrained_names
from ...tools.support.golden import GoldenFiles

ROOT = make("root", key(1))
CA = make("cluster-ca v1", key(2), ROOT)
OTHER = make("cluster-ca v0", key(3))
NAMES = frozenset({"a.example", "192.0.2.1", "2001:db8::1"})
OWN = key(9)
SUBJECT = subject_of(Component.KAFKA, "demo-kafka", NAMES)
CLIENT = subject_of(Component.ENTITY_OPERATOR, "demo-entity-topic-operator", NAMES)


@dataclass(frozen=True)
class Issue:
    """A certificate as it should be; each case spoils one thing."""

    name: DistinguishedName = SUBJECT.distinguished_name
    names: frozenset[str] = NAMES
    issuer: Entity = CA
    chain: tuple[Certificate, ...] = (CA.certificate,)
    own_key: PrivateKey = OWN
    begin: timedelta = timedelta(0)
    end: timedelta = YEAR / 2

    def certificate(self) -> IssuedCertificate:
        leaf = sign_leaf(
            self.own_key.public_key, self.name, self.names, self.issuer.certificate, self.issuer.key,
            not_before=NOW + self.begin, validity=self.end - self.begin,
        )  # fmt: skip
        return IssuedCertificate(leaf, self.chain)


GOOD = Issue()


def dated(end: timedelta) -> Entity:
    """The issuing CA with this end, under one name and one key."""
    return make("cluster-ca v1", key(2), end=NOW + end)


@pytest.mark.parametrize(
    ("chain", "accepted"),
    [
        ((), False),
        ((dated(-timedelta(days=1)).certificate,), False),
        ((OTHER.certificate,), False),
        ((dated(YEAR).certificate,), True),
    ],
    ids=["alone", "the ended CA", "another CA", "the renewed CA"],
)
def test_a_leaf_of_a_ca_that_has_ended_is_accepted_if_the_answer_shows_that_it_was_renewed(
    chain: tuple[Certificate, ...], accepted: bool
) -> None:
    ended = dated(-timedelta(days=1))
    issued = replace(GOOD, issuer=dated(YEAR), chain=chain).certificate()
    found = list(Acceptance((ended.certificate,), (), NOW).refusals(issued, SUBJECT, OWN))
    assert (not found) is accepted


def with_serial_number(leaf: Certificate, number: int, issuer: Entity) -> Certificate:
    parsed = x509.load_der_x509_certificate(leaf.der)
    builder = x509.CertificateBuilder(
        issuer_name=parsed.issuer, subject_name=parsed.subject, public_key=parsed.public_key(), serial_number=number,
        not_valid_before=parsed.not_valid_before_utc, not_valid_after=parsed.not_valid_after_utc,
        extensions=list(parsed.extensions),
    )  # fmt: skip
    made = builder.sign(issuer.key.for_signing(), hashes.SHA256())
    return certificate_from_der(made.public_bytes(serialization.Encoding.DER))


def refused(issued: IssuedCertificate, subject: LeafSubject = SUBJECT) -> list[str]:
    return list(Acceptance((CA.certificate,), (CA.certificate,), NOW).refusals(issued, subject, OWN))


@pytest.mark.parametrize(
    ("subject", "issue"),
    [
        (SUBJECT, GOOD),
        (SUBJECT, replace(GOOD, chain=(CA.certificate, ROOT.certificate))),
        (SUBJECT, replace(GOOD, chain=())),
        (CLIENT, replace(GOOD, name=CLIENT.distinguished_name, names=frozenset())),
    ],
)
def test_a_certificate_that_fits_its_request_is_accepted(subject: LeafSubject, issue: Issue) -> None:
    assert refused(issue.certificate(), subject) == []


@pytest.mark.parametrize(
    ("case", "issue"),
    [
        ("another key", replace(GOOD, own_key=key(8))),
        ("another name", replace(GOOD, name=DistinguishedName("demo-other"))),
        ("another organization", replace(GOOD, name=DistinguishedName("demo-kafka", None))),
        ("a name too many", replace(GOOD, names=NAMES | {"evil.example"})),
        ("a name too few", replace(GOOD, names=NAMES - {"192.0.2.1"})),
        ("no names", replace(GOOD, names=frozenset())),
        ("another CA", replace(GOOD, issuer=OTHER, chain=(OTHER.certificate,))),
        ("another CA with its chain", replace(GOOD, issuer=OTHER, chain=(OTHER.certificate, CA.certificate))),
        ("not valid yet", replace(GOOD, begin=timedelta(hours=1))),
        ("expired", replace(GOOD, begin=-timedelta(hours=2), end=-timedelta(hours=1))),
    ],
)
def test_each_defect_is_one_reason(case: str, issue: Issue, golden: GoldenFiles) -> None:
    (said,) = refused(issue.certificate())
    golden.compare_said("issuers", said, case)


@pytest.mark.parametrize(
    "more",
    [x509.UniformResourceIdentifier("spiffe://example/kafka"), x509.RFC822Name("kafka@example.com")],
    ids=["URI", "e-mail"],
)
def test_a_name_of_another_kind_is_a_name_too_many(more: x509.GeneralName, golden: GoldenFiles) -> None:
    good = GOOD.certificate()
    present = x509.load_der_x509_certificate(good.leaf.der).extensions
    names = present.get_extension_for_class(x509.SubjectAlternativeName).value
    extra = [(x509.SubjectAlternativeName([*names, more]), False)]
    made = make("demo-kafka", OWN, CA, ca=False, extra=extra, begin=NOW, end=NOW + YEAR / 2).certificate
    assert made.subject_alternative_names == NAMES
    golden.compare_said("issuers", "\n".join(refused(replace(good, leaf=made))))


def test_a_ca_certificate_is_never_a_leaf(golden: GoldenFiles) -> None:
    """With it a node could issue in the name of the CA."""
    subject = LeafSubject(DistinguishedName("demo-kafka"), frozenset(), frozenset({Purpose.CLIENT}))
    made = make("demo-kafka", OWN, CA, ca=True).certificate
    golden.compare_said("issuers", "\n".join(refused(IssuedCertificate(made, ()), subject)))


def test_a_server_leaf_is_refused_where_a_client_was_asked_for() -> None:
    assert refused(GOOD.certificate(), CLIENT)


@pytest.mark.parametrize("sent", [True, False], ids=["with its CA", "alone"])
def test_a_leaf_below_another_ca_of_the_same_name_is_refused(sent: bool, golden: GoldenFiles) -> None:
    """The sentence tells which key has signed, as far as the answer does: the issuer may have a new one."""
    impostor = make("cluster-ca v1", key(4))
    issued = replace(GOOD, issuer=impostor, chain=(impostor.certificate,) if sent else ()).certificate()
    (said,) = refused(issued)
    signers = [impostor.certificate.sha256] if sent else []
    assert re.findall("[0-9a-f]{64}", said) == [*signers, CA.certificate.sha256]
    golden.compare_said("issuers", said, "with its CA" if sent else "alone")


NAMESAKE = make("cluster-ca v1", key(4))


@pytest.mark.parametrize(
    "known", [(NAMESAKE.certificate,), (CA.certificate, NAMESAKE.certificate), (CA.certificate,), ()]
)
@pytest.mark.parametrize(
    "identifier", [b"", None, x509.AuthorityKeyIdentifier(None, [x509.DirectoryName(x509.Name([]))], 7)]
)
def test_a_leaf_names_the_key_of_its_issuer_where_another_has_its_name(
    known: tuple[Certificate, ...], identifier: x509.AuthorityKeyIdentifier | bytes | None
) -> None:
    """By its identifier: OpenSSL takes the first that fits."""
    made = make("demo-kafka", OWN, CA, ca=None, signing=None, authority_identifier=identifier).certificate
    asked = replace(SUBJECT, names=frozenset())
    said = list(Acceptance((CA.certificate,), known, NOW).refusals(IssuedCertificate(made, ()), asked, OWN))
    told = [one for one in said if "it does not name the key of its issuer" in one]
    unnamed = identifier is None
    assert bool(told) is (unnamed and NAMESAKE.certificate in known)


@pytest.mark.parametrize(
    "key_identifier", [CA.certificate.subject_key_identifier, None], ids=["beside the key", "alone"]
)
def test_a_leaf_that_names_one_certificate_of_its_ca_is_refused(
    key_identifier: bytes | None, golden: GoldenFiles
) -> None:
    """A renewal of the CA has another serial number, and so has the link certificate by which clients find the way to the CA before."""
    issuer = [x509.DirectoryName(x509.load_der_x509_certificate(CA.certificate.der).issuer)]
    named = x509.AuthorityKeyIdentifier(key_identifier, issuer, CA.certificate.serial_number)
    made = make("demo-kafka", OWN, CA, ca=None, signing=None, authority_identifier=named).certificate
    (said,) = refused(IssuedCertificate(made, ()), replace(SUBJECT, names=frozenset()))
    golden.compare_said("issuers", said)


def test_keys_of_one_name_count_their_serial_numbers_apart() -> None:
    """A CA that numbers its certificates from 1 begins again with another key."""
    first = with_serial_number(replace(GOOD, issuer=NAMESAKE).certificate().leaf, 1, NAMESAKE)
    second = GOOD.certificate()
    second = replace(second, leaf=with_serial_number(second.leaf, 1, CA))
    known = (NAMESAKE.certificate, first)
    assert list(Acceptance((CA.certificate,), known, NOW).refusals(second, SUBJECT, OWN)) == []


def test_a_leaf_of_a_ca_below_the_wanted_one_is_refused(golden: GoldenFiles) -> None:
    """Nodes present the chain of their CA, and nothing in between: a verifier that trusts that CA could not find the way."""
    below = make("Issuing CA", key(7), CA)
    issued = replace(GOOD, issuer=below, chain=(below.certificate, CA.certificate)).certificate()
    (said,) = refused(issued)
    golden.compare_said("issuers", said)


@pytest.mark.parametrize(
    ("window", "is_refused"),
    [(timedelta(0), False), (YEAR / 2 - timedelta(days=1), False), (YEAR / 2, True)],
)
def test_a_certificate_that_an_operator_would_replace_at_once_is_refused(
    window: timedelta, is_refused: bool, golden: GoldenFiles
) -> None:
    """The User Operator has no key to replace it with: the user would not be ready from the first day."""
    subject = replace(CLIENT, outlasts=window)
    issued = replace(GOOD, name=CLIENT.distinguished_name, names=frozenset()).certificate()
    reasons = refused(issued, subject)
    assert len(reasons) == is_refused
    for reason in reasons:
        golden.compare_said("issuers", reason)


def test_all_reasons_are_told_at_once() -> None:
    spoilt = replace(GOOD, names=frozenset(), own_key=key(8)).certificate()
    said = list(Acceptance((OTHER.certificate,), (), NOW).refusals(spoilt, CLIENT, OWN))
    assert len(said) == 3


def test_a_serial_number_that_its_issuer_gave_before_is_refused() -> None:
    issued, other = GOOD.certificate(), GOOD.certificate()
    twice = replace(other, leaf=with_serial_number(other.leaf, issued.leaf.serial_number, CA))
    (said,) = Acceptance((CA.certificate,), (issued.leaf,), NOW).refusals(twice, SUBJECT, OWN)
    assert "serial number" in said
    assert list(Acceptance((CA.certificate,), (issued.leaf, other.leaf), NOW).refusals(issued, SUBJECT, OWN)) == []


def test_another_issuer_may_give_the_same_serial_number() -> None:
    issued = GOOD.certificate()
    theirs = replace(GOOD, issuer=OTHER).certificate().leaf
    other = with_serial_number(theirs, issued.leaf.serial_number, OTHER)
    assert list(Acceptance((CA.certificate,), (other,), NOW).refusals(issued, SUBJECT, OWN)) == []


@pytest.mark.parametrize(
    ("case", "use", "subject"),
    [
        ("a node for servers alone", ExtendedKeyUsageOID.SERVER_AUTH, SUBJECT),
        ("a node for clients alone", ExtendedKeyUsageOID.CLIENT_AUTH, SUBJECT),
        ("a client for servers alone", ExtendedKeyUsageOID.SERVER_AUTH, CLIENT),
    ],
)
def test_an_extended_key_usage_that_does_not_fit_the_component_is_refused(
    case: str, use: x509.ObjectIdentifier, subject: LeafSubject, golden: GoldenFiles
) -> None:
    """Nodes present theirs to clients, and as clients to each other."""
    names = [x509.DNSName(name) for name in subject.names if not name.startswith(("192", "2001"))]
    asked = replace(subject, names=frozenset(name.value for name in names))
    extra: list[tuple[x509.ExtensionType, bool]] = [(x509.ExtendedKeyUsage([use]), False)]
    if names:
        extra.append((x509.SubjectAlternativeName(names), False))
    made = make(subject.distinguished_name.common_name, OWN, CA, ca=None, signing=None, extra=extra).certificate
    (reason,) = (one for one in refused(IssuedCertificate(made, ()), asked) if "extended" in one)
    golden.compare_said("issuers", reason, case)


def test_a_leaf_that_the_chain_of_its_issuer_does_not_admit_is_refused(golden: GoldenFiles) -> None:
    """Clients may trust the root alone, which is not part of what is checked otherwise."""
    root = make("the root", key(5), extra=[constrained_names(["example.com"])])
    below = make("the CA", key(6), root)
    issued = replace(GOOD, issuer=below, chain=(below.certificate,)).certificate()
    (said,) = Acceptance((below.certificate, root.certificate), (), NOW).refusals(issued, SUBJECT, OWN)
    golden.compare_said("issuers", said)
    assert list(Acceptance((below.certificate,), (), NOW).refusals(issued, SUBJECT, OWN)) == []


def test_an_answer_that_breaks_a_rule_of_the_caller_is_refused(golden: GoldenFiles) -> None:
    issued = GOOD.certificate()
    rules = KeyPolicy(name="house", hashes=frozenset({"sha512"}), leaf_life=timedelta(days=30))
    found = Acceptances((CA.certificate,), NOW, rules).of((CA.certificate,)).refusals(issued, SUBJECT, OWN)
    golden.compare_said("issuers", "\n".join(one for one in found if "rules" in one))
    free = Acceptances((CA.certificate,), NOW).of((CA.certificate,)).refusals(issued, SUBJECT, OWN)
    assert not [one for one in free if "rules" in one]
