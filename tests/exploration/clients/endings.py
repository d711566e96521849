"""A run that is alone and meets no disturbance any more comes to its end, from every state, in so many rounds (I8)."""

from __future__ import annotations

from collections.abc import Iterator

from ..explore import Explored
from ..state import Run
from .clients_ca import ClientsCa
from .events import Event, cluster_operator, programs, restart, time_passes, user_operator
from .people import wants_it_undone
from .state import ModelUsers


class NoEnd(AssertionError):
    """The text is the way from the start to where nothing leads to an end, one event a line."""


def rounds_to_the_end(found: Explored[ModelUsers], world: ClientsCa) -> int:
    """The most rounds that any state needs. In a round every program that has something to do does the next thing. Raises NoEnd."""
    models = list(found.states)
    left = {models[number]: 0 for number in found.ends}
    for model in models:
        way = [model]
        while way[-1] not in left:
            after = _round(way[-1], world)
            if after in way:
                raise NoEnd("\n".join([*found.way_to(models.index(model)), "and from here on in a circle"]))
            way.append(after)
        last = left[way.pop()]
        for rounds, earlier in enumerate(reversed(way), last + 1):
            left[earlier] = rounds
    return max(left.values())


def _round(model: ModelUsers, world: ClientsCa) -> ModelUsers:
    model = _first(cluster_operator(model), model)
    for number, user in enumerate(model.users):
        if user is not None:
            model = _first(user_operator(model, number, user), model)
    model = _first(programs(model), model)
    model = _first(time_passes(model), model)
    model = _first((event for event in wants_it_undone(model) if model.aborting), model)
    for step in world.at_work(model).last_decision(model).steps:
        for uid in step.restarts:
            model = restart(model, int(uid))
    _event, model = world.at_work(model).undisturbed(*_alone(model))
    return world.canonical(model)


def _alone(model: ModelUsers) -> tuple[ModelUsers, int]:
    """The model with a single run, which goes on, and the number of that run; all others are gone."""
    busy = [number for number, run in enumerate(model.runs) if not run.idle]
    chosen = busy[0] if busy else 0
    for number in range(len(model.runs)):
        model = model if number == chosen else model.with_run(number, Run())
    return model, chosen


def _first(events: Iterator[Event], model: ModelUsers) -> ModelUsers:
    return next((after for _event, after in events), model)
