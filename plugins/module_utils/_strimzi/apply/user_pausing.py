# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Pausing the User Operator for single users and resuming it, and waiting for its new certificates and for the programs
that read them. It issues nothing for a paused user (docs/operator.md, "Users").
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta

from ..._errors import Conflict, Forbidden, KubeError, NotFound, OperatorSilent, StepError
from ..._kube.response_time import Countdown
from ..._trust.model.clients import Presenter, ReissuePause, UserName
from ..._trust.model.goals import Phase
from ..._trust.model.names import counted, listed, named
from ..._trust.model.steps.leaves import AwaitKept, AwaitPickUp, AwaitReissue, PauseReissue, ResumeReissue
from .. import names
from ..cluster.kafka import user_pause
from ..cluster.observe import Observation
from ..names import KAFKA_USERS
from .work import Action, Target, Work, contains, version

#: How often a user is read again if another writer changes it at the same time.
TRIES = 10
#: The patch of annotations that ends a pause of this collection; None removes an annotation.
FREE: Mapping[str, str | None] = {names.PAUSE_RECONCILIATION: None, names.PAUSED_FOR_CLIENTS_CA: None}


def annotate(
    user: UserName, annotations: Mapping[str, str | None], work: Work, leaving_out: Container[ReissuePause]
) -> bool:
    """Set annotations of a user, or remove annotations whose value is None, and return whether it was written. Users
    with a pause in ``leaving_out`` stay as they are: at least the users paused by another writer. A missing user is
    left out as well. Raises KubeError, StepError.
    """
    for _try in range(TRIES):
        work.renew_lease()
        resource = work.client.get_or_none(KAFKA_USERS, user.namespace, user.name)
        if resource is None:
            return False
        key = KAFKA_USERS.kind, user.namespace, user.name
        work.written.compare(key, resource)
        if user_pause(resource) in leaving_out:
            return False
        try:
            patch = {"metadata": {"annotations": dict(annotations)}}
            work.client.patch(KAFKA_USERS, user.namespace, user.name, patch, resource_version=version(resource))
            work.written.note(key, patch)
            return True
        except NotFound:
            return False
        except Conflict:
            # The User Operator may write its status at any time.
            continue
    raise StepError(user.label, "changes all the time", "Find the program that writes it; then run the flow again.")


def _annotate_all(
    users: Sequence[UserName], annotations: Mapping[str, str | None], work: Work, what: str, phase: Phase,
    leaving_out: Container[ReissuePause] = (ReissuePause.FOREIGN,),
) -> None:  # fmt: skip
    """Annotate these users, as ``annotate`` does, and record the written users, also if an error ends this. Raises
    KubeError, StepError.
    """
    done = [*users] if work.dry_run else []
    try:
        for user in () if work.dry_run else users:
            _annotate_and_note(user, annotations, work, leaving_out, done)
    finally:
        if done:
            work.record(Action("update", _target_of(done), what, phase.value))


def _target_of(users: Sequence[UserName]) -> Target:
    if len(users) == 1:
        return Target(KAFKA_USERS.kind, users[0].namespace, users[0].name)
    return Target.in_words(_labels_of(users))


def _labels_of(users: Iterable[UserName]) -> str:
    return listed([user.label for user in users])


def _annotate_and_note(
    user: UserName, annotations: Mapping[str, str | None], work: Work, leaving_out: Container[ReissuePause],
    done: list[UserName],
) -> None:  # fmt: skip
    """Annotate the user, and append the user to ``done`` once the annotations are there, also if the answer to the
    write was lost.
    """
    try:
        if annotate(user, annotations, work, leaving_out):
            done.append(user)
    except KubeError as error:
        # The first error says that another look helps; an error of this look may say the opposite.
        with suppress(KubeError):
            if error.outcome_unknown:
                resource = work.client.get_or_none(KAFKA_USERS, user.namespace, user.name)
                if resource is not None and contains(resource, {"metadata": {"annotations": annotations}}):
                    done.append(user)
        raise


#: For how many users a look of the User Operator is requested at the same time. Its queue has room for 1,024 users and
#: drops the others (docs/operator.md, "Users").
AT_ONCE = 500
#: Pauses of users at which the User Operator has not looked since.
_UNSEEN = (ReissuePause.ASKED, ReissuePause.OURS, ReissuePause.ENDED)
#: Seconds between two looks, and the least number of looks, however long each takes.
PAUSE, _LEAST_LOOKS = 2.0, 3


