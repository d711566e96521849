"""Each figure makes one line that a program can read, and is judged on the right side of its target."""

from __future__ import annotations

import re

import pytest

from .measurement import Measurement, Wanted

LINE = re.compile(r"^BENCH ([a-z0-9-]+) (\d+\.\d\d)([a-z]*) (\d+\.\d\d)\3 (ok|short)$")


@pytest.mark.parametrize(
    ("value", "wanted", "target", "verdict"),
    [
        (0.95, Wanted.AT_LEAST, 0.9, "ok"),
        (0.9, Wanted.AT_LEAST, 0.9, "ok"),
        (0.89, Wanted.AT_LEAST, 0.9, "short"),
        (1.49, Wanted.AT_MOST, 1.5, "ok"),
        (1.5, Wanted.AT_MOST, 1.5, "ok"),
        (1.51, Wanted.AT_MOST, 1.5, "short"),
        (1.504, Wanted.AT_MOST, 1.5, "ok"),
        (0.896, Wanted.AT_LEAST, 0.9, "ok"),
    ],
)
def test_the_verdict_fits_the_digits_shown(value: float, wanted: Wanted, target: float, verdict: str) -> None:
    found = LINE.match(Measurement("noop-rotate", value, wanted, target).line())
    assert found is not None
    assert found[1] == "noop-rotate"
    assert float(found[2]) == pytest.approx(value, abs=0.005)
    assert float(found[4]) == target
    assert found[5] == verdict


@pytest.mark.parametrize("unit", ["", "s"])
def test_the_unit_stands_behind_both_numbers(unit: str) -> None:
    line = Measurement("noop-rotate-100-pods", 2.884, Wanted.AT_MOST, 5.0, unit).line()
    assert line == f"BENCH noop-rotate-100-pods 2.88{unit} 5.00{unit} ok"
