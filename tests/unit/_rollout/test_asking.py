# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A roll asks exactly the pods of the step to go, by their UID, each once."""

from __future__ import annotations

from itertools import combinations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Conflict, RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.roll import carry_out_roll
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import RollReason

from .._strimzi.bench import pod, recorded
from .stand import ALL, CONTROL, MANUAL, NODES, OPERATOR, OTHERS, Stand, roll_of

SUBSETS = [names for size in range(len(ALL) + 1) for names in combinations(ALL, size)]
REQUEST = "trustops.strimzi/reconcile-request"


@pytest.mark.parametrize("names", SUBSETS, ids=lambda names: "+".join(name[5:] for name in names) or "nobody")
def test_exactly_the_pods_of_the_step_are_replaced(names: tuple[str, ...]) -> None:
    stand = Stand()
    stand.deployments()
    before = stand.uids
    for name in NODES:
        # The operator recreates a node that carries the annotation.
        stand.at(1, lambda name=name: stand.recreate(name) if name in stand.asked() else None)  # type: ignore[misc]
    actions = stand.roll(names)
    stayed = {name for name, uid in stand.uids.items() if before.get(name) == uid}
    assert stayed == set(ALL) - set(names)
    assert sorted(one.object for one in actions if one.verb == "restart") == sorted(
        f"Pod kafka/{name}" for name in names
    )


def test_nodes_first_components_when_the_nodes_are_back() -> None:
    stand = Stand()
    stand.deployments()
    stand.recreate_at(4, NODES[0])
    stand.roll((NODES[0], CONTROL))
    pods = [(change.verb, change.name) for change in stand.api.writes if change.plural == "pods"]
    assert pods.index(("delete", CONTROL)) > pods.index(("delete", NODES[0]))
    assert stand.clock.seconds >= 4


def test_the_operator_is_told_once_and_after_the_pods() -> None:
    stand = Stand()
    for name in NODES:
        stand.recreate_at(1, name)
    before = len(stand.api.writes)
    stand.roll(NODES)
    plurals = [change.plural for change in stand.api.writes[before:]]
    assert plurals[:4] == ["pods", "pods", "pods", "kafkas"]
    assert plurals.count("kafkas") == 1


def test_every_roll_is_another_request() -> None:
    """The operator looks when the annotation has changed, also for the second roll of as many pods for the same reason."""
    stand, requests = Stand(), set()
    for _roll in range(2):
        for name in NODES:
            stand.recreate_at(1, name)
        stand.roll(NODES)
        requests.add(stand.find("kafkas", "demo")["metadata"]["annotations"][REQUEST])
    assert len(requests) == 2


def test_components_alone_do_not_need_the_operator() -> None:
    stand = Stand()
    stand.deployments()
    stand.roll(tuple(OTHERS))
    assert REQUEST not in stand.find("kafkas", "demo")["metadata"]["annotations"]
    assert stand.asked() == set()


def test_a_roll_that_the_operator_starts_itself_is_only_waited_for() -> None:
    stand = Stand()
    stand.recreate_at(2, NODES[0])
    stand.recreate_at(3, CONTROL, "demo-cruise-control-z")
    actions = stand.roll((NODES[0], CONTROL), RollReason.USE)
    assert [one.verb for one in actions] == ["update", "restart", "restart"]
    assert actions[0].object == "Kafka kafka/demo"
    assert not any(change.verb == "update" and change.plural == "pods" for change in stand.api.writes)


def test_a_pod_that_was_recreated_meanwhile_is_not_annotated() -> None:
    """The new pod has what the roll is for; it would be restarted for nothing."""
    stand = Stand()
    observation = stand.observe()
    step = roll_of(stand.uids.values())
    stand.recreate(NODES[0])
    with pytest.raises(Conflict):
        carry_out_roll(step, observation, stand.work())
    assert stand.asked() == set()


def test_a_component_pod_of_the_same_name_but_another_uid_is_not_deleted() -> None:
    stand = Stand()
    observation = stand.observe()
    step = roll_of({stand.uids[CONTROL]})
    stand.recreate(CONTROL)
    theirs = stand.uids[CONTROL]
    with pytest.raises(Conflict):
        carry_out_roll(step, observation, stand.work())
    assert stand.uids[CONTROL] == theirs


def test_a_component_pod_that_is_gone_already_counts_as_replaced() -> None:
    stand = Stand()
    observation = stand.observe()
    step = roll_of({stand.uids[OPERATOR]})
    stand.recreate(OPERATOR, f"{OPERATOR}-new")
    actions = recorded(carry_out_roll, step, observation, stand.work())
    assert [one.object for one in actions] == [f"Pod kafka/{OPERATOR}"]


def test_uids_of_pods_that_do_not_exist_any_more_are_nobody() -> None:
    stand = Stand()
    step = roll_of({"gone-1", "gone-2"})
    before = len(stand.api.writes)
    assert stand.carry_out_roll(step) == []
    assert len(stand.api.writes) == before


def test_a_pod_that_is_asked_already_is_not_asked_again() -> None:
    stand = Stand()
    stand.change("pods", NODES[0], {"metadata": {"annotations": {f"strimzi.io/{MANUAL}": "true"}}})
    stand.recreate_at(1, NODES[0])
    stand.recreate_at(1, NODES[1])
    assert [one.object for one in stand.roll(NODES[:2]) if one.verb == "update"] == [
        f"Pod kafka/{NODES[1]}",
        "Kafka kafka/demo",
    ]


@pytest.mark.parametrize("name", [NODES[0], CONTROL])
def test_a_pod_that_is_leaving_already_is_only_waited_for(name: str) -> None:
    stand = Stand()
    stand.api.graceful_pods = True
    stand.remove("pods", name)
    stand.at(2, lambda: stand.api.finish_delete("pods", "kafka", name))
    stand.at(3, lambda: stand.create("pods", _successor(name)))
    before = len(stand.api.requests)
    (action,) = stand.roll((name,))
    assert action.object == f"Pod kafka/{name}"
    # By hand it would get a second grace period, or none.
    methods = {method for method, path in stand.api.requests[before:] if path.endswith(f"/{name}")}
    assert methods <= {"GET"}


def _successor(name: str) -> dict[str, object]:
    return pod(name if name in NODES else f"{name}-new", OTHERS.get(name, "kafka"))


@pytest.mark.parametrize("reason", RollReason)
def test_dry_run_names_the_pods_and_touches_nothing(reason: RollReason) -> None:
    stand = Stand()
    before = len(stand.api.writes)
    actions = stand.roll((CONTROL, NODES[1]), reason, dry_run=True)
    assert [(one.verb, one.object) for one in actions] == [
        ("restart", f"Pod kafka/{NODES[1]}"),
        ("restart", f"Pod kafka/{CONTROL}"),
    ]
    assert (len(stand.api.writes), stand.clock.seconds) == (before, 0.0)


def test_components_are_left_alone_while_a_node_is_missing() -> None:
    stand = Stand()
    with pytest.raises(RollStuck):
        stand.roll((NODES[0], CONTROL))
    assert CONTROL in stand.uids
