# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a new key is introduced by a certificate of the old CA, and when not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bridges import (
    crossing,
    is_bridge,
    is_crossed,
    is_to_be_crossed,
    learning_first,
    may_be_bridged,
    may_cross,
    who_learns_first,
    why_not_bridged,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import (
    Chain,
    Component,
    Pod,
    PreparedAuthority,
    Snapshot,
)

from .._pki.hierarchy import Entity, key, make
from . import crossing as stage
from .builders import (
    IMPOSTOR,
    INTERMEDIATE,
    NEW,
    OLD,
    RENEWED,
    ROOT,
    THIRD,
    a_pod,
    bridged,
    chain_of,
    cluster,
    entry,
    ledger,
    name_of,
    others,
    prepared,
    secrets,
)
from .rotation import ALL, ANY, PHASE_OUT, UNTRUSTED, UNUSED, books_of

AUTO, ALWAYS, NEVER = (Intent(Goal.REPLACE_KEY, bridge=bridge) for bridge in Bridge)
BRIDGE = bridged(NEW, OLD)


@pytest.mark.parametrize(
    ("chain", "beside", "expected"),
    [
        pytest.param(BRIDGE, NEW, True, id="the key of a root that is there"),
        pytest.param(BRIDGE, THIRD, False, id="the root is not in the ledger"),
        pytest.param(chain_of(NEW), NEW, False, id="the root itself"),
        pytest.param(chain_of(RENEWED), OLD, False, id="a renewal of the root is a root"),
        pytest.param(chain_of(INTERMEDIATE, ROOT), ROOT, False, id="an intermediate"),
        pytest.param(bridged(IMPOSTOR, NEW), OLD, False, id="another key of the same name"),
        pytest.param(bridged(make("Other", OLD.key), NEW), OLD, False, id="another name of the same key"),
    ],
)
def test_what_a_bridge_is(chain: Chain, beside: Entity, expected: bool) -> None:
    assert is_bridge(entry(chain), ledger(entry(chain), entry(beside))) is expected


def supplied(*chain: Entity) -> Intent:
    return replace(AUTO, supplied=PreparedAuthority(chain_of(*chain), chain[0].certificate.public_key_sha256))


BY_ITSELF = cluster(ca=secrets(BRIDGE), ledger=ledger(entry(BRIDGE, ALL, {0}), entry(NEW), entry(OLD, ANY)))


@pytest.mark.parametrize(
    ("snapshot", "intent", "why"),
    [
        pytest.param(cluster(), AUTO, "", id="as usual"),
        pytest.param(cluster(), supplied(NEW), "", id="a supplied root"),
        pytest.param(cluster(ca=secrets(None)), AUTO, "there is no CA yet.", id="no CA"),
        pytest.param(
            cluster(ca=secrets(key=None)), AUTO,
            f"the key of {OLD.certificate.subject} is not at hand to certify the new one.", id="no key",
        ),
        pytest.param(
            cluster(ca=secrets(key=NEW.certificate.public_key_sha256)), AUTO,
            f"the key of {OLD.certificate.subject} is not at hand to certify the new one.", id="another key",
        ),
        pytest.param(
            cluster(), supplied(INTERMEDIATE, ROOT),
            f"the supplied CA {INTERMEDIATE.certificate.subject} is no root: its own issuer certifies it.",
            id="a supplied intermediate",
        ),
        pytest.param(
            BY_ITSELF, AUTO, f"{NEW.certificate.subject} is a bridge itself; the flow that made it was abandoned.",
            id="a bridge issues",
        ),
    ],
)  # fmt: skip
def test_why_there_can_be_no_bridge(snapshot: Snapshot, intent: Intent, why: str) -> None:
    assert why_not_bridged(snapshot, intent) == why
    assert may_be_bridged(snapshot, intent) is not bool(why)


@pytest.mark.parametrize("goal", Goal)
@pytest.mark.parametrize("bridge", Bridge)
def test_only_a_new_key_is_bridged_and_never_where_it_is_forbidden(goal: Goal, bridge: Bridge) -> None:
    wanted = goal is Goal.REPLACE_KEY and bridge is not Bridge.NEVER
    assert may_be_bridged(cluster(), Intent(goal, bridge=bridge)) is wanted


NODE, EXPORTER = a_pod(), a_pod("exporter", component=Component.KAFKA_EXPORTER)


def exporter(old: Entity, *, knows: bool = False) -> Snapshot:
    """A Go program beside a node, and a bridge from this CA. knows: it has started since the new CA is in the trust."""
    waits = replace(prepared(NEW), bridge=bridged(NEW, old))
    return cluster(
        ca=secrets(old, prepared=(waits,), others=others(NEW)),
        ledger=ledger(
            entry(old, generations={0}),
            entry(NEW, UNTRUSTED, awaiting={NODE.uid} if knows else {NODE.uid, EXPORTER.uid}),
        ),
        pods=(NODE, EXPORTER),
    )


def outsider(old: Entity) -> Snapshot:
    """The same, and somebody outside who trusts the old CA only, as OpenSSL does."""
    trusts = OutsideClient("Secret kafka/app", (old.certificate,), None, Verifier.OPENSSL)
    return replace(exporter(old), outside=(trusts,))


