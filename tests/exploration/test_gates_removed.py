"""Each safety rule, taken out of the engine alone, leads to a broken invariant: none of them is there for nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust import (
    bookkeeping,
    decide,
    evidence,
    gates,
    promotable,
    promotion,
    rules,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence import Presentation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Promote

from ..fakes.rules import replace_in_rules, without_rule
from . import events, runs
from .authorities import BRIDGE
from .events import Event
from .explore import explore
from .findings import counter_example
from .people import adds_another_ca, removes_an_annotation, restores_an_old_leaf
from .runs import Runner
from .starts import start
from .state import Books, Run, Secrets, World, Write, map_uids

REPLACE = Intent(Goal.REPLACE_KEY, bridge=Bridge.NEVER)


def test_the_trust_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_in_rules(monkeypatch, "trust_gate", lambda *arguments: (), bookkeeping)
    assert counter_example(Runner(REPLACE)).startswith("I1")


def test_the_removal_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_in_rules(monkeypatch, "removal_gate", lambda *arguments: (), bookkeeping)
    assert counter_example(Runner(REPLACE), people=restores_an_old_leaf).startswith(("I1", "I2"))


def test_the_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CA counts as projected although the operator has not put it into the bundle yet."""
    replace_in_rules(
        monkeypatch, "is_projected", lambda snapshot, fingerprint: fingerprint in snapshot.ca.projected, bookkeeping
    )  # fmt: skip
    without_rule(monkeypatch, "await_bundle")
    assert counter_example(Runner(REPLACE)).startswith("I1")


def test_unknown_is_not_current(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing annotation counts as the present generation, as it does for the operator (strimzi.md 4.1, step 3)."""
    present_pod = evidence.present_pod

    def optimistic(pod: Any, leaves: Any, ledger: Any) -> Presentation:
        seen = present_pod(pod, leaves, ledger)
        if seen.authorities is not None:
            return seen
        return Presentation(pod.name, frozenset({ledger.entries[-1].fingerprint}), (), "assumed")

    monkeypatch.setattr(evidence, "present_pod", optimistic)
    assert counter_example(Runner(REPLACE), people=removes_an_annotation).startswith("I")


class PodsFirst(Runner):
    """Lists the pods before it reads the Secrets: the order that the pod-UID rule forbids."""

    def _decides(self, world: World, number: int, run: Run, seen: Secrets) -> Event:
        event, after = super()._decides(world, number, run._replace(changed=frozenset()), world.secrets)
        gone = frozenset(int(name.removeprefix("pod ")) for name in run.changed if name.startswith("pod "))
        run = after.runs[number]
        return event, after.with_run(number, run._replace(writes=tuple(_without(write, gone) for write in run.writes)))


def _without(write: Write, gone: frozenset[int]) -> Write:
    """What was decided with UIDs that nobody has any more."""
    if not isinstance(write.value, Books):
        return write
    alone = World((), None, None, write.value, None, False, None, ())  # type: ignore[arg-type]
    return write._replace(value=map_uids(alone, lambda uids: uids - gone).books)


def test_the_order_of_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    forget = events.forget
    monkeypatch.setattr(
        events, "forget", lambda world, number: forget(world, number).changed(f"pod {number}")
    )  # fmt: skip
    assert counter_example(PodsFirst(REPLACE)).startswith("I1")


class Unconditional(Runner):
    def refuses(self, write: Write, run: Run) -> bool:
        return False


def test_conditional_writes() -> None:
    assert counter_example(Unconditional(REPLACE), people=adds_another_ca, runs=2).startswith("I")


def test_a_promotion_is_ended_before_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this rule a run that is interrupted in the middle of a promotion can never be continued (I8)."""
    without_rule(monkeypatch, "settle_key")
    assert explore(start(REPLACE, 1, 1), Runner(REPLACE), 1, adds_another_ca).dead_ends()


BRIDGED = Intent(Goal.REPLACE_KEY)


def _crossing(monkeypatch: pytest.MonkeyPatch, **replaced: Any) -> str:
    """With a node, a component and the operator's own leaf."""
    for name, value in replaced.items():
        replace_in_rules(monkeypatch, name, value)
    return counter_example(Runner(BRIDGED), nodes=1, components=(Component.ENTITY_OPERATOR,))


def test_the_gate_for_leaves_that_are_presented_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _crossing(monkeypatch, alone_gate=lambda *arguments: ()).startswith("I1")


def test_keeping_the_operators_leaf(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _crossing(monkeypatch, _keep_leaves=lambda *arguments: ()).endswith("does not accept the operator")


def test_keeping_it_before_the_promotion(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Afterwards would do as well, were it not for runs that give up in between and end their pause."""
    keep = promotion._keep_leaves

    def keep_last(snapshot: Any, intent: Any, ledger: Any) -> Any:
        if not promotable.is_promoted(snapshot, intent):
            return ()
        promoted = Promote(snapshot.ca.current[0].fingerprint, snapshot.ca.certificate_generation)
        return keep(snapshot, ledger, promoted)

    monkeypatch.setattr(promotion, "_presented_after", lambda snapshot, step: snapshot.ca.current)
    monkeypatch.setattr(promotion, "_is_issuing_watched", lambda *arguments: True)
    monkeypatch.setattr(decide, "RULES", (rules.settle_key, keep_last, *rules.RULES[1:]))
    broken = _crossing(monkeypatch, _keep_leaves=lambda *arguments: ())
    assert broken.endswith("does not accept the operator")
    assert "run 0 gives up" in capsys.readouterr().out


def test_the_chain_on_leaves_of_components(monkeypatch: pytest.MonkeyPatch) -> None:
    leaf = runs._leaf
    monkeypatch.setattr(
        runs, "_leaf", lambda slot, issued: leaf(slot, issued._replace(alone=issued.authority == BRIDGE))
    )
    assert _crossing(monkeypatch).startswith("I1")


def test_the_removal_gate_under_a_bridge(monkeypatch: pytest.MonkeyPatch) -> None:
    """The operator's kept leaf is of the CA that leaves."""
    without_rule(monkeypatch, "renew_kept_leaves")
    monkeypatch.setattr(bookkeeping, "removal_gate", lambda *arguments: ())
    assert _crossing(monkeypatch, removal_gate=lambda *arguments: ()).startswith(("I1", "I2"))


def test_the_path_length_in_the_gate_of_a_bridge(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exporter taken for a JVM is not waited for, and refuses what nodes present."""
    monkeypatch.setattr(gates, "Verifier", SimpleNamespace(JVM=Verifier.JVM, GO=Verifier.JVM))
    broken = counter_example(Runner(BRIDGED), nodes=1, components=(Component.KAFKA_EXPORTER,))
    assert broken.startswith("I1")


def test_the_trust_gate_of_a_bridge(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plain certificate in the place of its bridge: nobody validates it yet."""
    monkeypatch.setattr(promotable, "is_crossed", lambda *arguments: True)
    monkeypatch.setattr(promotable, "TRUSTED_STATES", frozenset(TrustState))
    assert _crossing(monkeypatch, trust_gate=lambda *arguments: ()).startswith("I1")
