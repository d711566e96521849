# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Keeping the User Operator from users, and letting it on to them: it issues nothing for a user that is paused (docs/operator.md, "Users")."""

from __future__ import annotations

from collections.abc import Collection

from .._errors import OperatorSilent
from .._trust.model.names import listed
from .._trust.model.presenters import ReissuePause
from .._trust.model.steps.presenters import PauseReissue, ResumeReissue
from . import names
from .actions import Action
from .observe import Observation
from .user_annotations import FREE, annotate
from .user_waiting import AT_ONCE, await_users, limit_of, names_of
from .work import Work

_UNCONFIRMED = (ReissuePause.ASKED, ReissuePause.ENDED)


def pause_reissue(step: PauseReissue, observation: Observation, work: Work) -> None:
    """Pause these users, and wait until the User Operator has confirmed each: it may be at work on one. Raises OperatorSilent.

    Where it still says so of an earlier pause, that confirms nothing: such a user is paused when the User Operator has looked at it again.
    """
    marks = {names.PAUSE_RECONCILIATION: "true", names.PAUSED_FOR_CLIENTS_CA: work.settings.holder}
    for begin in range(0, len(step.names), AT_ONCE):
        batch = step.names[begin : begin + AT_ONCE]
        for user in () if work.dry_run else batch:
            annotate(user, marks, work, (ReissuePause.FOREIGN, ReissuePause.ENDED))
        work.record(Action("update", listed(batch), "pause reconciliation", step.phase.value))
        left = () if work.dry_run else await_users(batch, lambda one: one.pause in _UNCONFIRMED, work)
        if left:
            raise OperatorSilent(
                "The User Operator",
                f"has not confirmed the pause of {names_of(left)} within {limit_of(work):.0f} s",
                "Check that the User Operator runs and reports no error; then run the flow again. The old CA is in use as before, and no "
                "user stays paused.",
            )


def resume_reissue(step: ResumeReissue, observation: Observation, work: Work) -> None:
    """End the pauses of these users. The User Operator looks at each then."""
    for user in () if work.dry_run else step.names:
        annotate(user, FREE, work)
    work.record(Action("update", listed(step.names), "resume reconciliation", step.phase.value))


def users_left_paused(users: Collection[str], known: bool = True) -> str:
    """The users whose pauses a call leaves behind, and how these are ended, as sentences; empty where there are none. users: as presenters are
    named. known: whether the pauses were seen.
    """
    if not users:
        return ""
    some = sorted(users)
    namespace, _slash, first = some[0].partition(" ")[2].partition("/")
    which, each = ("", first) if len(some) == 1 else (", for each", "<name>")
    return (
        f"The User Operator {'is' if known else 'may be'} left paused for {listed(some)}, and issues no certificate there meanwhile. Run any playbook of "
        "this collection on the clients CA again when the cause below is gone: it lets the User Operator on when the CA is the one that users are to "
        f"have certificates of. By hand, where no other run is at work{which}: kubectl annotate kafkauser {each} -n {namespace} "
        f"{' '.join(f'{mark}-' for mark in FREE)}."
    )
