"""Acts of people on users and flows while runs are under way."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .events import Event
from .state import ModelUsers, User


def keep_hands_off(model: ModelUsers) -> Iterator[Event]:
    """No person changes anything."""
    yield from ()


def adds_a_user(model: ModelUsers) -> Iterator[Event]:
    for number, user in enumerate(model.users):
        if user is None:
            yield f"a person adds user {number}", model.with_user(number, User())


def adds_and_deletes_users(model: ModelUsers) -> Iterator[Event]:
    """The User Operator deletes the Secret when it is not at work on the user; without programs, which would have no rights any more."""
    yield from adds_a_user(model)
    used = {program.user for program in model.programs}
    for number, user in enumerate(model.users):
        if user is not None and user.work is None and number not in used:
            yield f"a person deletes user {number}", model.with_user(number, None)


def wants_it_undone(model: ModelUsers) -> Iterator[Event]:
    """A person wants the flow undone, once; and lets it go on where the old CA has left already."""
    if model.aborting is False:
        yield "a person wants it undone", model._replace(aborting=True)
    flow = model.books.flow if model.books else None
    if model.aborting and flow is not None and not flow.is_abort and flow.replaces not in model.ca.projected:
        yield "the run says that it is too late", model._replace(aborting=None)


def with_all(*people: Callable[[ModelUsers], Iterator[Event]]) -> Callable[[ModelUsers], Iterator[Event]]:
    """All of these."""

    def they(model: ModelUsers) -> Iterator[Event]:
        for one in people:
            yield from one(model)

    return they
