# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Kafka nodes as Kubernetes shows them: their pods, their order in restarts of the KafkaRoller (docs/operator.md,
"KafkaRoller"), and the progress of a roll: each restart, and a description of all pods for a roll that is stuck.

A roll notices if another program restarts Kafka nodes: two rolls at the same time could take down two nodes at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn, TypeAlias

from .._errors import KubeError, RollStuck, fit_in_line
from .._kube.resources import PODS, read_time
from .._strimzi import names
from .._strimzi.apply.work import Action, Target, Work, Write, WriteVerb, find_object, version
from .._strimzi.cluster.kafka import find_condition
from .._strimzi.cluster.observe import Observation
from .._strimzi.cluster.pods import Owners, has_role, is_asked_here, is_final, is_ready, requests_on, worker_of
from .._trust.model.components import Component
from .._trust.model.folding import fold_names
from .._trust.model.snapshot import Pod
from .._trust.model.steps.nodes import Roll

#: The end of a remedy: a flow sees which pods have restarted.
NOT_AGAIN = "pods that were restarted already are not restarted again."


@dataclass(frozen=True)
class Node:
    """A Kafka node in its pod. A combined node is both controller and broker."""

    #: Name of the pod.
    pod: str
    #: UID of the pod: a restarted pod has another UID.
    uid: str
    #: Kafka's ``node.id``.
    node_id: int
    #: Whether the node is a controller of the KRaft quorum.
    controller: bool
    #: Whether the node is a broker.
    broker: bool
    #: Whether the pod is Ready.
    ready: bool


def sort_for_restart(nodes: Iterable[Node], active: int | None) -> tuple[Node, ...]:
    """Controllers (combined nodes too) before brokers, unready before ready, the active controller last of its kind."""
    return tuple(sorted(nodes, key=lambda node: (*_rank(node, active), node.node_id, node.pod)))


def _rank(node: Node, active: int | None) -> tuple[bool, bool, bool]:
    return not node.controller, _is_active(node, active), node.ready


def _is_active(node: Node, active: int | None) -> bool:
    """Whether the node is the active controller."""
    return node.controller and node.node_id == active


def next_in_order(nodes: Iterable[Node], active: int | None) -> tuple[Node, ...]:
    """The nodes that may be next, best first; all nodes of one kind restart before nodes of the next kind.

    If a safety check refuses one of these nodes now, the roll passes it over, as the KafkaRoller does. The active
    controller is among them only if it is the last controller left, because its restart means an election; or if it
    is not ready, because no other controller restarts while it is down.
    """
    ordered = sort_for_restart(nodes, active)
    first_kind = [node for node in ordered if node.controller is ordered[0].controller]
    others = tuple(node for node in first_kind if not (_is_active(node, active) and node.ready))
    return others if any(not _is_active(node, active) for node in first_kind) else tuple(first_kind)


Object = Mapping[str, Any]


def name_of(item: Object) -> str:
    return str(item["metadata"]["name"])


def uid_of(item: Object) -> str:
    return str(item["metadata"]["uid"])


def is_terminating(item: Object) -> bool:
    return "deletionTimestamp" in item["metadata"]


def kafka_pods(pods: Iterable[Object], owners: Owners) -> list[Object]:
    """The pods of Kafka nodes that have not ended."""
    return [pod for pod in pods if owners.component_of(pod) is Component.KAFKA and not is_final(pod)]


def ended_pods(pods: Iterable[Object], owners: Owners) -> list[Object]:
    """The pods of Kafka nodes that have ended and are still there, such as a pod evicted by its worker."""
    return [pod for pod in pods if is_final(pod) and owners.component_of(pod) is Component.KAFKA]


def read_node(pod: Object) -> Node:
    """The node in the pod. A pod without role labels counts as a combined node, which has to pass both checks. Raises
    RollStuck.
    """
    number = name_of(pod).rsplit("-", 1)[-1]
    if not number.isdecimal():
        raise RollStuck(
            f"The name of pod {name_of(pod)}",
            "does not end with a node id",
            "Strimzi made no such pod: remove its labels.",
        )
    return Node(
        pod=name_of(pod),
        uid=uid_of(pod),
        node_id=int(number),
        controller=has_role(pod, names.CONTROLLER_ROLE_LABEL),
        broker=has_role(pod, names.BROKER_ROLE_LABEL),
        ready=is_ready(pod),
    )