def await_reissue(step: AwaitReissue, observation: Observation, work: Work) -> None:
    """Have the User Operator look at these users, some after the others, and read their Secrets until each has its
    certificate.

    Raises OperatorSilent if none comes for a while.
    """
    target = Target.in_words(listed(step.names))
    what = f"the User Operator issues certificates of {named(step.authority)}"
    snapshot = observation.snapshot
    paused = {presenter.user for presenter in snapshot.presenters if presenter.pause.is_ours and presenter.user}
    if work.dry_run:
        _note_resumed([user for user in snapshot.users_among(step.names) if user in paused], step, work)
        work.record(Action("wait", target, what, step.phase.value))
        return
    begun = work.clock.monotonic()
    for batch in _batches(step.names, step.batch or AT_ONCE):
        _ask_for(snapshot.users_among(batch), paused, step, work)
        left = await_users(batch, lambda user: user.is_outdated or user.pause.is_ours, work)
        if left:
            raise _silent(f"not issued certificates for {names_of(left)} within {limit_of(work):.0f} s", left)
    issued = f"the User Operator issued {counted(len(step.names), 'certificate')} of {named(step.authority)}"
    work.record(Action("wait", target, issued, step.phase.value, seconds=work.clock.monotonic() - begun))


def await_kept(step: AwaitKept, observation: Observation, work: Work) -> None:
    """Let the User Operator on to these users, and wait until it has looked at each and reports it ready. Raises
    OperatorSilent.
    """
    users = observation.snapshot.users_among(step.names)
    if work.dry_run:
        _note_resumed(users, step, work)
        return
    _ask_for(users, users, step, work)
    left = await_users(step.names, lambda user: user.is_outdated or user.pause in _UNSEEN or bool(user.hindrance), work)
    if left:
        raise _silent(
            f"not said within {limit_of(work):.0f} s that it keeps the certificates of {names_of(left)}", left
        )


def _silent(what: str, left: Iterable[Presenter]) -> OperatorSilent:
    """The error for users still waiting for the User Operator. The text ends the sentence "The User Operator has
    ...".
    """
    paused = [presenter for presenter in left if presenter.pause is ReissuePause.FOREIGN]
    why = (
        f" Another program or person has paused {names_of(paused)} ({names.PAUSE_RECONCILIATION}) meanwhile."
        if paused
        else ""
    )
    remedy = (
        "Have the pause of these users ended; the next run serves the others first."
        if paused
        else "Look at the status of each and at the User Operator's log; then run the flow again, it continues where "
        "it stopped."
    )
    return OperatorSilent(
        "The User Operator",
        f"has {what}.{why}",
        f"{remedy} Until then both CAs are trusted, and users that are paused keep their certificates.",
    )


def await_pick_up(step: AwaitPickUp, observation: Observation, work: Work) -> None:
    """Wait until operators have restarted these programs, or copied for them. Raises OperatorSilent if nothing happens
    for a while.
    """
    target = Target.in_words(listed(step.names))
    what = f"its operator brings it to a certificate of {named(step.authority)}"
    if work.dry_run:
        work.record(Action("wait", target, what, step.phase.value))
        return
    begun = work.clock.monotonic()
    # A program may log in by other certificates too, for which no operator restarts it.
    left = await_users(step.names, lambda user: user.is_behind(step.replaced), work)
    if left:
        raise OperatorSilent(
            names_of(left),
            f"had no new certificates within {limit_of(work):.0f} s",
            "The Cluster Operator restarts Connect, MirrorMaker 2 and Bridge, the Access Operator copies for a "
            "KafkaAccess: see in the status of each what keeps it from that, or give a waiver; then run the flow "
            "again, it continues where it stopped.",
        )
    work.record(Action("wait", target, what, step.phase.value, seconds=work.clock.monotonic() - begun))


def limit_of(work: Work) -> float:
    return work.settings.operator_timeout / timedelta(seconds=1)


def _batches(users: Sequence[str], size: int) -> Iterable[Sequence[str]]:
    """A single user first: if nothing comes for it, no look at another user is requested."""
    yield users[:1]
    size = min(size, AT_ONCE)
    for begin in range(1, len(users), size):
        yield users[begin : begin + size]


def _note_resumed(users: Sequence[UserName], step: AwaitReissue | AwaitKept, work: Work) -> None:
    if users:
        work.record(Action("update", _target_of(users), "resume reconciliation", step.phase.value))


