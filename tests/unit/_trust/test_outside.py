# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients outside the cluster at both gates: what their copies hold counts, and what is not known of them holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import removal_gate, trust_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside import Follows, OutsideClient, settled
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Reconciliation, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    AwaitOutside,
    IssueLeaves,
    Promote,
    Withdraw,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.waivers import Waiver

from .._pki.hierarchy import Entity, key, make
from . import rotation as stage
from .builders import (
    DAY,
    NEW,
    NOW,
    OLD,
    RENEWED,
    THIRD,
    a_journal,
    bridged,
    chain_of,
    cluster,
    entry,
    leaves,
    ledger,
    name_of,
    others,
    pods,
    prepared,
    secrets,
    uids_of,
)
from .rotation import PHASE_OUT, books_of

NAME, REMEDY = "KafkaConnect kafka/connect", "Change its resource."
REPLACE = Intent(Goal.REPLACE_KEY)
DOUBT = "connect-0 started earlier"


def a_client(*trusts: Entity, **fields: Any) -> OutsideClient:
    held = tuple(one.certificate for one in trusts)
    return replace(OutsideClient(NAME, held, remedy=REMEDY), **fields)


UNREADABLE = a_client(trusts=None, doubt="its copy does not exist")


def with_client(snapshot: Snapshot, *clients: OutsideClient, waived: bool = False) -> Snapshot:
    waivers = (Waiver(NAME, NOW + DAY, "moves in week 51"),) if waived else ()
    return replace(snapshot, outside=clients, waivers=waivers)


def refused(snapshot: Snapshot, authority: Any = NEW) -> list[str]:
    chain = chain_of(authority) if isinstance(authority, Entity) else authority
    return [str(one) for one in trust_gate(snapshot, books_of(snapshot), chain)]


CANNOT = f"cannot validate certificates of the CA {NEW.certificate.subject} ({NEW.certificate.sha256[:16]})"
TRUST = [
    pytest.param(a_client(OLD, NEW), None, id="holds both"),
    pytest.param(a_client(OLD), CANNOT, id="holds the old CA only"),
    pytest.param(a_client(OLD, NEW, doubt=DOUBT), DOUBT, id="holds both, processes are older"),
    pytest.param(UNREADABLE, "its copy does not exist", id="unreadable"),
    pytest.param(a_client(THIRD), None, id="holds no CA of this cluster"),
    pytest.param(a_client(THIRD, declared=True), CANNOT, id="holds none, and is said to trust it"),
]


@pytest.mark.parametrize(("client", "why"), TRUST)
def test_the_trust_gate_asks_outside_clients(client: OutsideClient, why: str | None) -> None:
    snapshot = with_client(stage.TRUSTED, client)
    assert refused(snapshot) == ([] if why is None else [f"{NAME}: {why}. {REMEDY}"])
    assert refused(with_client(stage.TRUSTED, client, waived=True)) == []
    assert refused(replace(snapshot, pods=())) == []


#: The CA in use with a path length that only some kinds of verifiers apply to an anchor.
SHORT = make("cluster-ca v0", key(0), path_length=0)


@pytest.mark.parametrize(
    ("old", "kind", "accepts"),
    [
        (OLD, Verifier.JVM, True), (OLD, Verifier.OPENSSL, True), (SHORT, Verifier.JVM, True),
        (SHORT, Verifier.OPENSSL, False),
    ],
)  # fmt: skip
def test_a_bridge_leads_clients_of_the_old_ca_by_the_rules_of_their_kind(
    old: Entity, kind: Verifier, accepts: bool
) -> None:
    books = ledger(entry(old, generations={0}), entry(NEW))
    snapshot = replace(with_client(stage.TRUSTED, a_client(old, kind=kind)), ledger=books)
    told = f"{NAME}: cannot validate certificates of the CA {NEW.certificate.subject} "
    assert any(one.startswith(told) for one in refused(snapshot, bridged(NEW, old))) is not accepts


def needed(snapshot: Snapshot, leaving: Entity = OLD) -> list[str]:
    return [str(one) for one in removal_gate(snapshot, books_of(snapshot), name_of(leaving))]


NO_LONGER = (
    f"could no longer validate what nodes present without the CA {OLD.certificate.subject} "
    f"({OLD.certificate.sha256[:16]})"
)
REMOVAL = [
    pytest.param(a_client(OLD, NEW), None, id="holds both"),
    pytest.param(a_client(NEW), None, id="holds the new CA only"),
    pytest.param(a_client(OLD), NO_LONGER, id="holds the old CA only"),
    pytest.param(a_client(OLD, follows=Follows.ISSUING), NO_LONGER, id="its copy still is the old CA"),
    pytest.param(a_client(OLD, NEW, doubt=DOUBT), DOUBT, id="processes are older"),
    pytest.param(UNREADABLE, "its copy does not exist", id="unreadable"),
    pytest.param(a_client(THIRD), None, id="holds no CA of this cluster"),
]


@pytest.mark.parametrize(("client", "why"), REMOVAL)
def test_the_removal_gate_keeps_what_outside_clients_need(client: OutsideClient, why: str | None) -> None:
    assert needed(with_client(stage.PHASED_OUT, client)) == ([] if why is None else [f"{NAME}: {why}. {REMEDY}"])
    assert needed(with_client(stage.PHASED_OUT, client, waived=True)) == []


@pytest.mark.parametrize("client", [a_client(OLD, NEW, doubt=DOUBT), UNREADABLE])
def test_once_it_is_taken_out_what_is_not_known_puts_nothing_back(client: OutsideClient) -> None:
    """Copies and processes are being replaced just then; a CA must not go to and fro."""
    assert needed(with_client(stage.WITHDRAWN, client)) == []
    assert needed(with_client(stage.WITHDRAWN, a_client(OLD))) != []


