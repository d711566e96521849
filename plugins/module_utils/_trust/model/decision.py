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
    """The next steps of a flow, or the reason why there are none."""

    #: The next steps, in order.
    steps: tuple[Step, ...] = ()
    transitions: tuple[Transition, ...] = ()
    #: The reasons that hold the flow; ``steps`` only makes things safe then.
    violations: tuple[Violation, ...] = ()
    #: The steps that are left after that phase, as sentences.
    pending: tuple[str, ...] = ()
    #: Sentences that say what running processes still hold, where the flow only waits for their next restart.
    waiting: tuple[str, ...] = ()
    #: Whether the flow has reached its goal, or the phase to stop after.
    done: bool = False
    #: Why leaves have to be asked for, by their Secret.
    asked: Mapping[str, Due] = field(default_factory=dict)
    #: Where the flow in flight stops, where this call may not go further than that.
    stop: Stop | None = None
