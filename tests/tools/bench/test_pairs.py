"""Two things are compared in turns; the ratio is that of the middle pair."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .pairs import alternate, processor_seconds, ratio, seconds

TIMES = st.floats(min_value=0.001, max_value=1000)
PAIRS = st.lists(st.tuples(TIMES, TIMES), min_size=1, max_size=9)


def test_both_run_in_turns_and_neither_is_always_first() -> None:
    order: list[str] = []

    def run(name: str, value: float) -> float:
        order.append(name)
        return value

    pairs = alternate(lambda: run("ours", 2.0), lambda: run("baseline", 1.0), 4)
    assert pairs == [(2.0, 1.0)] * 4
    assert order == ["ours", "baseline", "baseline", "ours"] * 2


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(3.0, 2.0)], 1.5),
        ([(1.0, 1.0), (2.0, 1.0), (90.0, 1.0)], 2.0),
        # A load that slows down both halves of one pair changes nothing.
        ([(2.0, 1.0), (20.0, 10.0), (2.0, 1.0)], 2.0),
        ([(1.0, 1.0), (2.0, 1.0)], 1.5),
    ],
)
def test_the_middle_ratio_counts(pairs: list[tuple[float, float]], expected: float) -> None:
    assert ratio(pairs) == expected


@given(PAIRS)
def test_it_lies_between_the_smallest_and_the_largest(pairs: list[tuple[float, float]]) -> None:
    ratios = [ours / baseline for ours, baseline in pairs]
    assert min(ratios) * 0.999 <= ratio(pairs) <= max(ratios) * 1.001


@given(PAIRS, st.floats(min_value=0.01, max_value=100))
def test_it_has_no_unit(pairs: list[tuple[float, float]], factor: float) -> None:
    scaled = [(ours * factor, baseline * factor) for ours, baseline in pairs]
    assert ratio(scaled) == pytest.approx(ratio(pairs))


def test_seconds_are_those_of_the_wall_clock() -> None:
    assert 0.05 <= seconds(lambda: time.sleep(0.05)) < 5


def test_the_processors_work_only_for_what_was_started() -> None:
    """The test itself works too, and waits for a process that sleeps."""

    def work(seconds_of_processor: float, seconds_asleep: float = 0.0) -> None:
        code = f"import time\nwhile time.process_time() < {seconds_of_processor}: pass\ntime.sleep({seconds_asleep})"
        subprocess.run([sys.executable, "-c", code], check=True)

    assert processor_seconds(lambda: work(0.5)) >= 0.5
    assert processor_seconds(lambda: work(0.0, seconds_asleep=2.0)) < 1.0
    assert processor_seconds(lambda: sum(range(10**6))) < 0.1
