# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The end of a call that fails: it ends its pauses where the operators find nothing half-way, and says which of them stay."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

from .._errors import LeaseHeld
from .._strimzi import operator
from .._strimzi.user_pausing import users_left_paused
from .._strimzi.work import Work
from .._trust.decide import Engine, decide
from .._trust.model.intent import Intent
from .._trust.model.snapshot import Snapshot
from .._trust.model.steps.pause import Resume
from .._trust.model.steps.presenters import PauseReissue, ResumeReissue
from .._trust.rules.pause import resume_operators
from .carry_out import carry_out
from .looking import observe_cluster
from .outcome import Outcome
from .patience import IN_A_FLOW, IN_A_PAUSE, Patience


def limit(outcome: Outcome) -> timedelta:
    """How long failures of the API server are put up with at this point."""
    return IN_A_PAUSE if outcome.is_in_a_pause else IN_A_FLOW


def end_pauses(work: Work, intent: Intent, outcome: Outcome, engine: Engine, patience: Patience) -> None:
    """End the pauses that this run made before it fails, as long as it holds the Lease; say which of them stay."""
    stays, users, known = outcome.is_in_a_pause, _users_in_a_pause(outcome), False
    if outcome.has_begun:
        # The caller raises what came first, and a pause that is not known to be ended may be there.
        with suppress(Exception):
            try:
                stays, users = patience.through(lambda: _end_pauses(work, intent, engine), limit(outcome))
                known = True
            except LeaseHeld:
                # The pauses are those of the run which has taken the Lease over.
                stays, users = False, frozenset()
    _tell(work, stays, users, known)


def tell_of_pauses(work: Work, outcome: Outcome) -> None:
    """Say which pauses a call leaves that ends without an error. Users that wait for their turn are none, unless something holds the flow."""
    held = bool(outcome.decision.violations)
    _tell(work, outcome.is_in_a_pause, _paused_users(outcome.observation.snapshot) if held else frozenset())


def _tell(work: Work, stays: bool, users: frozenset[str], known: bool = True) -> None:
    told = (operator.describe_left_pause(work, known) if stays else "", users_left_paused(users, known))
    if any(told):
        work.pause_left = " ".join(filter(None, told))


def _users_in_a_pause(outcome: Outcome) -> frozenset[str]:
    """The users that are paused by this collection, as far as is known; those with them that were to be paused when the call failed."""
    begun = (step.names for step in outcome.decision.steps if isinstance(step, PauseReissue))
    return _paused_users(outcome.observation.snapshot).union(*begun)


def _paused_users(snapshot: Snapshot) -> frozenset[str]:
    return frozenset(one.name for one in snapshot.users.presenters if one.pause.is_ours)


def _end_pauses(work: Work, intent: Intent, engine: Engine) -> tuple[bool, frozenset[str]]:
    """Whether the operator stays paused, because it would find something half-way; and which users do. The next call continues unfinished
    steps.
    """
    work.alive()
    observation = observe_cluster(work)
    snapshot = observation.snapshot
    steps = resume_operators(snapshot)
    if snapshot.reconciliation.paused_by_us and not any(isinstance(step, Resume) for step in steps):
        # A flow may leave it to the operator to restart nodes.
        decided = decide(snapshot, intent, engine).steps
        steps = (*decided, *steps) if all(isinstance(step, Resume) for step in decided) else steps
    for step in steps:
        carry_out(step, observation, work)
    let_go = (step.names for step in steps if isinstance(step, ResumeReissue))
    stays = snapshot.reconciliation.paused_by_us and not any(isinstance(step, Resume) for step in steps)
    return stays, _paused_users(snapshot).difference(*let_go)
