# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A roll: exactly the pods of the step, each once, in the operator's order; when it is over, and what it says when it is not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import combinations
from typing import Any, NoReturn

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    Conflict,
    KubeError,
    RollStuck,
    TransportError,
    Unavailable,
    Unreachable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import FIELD_MANAGER, PODS, Attempt
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import roll
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.kafka_pods import NOT_AGAIN
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.roll import carry_out_roll
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import (
    Action,
    Display,
    NodeAccess,
    Work,
    Write,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation, observe
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll, RollReason

from ...tools.operator import clusters
from ...tools.support.faults import Fault, FaultyApi
from ...tools.support.flows import with_settings, work_on
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.permissions import Restricted
from .._strimzi.bench import pod, recorded
from .stand import ALL, CONTROL, MANUAL, NODES, OPERATOR, OTHERS, Stand, roll_of

SUBSETS = [names for size in range(len(ALL) + 1) for names in combinations(ALL, size)]
REQUEST = "trustops.strimzi/reconcile-request"


@pytest.mark.parametrize("names", SUBSETS, ids=lambda names: "+".join(name[5:] for name in names) or "none")
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


def test_uids_of_pods_that_do_not_exist_any_more_do_not_count() -> None:
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


# When a roll is over, and what it says when it is not: which pod, in which state, and why.


def stuck(stand: Stand, *names: str) -> RollStuck:
    with pytest.raises(RollStuck) as caught:
        stand.roll(names)
    assert caught.value.repetition == NOT_AGAIN
    return caught.value


def test_a_roll_in_which_no_pod_restarts(golden: GoldenFiles) -> None:
    stopped = stuck(Stand(), *NODES[:2])
    golden.compare_said("rolls", stopped)


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
    states = str(stuck(stand, *NODES[:2])).rstrip(".").split(" restarted. ")[1].split("; ")
    assert f"{NODES[0]}: Pending, not Ready{cause}" in states


def leaving(worker: str, gone_by: str) -> RollStuck:
    """Its status is what the worker said last."""
    stand = Stand()
    fields: Any = {"metadata": {"deletionTimestamp": gone_by}, "spec": {"nodeName": worker} if worker else {}}
    stand.change("pods", NODES[0], fields)
    return stuck(stand, *NODES[:1])


@pytest.mark.parametrize("worker", ["w-1", ""])
def test_a_pod_that_does_not_end_on_a_lost_worker_is_named_with_it_and_the_command(
    worker: str, golden: GoldenFiles
) -> None:
    stopped = leaving(worker, "2025-12-31T23:00:00Z")
    assert "2025-12-31T23:00:00Z" in str(stopped)
    golden.compare_said("rolls", stopped, worker or "no worker")


def test_a_pod_that_has_time_to_end_is_left_it(golden: GoldenFiles) -> None:
    stopped = leaving("w-1", "2199-01-01T00:00:00Z")
    golden.compare_said("rolls", stopped)


def test_a_pause_that_began_meanwhile_is_named(golden: GoldenFiles) -> None:
    stand = Stand()
    paused = {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": "true"}}}
    stand.at(1, lambda: stand.change("kafkas", "demo", paused))
    golden.compare_said("rolls", stuck(stand, *NODES[:1]).remedy)


def test_a_roll_that_stops_leaves_no_request_behind() -> None:
    """The operator would restart the nodes whenever it can again, also outside a maintenance window."""
    stand = Stand()
    stand.recreate_at(1, NODES[0])
    stand.at(2, lambda: assert_asked(stand, *NODES[1:]))
    with pytest.raises(RollStuck) as caught:
        stand.roll(NODES)
    assert stand.asked() == set()
    assert caught.value.repetition == NOT_AGAIN


def assert_asked(stand: Stand, *nodes: str) -> None:
    assert stand.asked() == set(nodes)


def test_a_roll_that_stops_leaves_requests_of_other_programs() -> None:
    stand = Stand()
    field = {"f:metadata": {"f:annotations": {f"f:strimzi.io/{MANUAL}": {}}}}
    theirs = {
        "annotations": {f"strimzi.io/{MANUAL}": "true"},
        "managedFields": [{"manager": "kubectl-annotate", "fieldsV1": field}],
    }
    stand.change("pods", NODES[0], {"metadata": theirs})
    stuck(stand, *NODES[:2])
    assert stand.asked() == {NODES[0]}


@pytest.mark.parametrize(("conflicts", "left"), [(2, set()), (99, {NODES[0]})], ids=["at first", "always"])
def test_a_request_that_cannot_be_taken_back_is_named(
    monkeypatch: pytest.MonkeyPatch, conflicts: int, left: set[str], golden: GoldenFiles
) -> None:
    """Its worker reports about it in that moment."""
    stand, write_all, met = Stand(), roll.write_all, iter(range(conflicts))

    def write(writes: tuple[Write, ...], work: Work, phase: str) -> None:
        taken_back = [one.name for one in writes if one.what.startswith("take the request")]
        if taken_back == [NODES[0]] and next(met, None) is not None:
            raise Conflict(Attempt("patch", PODS, "kafka", NODES[0]), "was changed", "Look again.")
        write_all(writes, work, phase)

    monkeypatch.setattr(roll, "write_all", write)
    with pytest.raises(RollStuck) as caught:
        stand.roll(NODES[:2])
    assert stand.asked() == left
    golden.compare_said("rolls", caught.value.remedy, "always" if left else "at first")


@pytest.mark.parametrize("name", [NODES[1], CONTROL])
def test_a_pod_that_is_not_recreated_is_named(name: str) -> None:
    stand = Stand()
    stand.at(1, lambda: stand.remove("pods", name))
    message = str(stuck(stand, name))
    assert f"{name}: gone" in message


def test_pods_in_the_same_state_are_named_once() -> None:
    """Of 500 nodes that wait, a person reads five names."""
    stand = Stand()
    many = [f"demo-kafka-{number}" for number in range(3, 40)]
    for name in many:
        stand.create("pods", pod(name, "kafka"))
    stand.at(1, lambda: stand.remove("pods", NODES[1]))
    message = str(stuck(stand, NODES[1], *many))
    assert message.count("to be restarted") == 1
    assert f"{NODES[1]}: gone" in message


def test_a_node_comes_back_under_its_own_name_only() -> None:
    stand = Stand()
    stand.recreate_at(1, NODES[0], "demo-kafka-7")
    assert "0 of 1 restarted" in str(stuck(stand, NODES[0]))


def test_a_component_comes_back_as_another_pod_of_the_same_component_only() -> None:
    stand = Stand()
    stand.at(1, lambda: stand.create("pods", pod("demo-entity-operator-new", "entity-operator")))
    assert "0 of 1 restarted" in str(stuck(stand, CONTROL))


def test_a_pod_that_is_leaving_too_is_no_successor() -> None:
    """While a Deployment surges there are two pods of one component, and both may know too little."""
    stand = Stand()
    twin = f"{CONTROL}-twin"
    stand.create("pods", pod(twin, "cruise-control"))
    stand.api.graceful_pods = True
    stand.at(1, lambda: stand.api.finish_delete("pods", "kafka", CONTROL))
    message = str(stuck(stand, CONTROL, twin))
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
    assert f"{NODES[2]}: Running, not Ready" in str(stuck(stand, NODES[0]))


def test_a_node_that_is_leaving_is_not_back_although_it_says_that_it_is_ready() -> None:
    """As in a drain of its worker: the next roll would begin with this node down."""
    stand = Stand()
    stand.recreate_at(1, NODES[0])
    leaving = {"metadata": {"deletionTimestamp": "2199-01-01T00:00:00Z"}}
    stand.at(1, lambda: stand.change("pods", NODES[2], leaving))
    stand.recreate_at(4, NODES[2])
    stand.roll((NODES[0],))
    assert stand.clock.seconds >= 4


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
    assert "1 of 2 restarted" in str(stuck(stand, *NODES[:2]))
    assert 8 <= stand.clock.seconds < 14


def test_the_heartbeat_goes_on() -> None:
    stand, beats = Stand(), []
    work = stand.work(pod_timeout=timedelta(seconds=60))
    work.renew_lease = lambda: beats.append(stand.clock.seconds)
    stand.recreate_at(20, NODES[0])
    stand.work = lambda **options: work  # type: ignore[method-assign]
    stand.roll((NODES[0],))
    assert len(beats) >= 3


def test_each_restart_has_a_log_line_with_its_number_and_the_pod() -> None:
    stand, lines = Stand(), []
    work = stand.work()
    work.display = Display(report=lines.append)
    stand.work = lambda **options: work  # type: ignore[method-assign]
    stand.recreate_at(1, NODES[1])
    stand.recreate_at(2, NODES[0])
    stand.roll(NODES[:2], RollReason.RETIRE)
    assert [(one.number, one.pod, one.reason) for one in work.restarts.shown] == [
        (1, NODES[1], RollReason.RETIRE), (2, NODES[0], RollReason.RETIRE),
    ]  # fmt: skip
    assert all(one.seconds is not None for one in work.restarts.shown)
    assert lines == [one.sentence() for one in work.restarts.shown]


# A roll that was interrupted goes on where it stopped: with a real KafkaRoller's order, each pod restarts once.

SETTINGS = with_settings(pod_timeout=timedelta(seconds=5))


@pytest.fixture
def memory() -> MemoryCluster:
    found = MemoryCluster()
    found.apply(*clusters.dual_role("demo", "kafka", generated=True))
    found.settle()
    return found


def look(memory: MemoryCluster) -> Observation:
    work = work_on(memory, settings=SETTINGS)
    return observe(work.client, work.scope, work.clock.now())


def whole_roll(memory: MemoryCluster) -> Roll:
    return roll_of(look(memory).snapshot.uids)


def restarted(memory: MemoryCluster) -> dict[str, int]:
    """How often each node and each component was started again."""
    counts = {name: len(uids) - 1 for name, uids in memory.kubelet.started.items() if name in NODES}
    for name in memory.kubelet.started:
        if name not in NODES:
            component = name.rsplit("-", 2)[0]
            counts[component] = counts.get(component, -1) + 1
    return counts


ONCE = dict.fromkeys((*NODES, "demo-entity-operator", "demo-cruise-control", "demo-kafka-exporter"), 1)


def run(memory: MemoryCluster, step: Roll, transport: Any = None) -> None:
    carry_out_roll(step, look(memory), work_on(memory, transport, SETTINGS))


def test_uninterrupted_every_pod_restarts_once(memory: MemoryCluster) -> None:
    run(memory, whole_roll(memory))
    assert restarted(memory) == ONCE


class Dying:
    """A connection that breaks for good after so many requests and watches."""

    def __init__(self, memory: MemoryCluster, alive_for: int) -> None:
        self.memory, self.api, self.left = memory, memory.api, alive_for

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            self.memory.seconds += 1.0
            raise TransportError("connection lost", transient=False, sent=False)

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        self._count()
        return self.api.request(method, path, **arguments)

    def stream(self, path: str, **arguments: Any) -> Iterator[Any]:
        self._count()
        return self.api.stream(path, **arguments)


@pytest.mark.parametrize("alive_for", range(12))
def test_interrupted_anywhere_and_run_again(memory: MemoryCluster, alive_for: int) -> None:
    """The step of the second run is the one of the first: pods that were replaced are no longer in it by UID."""
    step = whole_roll(memory)
    work = work_on(memory, Dying(memory, alive_for), SETTINGS)
    observation = look(memory)
    try:
        carry_out_roll(step, observation, work)
    except (KubeError, RollStuck):
        memory.settle()
        run(memory, step)
    assert restarted(memory) == ONCE


def test_a_stopped_operator_and_then_again(memory: MemoryCluster) -> None:
    step = whole_roll(memory)
    memory.operator_runs = False
    with pytest.raises(RollStuck, match="0 of 3 restarted"):
        run(memory, step)
    memory.operator_runs = True
    run(memory, step)
    assert restarted(memory) == ONCE


def test_a_node_that_does_not_come_back_is_named_and_the_others_restart_no_second_time(memory: MemoryCluster) -> None:
    step = whole_roll(memory)
    memory.kubelet.broken = {"demo-kafka-0"}
    with pytest.raises(RollStuck, match="demo-kafka-0: Unknown"):
        run(memory, step)
    memory.kubelet.broken = set()
    memory.settle()
    run(memory, step)
    assert restarted(memory) == ONCE


# A restart says how many Kafka nodes were away at once: the proof that no two were down together.


def away(actions: list[Action]) -> dict[str, int | None]:
    return {one.target.name: one.away for one in actions if one.verb == "restart"}


def test_each_pod_is_away_alone() -> None:
    stand = Stand()
    for number, name in enumerate(NODES):
        stand.recreate_at(1 + number, name)
    assert away(stand.roll(NODES)) == dict.fromkeys(NODES, 1)


def test_two_together() -> None:
    stand = Stand()
    for name in NODES[:2]:
        stand.at(1, lambda name=name: stand.remove("pods", name))
    stand.at(2, lambda: stand.recreate(NODES[0]))
    stand.at(3, lambda: stand.recreate(NODES[1]))
    stand.recreate_at(4, NODES[2])
    assert away(stand.roll(NODES)) == {NODES[0]: 2, NODES[1]: 2, NODES[2]: 1}


def test_a_node_is_away_until_it_is_ready_again() -> None:
    stand = Stand()
    stand.at(1, lambda: stand.recreate(NODES[0], ready=False))
    stand.recreate_at(2, NODES[1])
    ready = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
    stand.at(3, lambda: stand.change("pods", NODES[0], ready, "status"))
    assert away(stand.roll(NODES[:2])) == {NODES[0]: 2, NODES[1]: 2}


def test_nothing_is_said_of_what_is_no_node() -> None:
    stand = Stand()
    stand.deployments()
    assert away(stand.roll((CONTROL,))) == {CONTROL: None}


def test_a_component_whose_restart_comes_later_holds_no_node_back() -> None:
    """Its restart may be what brings it back."""
    stand = Stand()
    stand.deployments()
    stand.change("pods", CONTROL, {"status": {"phase": "Running", "conditions": []}}, "status")
    stand.recreate_at(1, NODES[0])
    assert [one.object for one in stand.roll((NODES[0], CONTROL)) if one.verb == "restart"] == [
        f"Pod kafka/{NODES[0]}", f"Pod kafka/{CONTROL}",
    ]  # fmt: skip


def test_a_component_that_stays_down_holds_a_roll_that_does_not_restart_it() -> None:
    stand = Stand()
    stand.change("pods", CONTROL, {"status": {"phase": "Running", "conditions": []}}, "status")
    stand.recreate_at(1, NODES[0])
    assert f"{CONTROL}: Running, not Ready" in str(stuck(stand, NODES[0]))


@pytest.mark.parametrize("denied", [("get pods",), ("get pods", "list pods")], ids="+".join)
def test_a_lost_answer_needs_no_more_rights_than_the_roles_give(denied: tuple[str, ...]) -> None:
    """The failure that may pass is what the caller gets, and never that a look at it is forbidden."""
    stand = Stand()
    observation, step = stand.observe(), roll_of({stand.uids[NODES[0]]})

    def lose(number: int, method: str, path: str) -> Fault | None:
        return Fault.LOST_ANSWER if method == "PATCH" and "/pods/" in path else None

    work = stand.work(transport=FaultyApi(Restricted(stand.api, frozenset(denied)), lose))
    with pytest.raises(KubeError) as lost:
        carry_out_roll(step, observation, work)
    assert (lost.value.is_transient, stand.asked()) == (True, {NODES[0]})
    assert [one.object for one in work.actions] == ([] if "list pods" in denied else [f"Pod kafka/{NODES[0]}"])


# Nodes with ended certificates restart together and in place: the signals, over connections that may break off.

BROKEN = Unreachable(Attempt("get", PODS, "kafka"), "the connection broke off", "Run again.", is_transient=True)
EMPTY = Unavailable(Attempt("get", PODS, "kafka"), "it failed", "Look at the container.")


class Signals:
    """Processes that end by KILL alone; refusals: of the signals with these numbers, beginning with 0."""

    def __init__(self, stand: Stand, refusals: Mapping[int, KubeError]) -> None:
        self.stand, self.refusals = stand, refusals
        self.sent: list[str] = []

    def __call__(self, pod: str, container: str, command: Sequence[str], *, timeout: float) -> None:
        self.sent.append(command[-1])
        if refusal := self.refusals.get(len(self.sent) - 1):
            raise refusal
        if command[-1] == "KILL":
            status = {"containerStatuses": [{"name": container, "restartCount": 1}]}
            self.stand.change("pods", pod, {"status": status}, "status")


def _no_port() -> NoReturn:
    raise AssertionError("no port is opened")


def end(stand: Stand, names: Iterable[str], signals: Signals) -> Work:
    work = stand.work(pod_timeout=timedelta(minutes=2))
    work.nodes = NodeAccess(lambda observation: None, _no_port, lambda: signals)
    carry_out_roll(roll_of((stand.uids[name] for name in names), RollReason.ENDED), stand.observe(), work)
    return work


@pytest.mark.parametrize(
    ("refusals", "sent"),
    [
        ({}, ["TERM", "KILL"]),
        ({1: BROKEN}, ["TERM", "KILL", "KILL"]),
        ({1: BROKEN, 2: BROKEN}, ["TERM", "KILL", "KILL", "KILL"]),
    ],
    ids=["heard", "broken once", "broken twice"],
)
def test_a_signal_that_did_not_get_through_is_sent_again(refusals: Mapping[int, KubeError], sent: list[str]) -> None:
    signals = Signals(Stand(), refusals)
    work = end(signals.stand, NODES[:1], signals)
    assert (signals.sent, [one.object for one in work.actions]) == (sent, [f"Pod kafka/{NODES[0]}"])


def test_a_container_without_a_process_gets_the_last_signal_once() -> None:
    """It is between two starts, and its next process has done nothing to be killed for."""
    stand = Stand()
    signals = Signals(stand, {1: EMPTY})
    started = {"status": {"containerStatuses": [{"name": "kafka", "restartCount": 1}]}}
    stand.at(60, lambda: stand.change("pods", NODES[0], started, "status"))
    end(stand, NODES[:1], signals)
    assert signals.sent == ["TERM", "KILL"]


def test_where_no_signal_gets_through_the_failure_is_one_that_passes() -> None:
    stand = Stand()
    with pytest.raises(Unreachable) as broken:
        end(stand, NODES[:2], Signals(stand, {0: EMPTY, 1: BROKEN}))
    assert broken.value.is_transient


def test_a_request_of_a_killed_call_does_not_outlive_the_restart_in_place() -> None:
    """The operator would restart these nodes once more. The requests of other nodes, and of other programs, stay."""
    stand = Stand()
    asked = {"metadata": {"annotations": {f"strimzi.io/{MANUAL}": "true"}}}
    for node, manager in zip(NODES, (FIELD_MANAGER, "kubectl-annotate", FIELD_MANAGER), strict=True):
        path, kind = f"/api/v1/namespaces/kafka/pods/{node}", "application/merge-patch+json"
        stand.api.request("PATCH", path, query={"fieldManager": manager}, body=asked, content_type=kind)
    end(stand, NODES[:2], Signals(stand, {}))
    assert stand.asked() == {NODES[1], NODES[2]}
