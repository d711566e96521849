# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients outside the cluster at both gates: what their copies hold counts, and what is not known of them holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import removal_gate, trust_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    Follows,
    OutsideClient,
    Waiver,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ....support.certificates import NOW, YEAR, Entity, key, make
from .. import linked
from ..builders import (
    ALL,
    ANY,
    DAY,
    NEW,
    OLD,
    PHASE_OUT,
    PODS,
    RENEWED,
    THIRD,
    UNUSED,
    a_leaf,
    books_of,
    chain_of,
    changed,
    cluster,
    entry,
    leaves,
    ledger,
    linked_form,
    name_of,
    others,
    pods,
    prepared,
    secrets,
)

NAME, REMEDY = "KafkaConnect kafka/connect", "Change its resource."
DOUBT = "connect-0 started earlier"
WAIVERS = (Waiver(NAME, NOW + DAY, "moves in week 51"),)
#: OLD is in use, NEW trusted by every process; then NEW is in use, and OLD is to leave; then it is taken out.
BEFORE = cluster(ca=secrets(others=others(NEW)), ledger=ledger(entry(OLD, generations={0}), entry(NEW, UNUSED)))
AFTER = cluster(
    ca=secrets(NEW, others=others(OLD), certificate_generation=1),
    ledger=ledger(entry(OLD, PHASE_OUT, {0}), entry(NEW, ALL, {1})),
    pods=pods(1),
    leaves=leaves(NEW, 1),
)
WITHDRAWN = AFTER.with_ca(others={})
ITSELF = chain_of(NEW)
RENEWED_NEW = make("cluster-ca v1", NEW.key, path_length=1, end=NOW + 2 * YEAR)


def a_client(*trusts: Entity, **fields: Any) -> OutsideClient:
    held = tuple(one.certificate for one in trusts)
    return replace(OutsideClient(NAME, held, remedy=REMEDY), **fields)


def refused(client: OutsideClient, form: Chain = ITSELF, snapshot: Snapshot = BEFORE, **fields: Any) -> list[str]:
    asked = changed(snapshot, outside=(client,), **fields)
    found = trust_gate(asked, books_of(asked), form)
    assert {violation.condition for violation in found} <= {Condition.TRUST}
    return [str(violation) for violation in found]


def needed(client: OutsideClient, snapshot: Snapshot = AFTER, **fields: Any) -> list[str]:
    asked = changed(snapshot, outside=(client,), **fields)
    found = removal_gate(asked, books_of(asked), name_of(OLD))
    assert {violation.condition for violation in found} <= {Condition.REMOVAL}
    return [str(violation) for violation in found]


def told(why: str | None) -> list[str]:
    return [] if why is None else [f"{NAME}: {why}. {REMEDY}"]


UNREADABLE = a_client(trusts=None, doubt="its copy does not exist")
CANNOT = f"cannot validate certificates of the CA {NEW.certificate.subject} ({NEW.certificate.sha256[:16]})"


@pytest.mark.parametrize(
    ("client", "why"),
    [
        pytest.param(a_client(OLD, NEW), None, id="holds both"),
        pytest.param(a_client(OLD), CANNOT, id="holds the old CA only"),
        pytest.param(a_client(OLD, NEW, doubt=DOUBT), DOUBT, id="holds both, processes are older"),
        pytest.param(UNREADABLE, "its copy does not exist", id="unreadable"),
        pytest.param(a_client(THIRD), None, id="holds no CA of this cluster"),
        pytest.param(a_client(THIRD, declared=True), CANNOT, id="holds none, and is said to trust it"),
    ],
)
def test_before_a_ca_is_used(client: OutsideClient, why: str | None) -> None:
    assert refused(client) == told(why)
    assert refused(client, waivers=WAIVERS) == []
    assert refused(client, pods=()) == []


#: The CA in use with a path length that only some kinds of verifiers apply to an anchor.
SHORT = make("cluster-ca v0", key(0), path_length=0)


@pytest.mark.parametrize(
    ("old", "kind", "why"),
    [
        (OLD, Verifier.JVM, None), (OLD, Verifier.OPENSSL, None), (OLD, Verifier.GO, None),
        (SHORT, Verifier.JVM, None), (SHORT, Verifier.OPENSSL, CANNOT), (SHORT, Verifier.GO, CANNOT),
    ],
)  # fmt: skip
def test_a_link_certificate_leads_clients_of_the_old_ca_by_the_rules_of_their_kind(
    old: Entity, kind: Verifier, why: str | None
) -> None:
    """The CA that they would have to know is told, and not its link certificate, which nobody knows."""
    books = ledger(entry(old, generations={0}), entry(NEW, UNUSED))
    assert refused(a_client(old, kind=kind), linked_form(NEW, old), ledger=books) == told(why)


NO_LONGER = (
    f"could no longer validate what nodes present without the CA {OLD.certificate.subject} "
    f"({OLD.certificate.sha256[:16]})"
)


