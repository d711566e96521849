# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract of every issuer that certifies other CAs (docs/design.md, "Link certificates"), as tests to inherit."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any, Protocol

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import LinkingIssuer, LinkOrder
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.links import (
    link_order,
    order_back_link,
    refusals,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import (
    DistinguishedName,
    cross_certify,
    issue_root,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import validate_path
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.authority import NextAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_secrets import (
    encode_links,
    read_links,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import LinkCertificates

from .certificates import YEAR, Entity, key, leaf, make, rsa_key
from .constrained import names
from .issuer_contract import Counterpart


def next_ca(counterpart: Counterpart, validity: timedelta = YEAR, own: PrivateKey | None = None, **name: Any) -> Entity:
    """As it is made here where an issuer certifies it. name: further fields of the name."""
    subject = DistinguishedName("cluster-ca v1", **{"outlives_rewriting": True, **name})
    own = own or key(70)
    return Entity(issue_root(subject, own, not_before=counterpart.now(), validity=validity), own)


def confined(counterpart: Counterpart) -> Entity:
    """A CA of one's own for some names and uses alone, named as an issuer would encode the name."""
    uses = x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH, x509.ExtendedKeyUsageOID.CLIENT_AUTH])
    now = counterpart.now()
    extra = [names(["svc"], ["a.svc"]), (uses, False)]
    return make("confined", key(70), begin=now, end=now + YEAR, extra=extra, outlives_rewriting=True)


def ordered(counterpart: Counterpart, made: Entity) -> LinkOrder:
    return link_order(NextAuthority((made.certificate,), made.key), counterpart.authority[0])


def ordered_back(made: NextAuthority, replaced: Certificate, own: PrivateKey | None = None) -> LinkOrder:
    """own: the key of the CA that is replaced, where that is not kept by the issuer."""
    order = order_back_link(replaced, made, own)
    assert order is not None
    return order


def linking(counterpart: Counterpart) -> LinkingIssuer:
    issuer = counterpart.issuer
    assert isinstance(issuer, LinkingIssuer)
    return issuer


def link(counterpart: Counterpart, order: LinkOrder) -> Certificate:
    answer = linking(counterpart).link(order)
    assert isinstance(answer, Certificate), answer
    return answer


class LinkContract:
    def test_it_certifies_what_is_accepted(self, counterpart: Counterpart) -> None:
        order = ordered(counterpart, next_ca(counterpart))
        assert list(refusals(link(counterpart, order), order)) == []

    def test_it_confines_the_next_ca_as_it_is_confined(self, counterpart: Counterpart) -> None:
        order = ordered(counterpart, confined(counterpart))
        assert order.authority.name_constraints is not None
        assert list(refusals(link(counterpart, order), order)) == []

    def test_leaves_of_the_next_ca_lead_to_the_ca_in_use(self, counterpart: Counterpart) -> None:
        made = next_ca(counterpart)
        certified = link(counterpart, ordered(counterpart, made))
        chain = (leaf(made), certified, *counterpart.authority[:1])
        # The CA itself, because no client has to know what lies above it.
        assert validate_path(chain, counterpart.authority[:1], at=counterpart.now()).valid

    def test_it_certifies_the_ca_in_use_by_its_own(self, counterpart: Counterpart) -> None:
        """Its name as the Cluster Operator writes it, and a key as it makes it. Kafka loads the two certificates, one behind the other."""
        old, new = (
            next_ca(counterpart, outlives_rewriting=False, own=rsa_key(2048)),
            counterpart.authority,
        )
        order = ordered_back(NextAuthority(new, None), old.certificate, old.key)
        answer = link(counterpart, order)
        assert list(refusals(answer, order)) == []
        forth = cross_certify(new[0], old.certificate, old.key, not_before=counterpart.now(), validity=YEAR)
        links = LinkCertificates(forth, answer)
        assert read_links(encode_links(links)) == links

    @pytest.mark.parametrize("days", [10, 9000], ids=["the next CA", "the CA in use"])
    def test_it_ends_with_the_first_of_the_two(self, counterpart: Counterpart, days: int) -> None:
        made = next_ca(counterpart, timedelta(days=days))
        ends = (made.certificate.not_after, counterpart.authority[0].not_after)
        assert link(counterpart, ordered(counterpart, made)).not_after == min(ends)

    def test_it_carries_the_key_identifier_that_leaves_name(self, counterpart: Counterpart) -> None:
        """Of a CA that is supplied it may have been computed in another way."""
        order = ordered(counterpart, next_ca(counterpart))
        unusual = replace(order, authority=_Identified(order.authority))
        assert link(counterpart, unusual).subject_key_identifier == b"another"


class CrossingContract:
    """Of an issuer that keeps the next CA too. A counterpart's ``next_in_it`` makes that CA, and says which issuer certifies it."""

    @pytest.mark.parametrize(
        "name",
        [
            {"common_name": "the next issuer"},
            {
                "common_name": "the next",
                "organization": ["A, Inc."],
                "ou": ["c"],
                "country": ["DE"],
                "locality": ["Köln"],
            },
        ],
        ids=["short", "long"],
    )
    def test_it_certifies_a_ca_that_it_keeps(self, crossing: Crossing, name: dict[str, Any]) -> None:
        issuer, authority = crossing.next_in_it(name)
        order = link_order(NextAuthority((authority,), None), crossing.authority[0])
        answer = issuer.link(order)
        assert isinstance(answer, Certificate), answer
        assert list(refusals(answer, order)) == []
        back = ordered_back(NextAuthority((authority,), None), crossing.authority[0])
        answer = issuer.link(back)
        assert isinstance(answer, Certificate), answer
        assert list(refusals(answer, back)) == []


class Crossing(Counterpart, Protocol):
    """An issuer with its CA, and another CA that it can make."""

    def next_in_it(self, name: dict[str, Any]) -> tuple[LinkingIssuer, Certificate]:
        """The issuer that is asked for the link certificate, and the CA. name: fields of the name, as its API has them."""


class _Identified(Certificate):
    def __init__(self, certificate: Certificate) -> None:
        super().__init__(certificate.der)
        self.__dict__["subject_key_identifier"] = b"another"