SHORT = make("cluster-ca v0", key(0), path_length=0)


@pytest.mark.parametrize(
    ("snapshot", "intent", "expected"),
    [
        pytest.param(stage.READY, AUTO, True, id="auto"),
        pytest.param(stage.READY, ALWAYS, True, id="always"),
        pytest.param(stage.READY, NEVER, False, id="prepared, and now forbidden"),
        pytest.param(exporter(OLD), AUTO, True, id="an exporter"),
        pytest.param(exporter(SHORT), AUTO, True, id="an exporter that applies the path length, and can learn"),
        pytest.param(exporter(SHORT, knows=True), AUTO, True, id="one that has learned"),
        pytest.param(outsider(SHORT), AUTO, False, id="a client outside that applies the path length"),
        pytest.param(outsider(SHORT), ALWAYS, True, id="the same, and no other way is wanted"),
        pytest.param(stage.ISSUING, AUTO, True, id="under way"),
        pytest.param(stage.ISSUING, NEVER, True, id="under way: it is too late to forbid it"),
        pytest.param(stage.CROSSED, AUTO, False, id="crossed"),
    ],
)
def test_whether_the_trust_comes_with_the_bridge(snapshot: Snapshot, intent: Intent, expected: bool) -> None:
    new = books_of(snapshot).find(name_of(NEW))
    assert new is not None
    assert is_to_be_crossed(snapshot, intent, books_of(snapshot), new) is expected


def without_trust(snapshot: Snapshot, old: Entity) -> Snapshot:
    """Nobody knows the old CA either."""
    books = books_of(snapshot)
    gone = replace(entry(old, generations={0}), awaiting=snapshot.uids)
    return replace(snapshot, ledger=books.with_entry(gone))


@pytest.mark.parametrize(
    ("snapshot", "learning"),
    [
        pytest.param(exporter(SHORT), (EXPORTER,), id="a Go program that does not know the new CA"),
        pytest.param(exporter(SHORT, knows=True), (), id="a Go program that knows it"),
        pytest.param(exporter(OLD), (), id="the old CA allows one below it"),
        pytest.param(
            without_trust(exporter(OLD), OLD), (EXPORTER,), id="a node that refuses it does not restart for it"
        ),
    ],
)
def test_who_restarts_before_the_bridge_is_used(snapshot: Snapshot, learning: tuple[Pod, ...]) -> None:
    books = books_of(snapshot)
    new = books.find(name_of(NEW))
    assert new is not None
    assert learning_first(snapshot, books, new) == learning
    assert bool(who_learns_first(snapshot, books, new)) is bool(learning)


def test_before_the_new_ca_is_in_the_trust_everybody_is_still_to_learn() -> None:
    snapshot = exporter(SHORT, knows=True)
    unknown = replace(entry(NEW, UNTRUSTED), awaiting=None)
    books = books_of(snapshot).with_entry(unknown)
    assert learning_first(snapshot, books, unknown) == (EXPORTER,)


def test_where_a_node_refuses_the_bridge_it_is_not_used() -> None:
    snapshot = without_trust(exporter(SHORT), SHORT)
    assert not is_to_be_crossed(snapshot, AUTO, books_of(snapshot), entry(NEW))


def test_what_was_not_prepared_with_a_bridge_cannot_be_crossed() -> None:
    plain = replace(stage.READY, ca=replace(stage.READY.ca, prepared=(prepared(NEW),)))
    assert not is_to_be_crossed(plain, ALWAYS, books_of(plain), entry(NEW))
    assert not may_cross(plain, ALWAYS, books_of(plain), prepared(NEW))


@pytest.mark.parametrize(
    ("snapshot", "intent", "usable"),
    [
        pytest.param(stage.READY, AUTO, True, id="auto"),
        pytest.param(stage.READY, NEVER, False, id="never"),
        pytest.param(exporter(SHORT), AUTO, False, id="gate closed"),
        pytest.param(exporter(SHORT), ALWAYS, False, id="gate closed, and no gate has an exception"),
        pytest.param(exporter(SHORT, knows=True), AUTO, True, id="who refused it has learned"),
        pytest.param(BY_ITSELF, AUTO, False, id="one bridge after another"),
    ],
)
def test_by_which_bridge_a_ca_may_start_to_issue(snapshot: Snapshot, intent: Intent, usable: bool) -> None:
    waits = next(iter(snapshot.ca.prepared), replace(prepared(NEW), bridge=BRIDGE))
    assert may_cross(snapshot, intent, books_of(snapshot), waits) is usable


@pytest.mark.parametrize("state", [UNUSED, ANY, ALL, PHASE_OUT])
def test_a_bridge_is_crossed_when_everybody_presents_what_it_issued(state: object) -> None:
    books = Ledger(tuple(replace(one, state=state) if one.chain == BRIDGE else one for one in stage.BOOKS.entries))
    found = crossing(stage.ISSUING, books)
    assert found is not None
    assert found.chain == BRIDGE
    assert is_crossed(stage.ISSUING, books) is (state is ALL)
    assert crossing(stage.READY, books) is None
    assert not is_crossed(stage.READY, books)
