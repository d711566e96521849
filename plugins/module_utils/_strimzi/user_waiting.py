# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Waiting for the User Operator to issue certificates anew, and for the operator to restart programs that read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta

from .._errors import Forbidden, OperatorSilent
from .._trust.model.names import counted, listed, named
from .._trust.model.presenters import Presenter, ReissuePause
from .._trust.model.steps.presenters import AwaitKept, AwaitPickUp, AwaitReissue
from . import names
from .actions import Action
from .observe import Observation
from .user_annotations import FREE, annotate
from .work import Work

#: Users that are asked for at the same time. The User Operator's queue holds 1,024 and drops the others (docs/operator.md, "Users").
AT_ONCE = 500
#: Pauses of users at which the User Operator has not looked since.
_UNSEEN = (ReissuePause.ASKED, ReissuePause.OURS, ReissuePause.ENDED)
#: Seconds between two looks.
_PAUSE = 2.0


def await_reissue(step: AwaitReissue, observation: Observation, work: Work) -> None:
    """Have the User Operator look at these users, some after the others, and read their Secrets until each has its certificate.

    Raises OperatorSilent when none comes for a while.
    """
    what = f"the User Operator issues certificates of {named(step.authority)}"
    paused = frozenset(one.name for one in observation.snapshot.users.presenters if one.pause.is_ours)
    if work.dry_run:
        _note_resumed([name for name in step.names if name in paused], step, work)
        work.record(Action("wait", listed(step.names), what, step.phase.value))
        return
    begun = work.clock.monotonic()
    for batch in _batches(step.names, step.batch or AT_ONCE):
        _ask_for(batch, step, work)
        _note_resumed([name for name in batch if name in paused], step, work)
        left = await_users(batch, lambda one: one.behind or one.pause.is_ours, work)
        if left:
            raise _silent(f"not issued certificates for {names_of(left)} within {limit_of(work):.0f} s", left)
    issued = f"the User Operator issued {counted(len(step.names), 'certificate')} of {named(step.authority)}"
    work.record(Action("wait", listed(step.names), issued, step.phase.value, seconds=work.clock.monotonic() - begun))


def await_kept(step: AwaitKept, observation: Observation, work: Work) -> None:
    """Let the User Operator on to these users, and wait until it has looked at each and says that it is ready. Raises OperatorSilent."""
    if work.dry_run:
        _note_resumed(step.names, step, work)
        return
    _ask_for(step.names, step, work)
    _note_resumed(step.names, step, work)
    left = await_users(step.names, lambda one: one.behind or one.pause in _UNSEEN or bool(one.hindered), work)
    if left:
        raise _silent(
            f"not said within {limit_of(work):.0f} s that it keeps the certificates of {names_of(left)}", left
        )


def _silent(what: str, left: Iterable[Presenter]) -> OperatorSilent:
    """The error for users that the User Operator has left. what: the end of the sentence that begins with "The User Operator has"."""
    paused = [one for one in left if one.pause is ReissuePause.FOREIGN]
    why = (
        f" Another program or person has paused {names_of(paused)} ({names.PAUSE_RECONCILIATION}) meanwhile."
        if paused
        else ""
    )
    remedy = (
        "Have the pause of these users ended; the next run serves the others first."
        if paused
        else "Look at the status of each and at the User Operator's log; then run the flow again, it continues where it stopped."
    )
    return OperatorSilent(
        "The User Operator",
        f"has {what}.{why}",
        f"{remedy} Until then both CAs are trusted, and users that are paused keep their certificates.",
    )


def await_pick_up(step: AwaitPickUp, observation: Observation, work: Work) -> None:
    """Wait until operators have restarted these programs, or copied for them. Raises OperatorSilent when nothing happens for a while."""
    what = f"its operator brings it to a certificate of {named(step.authority)}"
    if work.dry_run:
        work.record(Action("wait", listed(step.names), what, step.phase.value))
        return
    begun, own = work.clock.monotonic(), frozenset({step.authority.fingerprint})
    # A program may log in by other certificates too, for which no operator restarts it.
    left = await_users(step.names, lambda one: one.is_followed and one.authorities != own, work)
    if left:
        raise OperatorSilent(
            names_of(left),
            f"had no new certificates within {limit_of(work):.0f} s",
            "The Cluster Operator restarts Connect, MirrorMaker 2 and Bridge, the Access Operator copies for a KafkaAccess: see in the status of "
            "each what keeps it from that, or give a waiver; then run the flow again, it continues where it stopped.",
        )
    work.record(Action("wait", listed(step.names), what, step.phase.value, seconds=work.clock.monotonic() - begun))


def limit_of(work: Work) -> float:
    return work.settings.operator_timeout / timedelta(seconds=1)


def _batches(users: Sequence[str], size: int) -> Iterable[Sequence[str]]:
    """A single user first: where nothing comes for it, no other is asked for."""
    yield users[:1]
    size = min(size, AT_ONCE)
    for begin in range(1, len(users), size):
        yield users[begin : begin + size]


def _note_resumed(users: Sequence[str], step: AwaitReissue | AwaitKept, work: Work) -> None:
    if users:
        work.record(Action("update", listed(users), "resume reconciliation", step.phase.value))


def _ask_for(users: Sequence[str], step: AwaitReissue | AwaitKept, work: Work) -> None:
    """The User Operator looks at a user whose resource changes at once, and at all others every two minutes; at one that is paused it does
    not look.
    """
    marks = {**FREE, names.RECONCILE_REQUEST: f"certificate-{step.authority.fingerprint[:12]}"}
    for user in users:
        try:
            annotate(user, marks, work)
        except Forbidden:
            # Without the mark it takes up to two minutes longer.
            return


def names_of(found: Iterable[Presenter]) -> str:
    """The names of presenters, for a message."""
    return listed([one.name for one in found])


def await_users(wanted: Sequence[str], is_left: Callable[[Presenter], bool], work: Work) -> list[Presenter]:
    """The presenters that are left when the time has run out; the time begins anew with each that is done. wanted: names of presenters."""
    asked, count = frozenset(wanted), len(wanted)
    deadline = work.clock.monotonic() + limit_of(work)
    while True:
        found = work.observe().snapshot.users.presenters
        left = [one for one in found if one.name in asked and is_left(one)]
        if not left:
            return []
        if len(left) < count:
            deadline = work.clock.monotonic() + limit_of(work)
        count = len(left)
        if work.clock.monotonic() >= deadline:
            return left
        work.alive()
        work.clock.sleep(_PAUSE)
