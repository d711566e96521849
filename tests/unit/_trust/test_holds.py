# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds a flow when nothing can be done and the goal is not reached (unknown evidence fails closed, I5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decision import Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.holds import holds
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot

from .._pki.hierarchy import Entity, key, make
from . import rotation as stage
from .builders import (
    EARLY,
    EXPIRED,
    INTERMEDIATE,
    NEW,
    OLD,
    PODS,
    a_journal,
    a_leaf,
    a_pod,
    cluster,
    entry,
    leaves,
    ledger,
    others,
    pods,
    prepared,
    secrets,
)
from .rotation import UNTRUSTED, books_of

RECONCILE = Intent(Goal.RECONCILE)
#: A certificate that can sign nothing, put among the CAs.
NO_CA = make("partner", key(20), ca=False)
ASK = "Find out who removed or changed this; restarting the pod through the operator renews its annotations."


def found(snapshot: Snapshot) -> Decision:
    return decide(snapshot, RECONCILE)


def test_nothing_holds_a_cluster_that_is_done() -> None:
    assert holds(stage.FINISHED, RECONCILE, books_of(stage.FINISHED)) == ()
    assert found(stage.FINISHED) == Decision(done=True)


UNKNOWN = [
    pytest.param(
        {"pods": (a_pod(generation=None), *pods(names=PODS[1:]))},
        f"pod {PODS[0]} has no CA certificate generation annotation",
        id="no annotation",
    ),
    pytest.param(
        {"pods": (a_pod(generation=8, presents_stored=None), *pods(names=PODS[1:]))},
        f"pod {PODS[0]} has generation 8 of no known CA",
        id="unknown generation",
    ),
    pytest.param(
        {"leaves": (a_leaf(chain=None), *leaves(names=PODS[1:]))},
        f"the certificate {PODS[0]}.crt in Secret {PODS[0]} cannot be read",
        id="unreadable leaf",
    ),
    pytest.param(
        {"leaves": (a_leaf(issuer=NEW), *leaves(names=PODS[1:]))},
        f"the certificate {PODS[0]}.crt in Secret {PODS[0]} chains to no CA of the ledger",
        id="leaf of a stranger",
    ),
    pytest.param(
        {"leaves": leaves(names=PODS[1:])}, f"a Secret with a certificate of pod {PODS[0]} is missing", id="no Secret"
    ),
]


@pytest.mark.parametrize(("fields", "why"), UNKNOWN)
def test_a_pod_that_cannot_be_told_holds_and_the_pod_is_named(fields: dict[str, Any], why: str) -> None:
    decision = found(cluster(**fields))
    assert (decision.steps, decision.done) == ((), False)
    assert [(one.gate, str(one)) for one in decision.violations] == [
        ("evidence", f"Pod kafka/{PODS[0]}: it cannot be told what it presents: {why}. {ASK}")
    ]


def test_a_prepared_ca_that_can_never_become_trusted_holds() -> None:
    """Every process trusts it, and still nobody can validate its leaves."""
    books = ledger(entry(OLD, generations={0}), entry(NO_CA, UNTRUSTED), journal=a_journal(new=NO_CA))
    decision = found(cluster(ca=secrets(prepared=(prepared(NO_CA),), others=others(NO_CA)), ledger=books))
    assert (decision.steps, decision.done) == ((), False)
    everybody = [*(f"pod {name}" for name in PODS), "the Cluster Operator"]
    assert [(one.gate, one.subject) for one in decision.violations] == [("trust", name) for name in everybody]


@pytest.mark.parametrize("other", [EXPIRED, EARLY, NO_CA])
def test_a_ca_that_only_is_there_holds_nothing_once_everybody_has_it(other: Entity) -> None:
    books = ledger(entry(OLD, generations={0}), entry(other, UNTRUSTED))
    decision = found(cluster(ca=secrets(others=others(other)), ledger=books))
    assert (decision.steps, decision.violations, decision.done) == ((), (), True)


def test_a_ca_that_is_still_needed_holds() -> None:
    """A stored leaf that no pod presents, under the generation of another CA."""
    stray = (*leaves(NEW, 1), a_leaf("stray", INTERMEDIATE, 1))
    decision = found(replace(stage.PHASED_OUT, leaves=stray))
    assert (decision.steps, decision.done) == ((), False)
    assert [(one.gate, one.subject) for one in decision.violations] == [("removal", "Secret stray")]


def test_without_pods_closed_gates_hold_nothing() -> None:
    """The states are kept then; there is nobody whom the gates could protect."""
    books = ledger(entry(OLD, generations={0}), entry(NEW, UNTRUSTED))
    decision = found(cluster(ca=secrets(others=others(NEW)), ledger=books, pods=(), leaves=()))
    assert (decision.violations, decision.done) == ((), True)
    assert found(replace(stage.PHASED_OUT, pods=())).done


def test_what_can_still_be_done_is_done_first() -> None:
    """One pod is unknown; those that are known to be behind are rolled all the same."""
    mixed = (a_pod(generation=None, start=1), *pods(start=1, names=PODS[1:]))
    decision = found(replace(stage.TIDIED, pods=mixed))
    assert decision.violations == ()
    assert decision.steps
