# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures and figures: everything has its place, words tell the same, and what was noted is counted in one place."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.filter.report_view import report_view

from ...tools.support.golden import GoldenFiles
from .runs import NEW, OLD, PHASES, action, ca, facts, label, leaf, nodes, pod, roll, rotation, seen, step

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


def test_before_there_is_the_old_ca_and_after_the_new_one(golden: GoldenFiles) -> None:
    before, after = pictures(rotation())
    assert [box["there"] for box in (*before["cas"], *after["cas"])] == [True, False, False, True]
    states = [" ".join(box["state"]) for box in (*before["cas"], *after["cas"])]
    golden.compare_said("report_parts", "\n".join([*states, *sorted({line["title"] for line in after["lines"]})]))


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


def test_words_tell_the_same_as_the_picture(golden: GoldenFiles) -> None:
    pods = [
        *nodes("d", presents=[label(OLD)], trusts=[label(OLD), label(NEW)]),
        pod("x", component="x", presents=[], trusts=[]),
    ]
    picture = pictures(rotation(last=seen([ca(), ca(NEW, "UNTRUSTED")], pods)))[-1]
    golden.compare_said("report_parts", picture["description"])


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


def test_bars_follow_each_other_and_are_as_long_as_what_they_stand_for(golden: GoldenFiles) -> None:
    rows = report_view(facts())["timeline"]["rows"]
    bars = [stripe for row in rows for stripe in row["bars"]]
    assert [stripe["kind"] for stripe in bars] == ["wait", "roll", "roll", "roll"]
    for one, other in itertools.pairwise(bars):
        assert abs(one["x"] + one["width"] - other["x"]) < 0.2
    assert abs(bars[1]["width"] / bars[0]["width"] - 2) < 0.01
    golden.compare("report_parts", golden.test, "\n".join(row["text"] for row in rows[:2]))


# Figures: writes, restarts, rolls and times are counted from what was noted, and in one place.


def test_figures_of_a_rotation() -> None:
    found = facts()
    assert {name: found[name] for name in ("writes", "restarts", "rolls", "nodes", "nodes_away_together")} == {
        "writes": 4, "restarts": 9, "rolls": 3, "nodes": 3, "nodes_away_together": 1,
    }  # fmt: skip


def test_the_run_took_what_lies_between_its_begin_and_its_end() -> None:
    found = facts()
    assert (found["seconds"], found["worked_seconds"]) == (65.0, 21.0)


def test_without_a_begin_only_the_work_is_known() -> None:
    assert facts(rotation(begun=None))["seconds"] == 21.0


@pytest.mark.parametrize(
    ("uids", "rolls"), [([], 0), (["a"], 0), (["b"], 1), (["b", "b"], 1), (["b", "c"], 2), (["b", "c", "d"], 3)]
)
def test_rolls_are_counted_by_the_uids_of_the_nodes(uids: list[str], rolls: int) -> None:
    log = [step(1.0, [action("update", "Kafka demo", "trust")], nodes(uid)) for uid in uids]
    first, last = seen([], nodes("a")), seen([], nodes(uids[-1] if uids else "a"))
    assert facts(rotation(log=log, first=first, last=last))["rolls"] == rolls


def test_a_restart_that_no_call_asked_for_counts_as_well() -> None:
    noted = rotation(log=[], first=seen([], nodes("a")), last=seen([], nodes("b")))
    assert (facts(noted)["rolls"], facts(noted)["restarts"]) == (1, 3)


def test_restarts_that_only_some_calls_have_seen_are_counted_once() -> None:
    """The operator had begun before the call that waited for the rest."""
    partly = [action("restart", f"Pod {node['name']}", "use") for node in nodes("b")[1:]]
    log = [step(1.0, partly, nodes("b"))]
    noted = rotation(log=log, first=seen([], nodes("a")), last=seen([], nodes("b")))
    assert (facts(noted)["rolls"], facts(noted)["restarts"]) == (1, 3)


def told(noted: dict[str, Any]) -> dict[str, list[tuple[str, float | None]]]:
    return {one["phase"]: [(pod["pod"], pod["seconds"]) for pod in one["restarts"]] for one in facts(noted)["phases"]}


@pytest.mark.parametrize(("when", "phase"), [(0, "trust"), (1, "use"), (2, "retire"), (3, "retire")])
def test_a_restart_by_the_operator_belongs_to_the_phase_that_saw_it_first(when: int, phase: str) -> None:
    """The call that came after it found a node with another UID; the end counts with the last call."""
    calls = ("trust", "use", "retire")
    pictures = [[nodes("ab"[number >= when])[0]] for number in range(4)]
    log = [
        step(1.0, [action("update", "Kafka demo", name)], picture)
        for name, picture in zip(calls, pictures, strict=False)
    ]
    found = told(rotation(log=log, first=seen([], nodes("a")[:1]), last=seen([], pictures[-1])))
    assert found == {**{name: [] for name in calls}, phase: [("demo-kafka-0", None)]}


