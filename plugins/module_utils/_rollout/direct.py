# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A roll by this collection itself: one Kafka node after the other, under the KafkaRoller's rules (docs/operator.md,
"KafkaRoller").

Each turn begins with a look at all nodes and needs no memory of earlier turns. If a node needs no restart any more, it
has to be back. Then the next node restarts. An interrupted roll continues in the same way. If an earlier run has
restarted a node, the roll waits for it as for its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from .._errors import KafkaUnavailable, RollStuck, StepError, TimedOut
from .._kube.resources import PODS
from .._kube.wait import wait_until
from .._strimzi.apply.work import Work
from .._strimzi.cluster.observe import Observation
from .._strimzi.cluster.pods import is_ready, names_of_nodes
from .._strimzi.secret_data import whole_number
from .._trust.model.components import Component
from .._trust.model.decision import Condition, Violation
from .._trust.model.names import counted, listed
from .._trust.model.snapshot import Pod
from .._trust.model.steps.nodes import Roll
from .admin import Broker, Connect, KafkaAdmin, Partition, Quorum, Topic
from .kafka_pods import (
    NOT_AGAIN,
    Node,
    Object,
    Others,
    Progress,
    delete_pod,
    ended_pods,
    is_terminating,
    kafka_pods,
    next_batch,
    read_node,
    uid_of,
)

#: The value if the Kafka resource sets none.
FETCH_TIMEOUT = timedelta(milliseconds=2000)
#: Milliseconds: Kafka reads the value as a number of 32 bits, and does not start with more.
_LONGEST = 2**31 - 1


def fetch_timeout(kafka: Mapping[str, Any] | None) -> timedelta:
    """``controller.quorum.fetch.timeout.ms`` of a Kafka resource."""
    configuration = (((kafka or {}).get("spec") or {}).get("kafka") or {}).get("config") or {}
    found = str(configuration.get("controller.quorum.fetch.timeout.ms", ""))
    milliseconds = whole_number(found)
    return FETCH_TIMEOUT if milliseconds is None or milliseconds > _LONGEST else timedelta(milliseconds=milliseconds)


def voters_caught_up(quorum: Quorum, fetch_timeout: timedelta) -> frozenset[int]:
    """Voters whose last catching up lies behind the leader's by less than the fetch timeout; none if there is no
    leader.
    """
    known = {voter.node_id: voter.last_caught_up for voter in quorum.voters if voter.last_caught_up is not None}
    newest = None if quorum.leader is None else known.get(quorum.leader)
    if newest is None:
        return frozenset()
    return frozenset(voter for voter, last in known.items() if timedelta(milliseconds=newest - last) < fetch_timeout)


