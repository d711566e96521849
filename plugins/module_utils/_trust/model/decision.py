# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The outcome of ``decide``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..._leaves.trigger import Due
from .ledger import Stop
from .states import TrustState, Usage
from .steps.base import Step
from .violations import Violation


@dataclass(frozen=True)
class Transition:
    """An edge that one CA has taken, with the evidence that justified it."""

    fingerprint: str
    subject: str
    before: TrustState | None
    after: TrustState | None
    usage: Usage
    evidence: str


@dataclass(frozen=True)
class Decision:
    """steps: what to do now, in order. violations: what holds the flow (then ``steps`` only makes things safe).

    done: the goal, or the phase to stop after, is reached. pending: what is left after that phase, as sentences.
    waiting: sentences that say what running processes still hold, where the flow only waits for their next restart.
    asked: why leaves have to be asked for, by their Secret. stop: where the flow in flight stops, where this call may not go further than that.
    """

    steps: tuple[Step, ...] = ()
    transitions: tuple[Transition, ...] = ()
    violations: tuple[Violation, ...] = ()
    pending: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    done: bool = False
    asked: Mapping[str, Due] = field(default_factory=dict)
    stop: Stop | None = None
