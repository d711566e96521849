# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Steps that pause the operator, let it go on, and wait for what it says then."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from ..snapshot import Snapshot
from .base import Look, StandIn, Step


def _paused(paused: bool, snapshot: Snapshot) -> Snapshot:
    state = replace(
        snapshot.reconciliation, paused=paused, paused_by_us=paused, pause_effective=paused, mark_left=False
    )
    return replace(snapshot, reconciliation=state)


def _remembered(snapshot: Snapshot) -> Look:
    """Running nodes are asked before a pause too: while the gate of the next step is closed, passes would pause and
    resume without an end.
    """
    return Look.REMEMBERED if snapshot.nodes.pods else Look.NONE


@dataclass(frozen=True, kw_only=True)
class Pause(Step):
    """Pause the Kafka resource and wait until the operator confirms it. purpose: what is done then, as a sentence."""

    purpose: str
    is_told: ClassVar[bool] = False

    def sentence(self) -> str:
        return "pause the operator"

    def as_left(self) -> str:
        return self.purpose

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _paused(True, snapshot)

    def look(self, snapshot: Snapshot) -> Look:
        return _remembered(snapshot)


@dataclass(frozen=True, kw_only=True)
class Resume(Step):
    """End the pause that this collection made."""

    is_told: ClassVar[bool] = False

    def sentence(self) -> str:
        return "let the operator go on"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _paused(False, snapshot)

    def look(self, snapshot: Snapshot) -> Look:
        return _remembered(snapshot)


@dataclass(frozen=True, kw_only=True)
class AwaitVerdict(Step):
    """Wait for the end of the operator's next reconcile, and so for its verdict on what is stored.

    request: the name under which it is asked to reconcile now; empty where it does so by itself, after a pause.
    """

    request: str = ""
    is_told: ClassVar[bool] = False

    def sentence(self) -> str:
        return "wait until the operator has reconciled what is stored"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        """A forecast assumes that it says of the same what it has said before."""
        before = snapshot.reconciliation
        state = replace(before, observed=True, resuming=False, request=self.request or before.request)
        return replace(snapshot, reconciliation=state)
