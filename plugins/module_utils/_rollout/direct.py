# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A roll by this collection itself: one Kafka node after the other, or one batch after the other, under the
KafkaRoller's rules (docs/operator.md, "KafkaRoller", and docs/batches.md, "When the next batch begins").

Each turn begins with a look at all nodes and needs no memory of earlier turns. If a node needs no restart any more, it
has to be back. Then the next batch restarts; without batches it is one node. An interrupted roll continues in the same
way. If an earlier run has restarted a node, the roll waits for it as for its own.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
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
from .._trust.model.intent import ONE_BY_ONE
from .._trust.model.names import counted, listed
from .._trust.model.rounds import LEADERS_RETURN, describe_rounds
from .._trust.model.snapshot import Pod
from .._trust.model.steps.nodes import Roll
from .admin import Connect, KafkaAdmin, Partition, Quorum, Topic, serving_ids
from .batches import Batch, KafkaState, choose_batch, describe_interruptions, plan_rounds
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
    read_node,
    uid_of,
)
from .safety import LEADERLESS, leader_violations, partitions_to_lead, voters_caught_up

#: The value if the Kafka resource sets none.
FETCH_TIMEOUT = timedelta(milliseconds=2000)
#: Milliseconds: Kafka reads the value as a number of 32 bits, and does not start with more.
_LONGEST = 2**31 - 1


def fetch_timeout(kafka: Mapping[str, Any] | None) -> timedelta:
    """``controller.quorum.fetch.timeout.ms`` of a Kafka resource."""
    timeout_text = str(_configuration(kafka).get("controller.quorum.fetch.timeout.ms", ""))
    milliseconds = whole_number(timeout_text)
    return FETCH_TIMEOUT if milliseconds is None or milliseconds > _LONGEST else timedelta(milliseconds=milliseconds)


def moves_leaders_by_itself(kafka: Mapping[str, Any] | None) -> bool:
    """Whether Kafka has brokers lead again by itself: ``auto.leader.rebalance.enable`` of a Kafka resource, which is on
    by default.
    """
    return str(_configuration(kafka).get("auto.leader.rebalance.enable", True)).strip().lower() != "false"


def _configuration(kafka: Mapping[str, Any] | None) -> Mapping[str, Any]:
    return (((kafka or {}).get("spec") or {}).get("kafka") or {}).get("config") or {}


def unsettled(topics: Iterable[Topic]) -> tuple[Topic, ...]:
    """The topics, each with only its partitions whose replicas are not all in sync, or that no broker leads."""
    return tuple(
        replace(topic, partitions=unsettled_partitions)
        for topic in topics
        if (
            unsettled_partitions := tuple(
                part for part in topic.partitions if not part.has_leader or part.replicas - part.in_sync
            )
        )
    )


