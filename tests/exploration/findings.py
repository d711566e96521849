"""The result of an exploration: all went well, or here is the way to the state where it did not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Retire

from ..tools.support.breaches import Breach
from .cluster_ca import ClusterCa, Invariant, People
from .explore import CounterExample, Explored, explore
from .invariants import broken
from .people import keep_hands_off
from .runs import Runner
from .starts import start
from .state import Follows

Record = Callable[[str, object], None]
#: The word of the summary about the patience of a flow; a flow with a deadline is patient.
_PATIENCE = {None: "", Retire.NOW: "", Retire.WHEN_NEEDED: " when needed"}


def explored(
    record: Record, runner: Runner, nodes: int, people: People = keep_hands_off, *, runs: int = 1, components: tuple[Component, ...] = (),
    invariant: Invariant = broken, follows: Sequence[Follows] = (),
) -> Explored:  # fmt: skip
    """Everything from the start of the runner's flow on, counted for the summary."""
    intent = runner.intent
    found = explore(start(intent, nodes, runs, components, follows), ClusterCa(runner, nodes, people, invariant))
    of = (
        f"{type(runner).__name__} {intent.goal.value}{' supplied' * bool(intent.new_ca.supplied)}"
        f"{_PATIENCE.get(intent.pace.retire, ' patient')} {people.__name__}"
    )
    record("explored", (f"{of}: {nodes + len(components)} pods, {runs} runs", len(found.states), found.transitions))
    return found


def to_an_end(*what: Any, **how: Any) -> Explored:
    """As ``explored``; from every state an end can be reached, or AssertionError."""
    found = explored(*what, **how)
    if dead := found.dead_ends():
        raise AssertionError("no way to an end after:\n" + "\n".join(found.way_to(dead[0])))
    if not found.ends:
        raise AssertionError("there is no end")
    return found


def counter_example(
    runner: Runner,
    nodes: int = 2,
    people: People = keep_hands_off,
    *,
    runs: int = 1,
    components: tuple[Component, ...] = (),
    follows: Sequence[Follows] = (),
    invariant: Invariant = broken,
) -> Breach:
    """The invariant that is broken in the end; the way to it is printed."""
    with pytest.raises(CounterExample) as found:
        explore(start(runner.intent, nodes, runs, components, follows), ClusterCa(runner, nodes, people, invariant))
    print(f"\n{found.value}")
    return found.value.breach