def test_a_restart_whose_pod_is_seen_by_a_later_call_is_told_once() -> None:
    asked = step(1.0, [action("restart", "Pod demo-kafka-0", "trust", 2.0)], nodes("a")[:1])
    later = step(1.0, [action("update", "Kafka demo", "use")], nodes("b")[:1])
    noted = rotation(log=[asked, later], first=seen([], nodes("a")[:1]), last=seen([], nodes("b")[:1]))
    assert told(noted) == {"trust": [("demo-kafka-0", 2.0)], "use": []}


def test_a_pod_that_the_operator_restarts_is_shown_beside_those_of_a_call() -> None:
    partly = [action("restart", "Pod demo-kafka-1", "use", 2.0)]
    log = [step(1.0, partly, nodes("b")[:2])]
    noted = rotation(log=log, first=seen([], nodes("a")[:2]), last=seen([], nodes("b")[:2]))
    assert sorted(told(noted)["use"]) == [("demo-kafka-0", None), ("demo-kafka-1", 2.0)]


def test_a_phase_names_the_new_pod_of_a_deployment() -> None:
    before, after = (
        [{**nodes(uid)[0], "name": f"demo-entity-operator-{uid}", "component": "entity-operator"}] for uid in "ab"
    )
    log = [step(1.0, [action("update", "Kafka demo", "use")], after)]
    assert told(rotation(log=log, first=seen([], before), last=seen([], after))) == {
        "use": [("demo-entity-operator-b", None)]
    }


def test_pods_of_deployments_are_no_nodes() -> None:
    others = [[{**one, "component": "entity-operator"} for one in nodes(uid)] for uid in "ab"]
    noted = rotation(log=[], first=seen([], others[0]), last=seen([], others[1]))
    assert (facts(noted)["rolls"], facts(noted)["nodes"]) == (0, 0)


def test_a_new_pod_of_a_deployment_is_a_restart_under_whatever_name() -> None:
    before, after = (
        [{**nodes(uid)[0], "name": f"demo-entity-operator-{uid}", "component": "entity-operator"}] for uid in "ab"
    )
    found = facts(rotation(log=[], first=seen([], before), last=seen([], after)))
    assert (found["rolls"], found["restarts"], [pod["restarts"] for pod in found["pods"]]) == (0, 1, [1])


@pytest.mark.parametrize(
    ("together", "most"), [([], None), ([1, 1], 1), ([1, 3, 2], 3), ([None], None), ([None, 2], 2)]
)
def test_the_most_nodes_that_were_away_at_once(together: list[Any], most: int | None) -> None:
    log = [roll("trust", "b", away=away) for away in together]
    assert facts(rotation(log=log))["nodes_away_together"] == most


def in_rounds(*numbers: int | None, phase: str = "trust") -> dict[str, Any]:
    """A call that restarts the three nodes in the rounds of these numbers."""
    named = [node["name"] for node in nodes("b")]
    done = [action("restart", f"Pod {name}", phase, round=one) for name, one in zip(named, numbers, strict=True)]
    return step(1.0, done, nodes("b"))


@pytest.mark.parametrize(
    ("log", "sizes"),
    [
        ([in_rounds(1, 1, 2)], [2, 1]),
        ([in_rounds(1, 2, 1)], [2, 1]),
        ([in_rounds(1, 1, 1), in_rounds(1, 1, 2, phase="use")], [3, 2, 1]),
        ([in_rounds(1, 1, 1), in_rounds(None, None, None, phase="use")], [3, 1, 1, 1]),
        ([in_rounds(None, None, None)], []),
        ([], []),
    ],
    ids=["one after the other", "back in another order", "of two calls", "others alone", "all alone", "no restart"],
)
def test_rounds_are_told_as_they_were_made(log: list[dict[str, Any]], sizes: list[int]) -> None:
    rounds = facts(rotation(log=log))["rounds"]
    assert [len(one["nodes"]) for one in rounds] == sizes
    assert sorted(name for one in rounds for name in one["nodes"]) == sorted(
        one["name"] for done in log if sizes for one in done["actions"]
    )
    assert [one["phase"] for one in rounds] == sorted(one["phase"] for one in rounds)


@pytest.mark.parametrize("check_mode", [False, True])
def test_the_planned_rounds_are_those_of_the_first_plan_of_a_run(check_mode: bool) -> None:
    """In check mode the last call has the plan."""
    plans = [
        {"plan": [{"rounds": [], "restarts": []}], "planned_rounds": rounds, "planned_from": {"unheard": []}}
        for rounds in (4, 2)
    ]
    first, last = ({**seen([], nodes("a")), **plan} for plan in plans)
    found = facts(rotation(first=first, log=[in_rounds(1, 1, 2)], last=last), check_mode=check_mode)
    assert (found["planned_rounds"], len(found["rounds"])) == ((2, 0) if check_mode else (4, 2))


