# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The rounds of restarts in a plan, by the present state of Kafka: how many there are, and why a batch has no more
nodes. A plan asks Kafka only if the caller has several nodes restarted here at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from .._errors import KafkaUnavailable
from .._strimzi.apply.work import Work
from .._strimzi.cluster.observe import Observation
from .._trust.model.intent import ONE_BY_ONE, Strategy
from .._trust.model.steps.nodes import RollReason
from .kafka_pods import kafka_pods, read_node

#: The restarts that the operator begins by itself, and the restarts in place: these know no batches.
_WITHOUT_BATCHES = (RollReason.USE, RollReason.ENDED)
#: The restarts of a plan: their reason, and the names of the Kafka nodes.
PlannedRoll = tuple[RollReason | None, Collection[str]]


def describe_planned_rounds(rolls: Iterable[PlannedRoll], seen: Observation, work: Work) -> tuple[str, ...]:
    """Sentences about the rounds of these restarts, and about topics that each restart interrupts; none where no node
    restarts in a batch. Raises StepError, RollStuck.
    """
    pace = work.wishes.pace
    planned = [(reason, pods) for reason, pods in rolls if pods and reason is not None]
    if pace.strategy is not Strategy.DIRECT or pace.batch == ONE_BY_ONE or not planned:
        return ()
    return tuple(_describe(planned, seen, work))


def _describe(planned: Iterable[tuple[RollReason, Collection[str]]], seen: Observation, work: Work) -> Iterator[str]:
    left_to_operator = Counter(reason for reason, _pods in planned if reason in _WITHOUT_BATCHES)
    if left_to_operator[RollReason.USE]:
        yield (
            "The restarts by which nodes take up certificates stay with the operator, one node after the other: batch "
            "has no effect on them."
        )
    here = [(reason, pods) for reason, pods in planned if reason not in _WITHOUT_BATCHES]
    if not here:
        return
    # Imported only where nodes restart here: all of this code speaks to Kafka.
    from . import admin
    from .batches import describe_rounds, plan_rounds
    from .direct import ask_kafka, fetch_timeout

    client = admin.connect_to(work.settings.kafka_bootstrap)(seen)
    try:
        kafka = ask_kafka(client, fetch_timeout(seen.kafka), work)
    except KafkaUnavailable as error:
        yield f"The number of rounds is not known: {error.object} {error.cause}. {error.remedy}"
        return
    finally:
        client.close()
    nodes = [read_node(pod) for pod in kafka_pods(seen.pods.values(), seen.owners)]
    for reason, pods in here:
        rounds = plan_rounds([node for node in nodes if node.pod in pods], nodes, kafka, work.wishes.pace.batch)
        yield f"The {reason.value} roll restarts {describe_rounds(rounds, kafka.topics)}."
        yield from (f"Round {number}: {batch.sentence()}." for number, batch in enumerate(rounds, 1) if batch.nodes)
