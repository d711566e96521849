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
    #: The transitions of CAs that the first step records.
    transitions: tuple[Transition, ...] = ()
    #: The reasons that hold the flow. With them ``steps`` only ends pauses.
    violations: tuple[Violation, ...] = ()
    #: The steps after the last phase that the call enters, as sentences.
    pending: tuple[str, ...] = ()
    #: Sentences about what running processes still hold, where the flow waits for their next restart.
    waiting: tuple[str, ...] = ()
    #: Whether the flow has reached its goal, or the phase to stop after.
    done: bool = False
    #: The reasons why an issuer has to issue leaves, by their Secret.
    asked: Mapping[str, Due] = field(default_factory=dict)
    #: The stop of the flow in flight, where this call may not go beyond it.
    stop: Stop | None = None
