# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parties: pods that present and trust the same are one, and the Cluster Operator is one of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .runs import NEW, OLD, action, ca, facts, label, leaf, nodes, pod, rotation, seen, step


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
def test_whoever_differs_is_a_party_of_its_own(changed: dict[str, Any]) -> None:
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
