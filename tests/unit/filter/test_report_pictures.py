# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures: everything has its place, nothing lies on anything else, and words tell the same."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.filter.report_view import report_view

from .runs import NEW, OLD, action, ca, facts, label, leaf, nodes, pod, rotation, seen, step

Box = Mapping[str, Any]
COMPONENTS = ("kafka", "entity-operator", "cruise-control", "kafka-exporter")
_NAMES = st.text("ab-01", min_size=1, max_size=60)
_AUTHORITIES = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=5, unique=True)


def pictures(noted: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = report_view(facts(noted))["pictures"]
    return found


@st.composite
def clusters(draw: st.DrawFn) -> dict[str, Any]:
    """A cluster at one moment: some CAs, and pods that present and trust some of them."""
    letters = draw(_AUTHORITIES)
    labels = st.lists(st.sampled_from([label(one * 64) for one in letters]), unique=True)
    pods = draw(
        st.lists(
            st.builds(
                pod, _NAMES, component=st.sampled_from(COMPONENTS),
                presents=labels, trusts=labels,
            ),
            max_size=10, unique_by=lambda one: one["name"],
        )
    )  # fmt: skip
    return seen([ca(one * 64) for one in letters], pods, leaves=[leaf()] if draw(st.booleans()) else [])


def apart(boxes: Iterable[Box]) -> bool:
    ordered = sorted(boxes, key=lambda box: box["y"])
    return all(one["y"] + one["height"] < other["y"] for one, other in itertools.pairwise(ordered))


def inside(box: Box, picture: Mapping[str, Any]) -> bool:
    return (
        box["x"] >= 0 and box["x"] + box["width"] <= picture["width"]
        and box["y"] >= 0 and box["y"] + box["height"] <= picture["height"]
    )  # fmt: skip


@given(clusters(), clusters())
def test_boxes_are_inside_and_apart(before: dict[str, Any], after: dict[str, Any]) -> None:
    for picture in pictures(rotation(first=before, last=after)):
        assert apart(picture["parties"])
        assert apart(picture["cas"])
        assert all(inside(box, picture) for box in (*picture["parties"], *picture["cas"]))


@given(clusters(), clusters())
def test_lines_lead_from_a_party_to_a_ca(before: dict[str, Any], after: dict[str, Any]) -> None:
    for picture in pictures(rotation(first=before, last=after)):
        for line in picture["lines"]:
            numbers = [float(number) for number in re.findall(r"[0-9.]+", line["path"])]
            start, end = numbers[:2], numbers[-2:]
            assert any(box["x"] + box["width"] == start[0] and _beside(start[1], box) for box in picture["parties"])
            assert any(box["x"] == end[0] and _beside(end[1], box) for box in picture["cas"])


def _beside(y: float, box: Box) -> bool:
    return bool(box["y"] <= y <= box["y"] + box["height"])


@given(clusters(), clusters())
def test_a_line_for_everything_that_is_presented_or_trusted(before: dict[str, Any], after: dict[str, Any]) -> None:
    found = facts(rotation(first=before, last=after))
    picture = report_view(found)["pictures"][-1]
    wanted = [kind for party in found["parties"] for kind in ("presents", "trusts") for _ca in party[kind]]
    assert sorted(line["kind"] for line in picture["lines"]) == sorted(wanted)


@given(clusters(), clusters())
def test_a_ca_stands_at_the_same_place_before_and_after(before: dict[str, Any], after: dict[str, Any]) -> None:
    places = [[(box["short"], box["y"]) for box in one["cas"]] for one in pictures(rotation(first=before, last=after))]
    assert places[0] == places[-1]


def test_before_there_is_the_old_ca_and_after_the_new_one() -> None:
    before, after = pictures(rotation())
    assert [(box["there"], box["state"]) for box in before["cas"]] == [
        (True, "TRUSTED_IN_USE_ALL"), (False, "not there yet"),
    ]  # fmt: skip
    assert [(box["there"], box["state"]) for box in after["cas"]] == [(False, "removed"), (True, "TRUSTED_IN_USE_ALL")]
    assert {line["title"] for line in after["lines"]} == {
        "3 Kafka nodes presents B", "3 Kafka nodes trusts B", "Cluster Operator presents B", "Cluster Operator trusts B",
    }  # fmt: skip


def test_a_hundred_nodes_are_one_box() -> None:
    (picture,) = pictures(
        rotation(first=seen([ca()], nodes("a", range(100))), last=seen([ca()], nodes("a", range(100))))
    )
    (box,) = picture["parties"]
    assert (box["title"], box["names"], box["stacked"]) == ("100 Kafka nodes", "demo-kafka-0 … 99", True)


def test_numbers_that_are_missing_are_not_passed_over() -> None:
    same = seen([ca()], nodes("a", [0, 3, 10]))
    assert pictures(rotation(first=same, last=same))[0]["parties"][0]["names"] == "demo-kafka-0, 3, 10"


def test_nodes_of_two_pools_are_told_by_their_names() -> None:
    same = seen([ca()], [pod("a-pool-0", "1"), pod("b-pool-1", "2")])
    assert pictures(rotation(first=same, last=same))[0]["parties"][0]["names"] == "a-pool-0, b-pool-1"


def test_words_tell_the_same_as_the_picture() -> None:
    pods = [
        *nodes("d", presents=[label(OLD)], trusts=[label(OLD), label(NEW)]),
        pod("x", component="x", presents=[], trusts=[]),
    ]
    picture = pictures(rotation(last=seen([ca(), ca(NEW, "UNTRUSTED")], pods)))[-1]
    assert picture["description"] == (
        "3 Kafka nodes: presents A, trusts A and B. x: presents something unknown, trusts nothing known."
    )


_STEPS = st.lists(
    st.builds(
        step, st.integers(0, 5000).map(float),
        st.lists(st.builds(action, st.sampled_from(("update", "restart", "wait")), st.just("Kafka demo"),
                           st.sampled_from(("prepare", "trust", "use", "retire")), st.floats(0, 9)),
                 min_size=1, max_size=4),
    ),
    min_size=1, max_size=8,
)  # fmt: skip


@given(_STEPS)
def test_bars_are_inside_their_track(log: list[dict[str, Any]]) -> None:
    timeline = report_view(facts(rotation(log=log)))["timeline"]
    for row in timeline["rows"]:
        for stripe in row["bars"]:
            assert timeline["left"] <= stripe["x"]
            assert stripe["x"] + stripe["width"] <= timeline["right"] + 0.2
            assert stripe["width"] > 0


def test_bars_follow_each_other_and_are_as_long_as_what_they_stand_for() -> None:
    rows = report_view(facts())["timeline"]["rows"]
    bars = [stripe for row in rows for stripe in row["bars"]]
    assert [stripe["kind"] for stripe in bars] == ["wait", "roll", "roll", "roll"]
    for one, other in itertools.pairwise(bars):
        assert abs(one["x"] + one["width"] - other["x"]) < 0.2
    assert abs(bars[1]["width"] / bars[0]["width"] - 2) < 0.01
    assert [row["text"] for row in rows[:2]] == [
        "1 write, waited 1.5 s for the operator", "1 write, 3 pods restarted in 6.0 s",
    ]  # fmt: skip
