"""The result of an exploration: all went well, or here is the way to the state where it did not."""

from __future__ import annotations

from typing import Any

import pytest

from ...tools.support.breaches import Breach
from ..explore import CounterExample, Explored, explore
from ..findings import Record
from .clients_ca import ClientsCa
from .endings import rounds_to_the_end
from .state import ModelUsers

#: More rounds than any run takes that meets no disturbance any more.
ROUNDS = 120


def to_the_end(record: Record, about: str, begin: ModelUsers, world: ClientsCa) -> Explored[ModelUsers]:
    """Everything from there on, counted for the summary: no invariant is broken, and every run that is left alone comes to its end."""
    found = explore(begin, world)
    record("explored", (f"clients CA: {about}", len(found.states), found.transitions))
    assert found.ends
    assert rounds_to_the_end(found, world) < ROUNDS
    return found


def counter_example(begin: ModelUsers, world: ClientsCa) -> Breach:
    """The invariant that is broken in the end; the way to it is printed."""
    with pytest.raises(CounterExample) as found:
        explore(begin, world)
    print(f"\n{found.value}")
    return found.value.breach


def name_of(value: Any) -> str:
    return str(getattr(value, "__name__", value))
