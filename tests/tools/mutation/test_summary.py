"""The summary of a run is right, and the list of equivalent mutants is true."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ..checks.places import ROOT
from .equivalents import EQUIVALENTS, Equivalent
from .session import Mutant
from .summary import summarise
from .targets import CODE

ALIVE = Mutant(CODE / "_trust/x.py", "x", "a is b", "a is not b", is_killed=False)
NOTICED = replace(ALIVE, after="a + b", is_killed=True)
KNOWN = Equivalent("_trust/x.py", ALIVE.before, (ALIVE.after,), "it is the same.")


@pytest.mark.parametrize(
    ("killed", "alive", "passes"), [(19, 1, True), (18, 1, False), (1, 0, True), (0, 1, False), (0, 0, True)]
)
def test_the_threshold(killed: int, alive: int, passes: bool) -> None:
    found = summarise([NOTICED] * killed + [ALIVE] * alive, ())
    assert (found.killed, len(found.survivors), found.passes) == (killed, alive, passes)


def test_equivalent_mutants_do_not_count() -> None:
    found = summarise([NOTICED, ALIVE], [KNOWN])
    assert (found.percentage, found.survivors, found.equivalent, found.untrue) == (100.0, (), 1, ())
    assert str(found) == "100.0 %  1 of 1 killed, 1 equivalent"


def test_a_line_of_another_module_is_another_line() -> None:
    found = summarise([replace(ALIVE, module=CODE / "_trust/y.py")], [KNOWN])
    assert (len(found.survivors), found.untrue) == (1, ())


@pytest.mark.parametrize(
    ("mutants", "why"),
    [
        ([replace(ALIVE, is_killed=True)], "but a test kills it"),
        ([NOTICED], "but there is no such mutant"),
    ],
)
def test_an_untrue_line_of_the_list_fails_the_run(mutants: list[Mutant], why: str) -> None:
    found = summarise(mutants, [KNOWN])
    (sentence,) = found.untrue
    assert sentence.endswith(why)
    assert not found.passes


def test_one_of_several_places_is_enough() -> None:
    assert summarise([replace(ALIVE, is_killed=True), ALIVE], [KNOWN]).passes


@pytest.mark.parametrize("equivalent", EQUIVALENTS, ids=lambda equivalent: f"{equivalent.module}: {equivalent.before}")
def test_every_equivalent_is_of_a_line_that_is_there_and_says_why(equivalent: Equivalent) -> None:
    lines = [line.strip() for line in (ROOT / Path(CODE) / equivalent.module).read_text().splitlines()]
    assert equivalent.before in lines
    assert equivalent.after
    assert equivalent.why.endswith(".")
