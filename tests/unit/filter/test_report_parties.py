# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parties, CAs and channels: which pods are one party, the days that CAs have left, and refusals of listeners that were asked."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.filter.report_view import report_view

from ...tools.support.golden import GoldenFiles
from .runs import (
    NEW,
    NOW,
    OLD,
    action,
    before,
    ca,
    facts,
    held,
    label,
    leaf,
    listener,
    listeners,
    look,
    nodes,
    pod,
    rotation,
    seen,
    step,
    with_digests,
)


def parties(pods: list[dict[str, Any]], **changed: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = facts(rotation(last=seen([ca(), ca(NEW)], pods, **changed)))["parties"]
    return found


def test_a_hundred_equal_nodes_are_one_party() -> None:
    (found,) = parties(nodes("a", range(100)))
    assert (found["component"], found["count"], found["names"][9:11]) == (
        "kafka",
        100,
        ["demo-kafka-9", "demo-kafka-10"],
    )
    assert (found["presents"], found["trusts"]) == ([OLD[:12]], [OLD[:12]])


@pytest.mark.parametrize(
    "changed",
    [
        {"trusts": [label(OLD), label(NEW)]},
        {"presents": [label(NEW)]},
        {"presents": []},
        {"component": "kafka-exporter"},
    ],
)
def test_a_pod_that_differs_is_a_party_of_its_own(changed: dict[str, Any]) -> None:
    assert [one["count"] for one in parties([*nodes("a"), pod("x", "y", **changed)])] == [3, 1]


def test_the_order_of_what_is_trusted_makes_no_difference() -> None:
    trusting = [[label(OLD), label(NEW)], [label(NEW), label(OLD)]]
    pods = [pod(f"demo-kafka-{number}", str(number), trusts=trusts) for number, trusts in enumerate(trusting)]
    assert [one["count"] for one in parties(pods)] == [2]


def test_parties_come_in_the_same_order_always() -> None:
    components = ["kafka-exporter", "cruise-control", "kafka", "entity-operator"]
    pods = [pod(component, component, component=component) for component in components]
    assert [one["component"] for one in parties(pods, leaves=[leaf()])] == [
        "kafka", "entity-operator", "cruise-control", "kafka-exporter", "cluster-operator",
    ]  # fmt: skip


def test_the_cluster_operator_presents_its_leaf_and_trusts_every_ca() -> None:
    (found,) = parties([], leaves=[leaf()])
    assert (found["presents"], found["trusts"]) == ([OLD[:12]], [OLD[:12], NEW[:12]])


def test_without_a_leaf_nothing_is_known_of_the_cluster_operator() -> None:
    assert parties([], leaves=[leaf(component="kafka")]) == []


@pytest.mark.parametrize(
    ("issuer", "presents"), [(label(OLD), [OLD[:12]]), (label(NEW), [NEW[:12]]), (label("f" * 64), []), ("", [])]
)
def test_cas_of_one_name_are_told_apart(issuer: str, presents: list[str]) -> None:
    """As a CA and its renewal, or another key of its name."""
    cas = [ca(), ca(NEW, subject=ca()["subject"])]
    noted = rotation(last=seen(cas, [], leaves=[leaf(ca=issuer)]))
    assert facts(noted)["parties"][0]["presents"] == presents


def test_pods_tell_how_often_they_were_restarted() -> None:
    operators = [pod(f"demo-entity-operator-{uid}", uid, component="entity-operator") for uid in "ab"]
    log = [
        step(1.0, [action("restart", f"Pod {operators[0]['name']}", "trust", 1.0)], nodes("b")),
        step(1.0, [action("restart", "Pod demo-kafka-0", "use", 1.0)], nodes("c")),
    ]
    noted = rotation(log=log, first=seen([], nodes("a")), last=seen([], [*nodes("c"), operators[1]]))
    assert [one["restarts"] for one in facts(noted)["pods"]] == [2, 2, 2, 1]


def test_which_of_two_replicas_was_restarted_is_not_guessed() -> None:
    pods = [pod(f"demo-cruise-control-{uid}", uid, component="cruise-control") for uid in "ab"]
    assert [one["restarts"] for one in facts(rotation(last=seen([], pods)))["pods"]] == [None, None]


_LABELS = st.lists(st.sampled_from([label(OLD), label(NEW)]), unique=True)
_PODS = st.builds(pod, st.from_regex(r"\Ademo-kafka-[0-9]{1,3}\Z"), presents=_LABELS, trusts=_LABELS)


@given(st.lists(_PODS, max_size=12, unique_by=lambda one: one["name"]))
def test_every_pod_is_in_one_party_that_is_like_it(pods: list[dict[str, Any]]) -> None:
    found = parties(pods)
    assert sorted(name for party in found for name in party["names"]) == sorted(one["name"] for one in pods)
    kinds = [(tuple(party["presents"]), tuple(party["trusts"])) for party in found]
    assert len(set(kinds)) == len(kinds)
    for party in found:
        for one in (one for one in pods if one["name"] in party["names"]):
            assert sorted(text[-13:-1] for text in one["trusts"]) == party["trusts"]


# CAs before and after, the days they have left, and who still trusts one that is gone.


def test_a_replaced_ca_is_gone_and_its_successor_is_new() -> None:
    found = facts()
    assert [(one["sha256"], one["state_before"]) for one in found["cas"]] == [(NEW, None)]
    assert [(one["sha256"], one["state_before"], one["state"]) for one in found["removed"]] == [
        (OLD, "TRUSTED_IN_USE_ALL", None)
    ]
    assert found["removed_ca_trusted_by"] == 0


def test_a_ca_that_stays_tells_both_states() -> None:
    noted = rotation(last=seen([ca(state="PHASE_OUT"), ca(NEW)], nodes("d")))
    assert [one["state_before"] for one in facts(noted)["cas"]] == ["TRUSTED_IN_USE_ALL", None]
    assert facts(noted)["removed"] == []


def test_pods_that_trust_a_removed_ca_are_counted_once() -> None:
    removed = [{**ca(OLD), "pods": ["demo-kafka-1", "demo-kafka-0"]}, {**ca("c" * 64), "pods": ["demo-kafka-1"]}]
    found = facts(rotation(last=seen([ca(NEW)], nodes("d"), removed=removed)))
    assert found["removed_ca_trusted_by"] == 2
    assert [one["pods"] for one in found["removed"]] == [["demo-kafka-0", "demo-kafka-1"], ["demo-kafka-1"]]


@pytest.mark.parametrize(
    ("not_after", "left"),
    [
        ("2026-06-02T12:01:05Z", 1),
        ("2026-06-02T12:01:04Z", 0),
        (NOW, 0),
        ("2026-06-01T12:01:04Z", -1),
        ("2027-06-01T12:01:05Z", 365),
        (None, None),
    ],
)
def test_full_days_are_left(not_after: str | None, left: int | None) -> None:
    (found,) = facts(rotation(last=seen([ca(NEW, not_after=not_after)], [])))["cas"]
    assert found["days_left"] == left


@pytest.mark.parametrize(
    ("subject", "name"),
    [
        ("CN=cluster-ca v1,O=io.strimzi", "cluster-ca v1"),
        ("O=io.strimzi,CN=cluster-ca v1", "cluster-ca v1"),
        ("O=io.strimzi", "O=io.strimzi"),
        (r"CN=a\, b,O=c", "a, b"),
        (r"CN=a\\,O=c", "a\\"),
        (r"O=x\,CN=no,CN=yes", "yes"),
        ("", ""),
    ],
)
def test_a_ca_is_called_by_its_common_name(subject: str, name: str) -> None:
    (found,) = facts(rotation(last=seen([ca(NEW, subject=subject)], [])))["cas"]
    assert found["name"] == name


# Channels: a refusal is only claimed of a listener that was asked; stored evidence shows trust or nothing.

RUNNING = nodes("d", presents=[label(NEW)], trusts=[label(NEW)])


def told(answers: list[dict[str, Any]], pods: list[dict[str, Any]] | None = None, **last: Any) -> dict[str, Any]:
    after = seen([ca(NEW)], RUNNING if pods is None else pods, **last)
    return facts(rotation(last=after, **look(answers)))


def channels(found: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [one for one in found["channels"] if one["kind"] == kind]


def rows(found: dict[str, Any]) -> dict[str, list[str]]:
    return {row["name"]: row["cells"] for row in report_view(found)["matrix"]["rows"]}


def first_sentence(found: dict[str, Any]) -> str:
    return str(report_view(found)["sentences"][0])


def raft_of(pod: str) -> str:
    """The name of its row in the matrix."""
    return f"Raft client and agent of {pod}"


def test_every_listener_is_a_party_of_its_own() -> None:
    found = told(listeners(RUNNING))
    assert [(one["party"], one["port"]) for one in channels(found, "listener")] == [
        (f"demo-kafka-{number}", port) for number in range(3) for port in (9090, 9091)
    ]
    assert channels(found, "node") == []
    assert rows(found)["demo-kafka-2:9090"] == ["refuses", "presents, trusts"]


@pytest.mark.parametrize(
    ("changed", "cells"),
    [
        ({}, ["refuses", "presents, trusts"]),
        ({"issuers": [label(OLD)]}, ["presents, refuses", "trusts"]),
        ({"trusts": [], "refuses": []}, ["unknown", "presents, unknown"]),
        ({"trusts": [label(OLD)], "refuses": [label(OLD)]}, ["unknown", "presents, unknown"]),
        ({"verifies": False, "trusts": [], "refuses": []}, ["-", "presents"]),
    ],
)
def test_cells_say_what_a_listener_said(changed: dict[str, Any], cells: list[str]) -> None:
    assert rows(told([listener(**changed)]))["demo-kafka-0:9091"] == cells


def test_a_node_that_was_not_asked_says_so_and_refuses_nothing(golden: GoldenFiles) -> None:
    found = told(listeners(RUNNING[:2]))
    (node,) = channels(found, "node")
    assert (node["party"], node["evidence"], node["refuses"]) == ("demo-kafka-2", "stored", [])
    golden.compare_said("report_parts", "\n".join(node["why"]))
    assert rows(found)["demo-kafka-2"] == ["unknown", "presents, trusts"]


def test_the_answer_of_a_pod_that_was_replaced_since_is_not_that_of_its_successor(golden: GoldenFiles) -> None:
    found = told(listeners(nodes("c")))
    assert channels(found, "listener") == []
    reasons = [one["why"][0] for one in channels(found, "node")]
    golden.compare_said("report_parts", "\n".join([*reasons, first_sentence(found)]))


def test_a_raft_client_that_knows_a_removed_ca_is_a_channel(golden: GoldenFiles) -> None:
    gone = {**ca(), "pods": [], "lingering": ["demo-kafka-10", "demo-kafka-9"]}
    found = told(listeners(RUNNING), removed=[gone])
    assert [one["party"] for one in channels(found, "raft")] == ["demo-kafka-9", "demo-kafka-10"]
    assert rows(found)[raft_of("demo-kafka-9")] == ["trusts", "unknown"]
    assert rows(found)["demo-kafka-0:9091"][0] == "refuses"
    golden.compare_said("report_parts", "\n".join(channels(found, "raft")[0]["why"]))


def test_besides_it_knows_what_its_process_was_started_with() -> None:
    gone = {**ca(), "pods": [], "lingering": ["demo-kafka-0"]}
    found = rows(told(listeners(RUNNING), removed=[gone]))
    assert found[raft_of("demo-kafka-0")] == ["trusts", "presents, trusts"]


def test_a_node_that_presents_an_earlier_certificate_is_not_said_to_present_the_stored_leaf(
    golden: GoldenFiles,
) -> None:
    held = {"subject": "CN=demo-kafka", "sha256": "e" * 64, "not_after": "2026-07-01T00:00:00Z"}
    found = told(listeners(RUNNING), former_leaves=[{**held, "pods": ["demo-kafka-1"], "lingering": []}])
    assert rows(found)[raft_of("demo-kafka-1")] == ["unknown", "trusts"]
    golden.compare("report_parts", golden.test, channels(found, "raft")[0]["why"][0])


@pytest.mark.parametrize(
    ("count", "end"), [(9, ", demo-kafka-8"), (10, ", demo-kafka-7 and 2 more"), (99, "-15 and 91 more")]
)
def test_a_sentence_does_not_name_a_hundred_nodes(count: int, end: str) -> None:
    gone = {**ca(), "pods": [], "lingering": [f"demo-kafka-{number}" for number in range(count)]}
    sentence = report_view(told([], removed=[gone]))["sentences"][1]
    assert sentence.partition(" have not read")[0].endswith(end)


def test_parties_without_listeners_are_there_from_stored_evidence() -> None:
    other = pod("demo-cruise-control-x", "x", component="cruise-control", trusts=[label(NEW)])
    clients = [
        with_digests({"client": "KafkaConnect kafka/a", "trusts": [label(NEW)], "doubt": "", "waiver": None}),
        with_digests({"client": "KafkaConnect kafka/b", "trusts": [], "doubt": "unknown.", "waiver": {"until": "T", "reason": "r"}}),
    ]  # fmt: skip
    found = told([], [other], outside=clients, leaves=[leaf(ca=label(NEW))])
    assert rows(found) == {
        "demo-cruise-control-x": ["presents, unknown", "trusts"],
        "Cluster Operator": ["unknown", "presents, trusts"],
        "KafkaConnect kafka/a": ["unknown", "trusts"],
        "KafkaConnect kafka/b": ["unknown", "unknown"],
    }
    assert {one["evidence"] for one in found["channels"]} == {"stored"}
    assert found["channels"][-1]["why"] == ["unknown.", "waived until T"]


ALL = listeners(RUNNING)
MUTE = with_digests({"trusts": [], "refuses": []})


@pytest.mark.parametrize(
    ("answers", "case"),
    [
        (ALL, "all refuse it"),
        ([*ALL[:-1], {**ALL[-1], **MUTE}], "one gave no clear answer"),
        (ALL[:4], "one node was not observed"),
        ([*ALL[:-1], {**ALL[-1], **with_digests({"trusts": [label(OLD)], "refuses": []})}], "one trusts it"),
        ([{**one, **MUTE} for one in ALL], "none was asked"),
        ([{**one, "verifies": False} for one in ALL], "none was asked"),
    ],
)
def test_the_report_says_how_many_asked_listeners_refuse_a_removed_ca(
    answers: list[Any], case: str, golden: GoldenFiles
) -> None:
    golden.compare_said("report_parts", first_sentence(told(answers)), case)


@pytest.mark.parametrize(
    ("answers", "removed", "figure"),
    [
        (ALL, [], ("0", "of 6 listeners asked trust the removed CA")),
        (ALL[:1], [], ("0", "of 1 listener asked trust the removed CA")),
        ([], [], ("0", "pods trust the removed CA, by stored evidence")),
        ([{**ALL[0], **MUTE}], [], ("0", "pods trust the removed CA, by stored evidence")),
        (ALL, [{**ca(), "pods": ["demo-kafka-1"]}], ("1", "pod trusts the removed CA")),
    ],
)
def test_the_figure_says_of_whom(answers: list[Any], removed: list[Any], figure: tuple[str, str]) -> None:
    assert report_view(told(answers, removed=removed))["figures"][0] == figure


def test_a_hundred_alike_are_one_row_and_few_are_not_folded() -> None:
    many = nodes("d", range(100))
    odd = {**listener("demo-kafka-50", "50-d"), "refuses": [], "why": ["port 9091: no answer"]}
    answers = [one if one["pod"] != "demo-kafka-50" else odd for one in listeners(many, [9091])]
    shown = report_view(told(answers, many))["matrix"]["rows"]
    assert [(row["name"], row["more"]) for row in shown] == [
        ("demo-kafka-0:9091", "98 more like this"),
        ("demo-kafka-50:9091", ""),
    ]
    assert shown[0]["others"][-1] == "demo-kafka-99:9091"
    assert len(report_view(told(listeners(RUNNING)))["matrix"]["rows"]) == 6


def test_a_reason_that_names_its_pod_does_not_keep_rows_apart(golden: GoldenFiles) -> None:
    many = nodes("d", range(9))
    silent = [
        listener(one["name"], one["uid"], trusts=[], why=[f"pod {one['name']} does not answer"]) for one in many
    ]  # fmt: skip
    (row,) = report_view(told(silent, many))["matrix"]["rows"]
    golden.compare_said("report_parts", f"{row['more']}\n{row['why']}")


NEVER = {"source": "annotations", "seen_at": None}


@pytest.mark.parametrize(
    ("planned", "ending", "failed", "begin"),
    [
        ({}, {}, {}, "This run has asked no listener: "),
        ({}, look([], why="forbidden", **NEVER), {}, "This run has asked no listener (forbidden): "),
        (look([], seen_at="2026-06-01T11:00:00Z"), {}, {}, "Listeners as they answered handshakes, asked last at 2026-06-01 11"),
        (look([], seen_at="2026-06-01T11:00:00Z"), look([]), {}, "Listeners as they answered handshakes, asked last at 2026-06-01 12:01:00 UTC"),
        ({}, look([]), look([], why="cut off", **NEVER), "Listeners as they answered handshakes, asked last at 2026-06-01 12:01:00 UTC"),
        ({}, look([]), look([], seen_at="2026-06-01T13:00:00Z"), "Listeners as they answered handshakes, asked last at 2026-06-01 13"),
    ],
)  # fmt: skip
def test_the_caption_says_when_the_listeners_were_asked_last_or_why_not(
    planned: dict[str, Any], ending: dict[str, Any], failed: dict[str, Any], begin: str
) -> None:
    calls = [*rotation(first={**before(), **planned}, **ending), *([held(**failed)] if failed else [])]
    assert report_view(facts(calls))["matrix"]["caption"].startswith(begin)
