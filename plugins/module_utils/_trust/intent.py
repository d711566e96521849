# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""What the caller asks for: the second input of ``decide``."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import Enum

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import PreparedAuthority


class Way(str, Enum):
    """Who issues the leaves: the operator (cooperate) or we while it is paused (takeover). DESIGN section 3."""

    COOPERATE = "cooperate"
    TAKEOVER = "takeover"


class Bridge(str, Enum):
    """Whether a new key is introduced by a certificate of the old CA (operator-facts, "The bridge").

    AUTO: where its key is at hand and every known verifier accepts it, be it after a restart of what holds no state; else
    the new CA is trusted everywhere first.
    """

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Spread(str, Enum):
    """How running nodes take up a change that they can re-read (operator-facts, "The reload").

    AUTO: by reload where each of them can be asked for it and the operator would notice nothing; else by a restart.
    """

    AUTO = "auto"
    RELOAD = "reload"
    RESTART = "restart"


class Phase(str, Enum):
    """The phases of a flow, in order; a flow can stop after each."""

    PREPARE = "prepare"
    TRUST = "trust"
    USE = "use"
    RETIRE = "retire"

    @property
    def position(self) -> int:
        return list(Phase).index(self)


@dataclass(frozen=True)
class Intent:
    """A goal and its parameters.

    replaces: fingerprint (SHA-1 or SHA-256) of the CA to renew or replace; None means the CA in use, unless a flow
    with the same goal finished within ``fresh_for``: then that one is the answer and nothing is done.
    until: the last phase to enter (None: all).
    supplied: a CA brought by the caller in place of a generated one.
    publish: whether clients get a bundle of all trusted CAs; where there is one it is kept anyway.
    bridge: whether a new key may, must or must not be introduced by a certificate of the old CA.
    spread: whether nodes may, must or must not re-read what they can instead of being restarted.
    renew_before: with RENEW_LEAVES, what a node's leaf has left, or half of its life if that is less, when it is renewed.
    """

    goal: Goal
    way: Way = Way.COOPERATE
    replaces: str | None = None
    fresh_for: timedelta = timedelta(hours=24)
    until: Phase | None = None
    supplied: PreparedAuthority | None = None
    publish: bool = False
    bridge: Bridge = Bridge.AUTO
    spread: Spread = Spread.AUTO
    renew_before: timedelta = timedelta(days=45)

    def allows(self, phase: Phase) -> bool:
        return self.until is None or phase.position <= self.until.position