def require_in_sync(observation: Observation, connect: Connect) -> None:
    """Require every replica to be in sync: a flow in which this collection restarts nodes begins in a healthy cluster
    only. Raises StepError, KafkaUnavailable.
    """
    admin = connect(observation)
    try:
        behind = [
            str(partition)
            for topic in admin.topics()
            for partition in topic.partitions
            if partition.replicas - partition.in_sync
        ]
    finally:
        admin.close()
    if behind:
        verb = "has a replica" if len(behind) == 1 else "have replicas"
        raise StepError(
            observation.snapshot.names.kafka,
            f"is under-replicated: {counted(len(behind), 'partition')} ({listed(behind)}) {verb} out of sync, and "
            "no node restarts before every replica is in sync",
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


def without_leader(node: Node, topics: Iterable[Topic]) -> tuple[Partition, ...]:
    """Partitions whose replica on this broker is in sync, and that no broker leads: an election is still to come."""
    return tuple(
        partition
        for topic in topics
        for partition in topic.partitions
        if node.broker and not partition.has_leader and node.node_id in partition.in_sync
    )


def absence_violations(node: Node, serving: Container[int], topics: Iterable[Topic]) -> tuple[Violation, ...]:
    """The violations of a broker that is not back: it has to be registered and unfenced, as the brokers with these ids
    are, and in sync with all of its partitions, and these need a leader.
    """
    if not node.broker:
        return ()
    if node.node_id not in serving:
        cause = "the broker is not back in the cluster: it is not registered, or fenced."
        return (Violation(Condition.RETURN, f"pod {node.pod}", cause, "Look at the log of this broker."),)
    behind = partitions_out_of_sync(node, topics)
    if not behind:
        return tuple(
            Violation(
                Condition.RETURN,
                f"pod {node.pod}",
                f"partition {partition}, with a replica on it, has no leader yet.",
                "Look at the log of the active controller.",
            )
            for partition in without_leader(node, topics)[:1]
        )
    more = f" and {len(behind) - 1} more" if len(behind) > 1 else ""
    cause = f"the broker is not in sync yet with partition {behind[0]}{more}."
    remedy = "Look at the log of this broker (replica fetchers, log directories), and at reassignments under way."
    return (Violation(Condition.RETURN, f"pod {node.pod}", cause, remedy),)


def lag_violations(node: Node, quorum: Quorum, fetch_timeout: timedelta) -> tuple[Violation, ...]:
    """The violations of a controller that is not back: as a voter it has to be caught up."""
    is_voter = node.node_id in {voter.node_id for voter in quorum.voters}
    current = voters_caught_up(quorum, fetch_timeout)
    if not node.controller or not is_voter or node.node_id in current:
        return ()
    cause = "the controller has not caught up with the metadata quorum." if current else LEADERLESS
    return (Violation(Condition.RETURN, f"pod {node.pod}", cause, "Look at the log of this controller."),)


#: Seconds between two looks while nothing happens to the pods: no event tells a change of the state of Kafka.
LOOK = 1.0
#: A roll leaves Kafka alone for this many times as long as its last answers took: with hundreds of thousands of
#: partitions, answers take many seconds.
_REST = 2
#: Seconds between two questions while an election has not brought leaders back: Kafka changes them every few minutes
#: then, and each question lists every topic.
_REST_FOR_LEADERS = 10.0
#: Partitions of one election: as many as Kafka moves at a time when it looks for leaders by itself.
_ELECTION = 1000


def restart_nodes(step: Roll, observation: Observation, work: Work, connect: Connect) -> None:
    """Restart the Kafka nodes of the step and wait until the last node is in sync.

    Raises RollStuck if nothing moves any more, or if another program restarts nodes. Another run continues the roll.
    """
    asked_pods = [
        pod for pod in observation.snapshot.nodes.pods if pod.uid in step.uids and pod.component is Component.KAFKA
    ]  # fmt: skip
    if not asked_pods:
        return
    admin = connect(observation)
    try:
        roll = _DirectRoll(step, asked_pods, observation, work, admin)
        while (batch := roll.await_turn()) is not None:
            roll.restart(batch)
    finally:
        admin.close()


def ask_kafka(admin: KafkaAdmin, fetch_timeout: timedelta, work: Work) -> KafkaState:
    """The state of Kafka now. Raises KafkaUnavailable."""
    # An answer may take its time, and the Lease must not run out meanwhile.
    work.renew_lease()
    brokers = frozenset(admin.brokers())
    work.renew_lease()
    topics = admin.topics()
    work.renew_lease()
    return KafkaState(admin.quorum(), brokers, topics, fetch_timeout)


class _DirectRoll:
    def __init__(
        self, step: Roll, asked_pods: list[Pod], observation: Observation, work: Work, admin: KafkaAdmin
    ) -> None:
        self._step, self._work, self._admin = step, work, admin
        self._owners, self._fetch_timeout = observation.owners, fetch_timeout(observation.kafka)
        self._elects = moves_leaders_by_itself(observation.kafka)
        self._limit = work.wishes.pace.batch
        self._asked = frozenset(pod.uid for pod in asked_pods)
        self._progress = Progress(step, asked_pods, work, self._owners)
        self._others = Others(self._asked)
        self._seen: frozenset[tuple[str, bool]] = frozenset()
        self._turn: Batch | None = None
        self._rounds, self._announced = 0, False
        self._obstacles: tuple[Violation, ...] = ()
        self._fewest_lagging: int | None = None
        self._catching_up = False
        # The names of the pods of the last batch, if there are batches, and the time at which all of them were back.
        self._last_batch: frozenset[str] = frozenset()
        self._back_at: float | None = None
        self._awaits_leaders, self._rest_for_leaders = False, 0.0
        # The violations by the last answers of Kafka, and the time of the next question, if there are any.
        self._by_kafka: tuple[Violation, ...] = ()
        self._next_question = 0.0
        # The nodes that the operator brings back, by the last list of StrimziPodSets, and when it is read again while
        # nodes are away.
        self._expected: frozenset[str] = frozenset()
        self._next_reading = -math.inf
        # The violations of nodes that were away at the last look, and when the next look is due while they are several.
        self._away: tuple[Violation, ...] = ()
        self._next_look = -math.inf

    def restart(self, batch: Batch) -> None:
        """Restart these nodes, unless a pod has changed during the questions to Kafka: another look comes first then.
        Another program, such as a call on the other CA of the cluster, may have begun to restart nodes in these
        seconds.
        """
        work = self._work
        listed_pods = work.client.list(PODS, work.scope.namespace, label_selector=work.scope.selector).items
        pods = kafka_pods(listed_pods, self._owners)
        self._others.check(pods, ended_pods(listed_pods, self._owners))
        self._others.check_requests(pods)
        if _states(pods) != self._seen:
            return
        self._rounds += 1
        if self._limit != ONE_BY_ONE:
            work.tell(f"round {self._rounds}: restarting {batch.round.sentence()}")
            self._last_batch, self._back_at = frozenset(node.pod for node in batch.nodes), None
            work.rounds += 1
            self._progress.note_round(work.rounds, (node.uid for node in batch.nodes))
        for node in batch.nodes:
            self._others.restarted_by_us(node.uid)
            delete_pod(node.pod, node.uid, self._step, work)

    def await_turn(self) -> Batch | None:
        """Wait until nodes may restart, and return them; None if all nodes have been restarted and are back."""
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
        now = self._work.clock.monotonic()
        # The restart of each node of a batch brings several events, and a look goes through all pods. While several
        # nodes are away, hardly any event ends the wait, so looks go by time.
        if len(self._away) > 1 and now < self._next_look:
            return False
        self._next_look = now + LOOK
        pods = kafka_pods(objects.values(), self._owners)
        self._seen = _states(pods)
        self._progress.take_in_all(pods)
        self._others.check(pods, ended_pods(objects.values(), self._owners))
        self._turn = None
        try:
            self._obstacles = self._look(pods)
        except KafkaUnavailable as error:
            self._obstacles = (Violation(Condition.KAFKA_ANSWERS, error.object, f"{error.cause}.", error.remedy),)
        return self._turn is not None or not self._obstacles

    def _look(self, pods: list[Object]) -> tuple[Violation, ...]:
        """The violations that keep every node from its turn; none if a node may restart, or none is left."""
        awaited_leaders, self._awaits_leaders = self._awaits_leaders, False
        self._others.check_requests(pods)
        clock = self._work.clock
        nodes = [read_node(pod) for pod in pods if not is_terminating(pod)]
        left = [node for node in nodes if node.uid in self._asked]
        done = [node for node in nodes if node.uid not in self._asked]
        # Each event of a pod brings a look, and the list of StrimziPodSets has every pod in it. While nodes are away,
        # the list is read now and then. It is read again before anything else.
        away = self._find_away(nodes, left, done) if clock.monotonic() < self._next_reading else ()
        if not away:
            self._read_pod_sets()
            away = self._find_away(nodes, left, done)
        self._away = away
        if away:
            return away
        if self._by_kafka and clock.monotonic() < self._next_question:
            self._awaits_leaders = awaited_leaders
            return self._by_kafka
        self._by_kafka, begun = (), clock.monotonic()
        kafka = ask_kafka(self._admin, self._fetch_timeout, self._work)
        now = clock.monotonic()
        self._by_kafka = self._judge(left, done, nodes, kafka)
        self._next_question = now + max(_REST * (now - begun), self._rest_for_leaders if self._awaits_leaders else 0.0)
        return self._by_kafka

    def _judge(
        self, left: Sequence[Node], done: Sequence[Node], nodes: Sequence[Node], kafka: KafkaState
    ) -> tuple[Violation, ...]:
        """The violations in this state of Kafka; if there are none, the next batch has its turn."""
        if violations := self._nodes_out_of_sync(done, kafka):
            return violations
        if left and (violations := self._brokers_without_leadership(done, kafka)):
            self._awaits_leaders = True
            return violations
        batch = choose_batch(left, nodes, kafka, self._limit)
        self._turn = batch if batch.nodes else None
        if batch.nodes and not self._announced and self._limit != ONE_BY_ONE:
            self._announced = True
            count = describe_rounds(plan_rounds(left, nodes, kafka, self._limit), len(left))
            for sentence in filter(None, (f"{count}.", describe_interruptions(kafka.topics))):
                self._work.tell(sentence)
        return batch.violations

    def _find_away(self, nodes: list[Node], left: list[Node], done: list[Node]) -> tuple[Violation, ...]:
        """The violations of nodes that are away, or that the operator would not bring back."""
        return _absent_nodes(self._expected, nodes) or _unready(done) or _not_recreated(left, self._expected)

    def _read_pod_sets(self) -> None:
        """Read which nodes the operator brings back. Raises RollStuck if another program asks it for restarts."""
        pod_sets = [{"kind": "StrimziPodSet", **item} for item in self._owners.read_pod_sets(self._work.client)]
        self._next_reading = self._work.clock.monotonic() + LOOK
        self._others.check_requests(pod_sets)
        # If a StrimziPodSet is being deleted, the operator brings back none of its pods (docs/operator.md, "Pod sets").
        self._expected = names_of_nodes((item for item in pod_sets if not is_terminating(item)), self._work.scope)

    def _nodes_out_of_sync(self, done: Sequence[Node], kafka: KafkaState) -> tuple[Violation, ...]:
        # Every node is checked against these partitions only: there are few of them among thousands.
        topics = unsettled(kafka.topics)
        serving = serving_ids(kafka.brokers)
        self._note_catching_up(sum(len(partitions_out_of_sync(node, topics)) for node in done))
        return tuple(
            violation
            for node in done
            for violation in (
                *absence_violations(node, serving, topics),
                *lag_violations(node, kafka.quorum, kafka.fetch_timeout),
            )
        )

    def _brokers_without_leadership(self, done: Sequence[Node], kafka: KafkaState) -> tuple[Violation, ...]:
        """The violations of brokers of the last batch that do not lead again; none if their time is over. The
        roll asks Kafka to elect them, and sees at the next question whether they lead.
        """
        now = self._work.clock.monotonic()
        is_first, self._back_at = self._back_at is None, now if self._back_at is None else self._back_at
        left = LEADERS_RETURN.total_seconds() - (now - self._back_at)
        last = [node for node in done if node.pod in self._last_batch]
        violations = leader_violations(last, kafka.topics)
        if left <= 0 or not violations:
            return ()
        if is_first:
            brokers = listed([violation.subject for violation in violations])
            self._work.tell(f"waiting {left:.0f} s at most until Kafka has {brokers} lead again")
        self._rest_for_leaders = 0.0 if is_first else _REST_FOR_LEADERS
        if self._elects:
            self._elect(partitions_to_lead(last, kafka.topics))
        return violations

    def _elect(self, partitions: Sequence[Partition]) -> None:
        # Without an election Kafka moves the leaders later by itself. If Kafka is away, the next question shows it.
        with suppress(KafkaUnavailable):
            for first in range(0, len(partitions), _ELECTION):
                self._work.renew_lease()
                self._admin.elect_preferred_leaders(partitions[first : first + _ELECTION])

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
        # The time for leaders has a limit of its own.
        return moved or self._awaits_leaders

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


def _not_recreated(left: list[Node], expected: frozenset[str]) -> tuple[Violation, ...]:
    remedy = "Look at the StrimziPodSets of the cluster and at the operator's log."
    return tuple(
        Violation(Condition.RETURN, f"pod {node.pod}", "no StrimziPodSet would bring it back.", remedy)
        for node in left
        if node.pod not in expected
    )
