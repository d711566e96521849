# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The flows, their phases, and when the replaced CA leaves."""

from __future__ import annotations

from datetime import datetime
from enum import Enum
from typing import TypeAlias


class Goal(str, Enum):
    """The goal of a flow."""

    CREATE = "create"
    RENEW = "renew"
    REPLACE_KEY = "replace_key"
    UPGRADE = "upgrade"
    DOWNGRADE = "downgrade"
    RENEW_LEAVES = "renew_leaves"
    RECONCILE = "reconcile"
    ABORT = "abort"
    #: Bring nodes with ended certificates back, renew an ended CA, and finish a flow in flight.
    RECOVER = "recover"


#: Goals that put another CA in the place of the CA in use.
ROTATIONS = frozenset({Goal.CREATE, Goal.RENEW, Goal.REPLACE_KEY})


class Phase(str, Enum):
    """The phases of a flow, in order; a flow can stop after each."""

    PREPARE = "prepare"
    TRUST = "trust"
    USE = "use"
    RETIRE = "retire"

    @property
    def position(self) -> int:
        return list(Phase).index(self)


class Retire(str, Enum):
    """When nodes give up the replaced CA (docs/flows.md, "Patience")."""

    #: They restart once.
    NOW = "now"
    #: They read the new certificates again and go on; the old CA leaves when each of them has restarted for any reason.
    WHEN_RESTARTED = "when_restarted"
    #: As WHEN_RESTARTED if the nodes can read them again; if they cannot, each restarts for it.
    WHEN_NEEDED = "when_needed"


#: A time, in UTC: as WHEN_RESTARTED, and nodes that still know the old CA then restart.
Retirement: TypeAlias = Retire | datetime


def retire_text(retire: Retirement) -> str:
    """As the option ``retire`` takes it."""
    return retire.value if isinstance(retire, Retire) else f"{retire:%Y-%m-%dT%H:%M:%SZ}"
