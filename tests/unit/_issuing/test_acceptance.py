# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an issuer returns is checked as if it came from a stranger: each way in which it can be wrong is refused."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.acceptance import refusals
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import IssuedCertificate
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.subjects import LeafSubject, subject_of
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.authorities import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.leaves import sign_leaf
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component
from ansible_collections.trustops.strimzi.tests.support.certificates import NOW, YEAR, Entity, key, make
from ansible_collections.trustops.strimzi.tests.support.constrained import names as constrained_names

ROOT = make("root", key(1))
CA = make("cluster-ca v1", key(2), ROOT)
OTHER = make("cluster-ca v0", key(3))
NAMES = frozenset({"a.example", "192.0.2.1", "2001:db8::1"})
OWN = key(9)
SUBJECT = subject_of(Component.KAFKA, "demo-kafka", NAMES)
CLIENT = subject_of(Component.ENTITY_OPERATOR, "demo-entity-topic-operator", NAMES)


@dataclass(frozen=True)
class Issue:
    """One certificate as it should be; each case spoils one thing."""

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


def refused(issued: IssuedCertificate, subject: LeafSubject = SUBJECT) -> list[str]:
    return list(refusals(issued, subject, OWN, (CA.certificate,), NOW))


@pytest.mark.parametrize(
    ("subject", "issue"),
    [
        (SUBJECT, GOOD),
        (SUBJECT, replace(GOOD, chain=(CA.certificate, ROOT.certificate))),
        (SUBJECT, replace(GOOD, chain=())),
        (CLIENT, replace(GOOD, name=CLIENT.distinguished_name, names=frozenset())),
    ],
)
def test_what_was_asked_for_is_accepted(subject: LeafSubject, issue: Issue) -> None:
    assert refused(issue.certificate(), subject) == []


@pytest.mark.parametrize(
    ("issue", "reason"),
    [
        (replace(GOOD, own_key=key(8)), "public key"),
        (replace(GOOD, name=DistinguishedName("demo-other")), "its subject is CN=demo-other"),
        (replace(GOOD, name=DistinguishedName("demo-kafka", None)), "its subject is CN=demo-kafka"),
        (replace(GOOD, names=NAMES | {"evil.example"}), "alternative names"),
        (replace(GOOD, names=NAMES - {"192.0.2.1"}), "alternative names"),
        (replace(GOOD, names=frozenset()), "alternative names"),
        (replace(GOOD, issuer=OTHER, chain=(OTHER.certificate,)), ""),
        (replace(GOOD, issuer=OTHER, chain=(OTHER.certificate, CA.certificate)), ""),
        (replace(GOOD, begin=timedelta(hours=1)), "not valid before"),
        (replace(GOOD, begin=-timedelta(hours=2), end=-timedelta(hours=1)), "expired"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_one_thing_wrong_is_one_reason(issue: Issue, reason: str) -> None:
    (said,) = refused(issue.certificate())
    assert said
    assert reason in said


def test_a_ca_certificate_is_never_a_leaf() -> None:
    """With it a node could issue in the name of the CA."""
    subject = LeafSubject(DistinguishedName("demo-kafka"), frozenset())
    made = make("demo-kafka", OWN, CA, ca=True).certificate
    assert "it is a CA certificate" in refused(IssuedCertificate(made, ()), subject)


def test_a_server_leaf_is_refused_where_a_client_was_asked_for() -> None:
    assert refused(GOOD.certificate(), CLIENT)


def test_a_leaf_below_another_ca_of_the_same_name_is_refused() -> None:
    impostor = make("cluster-ca v1", key(4))
    issued = replace(GOOD, issuer=impostor, chain=(impostor.certificate,)).certificate()
    assert refused(issued)


def test_all_reasons_are_told_at_once() -> None:
    spoilt = replace(GOOD, names=frozenset(), own_key=key(8)).certificate()
    said = list(refusals(spoilt, CLIENT, OWN, (OTHER.certificate,), NOW))
    assert len(said) == 3


def test_a_leaf_that_the_chain_of_its_issuer_does_not_admit_is_refused() -> None:
    """Clients may trust the root alone, which is not part of what is checked otherwise."""
    root = make("the root", key(5), extra=[constrained_names(["example.com"])])
    below = make("the CA", key(6), root)
    issued = replace(GOOD, issuer=below, chain=(below.certificate,)).certificate()
    (said,) = refusals(issued, SUBJECT, OWN, (below.certificate, root.certificate), NOW)
    assert said.startswith("the name constraints of CN=the root,O=io.strimzi do not admit the name ")
    assert list(refusals(issued, SUBJECT, OWN, (below.certificate,), NOW)) == []