class Others:
    """Remembers every shown pod. If a pod leaves and this roll has not deleted it, another program has restarted it,
    unless Kubernetes says that it has evicted the pod.

    This roll is to restart the pods with the UIDs ``asked_uids``. An earlier, interrupted run may have deleted one of
    these pods. If it is leaving when the roll begins, the roll only waits for it.
    """

    def __init__(self, asked_uids: Iterable[str]) -> None:
        self._asked = frozenset(asked_uids)
        self._ours: set[str] = set()
        self._known: dict[str, str] | None = None

    def restarted_by_us(self, uid: str) -> None:
        self._ours.add(uid)

    def check(self, pods: Iterable[Object], ended: Iterable[Object]) -> None:
        """Raises RollStuck if these pods show that another roll is under way, or that a node was evicted. The pods that
        ``ended_pods`` gives are ``ended``.
        """
        over = {uid_of(pod): pod for pod in ended}
        present = {uid_of(pod): pod for pod in pods}
        leaving = {uid for uid, pod in present.items() if is_terminating(pod)}
        if self._known is None:
            self._known = {}
            self._ours |= leaving & self._asked
        for uid, name in self._known.items():
            if uid in over and uid not in self._ours:
                _stop_ended(name, _describe_disruption(over[uid]) or "no reason is given")
            if uid not in present and uid not in self._ours:
                _stop(f"pod {name} is gone, and not by our doing")
        for uid in sorted(leaving - self._ours):
            if disruption := _describe_disruption(present[uid]):
                _stop_ended(name_of(present[uid]), disruption)
            _stop(f"pod {name_of(present[uid])} is leaving, and not by our doing")
        self._known = {uid: name_of(pod) for uid, pod in present.items()}

    @staticmethod
    def check_requests(items: Iterable[Object]) -> None:
        """Raises RollStuck if an annotation of one of these pods and StrimziPodSets asks the operator for a roll."""
        for item in items:
            for request in requests_on(item):
                kind = item.get("kind") or "Pod"
                _stop(f"{kind} {name_of(item)} carries {request}, so the operator will restart it")


def _describe_disruption(pod: Object) -> str:
    """The reason of Kubernetes for ending the pod, such as a worker that is drained or short of memory; empty if
    Kubernetes gives none.
    """
    statuses = (pod.get("status") or {}, find_condition(pod, "DisruptionTarget") or {})
    return next(
        (fit_in_line(f"{one['reason']}: {one.get('message') or ''}") for one in statuses if one.get("reason")), ""
    )


def _stop_ended(name: str, why: str) -> NoReturn:
    raise RollStuck(
        f"Pod {name}",
        f"was ended by Kubernetes ({why}), and a node that is restarted meanwhile could be the second that is down",
        f"Look at its worker. {_WHEN_READY}",
        repetition=NOT_AGAIN,
    )


#: The object of an error about a roll that another program has begun.
ANOTHER_ROLL = "Another roll of the Kafka nodes"
_WHEN_READY = "Run the flow again when all nodes are Ready and none is being restarted;"


def _stop(cause: str) -> NoReturn:
    raise RollStuck(ANOTHER_ROLL, f"is under way: {cause}", _WHEN_READY, repetition=NOT_AGAIN)


def restart(
    pod: str,
    component: Component,
    step: Roll,
    work: Work,
    *,
    seconds: float | None = None,
    away: int | None = None,
    round_number: int | None = None,
) -> Action:
    """The restart of a pod as an action of this roll.

    The seconds are from the old pod's end to Ready, and ``away`` is the most Kafka nodes that were away at once
    meanwhile. Both are None for a prediction. The pod is in the round of this number of the call, if nodes restart in
    rounds.
    """
    target, what = Target("Pod", work.scope.namespace, pod), f"{step.reason.value} roll"
    return Action(
        "restart",
        target,
        what,
        step.phase.value,
        seconds=seconds,
        away=away,
        round_number=round_number,
        reason=step.reason,
        component=component,
    )


def deletion(pod: str, step: Roll, work: Work) -> Action:
    """The deletion of a pod; something else brings the pod back."""
    target, what = Target("Pod", work.scope.namespace, pod), f"have it restarted ({step.reason.value} roll)"
    return Action("delete", target, what, step.phase.value)


def delete_pod(pod: str, uid: str, step: Roll, work: Work) -> None:
    """Delete this pod and record that, also if the answer was lost and the pod is leaving or gone. If a pod of the same
    name has another UID, it has replaced the pod meanwhile, and stays. Raises KubeError.
    """
    work.renew_lease()
    namespace = work.scope.namespace
    try:
        work.client.delete(PODS, namespace, pod, uid=uid)
    except KubeError as error:
        if not error.outcome_unknown:
            raise
        stored_pod = find_object(work.client, PODS, namespace, pod)
        if stored_pod is not None and uid_of(stored_pod) == uid and not is_terminating(stored_pod):
            raise
    work.record(deletion(pod, step, work))


