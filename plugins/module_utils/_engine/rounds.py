# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The rounds of restarts in a plan, by the present state of Kafka: how many there are, and why a batch has no more
nodes. A plan asks Kafka only if the caller has several nodes restarted here at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from .._errors import KafkaUnavailable, StepError
from .._strimzi.apply.work import Work
from .._strimzi.cluster.observe import Observation
from .._trust.model.intent import ONE_BY_ONE, Strategy
from .._trust.model.rounds import Round, describe_rounds
from .._trust.model.steps.nodes import RollReason

if TYPE_CHECKING:
    from .._rollout.batches import KafkaState

#: The restarts that the operator begins by itself, and the restarts in place: these know no batches.
_WITHOUT_BATCHES = (RollReason.USE, RollReason.ENDED)
_LEFT_TO_OPERATOR = (
    "The restarts by which nodes take up certificates stay with the operator, one node after the other: batch has no "
    "effect on them."
)


class RoundPlanner:
    """Gives the rounds of each roll of a plan in this cluster. It asks Kafka once, for the first roll in batches."""

    def __init__(self, seen: Observation, work: Work) -> None:
        self._seen, self._work = seen, work
        self._kafka: KafkaState | None = None
        # Sentences for the plan, each once.
        self._remarks: dict[str, None] = {}
        self._was_asked = False

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences about all rolls so far: which have no batches, which topics each restart interrupts, and why the
        rounds are not known.
        """
        return tuple(self._remarks)

    def __call__(self, reason: RollReason, nodes: Collection[str]) -> tuple[Round, ...]:
        pace = self._work.wishes.pace
        if pace.strategy is not Strategy.DIRECT or pace.batch == ONE_BY_ONE or not nodes:
            return ()
        if reason in _WITHOUT_BATCHES:
            if reason is RollReason.USE:
                self._remarks[_LEFT_TO_OPERATOR] = None
            return ()
        if not self._was_asked:
            self._was_asked, self._kafka = True, self._ask_kafka()
        if self._kafka is None:
            return ()
        # Imported only where nodes restart here: all of this code speaks to Kafka.
        from .._rollout.batches import plan_rounds
        from .._rollout.kafka_pods import kafka_pods, read_node

        cluster = [read_node(pod) for pod in kafka_pods(self._seen.pods.values(), self._seen.owners)]
        left = [node for node in cluster if node.pod in nodes]
        return plan_rounds(left, cluster, self._kafka, pace.batch)

    def _ask_kafka(self) -> KafkaState | None:
        """The state of Kafka; None if it is not known, and a remark says why."""
        from .._rollout import admin
        from .._rollout.batches import describe_interruptions
        from .._rollout.direct import ask_kafka, fetch_timeout

        try:
            client = admin.connect_to(self._work.settings.kafka_bootstrap)(self._seen)
            try:
                kafka = ask_kafka(client, fetch_timeout(self._seen.kafka), self._work)
            finally:
                client.close()
        except (KafkaUnavailable, StepError) as error:
            self._remarks[f"The number of rounds is not known: {error.object} {error.cause}. {error.remedy}"] = None
            return None
        if sentence := describe_interruptions(kafka.topics):
            self._remarks[sentence] = None
        return kafka


def describe_rounds_of_roll(reason: RollReason, nodes: Collection[str], rounds: Sequence[Round]) -> Iterator[str]:
    """Sentences about a roll in rounds: how many rounds there are, and one about each; none if it has no rounds."""
    if not rounds:
        return
    yield f"The {reason.value} roll restarts {describe_rounds(rounds, len(nodes))}."
    yield from (f"Round {number}: {one.sentence()}." for number, one in enumerate(rounds, 1))