def test_a_renewed_ca_needs_no_copy_made_by_hand_to_change() -> None:
    """Same name and key: what stays in a truststore of one's own validates the new leaves as well."""
    books = ledger(entry(OLD, PHASE_OUT, {0}), entry(RENEWED, generations={1}))
    using: dict[str, Any] = {"pods": pods(1, start=2), "leaves": leaves(RENEWED, 1)}
    snapshot = cluster(ca=secrets(RENEWED, others=others(OLD), certificate_generation=1), ledger=books, **using)
    for follows, keeps in ((Follows.NOTHING, False), (Follows.TRUSTED, True)):
        client = a_client(OLD, follows=follows)
        subjects = {one.subject for one in removal_gate(with_client(snapshot, client), books, name_of(OLD))}
        assert (NAME in subjects) is keeps


FOLLOWED = [
    pytest.param(a_client(OLD, follows=Follows.TRUSTED), {OLD, NEW}, id="every entry"),
    pytest.param(a_client(THIRD, OLD, follows=Follows.TRUSTED), {THIRD, OLD, NEW}, id="and one of its own"),
    pytest.param(a_client(NEW, follows=Follows.ISSUING), {OLD}, id="ca.crt alone"),
    pytest.param(a_client(OLD), {OLD}, id="nothing"),
    pytest.param(a_client(trusts=None, doubt="no copy", follows=Follows.TRUSTED), {OLD, NEW}, id="no copy yet"),
]


@pytest.mark.parametrize(("client", "trusts"), FOLLOWED)
def test_what_the_operator_will_make_of_it(client: OutsideClient, trusts: set[Entity]) -> None:
    """Before the promotion: ca.crt is the old CA, the new one beside it."""
    (after,) = settled(with_client(stage.TRUSTED, replace(client, doubt=client.doubt or DOUBT))).outside
    assert set(after.trusts or ()) == {one.certificate for one in trusts}
    assert after.doubt == ""


def test_what_nobody_can_see_stays_unknown() -> None:
    assert settled(with_client(stage.TRUSTED, UNREADABLE)).outside == (UNREADABLE,)


DECISIONS = [
    pytest.param(stage.TRUSTED, a_client(OLD, NEW), Promote, id="promotes"),
    pytest.param(stage.TRUSTED, a_client(OLD, follows=Follows.TRUSTED), AwaitOutside, id="waits for its copy"),
    pytest.param(stage.TRUSTED, a_client(OLD, NEW, doubt=DOUBT), AwaitOutside, id="waits for its restart"),
    pytest.param(stage.TRUSTED, a_client(OLD, follows=Follows.ISSUING), None, id="will not follow"),
    pytest.param(stage.TRUSTED, UNREADABLE, None, id="cannot be seen"),
    pytest.param(stage.PHASED_OUT, a_client(NEW), Withdraw, id="withdraws"),
    pytest.param(stage.PHASED_OUT, a_client(OLD, follows=Follows.ISSUING), AwaitOutside, id="waits for its new copy"),
    pytest.param(stage.PHASED_OUT, a_client(OLD), None, id="needs the old CA for good"),
]


@pytest.mark.parametrize(("snapshot", "client", "step"), DECISIONS)
def test_what_is_done_about_it(snapshot: Snapshot, client: OutsideClient, step: type | None) -> None:
    """Goes on, waits where it comes by itself, and else holds the flow with its name."""
    found = decide(with_client(snapshot, client), REPLACE)
    if step is None:
        assert (found.steps, found.done) == ((), False)
        assert {violation.subject for violation in found.violations} == {NAME}
        return
    assert isinstance(found.steps[0], step)
    if isinstance(found.steps[0], AwaitOutside):
        assert found.steps[0].clients == (NAME,)
        assert found.steps[0].phase is (Phase.TRUST if snapshot is stage.TRUSTED else Phase.RETIRE)


def test_nobody_is_restarted_for_a_client_that_refuses() -> None:
    """A restart of nodes brings it nothing: every node has the CA."""
    found = decide(with_client(stage.RESTARTED, a_client(OLD)), REPLACE)
    assert [transition.after for transition in found.transitions] == [stage.UNUSED]


def test_nor_where_every_node_validates_the_new_ca_without_one() -> None:
    """A renewal with the same key: nodes that started before it was in the bundle need no restart for it."""
    waiting = entry(RENEWED, stage.UNUSED, awaiting=uids_of())
    books = ledger(entry(OLD, generations={0}), waiting, journal=a_journal(Goal.RENEW, new=RENEWED))
    renewing = cluster(ca=secrets(prepared=(prepared(RENEWED),), others=others(RENEWED)), ledger=books)
    found = decide(with_client(renewing, a_client(THIRD, declared=True)), Intent(Goal.RENEW))
    assert (found.steps, {violation.subject for violation in found.violations}) == ((), {NAME})


def test_a_promotion_that_is_done_goes_on_whoever_comes_to_refuse_it() -> None:
    """Paused: leaves that are not issued here would be issued by the operator as soon as it is let on."""
    paused = Reconciliation(paused=True, paused_by_us=True, pause_effective=True)
    snapshot = replace(with_client(stage.TIDIED, a_client(OLD)), reconciliation=paused)
    assert isinstance(decide(snapshot, replace(REPLACE, way=Way.TAKEOVER)).steps[0], IssueLeaves)


def test_one_that_follows_is_not_waited_for_beside_one_that_does_not() -> None:
    snapshot = with_client(
        stage.TRUSTED, a_client(OLD, follows=Follows.TRUSTED), a_client(OLD, name="Secret kafka/app")
    )
    found = decide(snapshot, REPLACE)
    assert {violation.subject for violation in found.violations} == {NAME, "Secret kafka/app"}
