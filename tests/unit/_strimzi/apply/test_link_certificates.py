# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The link certificate beside the prepared CA: made with it, read with it, and removed with it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.authority_order import LinkPlan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    LinkCertificates,
    PreparedAuthority,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    PrepareAuthority,
    TidyKeys,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import Project

from ....tools.support.certificates import YEAR, Entity, key, make
from ..bench import SCOPE, Bench, pem
from ..steps import BROUGHT, OLD, SUPPLIED, switch_to

CERTIFICATES, KEYS = SCOPE.ca_certificate_secret, SCOPE.ca_key_secret
LINKED = PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=(OLD.certificate,), generation=1, links=LinkPlan())


#: Another name, another key.
STRANGER, NAMESAKE = make("Stranger", key(40)), make("cluster-ca v1", key(41))


def prepared(bench: Bench) -> PreparedAuthority:
    (found,) = bench.observe().snapshot.ca.prepared
    return found


def linked(bench: Bench) -> tuple[PreparedAuthority, Certificate]:
    made = prepared(bench)
    assert made.links is not None
    return made, made.links.new_with_old


def with_link(old: Entity = OLD) -> Bench:
    bench = Bench()
    bench.authority(old)
    bench.carry_out(replace(LINKED, replaces=(old.certificate,)))
    return bench


def test_a_link_certificate_is_made_in_the_same_write_as_the_next_ca() -> None:
    bench = Bench()
    bench.authority(OLD)
    (change,) = bench.carry_out(LINKED)
    made, link = linked(bench)
    assert change.name == KEYS
    assert link.signed_by(OLD.certificate)
    assert (link.subject_der, link.public_key_sha256) == (made.chain[0].subject_der, made.key)
    assert made.chain[0].self_issued
    assert made.links.new_with_old not in made.chain


def test_clients_that_load_the_ca_certificate_secret_never_meet_it() -> None:
    """OpenSSL takes the first certificate with the issuer's name: it would refuse plain chains
    (docs/operator.md, "Link certificates").
    """
    bench = with_link()
    made, link = linked(bench)
    bench.carry_out(Project(chains=(made.chain,)))
    bench.carry_out(switch_to(made))
    for content in bench.data(CERTIFICATES).values():
        assert link not in parse_certificates(content)
    assert link not in bench.observe().snapshot.ca.current


def test_a_link_certificate_is_valid_while_both_cas_are_and_for_slow_clocks() -> None:
    _made, link = linked(with_link())
    assert link.not_before == OLD.certificate.not_before
    assert link.not_after <= OLD.certificate.not_after


@pytest.mark.parametrize("years", [0.1, 40], ids=["the old one", "the new one"])
def test_a_link_certificate_ends_with_the_first_of_the_two_cas(years: float) -> None:
    old = make("cluster-ca v0", key(0), path_length=1, end=OLD.certificate.not_before + years * YEAR)
    made, link = linked(with_link(old))
    assert link.not_after == min(made.chain[0].not_after, old.certificate.not_after)


def test_a_supplied_ca_gets_one_too() -> None:
    bench = Bench()
    bench.authority(OLD)
    carry_out(replace(LINKED, supplied=SUPPLIED.chain), bench.observe(), bench.work(supplied=SUPPLIED))
    made, link = linked(bench)
    assert made.chain == (BROUGHT.certificate,)
    assert link.public_key_sha256 == BROUGHT.certificate.public_key_sha256


def test_without_the_old_key_there_is_none_and_nothing_is_written() -> None:
    bench = Bench()
    bench.authority(Entity(OLD.certificate, STRANGER.key))
    with pytest.raises(StepError, match="cluster-ca v0"):
        bench.carry_out(LINKED)
    assert bench.observe().snapshot.ca.prepared == ()


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"placeholder", id="unreadable"),
        pytest.param(pem(OLD), id="of another CA"),
        pytest.param(pem(NAMESAKE, OLD), id="of another key"),
    ],
)
def test_an_unusable_link_certificate_is_ignored(content: bytes) -> None:
    made = prepared(with_link())
    bench = Bench()
    name = made.fingerprint
    bench.authority(OLD, {f"{name}.crt": pem(*made.chain), f"{name}.link.crt": content})
    assert prepared(bench) == PreparedAuthority(made.chain, None)


