# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Pausing the operator in the name of a holder, and resuming it; both wait until the operator has followed."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from .._strimzi import names, operator
from .._strimzi.errors import StepError
from .._strimzi.kafka import PAUSED, condition
from .._strimzi.observe import Observation
from .._strimzi.secret_data import annotation
from .._strimzi.work import Work
from .looking import see, see_operated


class PausedByAnother(StepError):
    """Somebody else has paused the operator."""


def pause_for(holder: str, work: Work, before_write: Callable[[], None]) -> Observation:
    """The operator is paused for this holder, and has confirmed it. Raises PausedByAnother, OperatorSilent."""
    seen = see_operated(work)
    if seen.snapshot.reconciliation.paused and _holder(seen) != holder:
        _refuse(seen)
    if seen.snapshot.reconciliation.paused and seen.snapshot.reconciliation.pause_effective:
        return seen
    if not work.dry_run:
        before_write()
    if not seen.snapshot.reconciliation.paused and operator.await_end_of_pause(seen, work):
        seen = see_operated(work)
    operator.pause_for(holder, seen, work)
    return seen if work.dry_run else see(work)


def resume_for(holder: str, work: Work, before_write: Callable[[], None]) -> Observation:
    """The operator is not paused. A pause of another holder stays. Raises PausedByAnother, OperatorSilent.

    A pause that a killed call of a flow has left is ended; the Lease tells that the call is dead.
    """
    seen = see_operated(work)
    state = seen.snapshot.reconciliation
    if not state.paused and not condition(seen.kafka, PAUSED):
        return seen
    if state.paused and not state.paused_by_us and _holder(seen) != holder:
        _refuse(seen)
    if not work.dry_run:
        before_write()
    operator.resume_for(seen, work)
    return seen if work.dry_run else see(work)


def _holder(seen: Observation) -> str | None:
    return annotation(seen.kafka, names.PAUSED_FOR)


def _refuse(seen: Observation) -> NoReturn:
    state = seen.snapshot.reconciliation
    by = (
        "by a run of this collection"
        if state.paused_by_us
        else f"for {_holder(seen)}"
        if _holder(seen)
        else "by somebody else"
    )
    raise PausedByAnother(
        f"{seen.snapshot.names.kafka} is paused {by}.",
        "Ask them to resume it; a run of this collection resumes by itself.",
    )