def _ask_for(
    users: Iterable[UserName], paused: Container[UserName], step: AwaitReissue | AwaitKept, work: Work
) -> None:
    """End the pauses of these users, and have the User Operator look at them. It looks at once at a user whose resource
    changes, and at all others every two minutes; it skips paused users. Raises Forbidden if a pause cannot be ended.
    """
    marks = {**FREE, names.RECONCILE_REQUEST: f"certificate-{step.authority.fingerprint[:12]}"}
    done: list[UserName] = []
    try:
        for user in users:
            try:
                _annotate_and_note(user, marks, work, (ReissuePause.FOREIGN,), done)
            except Forbidden:
                if user in paused:
                    raise
                # Without the mark it takes up to two minutes longer.
                return
    finally:
        _note_resumed([user for user in done if user in paused], step, work)


def names_of(presenters: Iterable[Presenter]) -> str:
    """The names of presenters, for a message."""
    return listed([presenter.name for presenter in presenters])


def await_users(wanted: Sequence[str], is_left: Callable[[Presenter], bool], work: Work) -> list[Presenter]:
    """The presenters of these names that are left when the time has run out; the time begins again whenever fewer are
    left than ever before.
    """
    names_wanted, count = frozenset(wanted), len(wanted)
    countdown = countdown_of(work)
    while True:
        begun = work.clock.monotonic()
        presenters = work.observe().snapshot.presenters
        left = [presenter for presenter in presenters if presenter.name in names_wanted and is_left(presenter)]
        if not left:
            return []
        if len(left) < count:
            countdown.restart()
            count = len(left)
        countdown.looked_since(begun)
        if countdown.is_over:
            return left
        work.renew_lease()
        work.clock.sleep(PAUSE)


def countdown_of(work: Work) -> Countdown:
    """The time of a wait for an operator."""
    return Countdown(work.clock.monotonic, limit_of(work), _LEAST_LOOKS)


_UNCONFIRMED = (ReissuePause.ASKED, ReissuePause.ENDED)


def pause_reissue(step: PauseReissue, observation: Observation, work: Work) -> None:
    """Pause these users, and wait until the User Operator has confirmed each: it may be at work on any of
    them. Raises OperatorSilent.

    A status from an earlier pause confirms nothing: such a user is paused when the User Operator has looked
    at it again.
    """
    marks = {names.PAUSE_RECONCILIATION: "true", names.PAUSED_FOR_CLIENTS_CA: work.settings.holder}
    for begin in range(0, len(step.names), AT_ONCE):
        batch = step.names[begin : begin + AT_ONCE]
        users, left_out = observation.snapshot.users_among(batch), (ReissuePause.FOREIGN, ReissuePause.ENDED)
        _annotate_all(users, marks, work, "pause reconciliation", step.phase, left_out)
        left = () if work.dry_run else await_users(batch, lambda user: user.pause in _UNCONFIRMED, work)
        if left:
            raise OperatorSilent(
                "The User Operator",
                f"has not confirmed the pause of {names_of(left)} within {limit_of(work):.0f} s",
                "Check that the User Operator runs and reports no error; then run the flow again. The old CA is in use "
                "as before, and no user stays paused.",
            )


def resume_reissue(step: ResumeReissue, observation: Observation, work: Work) -> None:
    """End the pauses of these users. The User Operator looks at each then."""
    users = observation.snapshot.users_among(step.names)
    _annotate_all(users, FREE, work, "resume reconciliation", step.phase)


def users_left_paused(users: Collection[UserName], is_seen: bool = True) -> str:
    """The users that a call leaves paused, and how the pauses are ended, as sentences; empty if there are none. If a
    look has seen the pauses, ``is_seen`` is true.
    """
    if not users:
        return ""
    some = sorted(users)
    which, each = ("", some[0].name) if len(some) == 1 else (", for each", "<name>")
    homes = {user.namespace for user in some}
    namespace = some[0].namespace if len(homes) == 1 else "<namespace>"
    return (
        f"The User Operator {'is' if is_seen else 'may be'} left paused for {_labels_of(some)}, and issues no "
        "certificate there meanwhile. Run any playbook of this collection on the clients CA again when the cause below "
        "is gone: it ends the pause once users are to have certificates of the CA in use. By "
        f"hand, where no other run is at work{which}: kubectl annotate kafkauser {each} -n {namespace} "
        f"{' '.join(f'{mark}-' for mark in FREE)}."
    )
