# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures: writes, restarts, rolls and times are counted from what was noted, and in one place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .runs import PHASES, action, facts, nodes, roll, rotation, seen, step


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
    partly = [action("restart", f"Pod kafka/{node['name']}", "use") for node in nodes("b")[1:]]
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


def test_one_that_the_operator_restarts_besides_those_of_a_call_is_told_with_them() -> None:
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


def test_phases_are_told_in_the_order_of_the_flow() -> None:
    assert [phase["phase"] for phase in facts()["phases"]] == list(PHASES)


def test_a_phase_tells_what_was_written_restarted_and_waited_for() -> None:
    prepare, trust = facts()["phases"][:2]
    assert prepare["writes"] == [{"object": "Secret kafka/demo-cluster-ca", "times": 1, "what": ["update it"]}]
    assert prepare["waits"] == [{"object": "Secret kafka/demo-trustbundle", "what": "wait it", "seconds": 1.5}]
    assert [one["pod"] for one in trust["restarts"]] == ["demo-kafka-0", "demo-kafka-1", "demo-kafka-2"]
    assert {(one["component"], one["seconds"]) for one in trust["restarts"]} == {("kafka", 2.0)}


def test_an_object_that_was_written_twice_is_told_once() -> None:
    twice = [action("update", "Kafka demo", "use", what="one"), action("update", "Kafka demo", "use", what="two")]
    (phase,) = facts(rotation(log=[step(1.0, twice)]))["phases"]
    assert phase["writes"] == [{"object": "Kafka kafka/demo", "times": 2, "what": ["one", "two"]}]


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
_STEPS = st.builds(
    step, st.integers(0, 900).map(float), st.lists(_ACTIONS, min_size=1, max_size=5),
    st.sampled_from("abcd").map(nodes),
)  # fmt: skip


@given(st.lists(_STEPS, max_size=6))
def test_nothing_gets_lost_between_the_whole_and_the_phases(log: list[dict[str, Any]]) -> None:
    found = facts(rotation(log=log))
    phases = found["phases"]
    assert sum(one["times"] for phase in phases for one in phase["writes"]) == found["writes"]
    assert sum(len(phase["restarts"]) for phase in phases) == (found["restarts"] if log else 0)
    assert sum(phase["seconds"] for phase in phases) == pytest.approx(found["worked_seconds"], abs=0.5)
