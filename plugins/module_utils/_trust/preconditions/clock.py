# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The precondition on the clock of the machine that runs this collection: certificates are dated by it (docs/design.md, "Clocks")."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from ..._pki.building import BACKDATED
from ..model.intent import Intent
from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation

#: The difference to the API server's clock that is warned of: clocks that a time service keeps differ by far less, and an answer takes less.
NOTABLE = timedelta(minutes=1)
#: The largest difference with which anything is written. Half of what certificates are dated back: a node whose clock is behind the API server's
#: by as much as this machine's is ahead still finds them valid.
LARGEST = BACKDATED / 2

_REMEDY = "Have a time service (NTP) set the clock of that machine, or run this where the clock is right, then run the flow again."


def clocks_agree(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A clock that is ahead makes certificates that begin in the future; one that is behind takes certificates for valid that have ended."""
    if (wrong := wrong_clock(snapshot)) is not None:
        yield wrong


def wrong_clock(snapshot: Snapshot) -> Violation | None:
    """The violation where the clock is too far from the API server's."""
    clock = snapshot.clock
    if clock is None or abs(clock.ahead) <= LARGEST:
        return None
    message = f"is {_difference(clock.ahead)} the API server's, and certificates are dated by it."
    return Violation(Condition.CLOCKS_AGREE, f"the clock of {clock.machine}", message, _REMEDY)


def describe_clock_doubt(snapshot: Snapshot) -> tuple[str, ...]:
    """A sentence that warns of the clock where it holds nothing; none where it agrees with the API server's."""
    clock = snapshot.clock
    if clock is None:
        return (
            f"{snapshot.names.kafka}: the API server's answers have no field Date, so the clock of this machine was compared with no other.",
        )
    if not NOTABLE < abs(clock.ahead) <= LARGEST:
        return ()
    return (
        f"The clock of {clock.machine} is {_difference(clock.ahead)} the API server's: certificates are dated by it, and from "
        f"{_seconds(LARGEST)} on nothing is written. {_REMEDY}",
    )


def _difference(ahead: timedelta) -> str:
    return f"{_seconds(abs(ahead))} {'ahead of' if ahead > timedelta(0) else 'behind'}"


def _seconds(length: timedelta) -> str:
    return f"{round(length.total_seconds())} s"
