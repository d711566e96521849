# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that do not all want the same, or not at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from .authorities import DEADLINE
from .events import Event
from .looking import LookingRunner
from .runs import Runner
from .state import ModelCluster


@dataclass
class AfterTheDeadline(LookingRunner):
    """A run on a day when nodes may not keep the old CA any longer."""

    def decide(self, snapshot: Snapshot) -> Decision:
        return super().decide(replace(snapshot, now=DEADLINE))


class Mixture(Runner):
    """At each of its requests a run may be any of these. It is at an end where all of them are."""

    def __init__(self, *runners: Runner) -> None:
        super().__init__(runners[0].intent)
        self.runners = runners

    def moves(self, model: ModelCluster) -> Iterator[Event]:
        yield from dict.fromkeys(move for runner in self.runners for move in runner.moves(model))

    def is_done(self, model: ModelCluster) -> bool:
        return all(runner.is_done(model) for runner in self.runners)


def in_turn(intent: Intent, *others: Intent) -> Mixture:
    """The caller changes what is asked for at any moment."""
    return Mixture(*(LookingRunner(one) for one in (intent, *others)))


class ThinkingBetter(Mixture):
    """A rotation that a person aborts at any moment; from then on every run is about the abort."""

    def __init__(self, rotation: Runner, abort: Runner) -> None:
        super().__init__(rotation, abort)
        self.abort = abort

    def moves(self, model: ModelCluster) -> Iterator[Event]:
        return self.abort.moves(model) if _is_aborted(model) else super().moves(model)

    def is_done(self, model: ModelCluster) -> bool:
        return self.abort.is_done(model) if _is_aborted(model) else super().is_done(model)


def _is_aborted(model: ModelCluster) -> bool:
    flow = model.books.flow if model.books else None
    return flow is not None and flow.is_abort