@pytest.mark.parametrize(
    ("client", "why"),
    [
        pytest.param(a_client(OLD, NEW), None, id="holds both"),
        pytest.param(a_client(NEW), None, id="holds the new CA only"),
        pytest.param(a_client(OLD), NO_LONGER, id="holds the old CA only"),
        pytest.param(a_client(OLD, follows=Follows.ISSUING), NO_LONGER, id="its copy still is the old CA"),
        pytest.param(a_client(OLD, NEW, doubt=DOUBT), DOUBT, id="processes are older"),
        pytest.param(UNREADABLE, "its copy does not exist", id="unreadable"),
        pytest.param(a_client(THIRD), None, id="holds no CA of this cluster"),
    ],
)
def test_before_a_ca_leaves(client: OutsideClient, why: str | None) -> None:
    assert needed(client) == told(why)
    assert needed(client, waivers=WAIVERS) == []


def test_a_client_has_to_validate_everything_that_is_presented() -> None:
    books = books_of(AFTER).with_entry(entry(THIRD, ANY, {2}))
    two = (*leaves(NEW, 1, names=PODS[1:]), a_leaf(issuer=THIRD, generation=2))
    mixed = changed(AFTER.with_ca(others=others(OLD, THIRD)), ledger=books, leaves=two)
    assert needed(a_client(NEW), mixed) == told(NO_LONGER)
    assert needed(a_client(NEW, THIRD), mixed) == []


def test_once_it_is_taken_out_what_is_not_known_puts_nothing_back() -> None:
    """Copies and processes are being replaced just then; a CA must not go to and fro."""
    assert needed(a_client(OLD, NEW, doubt=DOUBT), WITHDRAWN) == needed(UNREADABLE, WITHDRAWN) == []
    assert needed(a_client(OLD), WITHDRAWN) == told(NO_LONGER)


@pytest.mark.parametrize(("follows", "why"), [(Follows.NOTHING, None), (Follows.TRUSTED, NO_LONGER)])
def test_a_renewed_ca_needs_no_copy_made_by_hand_to_change(follows: Follows, why: str | None) -> None:
    """Same name and key: what stays in a truststore of one's own validates the new leaves as well."""
    renewing = changed(
        AFTER.with_ca(current=chain_of(RENEWED)),
        ledger=ledger(entry(OLD, PHASE_OUT, {0}), entry(RENEWED, ALL, {1})),
        leaves=leaves(RENEWED, 1),
    )
    assert needed(a_client(OLD, follows=follows), renewing) == told(why)


_CLIENTS = st.builds(
    a_client,
    declared=st.booleans(),
    doubt=st.sampled_from(["", DOUBT]),
    kind=st.sampled_from(Verifier),
    follows=st.sampled_from(Follows),
    trusts=st.none()
    | st.lists(st.sampled_from([one.certificate for one in (OLD, NEW, THIRD)]), unique=True).map(tuple),
).filter(lambda client: client.doubt or client.trusts is not None)


@given(_CLIENTS)
def test_what_is_not_known_of_a_client_never_passes(client: OutsideClient) -> None:
    """Unless it is known to hold no CA of the cluster, and nobody says that it should."""
    unknown = client.trusts is None or bool(client.doubt)
    holds = client.trusts is None or {OLD.certificate, NEW.certificate} & set(client.trusts)
    if unknown and (client.declared or holds):
        assert refused(client)
        assert needed(client)
    assert refused(client, waivers=WAIVERS) == needed(client, waivers=WAIVERS) == []


@pytest.mark.parametrize("form", [chain_of(NEW), chain_of(RENEWED_NEW)], ids=["in use", "renewed"])
def test_nodes_lead_on_to_the_ca_in_use(form: Chain) -> None:
    """A client that knows the CA before it; and no further, to the next one."""
    snapshot = changed(linked.FINISHED, outside=(a_client(OLD),), waivers=())
    assert trust_gate(snapshot, books_of(snapshot), form) == ()
    (refused,) = trust_gate(snapshot, books_of(snapshot), linked_form(THIRD, NEW))
    assert refused.subject == NAME


@pytest.mark.parametrize(
    ("client", "is_held"),
    [
        pytest.param(a_client(OLD, follows=Follows.ISSUING), False, id="the next CA comes to it as ca.crt"),
        pytest.param(a_client(OLD, follows=Follows.TRUSTED), True, id="the operator takes the old one from it"),
        pytest.param(a_client(OLD), True, id="nobody brings it the next one"),
    ],
)
def test_with_both_link_certificates_the_old_ca_may_leave_a_client_that_gets_the_next_one(
    client: OutsideClient, is_held: bool
) -> None:
    """Before the switch; A is OLD."""
    snapshot = changed(linked.ALONE, outside=(client,), waivers=())
    assert bool(removal_gate(snapshot, books_of(snapshot), name_of(OLD))) is is_held
    alone = snapshot.with_ca(prepared=(prepared(NEW, linked.LINK),))
    assert removal_gate(alone, books_of(alone), name_of(OLD)) != ()
