# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a roll is over, and what it says when it is not: which pod, in which state, and why."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import RollReason

from .._strimzi.bench import pod
from .stand import CONTROL, NODES, Stand


def stuck(stand: Stand, *names: str) -> str:
    with pytest.raises(RollStuck) as caught:
        stand.roll(names)
    assert "run the flow again" in caught.value.remedy
    return str(caught.value)


def test_nobody_moves() -> None:
    message = stuck(Stand(), *NODES[:2])
    assert "trust roll" in message
    assert "for 5 s no pod came back" in message
    assert "0 of 2 restarted" in message
    assert f"{NODES[0]}: Running, Ready, to be restarted" in message
    assert f"{NODES[2]}: Running, Ready." in message


@pytest.mark.parametrize(
    ("status", "cause"),
    [
        ({"containerStatuses": [{"state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}, " (CrashLoopBackOff)"),
        ({"initContainerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]}, " (ImagePullBackOff)"),
        ({"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}, " (Unschedulable)"),
        ({"conditions": [{"type": "PodScheduled", "status": "True", "reason": "Fine"}]}, ""),
        ({"containerStatuses": [{"state": {"running": {}}}, {}]}, ""),
    ],
)
def test_a_pod_that_does_not_start_is_named_with_what_kubernetes_says(status: dict[str, Any], cause: str) -> None:
    stand = Stand()

    def come_back_broken() -> None:
        stand.remove("pods", NODES[0])
        stand.create("pods", {**pod(NODES[0]), "status": {"phase": "Pending", **status}})

    stand.at(1, come_back_broken)
    message = stuck(stand, *NODES[:2])
    states = message.rstrip(".").split(" restarted. ")[1].split("; ")
    assert f"{NODES[0]}: Pending, not Ready{cause}" in states


def leaving(worker: str, gone_by: str) -> RollStuck:
    """Its status is what the worker said last."""
    stand = Stand()
    fields: Any = {"metadata": {"deletionTimestamp": gone_by}, "spec": {"nodeName": worker} if worker else {}}
    stand.change("pods", NODES[0], fields)
    with pytest.raises(RollStuck) as caught:
        stand.roll(NODES[:1])
    return caught.value


@pytest.mark.parametrize("worker", ["w-1", ""])
def test_a_pod_that_does_not_end_on_a_lost_worker_is_named_with_it_and_the_command(worker: str) -> None:
    found = leaving(worker, "2025-12-31T23:00:00Z")
    where = f" on worker {worker}" if worker else ""
    assert f"{NODES[0]}: Terminating{where}, to be gone by 2025-12-31T23:00:00Z; " in str(found)
    look = f"Look at its worker (kubectl get node {worker})" if worker else "Look at its worker"
    assert found.remedy.startswith(
        f"Pod {NODES[0]} does not end. {look}: where that is lost, see that it is really off, because a node must not run twice, then "
        f"kubectl delete pod {NODES[0]} --namespace kafka --grace-period=0 --force. Look at the pods named here"
    )


def test_a_pod_that_has_time_to_end_is_left_it() -> None:
    found = leaving("w-1", "2199-01-01T00:00:00Z")
    assert (f"{NODES[0]}: Terminating on worker w-1, to be gone by 2199" in str(found), "--force" in found.remedy) == (
        True, False,
    )  # fmt: skip


@pytest.mark.parametrize("name", [NODES[1], CONTROL])
def test_a_pod_that_is_not_recreated_is_named(name: str) -> None:
    stand = Stand()
    stand.at(1, lambda: stand.remove("pods", name))
    message = stuck(stand, name)
    assert f"{name}: gone" in message


def test_a_node_comes_back_under_its_own_name_only() -> None:
    stand = Stand()
    stand.recreate_at(1, NODES[0], "demo-kafka-7")
    assert "0 of 1 restarted" in stuck(stand, NODES[0])


def test_a_component_comes_back_as_another_pod_of_the_same_component_only() -> None:
    stand = Stand()
    stand.at(1, lambda: stand.create("pods", pod("demo-entity-operator-new", "entity-operator")))
    assert "0 of 1 restarted" in stuck(stand, CONTROL)


def test_a_pod_that_is_leaving_too_is_no_successor() -> None:
    """While a Deployment surges there are two pods of one component, and both may know too little."""
    stand = Stand()
    twin = f"{CONTROL}-twin"
    stand.create("pods", pod(twin, "cruise-control"))
    stand.api.graceful_pods = True
    stand.at(1, lambda: stand.api.finish_delete("pods", "kafka", CONTROL))
    message = stuck(stand, CONTROL, twin)
    assert "0 of 2 restarted" in message
    assert f"{CONTROL}: gone" in message


def test_ready_is_what_counts_not_there() -> None:
    stand = Stand()
    stand.at(1, lambda: stand.recreate(NODES[0], ready=False))
    ready = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
    stand.at(4, lambda: stand.change("pods", NODES[0], ready, "status"))
    actions = stand.roll((NODES[0],))
    assert stand.clock.seconds >= 4
    assert actions[-1].seconds == pytest.approx(3.0, abs=1.5)


def test_the_others_must_be_ready_too() -> None:
    """The next roll would otherwise begin with a node already down."""
    stand = Stand()
    stand.recreate_at(1, NODES[0])
    stand.at(1, lambda: stand.recreate(NODES[2], ready=False))
    assert f"{NODES[2]}: Running, not Ready" in stuck(stand, NODES[0])


def test_ended_pods_and_strangers_are_not_waited_for() -> None:
    stand = Stand()
    stand.create("pods", {**pod("demo-kafka-9"), "status": {"phase": "Failed"}})
    stand.create("pods", pod("demo-connect-0", "connect", ready=False))
    stand.recreate_at(1, NODES[0])
    assert stand.roll((NODES[0],))[-1].object == f"Pod kafka/{NODES[0]}"


def test_the_time_limit_is_per_pod_not_for_the_roll() -> None:
    stand = Stand()
    for number, name in enumerate(NODES):
        stand.recreate_at(4 + 4 * number, name)
    stand.roll(NODES)
    assert stand.clock.seconds >= 12 > 2 * stand.work().settings.pod_timeout.total_seconds()


def test_time_runs_from_the_last_pod_that_moved() -> None:
    stand = Stand()
    stand.recreate_at(4, NODES[0])
    assert "1 of 2 restarted" in stuck(stand, *NODES[:2])
    assert 8 <= stand.clock.seconds < 14


def test_the_heartbeat_goes_on() -> None:
    stand, beats = Stand(), []
    work = stand.work(pod_timeout=timedelta(seconds=60))
    work.alive = lambda: beats.append(stand.clock.seconds)
    stand.recreate_at(20, NODES[0])
    stand.work = lambda **options: work  # type: ignore[method-assign]
    stand.roll((NODES[0],))
    assert len(beats) >= 3


def test_one_line_per_restart_counts_and_names() -> None:
    stand, lines = Stand(), []
    work = stand.work()
    work.report = lines.append
    stand.work = lambda **options: work  # type: ignore[method-assign]
    stand.recreate_at(1, NODES[1])
    stand.recreate_at(2, NODES[0])
    stand.roll(NODES[:2], RollReason.RETIRE)
    first, second = lines
    assert first.startswith(f"[kafka/demo] retire roll 1/2: {NODES[1]} restarted, Ready after ")
    assert second.startswith(f"[kafka/demo] retire roll 2/2: {NODES[0]} restarted")