def test_phases_are_told_in_the_order_of_the_flow() -> None:
    assert [phase["phase"] for phase in facts()["phases"]] == list(PHASES)


def test_a_phase_tells_what_was_written_restarted_and_waited_for() -> None:
    prepare, trust = facts()["phases"][:2]
    assert prepare["writes"] == [
        {
            "object": "Secret kafka/demo-cluster-ca",
            "kind": "Secret",
            "name": "demo-cluster-ca",
            "times": 1,
            "what": ["update it"],
        }
    ]
    assert prepare["waits"] == [{"object": "Secret kafka/demo-trustbundle", "what": "wait it", "seconds": 1.5}]
    assert [one["pod"] for one in trust["restarts"]] == ["demo-kafka-0", "demo-kafka-1", "demo-kafka-2"]
    assert {(one["component"], one["seconds"]) for one in trust["restarts"]} == {("kafka", 2.0)}


def test_an_object_that_was_written_twice_is_told_once() -> None:
    twice = [action("update", "Kafka demo", "use", what="one"), action("update", "Kafka demo", "use", what="two")]
    (phase,) = facts(rotation(log=[step(1.0, twice)]))["phases"]
    assert phase["writes"] == [
        {"object": "Kafka kafka/demo", "kind": "Kafka", "name": "demo", "times": 2, "what": ["one", "two"]}
    ]


@pytest.mark.parametrize(
    ("actions", "kind"),
    [
        ([action("update", "Kafka demo", "use"), action("restart", "Pod demo-kafka-0", "use", 1.0)], "roll"),
        ([action("update", "Kafka demo", "use"), action("wait", "Kafka demo", "use", 1.0)], "wait"),
        ([action("update", "Kafka demo", "use")], "write"),
    ],
)
def test_the_kind_of_a_call_is_what_takes_longest_in_it(actions: list[dict[str, Any]], kind: str) -> None:
    (phase,) = facts(rotation(log=[step(1.0, actions)]))["phases"]
    assert [work["kind"] for work in phase["work"]] == [kind]


@pytest.mark.parametrize(("phase", "told"), [("trust", "trust"), ("retire", "trust")])
def test_an_entry_in_the_ledger_belongs_to_the_phase_before_it(phase: str, told: str) -> None:
    ledger = step(1.0, [action("update", "Secret demo-cluster-ca-trusted-certs", phase)])
    phases = facts(rotation(log=[roll("trust", "b"), ledger]))["phases"]
    assert [one["phase"] for one in phases] == [told]
    assert phases[0]["seconds"] == 7.0


def test_a_ledger_entry_with_nothing_before_it_keeps_its_phase() -> None:
    ledger = step(1.0, [action("update", "Secret demo-cluster-ca-trusted-certs", "retire")])
    assert [one["phase"] for one in facts(rotation(log=[ledger]))["phases"]] == ["retire"]


def test_a_call_in_two_phases_shares_its_time() -> None:
    both = [action("update", "Kafka demo", "use")] * 3 + [action("update", "Kafka demo", "retire")]
    use, retire = facts(rotation(log=[step(8.0, both)]))["phases"]
    assert (use["seconds"], retire["seconds"]) == (6.0, 2.0)
    assert (use["work"][0]["begins"], retire["work"][0]["begins"]) == (0.0, 6.0)


_VERBS = st.sampled_from(("create", "update", "delete", "restart", "wait"))
_NAMED = st.sampled_from(("Pod demo-kafka-0", "Pod demo-kafka-1", "Pod demo-cruise-control-x"))
_ACTIONS = st.builds(action, _VERBS, _NAMED, st.sampled_from(PHASES), st.floats(0, 9))
_COUNTED = st.builds(
    step, st.integers(0, 900).map(float), st.lists(_ACTIONS, min_size=1, max_size=5),
    st.sampled_from("abcd").map(nodes),
)  # fmt: skip


@given(st.lists(_COUNTED, max_size=6))
def test_nothing_gets_lost_between_the_whole_and_the_phases(log: list[dict[str, Any]]) -> None:
    found = facts(rotation(log=log))
    phases = found["phases"]
    assert sum(one["times"] for phase in phases for one in phase["writes"]) == found["writes"]
    assert sum(len(phase["restarts"]) for phase in phases) == (found["restarts"] if log else 0)
    assert sum(phase["seconds"] for phase in phases) == pytest.approx(found["worked_seconds"], abs=0.5)
