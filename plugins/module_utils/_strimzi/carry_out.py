# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The functions that carry out the steps of this layer, by the type of the step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from .._trust.model.steps.authority import (
    PrepareAgain,
    PutBack,
    RaiseKeyGeneration,
    RestoreKey,
    SetGenerated,
    Switch,
    TidyKeys,
)
from .._trust.model.steps.base import Step
from .._trust.model.steps.books import DeleteLedger, RemoveMarks, WriteLedger
from .._trust.model.steps.nodes import StampPods
from .._trust.model.steps.pause import AwaitVerdict, Pause, Resume
from .._trust.model.steps.pools import SetReplicas
from .._trust.model.steps.presenters import AwaitKept, AwaitPickUp, AwaitReissue, PauseReissue, ResumeReissue
from .._trust.model.steps.trust import AwaitBundle, AwaitClients, AwaitOutside, Project, Publish, Withdraw, WriteBundle
from . import (
    authority_writes,
    ledger_writes,
    operator,
    outside_waiting,
    pool_writes,
    publishing,
    stamping,
    trust_writes,
    user_pausing,
    user_waiting,
)
from .observe import Observation
from .work import Work
from .writes import Write, write_all

#: Carries out one step. What it does is recorded with the work.
CarryOut: TypeAlias = Callable[[Any, Observation, Work], None]


def _writing(make: Callable[[Any, Observation], tuple[Write, ...]]) -> CarryOut:
    """Carries out a step that consists of writes only."""

    def carry_out(step: Step, observation: Observation, work: Work) -> None:
        write_all(make(step, observation), work, step.phase.value)

    return carry_out


def _write_ledger(step: WriteLedger, observation: Observation, work: Work) -> None:
    """From here on the ledger has the CA that was taken from the operator."""
    _writing(ledger_writes.write_ledger)(step, observation, work)
    work.unadopted = ""


def _publish(step: Publish, observation: Observation, work: Work) -> None:
    write_all(publishing.publish(step, observation, work.clock.now()), work, step.phase.value)


CARRY_OUT: Mapping[type[Step], CarryOut] = {
    WriteLedger: _write_ledger,
    RemoveMarks: _writing(lambda step, observation: ledger_writes.remove_marks(observation)),
    DeleteLedger: _writing(lambda step, observation: ledger_writes.delete_ledger(observation)),
    Project: _writing(trust_writes.project),
    Withdraw: _writing(trust_writes.withdraw),
    WriteBundle: _writing(lambda step, observation: trust_writes.write_bundle(observation)),
    Publish: _publish,
    AwaitBundle: operator.await_bundle,
    AwaitOutside: outside_waiting.await_outside,
    AwaitClients: outside_waiting.await_clients,
    PauseReissue: user_pausing.pause_reissue,
    ResumeReissue: user_pausing.resume_reissue,
    AwaitReissue: user_waiting.await_reissue,
    AwaitKept: user_waiting.await_kept,
    AwaitPickUp: user_waiting.await_pick_up,
    PrepareAgain: _writing(authority_writes.prepare_again),
    Switch: _writing(authority_writes.switch),
    PutBack: _writing(authority_writes.put_back),
    RestoreKey: _writing(authority_writes.restore_key),
    RaiseKeyGeneration: _writing(authority_writes.raise_key_generation),
    TidyKeys: _writing(authority_writes.tidy),
    SetGenerated: operator.set_generated,
    StampPods: stamping.stamp_pods,
    SetReplicas: _writing(pool_writes.set_replicas),
    Pause: operator.pause,
    Resume: operator.resume,
    AwaitVerdict: operator.await_verdict,
}
