# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves that only processes hold: they count as presented, and are forgotten with who presents them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bookkeeping import forget_held, keep_books
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import removal_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import HeldLeaf, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.observed import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.parties import present_all
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState

from .._pki.hierarchy import leaf as issue_leaf
from .builders import (
    NEW,
    OLD,
    PODS,
    RENEWED,
    THIRD,
    Entity,
    cluster,
    entry,
    leaves,
    ledger,
    name_of,
    names_of,
    others,
    pods,
    secrets,
    stored_chain,
    uid_of,
)

FIRST = frozenset({uid_of(PODS[0])})
NOBODY: frozenset[str] = frozenset()


def held_of(issuer: Entity, awaiting: frozenset[str] = NOBODY, lingering: frozenset[str] = FIRST) -> HeldLeaf:
    return HeldLeaf(issue_leaf(issuer, "held"), awaiting, lingering)


def leaving(*held: HeldLeaf, successor: Entity = NEW) -> Snapshot:
    """Every stored leaf and every listener is of the successor; OLD is on its way out."""
    return cluster(
        ca=secrets(successor, others=others(OLD), certificate_generation=1),
        ledger=ledger(entry(OLD, TrustState.PHASE_OUT, {0}), entry(successor, generations={1}), held=held),
        pods=pods(1),
        leaves=leaves(successor, 1),
    )


def books(snapshot: Snapshot) -> Ledger:
    return snapshot.ledger or Ledger()


@pytest.mark.parametrize(("awaiting", "lingering"), [(FIRST, NOBODY), (NOBODY, FIRST)])
def test_its_ca_cannot_leave(awaiting: frozenset[str], lingering: frozenset[str]) -> None:
    free, kept = leaving(), leaving(held_of(OLD, awaiting, lingering))
    assert removal_gate(free, books(free), name_of(OLD)) == ()
    (violation,) = removal_gate(kept, books(kept), name_of(OLD))
    assert violation.subject == f"pod {PODS[0]}"


def test_its_ca_is_in_use_again() -> None:
    after, _transitions = keep_books(leaving(held_of(OLD)))
    found = after.find(name_of(OLD))
    assert found is not None
    assert found.state is TrustState.TRUSTED_IN_USE_ANY


def test_of_two_cas_with_one_key_it_is_of_the_one_that_is_known_to_be_used() -> None:
    snapshot = leaving(held_of(OLD), successor=RENEWED)
    assert {seen.authorities for seen in present_all(snapshot, books(snapshot))} == {names_of(RENEWED)}


def test_one_of_an_unknown_ca_is_unknown() -> None:
    snapshot = leaving(held_of(THIRD))
    first, second, third = present_all(snapshot, books(snapshot))
    assert first.authorities is None
    assert "chains to no CA of the ledger" in first.why
    assert second.authorities == third.authorities == names_of(NEW)


def shown(snapshot: Snapshot, presented: Certificate) -> Snapshot:
    """All listeners present this."""
    seen = tuple(
        ObservedListener(pod.name, pod.uid, port, (presented, NEW.certificate))
        for pod in snapshot.pods
        for port in (9090, 9091)
    )
    return replace(snapshot, listeners=seen)


HELD = held_of(NEW, awaiting=FIRST, lingering=NOBODY)
STORED = stored_chain(NEW)[0]
READ = replace(HELD, awaiting=NOBODY, lingering=FIRST)


@pytest.mark.parametrize(
    ("before", "presented", "after"),
    [
        pytest.param(HELD, None, (HELD,), id="nobody looked"),
        pytest.param(HELD, HELD.certificate, (HELD,), id="still presented by listeners"),
        pytest.param(HELD, STORED, (READ,), id="listeners have read"),
        pytest.param(READ, STORED, (READ,), id="the rest has not"),
        pytest.param(replace(HELD, awaiting=frozenset({"gone"})), None, (), id="restarted before it has read"),
        pytest.param(replace(READ, lingering=frozenset({"gone"})), STORED, (), id="restarted afterwards"),
    ],
)
def test_forgotten(before: HeldLeaf, presented: Certificate | None, after: tuple[HeldLeaf, ...]) -> None:
    snapshot = leaving(before)
    looked = shown(snapshot, presented) if presented else snapshot
    assert forget_held(looked, books(looked)).held == after


def test_one_listener_that_has_not_read_is_enough() -> None:
    snapshot = shown(leaving(HELD), STORED)
    (first, *rest) = snapshot.listeners or ()
    partly = replace(snapshot, listeners=(replace(first, presents=(HELD.certificate,)), *rest))
    assert forget_held(partly, books(partly)).held == (HELD,)


def test_written_down_before_it_is_replaced() -> None:
    """What is presented is what is stored still: nobody has read anything."""
    noted = HeldLeaf(STORED, FIRST)
    snapshot = shown(leaving(noted), STORED)
    assert forget_held(snapshot, books(snapshot)).held == (noted,)
