"""With a gate taken out the checker has to see a broken invariant: otherwise its silence means nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust import bookkeeping, holds, promotable
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence import usage_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import Usage

from ..fakes.flows import run_flow, work_on
from ..fakes.rules import replace_in_rules
from .checker import InvariantBroken
from .flows import Case, start

#: What the bridge needs each gate for is shown in tests/flows.
REPLACE = Case(Goal.REPLACE_KEY, Way.COOPERATE, Bridge.NEVER)


def open_gate(*arguments: Any) -> tuple[()]:
    return ()


def without_trust_gate(patch: pytest.MonkeyPatch) -> None:
    replace_in_rules(patch, "trust_gate", open_gate, bookkeeping, holds)


def without_removal_gate(patch: pytest.MonkeyPatch) -> None:
    replace_in_rules(patch, "removal_gate", open_gate, bookkeeping, holds)
    # Usage is the other thing that keeps a CA: it says that nobody uses any.
    patch.setattr(bookkeeping, "usage_of", lambda fingerprint, seen: _pretend(usage_of(fingerprint, seen)))


def _pretend(usage: Usage) -> Usage:
    return Usage.NONE if usage is Usage.SOME else usage


def without_state_gate(patch: pytest.MonkeyPatch) -> None:
    """A prepared CA is promoted as soon as it is known."""
    patch.setattr(promotable, "TRUSTED_STATES", frozenset({*promotable.TRUSTED_STATES, "UNTRUSTED"}))
    replace_in_rules(patch, "trust_gate", open_gate)
    replace_in_rules(patch, "is_projected", lambda snapshot, fingerprint: True)


@pytest.mark.parametrize("remove", [without_trust_gate, without_state_gate])
def test_a_leaf_in_use_before_it_is_trusted_is_seen(
    remove: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, _checker = start(REPLACE)
    remove(monkeypatch)
    with pytest.raises(InvariantBroken, match=r"I[13]"):
        run_flow(work_on(world), REPLACE.intent)


def test_a_ca_removed_while_a_leaf_of_it_is_stored_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    world, _checker = start(REPLACE)
    old = world.api.find("secrets", "kafka", "demo-cruise-control-certs")
    run_flow(work_on(world), replace(REPLACE.intent, until=Phase.USE))
    world.operator_runs = False
    world.api.request(
        "PATCH",
        "/api/v1/namespaces/kafka/secrets/demo-cruise-control-certs",
        body={"data": old["data"] if old else {}},
        content_type="application/merge-patch+json",
    )
    held = run_flow(work_on(world), REPLACE.intent)
    assert not held.outcome.decision.done, "the removal gate did not hold the flow"
    without_removal_gate(monkeypatch)
    with pytest.raises(InvariantBroken, match=r"I[123]"):
        run_flow(work_on(world), REPLACE.intent)
