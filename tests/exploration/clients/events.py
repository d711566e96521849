"""Events without us: brokers, both operators, users and their programs act, each at any moment.

Both operators act on what they read before (docs/operator.md, "Users", "Trust bundle"), and see a pause late: they first finish the work
that they have begun.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from ..authorities import signer
from ..events import forget
from ..state import BUNDLE, KAFKA, Pause
from .state import EMPTY, ModelUsers, Program, User, Work, is_valid
from .translation import now_at

Event: TypeAlias = tuple[str, ModelUsers]


def events(model: ModelUsers) -> Iterator[Event]:
    yield from brokers(model)
    yield from cluster_operator(model)
    for number, user in enumerate(model.users):
        if user is not None:
            yield from user_operator(model, number, user)
    yield from programs(model)
    yield from time_passes(model)


def time_passes(model: ModelUsers) -> Iterator[Event]:
    """After the switch, until the certificates of before have ended as far as the journal knows. The User Operator takes no longer with a
    certificate than one age.
    """
    flow = model.books.flow if model.books else None
    outgoing = flow.outgoing if flow else None
    if (
        not model.environment.aging
        or outgoing is None
        or not outgoing.is_complete
        or now_at(model.age) >= outgoing.ends_at
    ):
        return
    if all(user is None or user.work is None or user.work.begun == model.age for user in model.users):
        yield "time passes", model._replace(age=model.age + 1)


def brokers(model: ModelUsers) -> Iterator[Event]:
    """A listener reads again at any dynamic change of its broker's settings, and alone (docs/operator.md, "Reload")."""
    for number, listeners in enumerate(model.brokers):
        yield f"broker {number} restarts", restart(model, number)
        for position, trusts in enumerate(listeners):
            if trusts != model.bundle and len(listeners) > 1:
                read = (*listeners[:position], model.bundle, *listeners[position + 1 :])
                yield f"listener {position} of broker {number} reads again", model.with_broker(number, read)


def restart(model: ModelUsers, number: int) -> ModelUsers:
    """A new process, which reads the trust bundle now."""
    return forget(model.with_broker(number, (model.bundle,) * len(model.brokers[number])), number)


def cluster_operator(model: ModelUsers) -> Iterator[Event]:
    """Its status says that it is paused until the reconcile after that has ended."""
    if model.view is not None:
        if model.bundle != model.view:
            written = model._replace(bundle=model.view).changed(BUNDLE)
            yield "the operator writes the bundle", written
        ended = model._replace(view=None)
        told = ended._replace(pause=model.pause._replace(effective=False)).changed(KAFKA)
        yield "the operator ends its reconcile", told if model.pause.effective else ended
        return
    if model.noticed != model.pause.asked:
        yield "the operator notices the annotation", model._replace(noticed=model.pause.asked)
    if model.noticed and not model.pause.effective:
        confirmed = model._replace(pause=Pause(model.pause.asked, True)).changed(KAFKA)
        yield "the operator confirms the pause", confirmed
    if not model.noticed and (model.bundle != model.ca.projected or model.pause.effective):
        yield "the operator looks", model._replace(view=model.ca.projected)


def user_operator(model: ModelUsers, number: int, user: User) -> Iterator[Event]:
    """A pass of the User Operator over a user (docs/operator.md, "Users")."""
    if user.work is not None:
        yield from _works(model, number, user, user.work)
        return
    if user.noticed != user.paused:
        yield f"the User Operator notices user {number}", model.with_user(number, user._replace(noticed=user.paused))
    if user.noticed and not user.confirmed:
        yield f"the User Operator confirms the pause of user {number}", model.with_user(
            number, user._replace(confirmed=True)
        )  # fmt: skip
    current = model.ca.current
    if not user.noticed and current is not None and (user.confirmed or _is_due(model, user, current)):
        begun = user._replace(work=Work(current, begun=model.age))
        yield f"the User Operator begins with user {number}", model.with_user(number, begun)


def _is_due(model: ModelUsers, user: User, current: int) -> bool:
    is_in_time = model.environment.expiring or not is_valid(user.born, model.age)
    return not user.has_certificate or user.beside != current or is_in_time


def _works(model: ModelUsers, number: int, user: User, work: Work) -> Iterator[Event]:
    if work.key is None:
        read = user._replace(work=work._replace(key=model.ca.key))
        yield f"the User Operator reads the key for user {number}", model.with_user(number, read)
        return
    done = user._replace(work=None, confirmed=False)
    if not _is_due(model, user, work.certificate):
        yield f"the User Operator leaves user {number} as it is", model.with_user(number, done)
    elif signer(work.key) == signer(work.certificate):
        yield _stored(model, number, done, work.certificate, work.certificate)
    elif model.environment.keystores:
        yield f"the User Operator fails for user {number}", model.with_user(number, done)
    else:
        yield _stored(model, number, done, EMPTY, work.certificate)


def _stored(model: ModelUsers, number: int, user: User, leaf: int, beside: int) -> Event:
    stored = model.with_user(number, user._replace(leaf=leaf, beside=beside, born=model.age))
    old = (one._replace(fresh=False) if one.user == number else one for one in model.programs)
    what = "an empty certificate" if leaf == EMPTY else f"a certificate of {leaf}"
    return f"the User Operator issues {what} for user {number}", stored._replace(programs=tuple(old))


def programs(model: ModelUsers) -> Iterator[Event]:
    """A program restarts: the operator or a person restarts it, or it comes back after a crash."""
    for number, program in enumerate(model.programs if model.environment.reading else ()):
        user = model.users[program.user]
        if not program.fresh and user is not None and user.leaf is not None and user.has_certificate:
            read = Program(program.user, user.leaf, followed=program.followed, born=user.born)
            yield f"program {number} restarts", model.with_program(number, read)
