# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Looking at the running nodes through the API server, as far as the caller wants it and it is possible: before a
gate a call asks nodes which certificates they present, which CAs they trust, and whether they can take a change up
without a restart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import Enum

from .._errors import KubeError, OptionsError, StepError
from .._issuing.pending.pending import with_misnamed, with_requests, with_standing
from .._strimzi.apply.stamping import TO_ANNOTATE, unstampable, why_not_permitted
from .._strimzi.apply.work import Work
from .._strimzi.cluster.observe import Observation
from .._trust.decide import Engine, decide
from .._trust.evidence.parties import answers_of_running
from .._trust.evidence.stored import presenting_pods
from .._trust.model.decision import Decision
from .._trust.model.goals import Goal
from .._trust.model.intent import Intent
from .._trust.model.nodes import ObservedListener
from .._trust.model.snapshot import Component, InPlace, Snapshot
from .._trust.model.steps.base import Look
from .._trust.preconditions.cluster import absence_of_cluster
from .._trust.preconditions.order import FIRST, check

#: How often a call asks the nodes again when pods were replaced while it asked.
_LOOKS = 3
_UNASKED = "the call cannot ask the running nodes which CAs they trust."


def observe_cluster(work: Work) -> Observation:
    """The observation of a cluster by stored evidence, by what issuers say of requests that are open, and by what they renew."""
    return with_standing(with_requests(with_misnamed(work.observe()), work), work)


def observe_existing(work: Work) -> Observation:
    """The observation of a cluster that has to exist. Raises StepError."""
    seen = observe_cluster(work)
    if not seen.snapshot.reconciliation.exists:
        absent = absence_of_cluster(seen.snapshot.names.kafka, seen.snapshot.reconciliation.neighbours)
        raise StepError(absent.subject, absent.message, absent.remedy)
    return seen


def observe_operated(work: Work) -> Observation:
    """The observation of a cluster that has to exist, that stays, and on which an operator works. Raises StepError."""
    seen = observe_existing(work)
    for violation in check(seen.snapshot, Intent(Goal.RECONCILE), FIRST):
        raise StepError(violation.subject, violation.message, violation.remedy)
    return seen


def decide_with_a_look(
    work: Work, intent: Intent, observation: Observation, engine: Engine, earlier: Observation | None = None
) -> tuple[Observation, Decision]:
    """Where a gate stands before the next steps, ask the running nodes first and decide again.

    earlier: the observation with the answers that they have given in this call already.
    """
    decision = decide(observation.snapshot, intent, engine)
    looks = _looks(decision, observation.snapshot)
    if looks is Look.NONE:
        return observation, decision
    if earlier is not None and looks is Look.REMEMBERED and earlier.snapshot.uids == observation.snapshot.uids:
        before = earlier.snapshot
        known = observation.snapshot.with_nodes(listeners=before.nodes.listeners, in_place=before.nodes.in_place)
        again = decide(known, intent, engine)
        if _looks(again, known) is not Look.FRESH:
            return replace(observation, snapshot=known), again
    observation = look_closely(work, observation)
    return observation, decide(observation.snapshot, intent, engine)


def _looks(decision: Decision, snapshot: Snapshot) -> Look:
    return max((step.look(snapshot) for step in decision.steps), key=lambda look: look.value, default=Look.NONE)


def look_closely(work: Work, observation: Observation) -> Observation:
    """The observation with the answers of the nodes; where they are out of reach, with a note of that."""
    for _attempt in range(_LOOKS):
        listeners = _answers(work, observation)
        if listeners is None:
            unasked = InPlace(reload=_UNASKED, annotations=_why_not_annotated(work))
            return replace(observation, snapshot=observation.snapshot.with_nodes(in_place=unasked))
        # The pods are listed again, because a new pod of the same name may have answered for the intended pod.
        observation = observe_cluster(work)
        known = answers_of_running(listeners, observation.snapshot.uids)
        if len(known) == len(listeners):
            break
    in_place = _in_place(work, observation)
    return replace(observation, snapshot=observation.snapshot.with_nodes(listeners=known, in_place=in_place))


def _answers(work: Work, observation: Observation) -> tuple[ObservedListener, ...] | None:
    """None where nodes are out of reach. A later look asks a node that is away just now."""
    if work.look_live is None:
        return None
    nodes = any(pod.component is Component.KAFKA for pod in observation.snapshot.nodes.pods)
    return work.look_live(observation) if nodes else ()


def _in_place(work: Work, observation: Observation) -> InPlace:
    """The obstacles to bringing a change to running nodes; found before such a change is begun."""
    why = work.unreloadable() or why_not_permitted(work.client, work.scope.namespace)
    restarted = () if why or not presenting_pods(observation.snapshot) else unstampable(observation, work)
    stamps = f"the Cluster Operator would restart {', '.join(restarted)} despite new annotations." if restarted else ""
    return InPlace(why, stamps, _why_not_annotated(work) if why else "")


def _why_not_annotated(work: Work) -> str:
    return why_not_permitted(work.client, work.scope.namespace, TO_ANNOTATE)


#: Seconds for all listeners together: 500 nodes, some of them slow to answer.
LOOK_SECONDS = 120.0


class Evidence(str, Enum):
    """The evidence that the gates rest on: stored annotations and leaves, or these and the nodes' own answers.

    AUTO is HANDSHAKE where nodes are within reach. A node that has not answered yet is: it restarts just now, or hangs.
    """

    AUTO = "auto"
    HANDSHAKE = "handshake"
    ANNOTATIONS = "annotations"


class LiveLook:
    """The looks of one call. source and why: the evidence of the last look, and why it is not handshakes."""

    def __init__(self, evidence: Evidence) -> None:
        self._wanted = evidence
        self.source = Evidence.ANNOTATIONS
        self.why = "" if evidence is not Evidence.ANNOTATIONS else "asked for"

    def take(self, ask: Callable[[], tuple[ObservedListener, ...]]) -> tuple[ObservedListener, ...] | None:
        """The answers of the listeners; None where no node is within reach and only stored evidence counts. ask:
        asks all nodes.

        A missing answer is no evidence, and no reason to go by what is stored (I5).
        """
        if self._wanted is Evidence.ANNOTATIONS:
            return None
        try:
            seen = ask()
        except (KubeError, OptionsError) as error:
            # A failure that may pass is no reason to rest on stored evidence for the whole call.
            if self._wanted is Evidence.HANDSHAKE or (isinstance(error, KubeError) and error.is_transient):
                raise
            self._give_up(f"{error} {error.remedy}")
            return None
        if self._wanted is Evidence.AUTO and all(one.barred for one in seen):
            self._give_up(next((one.why for one in seen), "no node has a listener that answers which CAs it trusts"))
            return None
        if any(one.presents for one in seen):
            # The nodes are within reach, whatever a later look meets.
            self._wanted = Evidence.HANDSHAKE
        self.source, self.why = Evidence.HANDSHAKE, ""
        return seen

    def _give_up(self, why: str) -> None:
        """Do not ask again in this call: the answer would be the same, and slow."""
        self._wanted, self.source, self.why = Evidence.ANNOTATIONS, Evidence.ANNOTATIONS, why
