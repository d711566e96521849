# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The functions that carry out the steps of this layer, by the type of the step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ..._trust.model.steps.authority import (
    PrepareAgain,
    PutBack,
    RaiseKeyGeneration,
    RestoreKey,
    SetGenerated,
    Switch,
    TidyKeys,
)
from ..._trust.model.steps.base import Step
from ..._trust.model.steps.nodes import AwaitVerdict, Pause, Resume, SetReplicas, StampPods
from ..._trust.model.steps.presenters import AwaitKept, AwaitPickUp, AwaitReissue, PauseReissue, ResumeReissue
from ..._trust.model.steps.trust import (
    AwaitBundle,
    AwaitClients,
    AwaitOutside,
    DeleteLedger,
    Project,
    Publish,
    RemoveMarks,
    Withdraw,
    WriteBundle,
    WriteLedger,
)
from ..cluster import operator
from ..cluster.observe import Observation
from ..ledger import writes
from ..names import KAFKA_NODE_POOLS
from ..users import pausing
from . import authority, stamping, waiting
from .work import Work, Write, WriteVerb, version, write_all


def set_replicas(step: SetReplicas, observation: Observation) -> tuple[Write, ...]:
    pool = observation.pools[step.pool]
    patch = {"spec": {"replicas": step.replicas}}
    return (
        Write(
            WriteVerb.UPDATE, KAFKA_NODE_POOLS, step.pool, step.sentence(), patch, version(pool),
            {"replicas": step.before}, {"replicas": step.replicas},
        ),
    )  # fmt: skip


#: A function that carries out one step and records its actions with the work.
CarryOut: TypeAlias = Callable[[Any, Observation, Work], None]


def _writing(make: Callable[[Any, Observation], tuple[Write, ...]]) -> CarryOut:
    """Carries out a step that consists of writes only."""

    def carry_out(step: Step, observation: Observation, work: Work) -> None:
        write_all(make(step, observation), work, step.phase.value)

    return carry_out


def _write_ledger(step: WriteLedger, observation: Observation, work: Work) -> None:
    """From here on the ledger has the CA that was taken from the operator."""
    _writing(writes.write_ledger)(step, observation, work)
    work.unadopted = ""


def _publish(step: Publish, observation: Observation, work: Work) -> None:
    write_all(authority.publish(step, observation, work.clock.now()), work, step.phase.value)


CARRY_OUT: Mapping[type[Step], CarryOut] = {
    WriteLedger: _write_ledger,
    RemoveMarks: _writing(lambda step, observation: writes.remove_marks(observation)),
    DeleteLedger: _writing(lambda step, observation: writes.delete_ledger(observation)),
    Project: _writing(authority.project),
    Withdraw: _writing(authority.withdraw),
    WriteBundle: _writing(lambda step, observation: authority.write_bundle(observation)),
    Publish: _publish,
    AwaitBundle: operator.await_bundle,
    AwaitOutside: waiting.await_outside,
    AwaitClients: waiting.await_clients,
    PauseReissue: pausing.pause_reissue,
    ResumeReissue: pausing.resume_reissue,
    AwaitReissue: pausing.await_reissue,
    AwaitKept: pausing.await_kept,
    AwaitPickUp: pausing.await_pick_up,
    PrepareAgain: _writing(authority.prepare_again),
    Switch: _writing(authority.switch),
    PutBack: _writing(authority.put_back),
    RestoreKey: _writing(authority.restore_key),
    RaiseKeyGeneration: _writing(authority.raise_key_generation),
    TidyKeys: _writing(authority.tidy),
    SetGenerated: operator.set_generated,
    StampPods: stamping.stamp_pods,
    SetReplicas: _writing(set_replicas),
    Pause: operator.pause,
    Resume: operator.resume,
    AwaitVerdict: operator.await_verdict,
}