#: The place of a pod: its component, and the name if the pod comes back under its name.
_Place: TypeAlias = tuple[Component, str]


def _place_of(component: Component, name: str) -> _Place:
    """A Kafka node comes back under its name, a pod of a Deployment as another pod of its component."""
    return component, name if component is Component.KAFKA else ""


@dataclass(frozen=True)
class _Sight:
    """A pod of the cluster, as one version of it says."""

    #: The pod as Kubernetes shows it.
    pod: Object
    #: The UID of the pod.
    uid: str
    #: The component of the pod.
    component: Component
    #: Whether the pod is Ready.
    is_ready: bool


class Progress:
    """Follows the replacement of pods, and records each complete replacement."""

    def __init__(self, step: Roll, leaving: Iterable[Pod], work: Work, owners: Owners) -> None:
        self._step = step
        self._work, self._owners = work, owners
        self._old = {pod.uid: pod for pod in leaving}
        # The pods of the cluster by name, and what they show together. The changed pods alone update both, because a
        # look comes after each event of a pod.
        self._sights: dict[str, _Sight] = {}
        self._present: set[str] = set()  # UIDs
        self._filled: Counter[_Place] = Counter()  # places with a Ready pod that this roll does not replace
        self._not_ready: set[str] = set()  # names of the pods that are not Ready, or about to go
        self._gone_at: dict[str, float] = {}  # by UID
        self._away: dict[str, int] = {}  # by UID, of Kafka nodes only
        self._rounds: dict[str, int] = {}  # by UID
        self._changed = False
        self.left: set[str] = set(self._old)
        self.restarted = 0
        self.expected = len(self._old)

    @property
    def complete(self) -> bool:
        """Whether every pod is gone, and another pod is Ready in its place."""
        return self.restarted == self.expected

    def take_changed(self) -> bool:
        """Whether something moved since the last call: the time limit is per pod, not for the whole roll."""
        changed, self._changed = self._changed, False
        return changed

    def note_round(self, number: int, uids: Iterable[str]) -> None:
        """Note that these pods are restarted in the round of this number of the call."""
        self._rounds.update(dict.fromkeys(uids, number))

    def take_in_all(self, pods: Iterable[Object]) -> None:
        """Take in all pods as they are now."""
        self.take_in({**dict.fromkeys(self._sights), **{name_of(pod): pod for pod in pods}})

    def take_in(self, changed: Mapping[str, Object | None]) -> None:
        """Take in the pods that have come or changed, by name, and None for a pod that is gone. Pods of other clusters,
        and pods that have ended, do not matter.
        """
        now = self._work.clock.monotonic()
        for name, pod in changed.items():
            self._see(name, pod)
        # Nodes that are back are noted first. If a node leaves when the node before it is Ready, it was not away
        # together with it.
        self._note_returned(now)
        for uid in sorted(self.left - self._present):
            self.left.discard(uid)
            self._gone_at[uid] = now
            self._changed = True
        nodes = [uid for uid in self._gone_at if self._old[uid].component is Component.KAFKA]
        for uid in nodes:
            self._away[uid] = max(self._away.get(uid, 0), len(nodes))
        self._note_returned(now)

    def _see(self, name: str, pod: Object | None) -> None:
        """Put this pod in the place of the pod that had its name."""
        before = self._sights.get(name)
        if before is not None and before.pod is pod:
            return
        if before is not None:
            del self._sights[name]
            self._present.discard(before.uid)
            self._filled.subtract(self._places_filled_by(name, before))
        self._not_ready.discard(name)
        component = None if pod is None or is_final(pod) else self._owners.component_of(pod)
        if pod is None or component is None:
            return
        is_up = is_ready(pod)
        self._sights[name] = seen = _Sight(pod, uid_of(pod), component, is_up)
        self._present.add(seen.uid)
        self._filled.update(self._places_filled_by(name, seen))
        if not is_up or is_terminating(pod):
            self._not_ready.add(name)

    def _places_filled_by(self, name: str, seen: _Sight) -> tuple[_Place, ...]:
        """The place of a Ready pod that this roll does not replace; none for another pod."""
        return (_place_of(seen.component, name),) if seen.is_ready and seen.uid not in self._old else ()

    def all_stay_ready(self, excepted: Container[str]) -> bool:
        """Whether every pod is Ready and stays, except for pods with these UIDs."""
        return all(self._sights[name].uid in excepted for name in self._not_ready)

    def _note_returned(self, now: float) -> None:
        """Note the pods that are gone and whose place is filled. As many nodes may be away as a batch has."""
        for uid in [uid for uid in self._gone_at if self._filled[self._place_of_old(uid)] > 0]:
            seconds = now - self._gone_at.pop(uid)
            pod, away = self._old[uid], self._away.get(uid)
            done = restart(
                pod.name,
                pod.component,
                self._step,
                self._work,
                seconds=seconds,
                away=away,
                round_number=self._rounds.get(uid),
            )
            self._work.record_restart(done)
            self.restarted += 1
            self._changed = True

    def _place_of_old(self, uid: str) -> _Place:
        return _place_of(self._old[uid].component, self._old[uid].name)

    def _pods(self) -> list[Object]:
        return [seen.pod for _name, seen in sorted(self._sights.items())]

    def describe(self) -> str:
        """The state of every pod, to find out why nothing moves; many pods in the same state are named once."""
        states = [
            (
                name_of(pod),
                f"{_condition(pod)}"
                f"{', to be restarted' if uid_of(pod) in self.left and not is_terminating(pod) else ''}",
            )
            for pod in self._pods()
        ]
        states += [
            (old.name, "gone, nothing Ready in its place")
            for old in map(self._old.__getitem__, sorted(self._gone_at)) if old.name not in self._sights
        ]  # fmt: skip
        rows = "; ".join(f"{pods}: {state}" for pods, state in fold_names(states))
        return f"{self.restarted} of {self.expected} restarted. {rows}."

    def advice(self) -> str:
        """A sentence about each pod that does not end although it should have, with a space after it; empty if there is
        none.
        """
        now = self._work.clock.now()
        return "".join(
            f"{_describe_end(pod)} " for pod in self._pods() if (due := _deadline_of_end(pod)) is not None and due < now
        )