@pytest.mark.parametrize("kept", [True, False])
def test_a_link_certificate_outlives_the_wait_of_its_ca(kept: bool) -> None:
    """Leaves are presented behind it as long as the CA is in use, whatever has become of the key of the CA that it replaced."""
    bench = with_link()
    made = prepared(bench)
    entry, fingerprints = f"{made.fingerprint}.link.crt", frozenset({made.fingerprint})
    bench.carry_out(switch_to(made, leaving=OLD))
    gone = frozenset[str]() if kept else fingerprints
    bench.carry_out(TidyKeys(prepared=fingerprints, kept_keys=gone_with(bench), links=gone, phase=Phase.USE))
    assert set(bench.data(KEYS)) == {"ca.key", *([entry] if kept else [])}
    assert bench.observe().snapshot.ca.links_in_use == (made.links if kept else None)


def gone_with(bench: Bench) -> frozenset[str]:
    """The keys that lie beside that of the CA in use."""
    return bench.observe().snapshot.ca.kept_keys


def test_the_way_back_is_made_with_it_and_leads_from_the_old_ca_to_the_new_one() -> None:
    """RFC 4210's OldWithNew: the old CA's name, key and key identifier, for leaves only, while both CAs are valid."""
    made = prepared(with_link())
    assert made.links is not None
    back = made.links.old_with_new
    assert back is not None
    old, new = OLD.certificate, made.chain[0]
    assert (back.subject_der, back.public_key_sha256) == (old.subject_der, old.public_key_sha256)
    assert back.subject_key_identifier == old.identifier_in_leaves
    assert back.signed_by(new)
    assert back.names_as_issuer(new)
    assert (back.is_ca, back.path_length) == (True, 0)
    assert (back.not_before, back.not_after) == (max(old.not_before, new.not_before), min(old.not_after, new.not_after))


def test_a_ca_that_has_ended_gets_no_way_back() -> None:
    old = make("cluster-ca v0", key(0), path_length=1, end=OLD.certificate.not_before + 0.1 * YEAR)
    made = prepared(with_link(old))
    assert made.links is not None
    assert made.links.old_with_new is None


@pytest.mark.parametrize("second", [OLD, STRANGER], ids=["the old CA itself", "another CA"])
def test_a_way_back_that_kafka_would_not_load_is_done_without(second: Entity) -> None:
    """Each certificate of what a node presents has to be issued by the next one (docs/operator.md, "After the switch")."""
    made, link = linked(with_link())
    bench = Bench()
    bench.authority(
        OLD, {f"{made.fingerprint}.crt": pem(*made.chain), f"{made.fingerprint}.link.crt": link.pem + pem(second)}
    )
    assert prepared(bench).links == LinkCertificates(link)


@pytest.mark.parametrize(
    ("until", "ends"),
    [
        pytest.param(None, "with the first", id="nothing is said"),
        pytest.param(10 * YEAR, "with the first", id="later than both"),
        pytest.param(YEAR / 100, "then", id="earlier"),
        pytest.param(-YEAR / 100, "", id="over"),
    ],
)
def test_the_way_back_ends_when_the_caller_says(until: timedelta | None, ends: str) -> None:
    """The first of both is used until the switch, however long that takes, and ends with the CAs."""
    bench = Bench()
    bench.authority(OLD)
    last = bench.clock.now().replace(microsecond=0) + until if until is not None else None
    bench.carry_out(replace(LINKED, links=LinkPlan(back_until=last)))
    links = prepared(bench).links
    assert links is not None
    back, end = links.old_with_new, links.new_with_old.not_after
    assert (back.not_after if back else None) == {"with the first": end, "then": last, "": None}[ends]
