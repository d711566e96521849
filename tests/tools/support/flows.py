"""A playbook's logic in one process: the engine on a cluster, phase by phase or in one go.

Unlike the rest of this package it drives the collection, so only the tests of flows import it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import run
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import CallOutcome
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KubeError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient, Remembered
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.lease import TrustLease
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyAlgorithm, KeySpec, KeyType
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.restarts import (
    CountedRestart,
    RestartCount,
    SharedCount,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action, Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.written import Written
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.settings import Settings
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import ENGINE, Engine
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Violation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import NO_WISHES, Intent, Wishes

from .intents import changed_intent
from .memory_cluster import MemoryCluster

EC = KeySpec(KeyAlgorithm.ECDSA, 256)
#: Behind the real time: the cluster may live for an hour, and what it issues is valid now.
START = datetime.now(timezone.utc) - timedelta(hours=2)
SETTINGS = Settings(operator_timeout=timedelta(seconds=60), pod_timeout=timedelta(seconds=60), holder="test")
#: Keys that are made fast, and no records.
WISHES = NO_WISHES.changed(key_type=KeyType.ECDSA_P256, leaf_key=EC, backs_up=False, audits=False)


class MemoryClock:
    """The cluster's time: it passes when the cluster moves. ahead: by how much this clock is."""

    def __init__(self, memory: MemoryCluster, ahead: timedelta = timedelta(0)) -> None:
        self._memory, self._ahead = memory, ahead

    def now(self) -> datetime:
        return START + timedelta(seconds=self._memory.seconds) + self._ahead

    def monotonic(self) -> float:
        return self._memory.seconds

    def sleep(self, seconds: float) -> None:
        """The cluster moves once, however long it is."""
        self._memory.step()
        self._memory.seconds += max(0.0, seconds - 1.0)


@dataclass
class FlowResult:
    outcome: CallOutcome
    actions: list[Action] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    #: Of each call in order; Ansible shows each once.
    client_warnings: list[str] = field(default_factory=list)
    #: The restarts that people have seen.
    restarts: list[CountedRestart] = field(default_factory=list)

    @property
    def refusals(self) -> dict[tuple[Condition, str], Violation]:
        """The violations that hold the run, by condition and object."""
        return {(one.condition, one.subject): one for one in self.outcome.decision.violations}

    @property
    def changes(self) -> list[Action]:
        return [action for action in self.actions if action.is_change]


def work_on(
    memory: MemoryCluster,
    transport: Any = None,
    settings: Settings = SETTINGS,
    wishes: Wishes = WISHES,
    *,
    dry_run: bool = False,
    ahead: timedelta = timedelta(0),
) -> Work:
    """A client on this cluster; while it watches, the cluster moves. ahead: by how much the client's clock is."""
    memory.api.idle, memory.api.date = memory.step, MemoryClock(memory).now
    clock = MemoryClock(memory, ahead)
    client = KubeClient(transport or memory.api, sleep=memory.back_off, now=clock.now, monotonic=clock.monotonic)
    return Work(client, ClusterNames(memory.namespace, memory.cluster), clock, settings, dry_run, wishes)


def insisting(work: Work) -> datetime:
    """When a person asks for another try, a minute after what was before."""
    work.clock.sleep(60)
    return work.clock.now()


@dataclass
class Leased:
    """The Lease as a call of a module has it."""

    work: Work
    lease: TrustLease = field(init=False)

    def __post_init__(self) -> None:
        work, clock = self.work, self.work.clock
        self.lease = TrustLease(
            work.client, work.scope.namespace, work.scope.lease, work.settings.holder,
            now=clock.now, monotonic=clock.monotonic,
        )  # fmt: skip
        work.renew_lease, work.release_lease = self.lease.renew_if_due, self.give_back

    def take(self) -> None:
        if not self.lease.is_owned:
            self.lease.acquire()

    def give_back(self) -> None:
        with suppress(KubeError):
            self.lease.release()


def run_flow(
    work: Work,
    intent: Intent,
    engine: Engine = ENGINE,
    *,
    is_leased: bool = False,
    in_one_call: bool = False,
    between: Callable[[], object] = lambda: None,
) -> FlowResult:
    """As the roles do: one call for each phase, up to the last that is allowed. is_leased: each call takes the Lease and gives it back.
    The calls share the count of restarts that the work has. between: what happens between two calls.

    in_one_call: only the call of the last phase that is allowed, which does what the calls of all phases do.
    """
    shared: SharedCount | None = work.shared_count
    result, phases = None, [phase for phase in Phase if intent.allows(phase)]
    for phase in phases[-1:] if in_one_call else phases:
        call = replace(
            work, actions=[], warnings=[], written=Written(), user_secrets=Remembered(), trail=None,
            restarts=RestartCount(), shared_count=shared,
        )  # fmt: skip
        leased = Leased(call) if is_leased else None
        try:
            outcome = run(
                call, changed_intent(intent, last_phase=phase), leased.take if leased else lambda: None, engine=engine
            )
        finally:
            work.left_behind = call.left_behind
            if leased:
                leased.give_back()
        if result is None:
            result = FlowResult(outcome)
        result.outcome = outcome
        result.actions += call.actions
        result.warnings += call.warnings
        result.client_warnings += outcome.client_warnings
        result.restarts += call.restarts.shown
        shared = outcome.shared_count
        if outcome.decision.violations:
            break
        between()
        # The next phase is about the same CA: one that is in place by then is not asked for again.
        intent = changed_intent(intent, replaces=intent.parameters.replaces or outcome.replaces)
    assert result is not None
    return result


def with_settings(**changes: Any) -> Settings:
    return replace(SETTINGS, **changes)
