# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Pausing the operator in the name of a holder, and resuming it; both wait until the operator has followed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

from .._errors import KubeError, LeaseTaken, PausedByAnother, StepError
from .._strimzi import names
from .._strimzi.apply import operator
from .._strimzi.apply.work import Work
from .._strimzi.cluster.kafka import is_paused_by
from .._strimzi.cluster.observe import Observation
from .._strimzi.secret_data import annotation
from .._trust.preconditions.cluster import END_OF_A_FLOW
from .looking import observe_cluster, observe_operated
from .outcome import IN_A_FLOW, Patience


def pause_for(holder: str, work: Work, before_write: Callable[[], None]) -> Observation:
    """The operator is paused for this holder, and has confirmed it. Raises PausedByAnother, OperatorSilent."""
    return _retry_through_failures(_pause, holder, work, before_write)


def _pause(holder: str, work: Work, before_write: Callable[[], None]) -> Observation:
    seen = observe_operated(work)
    pause = seen.snapshot.reconciliation.pause
    if pause.is_set and _holder(seen) != holder:
        _refuse(seen)
    if pause.is_set and pause.is_confirmed:
        return seen
    if not work.dry_run:
        before_write()
    if not pause.is_set and operator.await_end_of_pause(seen, work):
        seen = observe_operated(work)
    operator.pause_for(holder, seen, work)
    return seen if work.dry_run else observe_cluster(work)


def resume_for(holder: str, work: Work, before_write: Callable[[], None]) -> Observation:
    """The operator is not paused. A pause of another holder stays. Raises PausedByAnother, OperatorSilent.

    A pause that a killed call of a flow has left is ended; the Lease shows that the call is dead.
    """
    return _retry_through_failures(_resume, holder, work, before_write)


def _resume(holder: str, work: Work, before_write: Callable[[], None]) -> Observation:
    seen = observe_operated(work)
    pause = seen.snapshot.reconciliation.pause
    if not pause.is_set and not pause.is_ending:
        return seen
    if pause.is_foreign and _holder(seen) != holder:
        _refuse(seen)
    if not work.dry_run:
        before_write()
    operator.resume_for(seen, work)
    return seen if work.dry_run else observe_cluster(work)


def _retry_through_failures(
    act: Callable[[str, Work, Callable[[], None]], Observation],
    holder: str,
    work: Work,
    before_write: Callable[[], None],
) -> Observation:
    """Acts again after a failure that may pass, and after a conflict with another program. A failure that leaves the
    operator paused for this holder says so in ``work.left_behind``.
    """
    begun: list[bool] = []

    def begin() -> None:
        before_write()
        begun.append(True)

    try:
        return Patience(work).through_conflicts(lambda: act(holder, work, begin), IN_A_FLOW)
    except (KubeError, StepError) as error:
        if not isinstance(error, (PausedByAnother, LeaseTaken)):
            work.left_behind = replace(work.left_behind, pauses=_pause_left(holder, work, bool(begun)))
        raise


def _pause_left(holder: str, work: Work, begun: bool) -> str:
    """The sentences about a pause that a failure leaves; empty if it leaves none. A call that has ``begun`` may have
    written.
    """
    try:
        seen = observe_cluster(work)
    except (KubeError, StepError):
        return operator.describe_left_pause(work, is_seen=False, holder=holder) if begun else ""
    return operator.describe_left_pause(work, holder=holder) if _holder(seen) == holder else ""


def _holder(seen: Observation) -> str | None:
    """The party that the cluster is paused for; None if it is not paused for one."""
    return annotation(seen.kafka, names.PAUSED_FOR) if is_paused_by(seen.kafka, names.PAUSED_FOR) else None


def _refuse(seen: Observation) -> NoReturn:
    pause, holder = seen.snapshot.reconciliation.pause, _holder(seen)
    remedy = "Have the pause ended by its owner; a run of this collection resumes by itself."
    if pause.holder:
        by, remedy = f"by {pause.holder}", END_OF_A_FLOW
    elif pause.is_ours:
        by = "by a run of this collection"
    else:
        by = f"for {holder}" if holder else "by another program or person"
    raise PausedByAnother(seen.snapshot.names.kafka, f"is paused {by}", remedy)