def _condition(pod: Object) -> str:
    """The state in the words of Kubernetes. If a pod is leaving, its status says what its worker said last."""
    if is_terminating(pod):
        due = _deadline_of_end(pod)
        return f"Terminating{_on_worker(pod)}{f', to be gone by {due:%Y-%m-%dT%H:%M:%SZ}' if due else ''}"
    phase = (pod.get("status") or {}).get("phase", "Unknown")
    return f"{phase}{', Ready' if is_ready(pod) else ', not Ready'}{_cause(pod)}"


def _on_worker(pod: Object) -> str:
    return f" on worker {worker}" if (worker := worker_of(pod)) else ""


def _deadline_of_end(pod: Object) -> datetime | None:
    """The end of the time that a pod being deleted has to end; None if it has no such time."""
    return read_time(pod["metadata"].get("deletionTimestamp"))


def _describe_end(pod: Object) -> str:
    name, namespace, worker = name_of(pod), pod["metadata"].get("namespace"), worker_of(pod)
    look = f"Look at its worker (kubectl get node {worker})" if worker else "Look at its worker"
    return (
        f"Pod {name} does not end. {look}: if it is lost, check that it is really off, because a node must not run "
        f"twice, then kubectl delete pod {name} --namespace {namespace} --grace-period=0 --force."
    )


def _cause(pod: Object) -> str:
    """The reason of Kubernetes for a pod that does not start: not schedulable, no image, crashing."""
    status = pod.get("status") or {}
    waiting = [
        (container.get("state") or {}).get("waiting") or {}
        for container in [*(status.get("initContainerStatuses") or []), *(status.get("containerStatuses") or [])]
    ]
    unscheduled = [
        condition
        for condition in status.get("conditions") or []
        if condition["type"] == "PodScheduled" and condition["status"] != "True"
    ]
    reasons = [state.get("reason") for state in (*unscheduled, *waiting)]
    return "".join(f" ({reason})" for reason in reasons if reason)


def withdrawal(pod: Object, what: str) -> Write:
    """The write that takes the request for a restart of this pod back."""
    patch = {"metadata": {"annotations": {names.MANUAL_ROLLING_UPDATE: None}}}
    return Write(WriteVerb.UPDATE, PODS, name_of(pod), what, patch, version(pod))


def withdraw_left_requests(observation: Observation, spared: Collection[str]) -> tuple[Write, ...]:
    """The writes that take back requests for restarts, if a killed call of this collection has left them on nodes. The
    caller owns the Lease, so no other run waits for these restarts. Pods with UIDs in ``spared`` are about to get a
    request of the caller.
    """
    nodes = (
        pod for pod in observation.snapshot.nodes.pods if pod.component is Component.KAFKA and pod.uid not in spared
    )
    pods = (observation.pods[pod.name] for pod in nodes)
    return tuple(
        withdrawal(pod, "take the request of a killed call for a restart back")
        for pod in pods
        if is_asked_here(pod) and not is_terminating(pod)
    )
