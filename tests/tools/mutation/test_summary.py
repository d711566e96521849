"""The summary of a run is right, and the list of equivalent mutants is true."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from ..checks.places import ROOT
from .equivalents import EQUIVALENTS, Equivalent
from .mutant import Mutant
from .session import Tried
from .summary import Summary, rooms, summarise, untrue
from .targets import CODE

MUTANT = Mutant(CODE / "_trust/x.py", "x", (1, 0), "a is not b\n", "a is b", "a is not b")
ALIVE = Tried(MUTANT, is_killed=False)
NOTICED = Tried(replace(MUTANT, source="a + b\n", after="a + b"), is_killed=True)
KNOWN = MUTANT.key


@pytest.mark.parametrize(
    ("killed", "alive", "passes"), [(19, 1, True), (18, 1, False), (1, 0, True), (0, 1, False), (0, 0, True)]
)
def test_the_threshold(killed: int, alive: int, passes: bool) -> None:
    found = summarise([NOTICED] * killed + [ALIVE] * alive)
    assert (found, found.passes) == (Summary(killed, alive, 0), passes)


def test_equivalent_mutants_do_not_count() -> None:
    found = summarise([NOTICED, ALIVE], {KNOWN})
    assert (found.percentage, found) == (100.0, Summary(1, 0, 1))
    assert str(found) == "100.0 %  1 of 1 killed, 1 equivalent"


def test_a_line_of_another_module_is_another_line() -> None:
    other = [Tried(replace(MUTANT, module=CODE / "_trust/y.py"), is_killed=False)]
    assert summarise(other, {KNOWN}) == Summary(0, 1, 0)
    assert not list(untrue(other, {KNOWN}))


@pytest.mark.parametrize(
    ("tried", "why"),
    [
        ([replace(ALIVE, is_killed=True)], "but a test kills it"),
        ([NOTICED], "but there is no such mutant"),
    ],
)
def test_an_entry_of_the_list_that_is_not_true(tried: list[Tried], why: str) -> None:
    (sentence,) = untrue(tried, {KNOWN})
    assert sentence.endswith(why)


def test_one_of_several_places_is_enough() -> None:
    assert not list(untrue([replace(ALIVE, is_killed=True), ALIVE], {KNOWN}))


@pytest.mark.parametrize(
    ("killed", "alive", "low", "high"), [(0, 0, 0, 100), (10, 0, 72.2, 100), (95, 5, 88.8, 97.8), (194, 6, 93.6, 98.6)]
)
def test_what_a_part_says_of_all(killed: int, alive: int, low: float, high: float) -> None:
    assert Summary(killed, alive, 0).interval == pytest.approx((low, high), abs=0.06)


def test_the_rooms() -> None:
    assert rooms([ALIVE, NOTICED]) == {"_trust": [ALIVE, NOTICED]}


@pytest.mark.parametrize("equivalent", EQUIVALENTS, ids=lambda equivalent: f"{equivalent.module}: {equivalent.before}")
def test_every_equivalent_is_of_a_line_that_is_there_and_says_why(equivalent: Equivalent) -> None:
    lines = [line.strip() for line in (ROOT / Path(CODE) / equivalent.module).read_text().splitlines()]
    assert equivalent.before in lines
    assert equivalent.after
    # A mutation changes operators, numbers and conditions: a name that only it has was renamed in the code.
    names = set(re.findall(r"[^\W\d]\w*", " ".join(equivalent.after)))
    assert names <= {*re.findall(r"[^\W\d]\w*", equivalent.before), "not", "is", "in", "and", "or", "True", "False"}
    assert equivalent.why.endswith(".")