def quorum_violations(node: Node, quorum: Quorum, fetch_timeout: timedelta) -> tuple[Violation, ...]:
    """Violations of KafkaQuorumCheck: a majority of voters has to be caught up without this controller.

    If there is one voter alone, it may restart, because there is no other way. Of two voters the other voter has to be
    caught up: a majority needs both.
    """
    voters = len(quorum.voters)
    current = voters_caught_up(quorum, fetch_timeout)
    if not current:
        return (_quorum_violation(node, _LEADERLESS),)
    needed = {1: 0, 2: 1}.get(voters, (voters + 2) // 2)
    if len(current - {node.node_id}) >= needed:
        return ()
    behind = sorted({voter.node_id for voter in quorum.voters} - current - {node.node_id})
    cause = (
        f"without controller {node.node_id} only {len(current - {node.node_id})} of {voters} voters would be caught "
        f"up, and {needed} are needed; behind: {', '.join(map(str, behind)) or 'none'}."
    )
    return (_quorum_violation(node, cause),)


_LEADERLESS = "the metadata quorum has no leader, or none that knows how far the voters are."


def _quorum_violation(node: Node, cause: str) -> Violation:
    remedy = "Look at the controllers that are behind; the roll can be run again when they have caught up."
    return Violation(Condition.QUORUM, f"pod {node.pod}", cause, remedy)


def availability_violations(node: Node, topics: Iterable[Topic]) -> tuple[Violation, ...]:
    """Violations of KafkaAvailability: producers with acks=all can go on writing to every partition with a replica on
    this broker.
    """
    return tuple(
        Violation(Condition.AVAILABILITY, f"pod {node.pod}", cause, _RESTORE)
        for topic in topics
        for partition in topic.partitions
        for cause in _why_partition_waits(node.node_id, topic.min_insync_replicas, partition)
    )


_RESTORE = (
    "Look at the brokers that are missing among its in-sync replicas; the roll can be run again when they are back."
)


def _why_partition_waits(broker: int, minimum: int, partition: Partition) -> Iterator[str]:
    if broker not in partition.replicas or len(partition.replicas) <= minimum:
        # If there is no spare replica, every restart interrupts the partition; its configuration accepts that.
        return
    now = len(partition.in_sync)
    if now < minimum:
        yield f"partition {partition} has {now} in-sync replicas, fewer than min.insync.replicas={minimum}, already."
    elif len(partition.in_sync - {broker}) < minimum:
        yield f"partition {partition} has {now} in-sync replicas, this broker's among them, and needs {minimum}."


def out_of_sync(topics: Iterable[Topic]) -> tuple[Topic, ...]:
    """The topics, each with only its partitions whose replicas are not all in sync."""
    return tuple(
        replace(topic, partitions=behind)
        for topic in topics
        if (behind := tuple(partition for partition in topic.partitions if not partition.replicas <= partition.in_sync))
    )


def require_in_sync(observation: Observation, connect: Connect) -> None:
    """Nothing, if every replica is in sync: if a flow restarts nodes here, it begins in a healthy cluster only. Raises
    StepError, KafkaUnavailable.
    """
    admin = connect(observation)
    try:
        behind = [str(partition) for topic in out_of_sync(admin.topics()) for partition in topic.partitions]
    finally:
        admin.close()
    if behind:
        verb = "has a replica" if len(behind) == 1 else "have replicas"
        raise StepError(
            observation.snapshot.names.kafka,
            f"is under-replicated: {counted(len(behind), 'partition')} ({listed(behind)}) {verb} out of sync, and a "
            "node would wait for each with its restart",
            "Nothing was written. Wait until they are in sync, then run the flow again; or use strategy=operator: the "
            "operator looks before each restart.",
        )


def partitions_out_of_sync(node: Node, topics: Iterable[Topic]) -> tuple[Partition, ...]:
    """Partitions whose replica on this broker is not in sync."""
    return tuple(
        partition
        for topic in topics
        for partition in topic.partitions
        if node.broker and node.node_id in partition.replicas - partition.in_sync
    )


def absence_violations(node: Node, brokers: Collection[Broker], topics: Iterable[Topic]) -> tuple[Violation, ...]:
    """The violations of a broker that is not back: it has to be registered and unfenced, and in sync with all of its
    partitions.
    """
    if not node.broker:
        return ()
    if Broker(node.node_id, fenced=False) not in brokers:
        cause = f"broker {node.node_id} is not back in the cluster: it is not registered, or fenced."
        return (Violation(Condition.RETURN, f"pod {node.pod}", cause, "Look at the log of this broker."),)
    behind = partitions_out_of_sync(node, topics)
    if not behind:
        return ()
    more = f" and {len(behind) - 1} more" if len(behind) > 1 else ""
    cause = f"broker {node.node_id} is not in sync yet with partition {behind[0]}{more}."
    remedy = "Look at the log of this broker (replica fetchers, log directories), and at reassignments under way."
    return (Violation(Condition.RETURN, f"pod {node.pod}", cause, remedy),)


def lag_violations(node: Node, quorum: Quorum, fetch_timeout: timedelta) -> tuple[Violation, ...]:
    """The violations of a controller that is not back: as a voter it has to be caught up."""
    is_voter = node.node_id in {voter.node_id for voter in quorum.voters}
    current = voters_caught_up(quorum, fetch_timeout)
    if not node.controller or not is_voter or node.node_id in current:
        return ()
    cause = f"controller {node.node_id} has not caught up with the metadata quorum." if current else _LEADERLESS
    return (Violation(Condition.RETURN, f"pod {node.pod}", cause, "Look at the log of this controller."),)


def solitude_violations(node: Node, left: Iterable[Node]) -> tuple[Violation, ...]:
    """At most one Kafka node is down at a time (I4): if a node of its kind is down, only that node may restart."""
    down = [other for other in left if not other.ready and other != node and other.controller is node.controller]
    if not node.ready or not down:
        return ()
    cause = f"pod {down[0].pod} is down already, and two at once are too many."
    return (Violation(Condition.SOLITUDE, f"pod {node.pod}", cause, f"Look at why {down[0].pod} is not Ready."),)


#: Seconds between two looks while nothing happens to the pods: no event tells a change of the state of Kafka.
LOOK = 1.0


def restart_nodes(step: Roll, observation: Observation, work: Work, connect: Connect) -> None:
    """Restart the Kafka nodes of the step and wait until the last node is in sync.

    Raises RollStuck if nothing moves any more, or if another program restarts nodes. Another run continues the roll.
    """
    asked = [
        pod for pod in observation.snapshot.nodes.pods if pod.uid in step.uids and pod.component is Component.KAFKA
    ]  # fmt: skip
    if not asked:
        return
    admin = connect(observation)
    try:
        roll = _DirectRoll(step, asked, observation, work, admin)
        while (turn := roll.await_turn()) is not None:
            roll.restart(turn)
    finally:
        admin.close()


@dataclass(frozen=True)
class _Kafka:
    #: The metadata quorum as its leader sees it.
    quorum: Quorum
    #: All registered brokers, fenced brokers included.
    brokers: frozenset[Broker]
    #: All topics, internal topics included.
    topics: tuple[Topic, ...]


class _DirectRoll:
    def __init__(self, step: Roll, asked: list[Pod], observation: Observation, work: Work, admin: KafkaAdmin) -> None:
        self._step, self._work, self._admin = step, work, admin
        self._owners, self._behind = observation.owners, fetch_timeout(observation.kafka)
        self._asked = frozenset(pod.uid for pod in asked)
        self._progress = Progress(step, asked, work, self._owners)
        self._others = Others(self._asked)
        self._seen: frozenset[tuple[str, bool]] = frozenset()
        self._turn: Node | None = None
        self._obstacles: tuple[Violation, ...] = ()
        self._fewest_lagging: int | None = None
        self._catching_up = False

    def restart(self, node: Node) -> None:
        """Restart this node, unless a pod has changed during the questions to Kafka: another look comes first then.
        Another program, such as a call on the other CA of the cluster, may have begun to restart nodes in these
        seconds.
        """
        work = self._work
        found = work.client.list(PODS, work.scope.namespace, label_selector=work.scope.selector).items
        pods = kafka_pods(found, self._owners)
        self._others.check(pods, ended_pods(found, self._owners))
        self._others.check_requests(pods)
        if _states(pods) == self._seen:
            self._others.restarted_by_us(node.uid)
            delete_pod(node.pod, node.uid, self._step, work)

    def await_turn(self) -> Node | None:
        """Wait until a node may restart, and return it; None if all nodes have been restarted and are back."""
        work = self._work
        self._fewest_lagging = None
        try:
            wait_until(
                work.client, PODS, work.scope.namespace, self._is_settled, label_selector=work.scope.selector,
                timeout=work.settings.pod_timeout, restart_timeout=self._has_moved,
                monotonic=work.clock.monotonic, alive=work.renew_lease, heartbeat=LOOK,
            )  # fmt: skip
        except TimedOut:
            raise self._describe_stuck() from None
        return self._turn

    def _is_settled(self, objects: Mapping[str, Object]) -> bool:
        pods = kafka_pods(objects.values(), self._owners)
        self._seen = _states(pods)
        self._progress.take_in(list(pods))
        self._others.check(pods, ended_pods(objects.values(), self._owners))
        self._turn = None
        try:
            self._obstacles = self._look(pods)
        except KafkaUnavailable as error:
            self._obstacles = (Violation(Condition.KAFKA_ANSWERS, error.object, f"{error.cause}.", error.remedy),)
        return self._turn is not None or not self._obstacles

    def _look(self, pods: list[Object]) -> tuple[Violation, ...]:
        """The violations that keep every node from its turn; none if a node may restart, or none is left."""
        pod_sets = self._pod_sets()
        self._others.check_requests((*pods, *pod_sets))
        nodes = [read_node(pod) for pod in pods if not is_terminating(pod)]
        left = [node for node in nodes if node.uid in self._asked]
        done = [node for node in nodes if node.uid not in self._asked]
        # If a StrimziPodSet is being deleted, the operator brings back none of its pods (docs/operator.md, "Pod sets").
        expected = names_of_nodes((item for item in pod_sets if not is_terminating(item)), self._work.scope)
        if found := _absent_nodes(expected, nodes) or _unready(done):
            return found
        kafka = self._ask()
        return self._nodes_out_of_sync(done, kafka) or self._choose(left, expected, kafka)

    def _pod_sets(self) -> list[dict[str, Any]]:
        return [{"kind": "StrimziPodSet", **item} for item in self._owners.read_pod_sets(self._work.client)]

    def _ask(self) -> _Kafka:
        # An answer may take its time, and the Lease must not run out meanwhile.
        alive, admin = self._work.renew_lease, self._admin
        alive()
        brokers = frozenset(admin.brokers())
        alive()
        topics = admin.topics()
        alive()
        return _Kafka(admin.quorum(), brokers, topics)

    def _nodes_out_of_sync(self, done: list[Node], kafka: _Kafka) -> tuple[Violation, ...]:
        # Every node is checked against these partitions only: there are few of them among thousands.
        topics = out_of_sync(kafka.topics)
        self._note_catching_up(sum(len(partitions_out_of_sync(node, topics)) for node in done))
        return tuple(
            violation
            for node in done
            for violation in (
                *absence_violations(node, kafka.brokers, topics),
                *lag_violations(node, kafka.quorum, self._behind),
            )
        )

    def _note_catching_up(self, lagging_partitions: int) -> None:
        """Note that brokers are catching up. A large broker may take longer than the time limit, and the roll does not
        stop for that.
        """
        if self._fewest_lagging is None:
            self._fewest_lagging = lagging_partitions
        elif lagging_partitions < self._fewest_lagging:
            self._fewest_lagging = lagging_partitions
            self._catching_up = True

    def _has_moved(self) -> bool:
        moved, self._catching_up = self._progress.take_changed() or self._catching_up, False
        return moved

    def _choose(self, left: list[Node], expected: frozenset[str], kafka: _Kafka) -> tuple[Violation, ...]:
        """Take the first node of the batch if there is no violation against it; else return the violations."""
        refused: list[Violation] = []
        for node in next_batch(left, kafka.quorum.leader):
            found = (
                *_not_recreated(node, expected),
                *solitude_violations(node, left),
                *(quorum_violations(node, kafka.quorum, self._behind) if node.controller else ()),
                *(availability_violations(node, kafka.topics) if node.broker else ()),
            )
            if not found:
                self._turn = node
                return ()
            refused += found
        return tuple(refused)

    def _describe_stuck(self) -> RollStuck:
        first = self._obstacles[0]
        more = f" ({len(self._obstacles) - 1} more of this kind)" if len(self._obstacles) > 1 else ""
        seconds = self._work.settings.pod_timeout.total_seconds()
        return RollStuck(
            f"The {self._step.reason.value} roll",
            f"has stopped: for {seconds:.0f} s nothing moved. "
            f"{first.subject}: {first.message}{more} {self._progress.describe()}",
            f"{self._progress.advice()}{first.remedy} Then run the flow again:",
            [one.as_result() for one in self._obstacles],
            repetition=NOT_AGAIN,
        )


def _states(pods: Iterable[Object]) -> frozenset[tuple[str, bool]]:
    """The pods by UID, and whether each is ready and stays."""
    return frozenset((uid_of(pod), is_ready(pod) and not is_terminating(pod)) for pod in pods)


def _absent_nodes(expected: frozenset[str], nodes: list[Node]) -> tuple[Violation, ...]:
    remedy = (
        "Look at the pod and at the operator's log: its StrimziPodSet controller recreates pods, also while paused."
    )
    missing = sorted(expected - {node.pod for node in nodes})
    return tuple(Violation(Condition.RETURN, f"pod {name}", "it has not come back.", remedy) for name in missing)


def _unready(done: list[Node]) -> tuple[Violation, ...]:
    remedy = "Look at its events and its log."
    return tuple(
        Violation(Condition.RETURN, f"pod {node.pod}", "it is not Ready.", remedy) for node in done if not node.ready
    )  # fmt: skip


def _not_recreated(node: Node, expected: frozenset[str]) -> tuple[Violation, ...]:
    if node.pod in expected:
        return ()
    remedy = "Look at the StrimziPodSets of the cluster and at the operator's log."
    return (Violation(Condition.RETURN, f"pod {node.pod}", "no StrimziPodSet would bring it back.", remedy),)


Objects = Mapping[str, Mapping[str, Any]]
