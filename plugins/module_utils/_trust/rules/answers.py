# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Nodes that were asked and have not answered: a flow waits for them where their answers could make a difference (I5).

A node may hang, or restart just now; its answer is unknown then, and no reason to restart any node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..evidence.parties import unanswered
from ..model.decision import Decision
from ..model.goals import Phase
from ..model.intent import Intent
from ..model.listeners import Unanswered
from ..model.names import ObjectNames
from ..model.snapshot import Snapshot
from ..model.steps.base import Step
from ..model.steps.nodes import AwaitAnswers, Reload, Roll, RollReason
from ..model.steps.pause import Resume
from ..model.violations import Condition, Violation
from .pause import restarted_by_operator, resume_operators


def wait_where_it_matters(found: Decision, assumed: Decision, snapshot: Snapshot, intent: Intent) -> Decision:
    """The decision about a cluster of which nodes have not answered.

    found: with gates closed to what is unknown. assumed: as if these nodes had answered what is stored. Where both do the same, and that
    restarts nothing and tells these nodes nothing, it does not matter what they would say. A call waits once for each of them; then their
    silence holds the flow, when a pause of ours is ended as it is with closed gates.
    """
    if found.done and assumed.done:
        return replace(found, pending=assumed.pending)
    silent = unanswered(snapshot)
    if (found.steps, found.done) == (assumed.steps, assumed.done) and not any(
        _depends_on_answers(step, snapshot, silent) for step in found.steps
    ):
        return found
    left = tuple(node for node in silent if node.uid not in intent.unanswered)
    if left:
        phase = next((step.phase for step in (*assumed.steps, *found.steps)), Phase.USE)
        return Decision(steps=(AwaitAnswers(nodes=left, phase=phase),))
    if snapshot.reconciliation.paused_by_us:
        return found
    return Decision(
        steps=resume_operators(snapshot), violations=tuple(does_not_answer(node, snapshot.names) for node in silent)
    )


def does_not_answer(node: Unanswered, names: ObjectNames) -> Violation:
    where = f" on worker {node.worker}" if node.worker else ""
    return Violation(
        Condition.EVIDENCE, names.pod(node.pod), f"does not answer{where}: {node.why}.",
        f"Look at it: kubectl describe pod {node.pod} --namespace {names.namespace}, and kubectl logs {node.pod} --namespace {names.namespace}. "
        "When it answers, or another process has taken its place, run the flow again. evidence=annotations goes by what is stored and asks no node.",
    )  # fmt: skip


def _depends_on_answers(step: Step, snapshot: Snapshot, silent: Sequence[Unanswered]) -> bool:
    """Whether pods restart because of this step, or one of these nodes is told something by it. Pods that the operator restarts by itself are
    only waited for; but with the end of a pause it restarts those that could not be seen to have taken everything up.
    """
    if isinstance(step, Resume):
        return bool(restarted_by_operator(snapshot))
    if isinstance(step, Reload):
        return any(node.uid in step.uids for node in silent)
    return isinstance(step, Roll) and step.reason is not RollReason.USE
