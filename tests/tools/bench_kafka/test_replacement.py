"""A measured replacement tells the time for more brokers, and is judged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.waves import AT_ONCE

from .replacement import BROKERS, Replacement, table
from .replacing import first_reload
from .variants import OPERATOR, VARIANTS, Variant, judge

PLAIN = Replacement("plain", 120.0, 3, (10.0,) * 9)
ONE_ROLL = Replacement("quick", 42.0, 3, (10.0, 12.0, 8.0))


def test_the_rest_is_the_time_outside_of_restarts() -> None:
    assert (PLAIN.restarts_per_node, PLAIN.restarting, PLAIN.other) == (3.0, 90.0, 30.0)


@pytest.mark.parametrize(
    ("measured", "brokers", "least", "most"),
    [(PLAIN, 3, 90, 120), (PLAIN, 50, 1500, 2000), (PLAIN, 500, 15000, 20000), (ONE_ROLL, 150, 1500, 2100)],
)
def test_arithmetic_for_more_brokers(measured: Replacement, brokers: int, least: float, most: float) -> None:
    assert measured.least_seconds_for(brokers) == pytest.approx(least)
    assert measured.most_seconds_for(brokers) == pytest.approx(most)


@pytest.mark.parametrize(
    ("brokers", "waves"), [(1, 1), (2, 2), (1 + AT_ONCE, 2), (2 + AT_ONCE, 3), (1 + 9 * AT_ONCE, 10), (500, 21)]
)
def test_reloads_go_side_by_side_after_the_first(brokers: int, waves: int) -> None:
    replacement = Replacement("reload", 50.0, 3, (10.0,) * 3, reload=1.5)
    assert replacement.least_seconds_for(brokers) == pytest.approx(10 * brokers + 1.5 * waves)


def test_the_first_node_that_is_told_is_told_alone() -> None:
    roll = [{"verb": "restart", "seconds": 12.0}]
    reload = [{"verb": "reload", "seconds": seconds} for seconds in (1.2, 6.4, 6.4)]
    assert first_reload([*roll, *reload]) == 1.2
    assert first_reload(roll) == 0.0


@given(st.lists(st.floats(0.1, 100), min_size=1, max_size=20), st.floats(0, 1000), st.integers(1, 9))
def test_more_brokers_never_take_less(restarts: list[float], other: float, nodes: int) -> None:
    replacement = Replacement("any", sum(restarts) + other, nodes, tuple(restarts))
    least = [replacement.least_seconds_for(brokers) for brokers in BROKERS]
    most = [replacement.most_seconds_for(brokers) for brokers in BROKERS]
    assert least == sorted(least)
    assert most == sorted(most)
    assert all(few <= many * (1 + 1e-9) for few, many in zip(least, most, strict=True))


def test_json_has_the_measured_and_the_reckoned() -> None:
    shown = ONE_ROLL.as_json()
    assert shown["way"] == "quick"
    assert shown["restarts"] == 3
    assert (shown["restarting_seconds"], shown["other_seconds"]) == (30.0, 12.0)
    assert shown["reload_seconds"] == 0.0
    assert shown["for_brokers"]["50"] == {"least_seconds": 500, "most_seconds": 700}


def test_the_table_has_a_line_for_each_and_its_columns_end_together() -> None:
    lines = table([PLAIN, ONE_ROLL]).splitlines()
    assert lines[1].split() == [
        "plain",
        "120",
        "9",
        "90",
        "30",
        "0.4",
        "to",
        "0.6",
        "1.2",
        "to",
        "1.7",
        "4.2",
        "to",
        "5.6",
    ]
    assert lines[2].split()[:3] == ["quick", "42", "3"]
    assert len({len(line) for line in lines}) == 1


@pytest.mark.parametrize(
    ("variant", "taken", "shown"),
    [
        (Variant("plain", 3), PLAIN, ["replace-plain-restarts-per-node 3.00 3.00 ok", "replace-plain-vs-restarts 1.33 1.50 ok"]),
        (
            Variant("quick", 1, of_first=0.4), ONE_ROLL,
            [
                "replace-quick-restarts-per-node 1.00 1.00 ok", "replace-quick-vs-restarts 1.40 1.50 ok",
                "replace-quick-vs-plain 0.35 0.40 ok",
            ],
        ),
        (
            Variant("none", 0, of_first=0.2), Replacement("none", 21.0, 3, ()),
            ["replace-none-restarts-per-node 0.00 0.00 ok", "replace-none-vs-plain 0.17 0.20 ok"],
        ),
        (
            Variant("quick", 1, of_first=0.3), Replacement("quick", 84.0, 3, (10.0,) * 4),
            [
                "replace-quick-restarts-per-node 1.33 1.00 short", "replace-quick-vs-restarts 2.10 1.50 short",
                "replace-quick-vs-plain 0.70 0.30 short",
            ],
        ),
    ],
)  # fmt: skip
def test_a_variant_is_judged_by_its_restarts_and_its_share(
    variant: Variant, taken: Replacement, shown: list[str]
) -> None:
    assert [measurement.line() for measurement in judge(variant, taken, PLAIN)] == [f"BENCH {line}" for line in shown]


def test_every_variant_has_a_name_of_its_own() -> None:
    names = [variant.name for variant in (*VARIANTS, OPERATOR)]
    assert len(set(names)) == len(names)
