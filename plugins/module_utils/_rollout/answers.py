# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Waiting for the answers of nodes that have not answered a look."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from .._errors import NodesSilent
from .._kube.response_time import Countdown
from .._strimzi.apply.work import Action, Target, Work
from .._strimzi.cluster.observe import Observation
from .._trust.evidence.parties import unanswered
from .._trust.model.listeners import Unanswered
from .._trust.model.names import listed
from .._trust.model.steps.nodes import AwaitAnswers

#: Seconds between two questions to silent nodes, and the least number of questions.
_PAUSE, _LEAST_LOOKS = 1.0, 3


def await_answers(step: AwaitAnswers, observation: Observation, work: Work) -> None:
    """Ask these nodes until each has answered or is gone; the next look asks its successor with all others. Raises
    NodesSilent.
    """
    nodes = Target.in_words(", ".join(f"Pod {work.scope.namespace}/{node.pod}" for node in step.nodes))
    if work.dry_run:
        work.record(Action("wait", nodes, "answer what it presents and trusts", step.phase.value))
        return
    begun, limit = work.clock.monotonic(), work.settings.pod_timeout
    silent, countdown = step.nodes, Countdown(work.clock.monotonic, limit.total_seconds(), _LEAST_LOOKS)
    while True:
        asked_at = work.clock.monotonic()
        left = _ask_again(silent, work)
        if not left:
            break
        if len(left) < len(silent):
            countdown.restart()
        countdown.looked_since(asked_at)
        if countdown.is_over:
            raise silence_error(left, limit, work)
        silent = left
        work.renew_lease()
        work.clock.sleep(_PAUSE)
    work.record(Action("wait", nodes, "answered", step.phase.value, seconds=work.clock.monotonic() - begun))


def _ask_again(nodes: Iterable[Unanswered], work: Work) -> tuple[Unanswered, ...]:
    """The nodes that are still there and have not answered this time either."""
    observation = work.observe().with_only(frozenset(node.uid for node in nodes))
    seen = work.look_live(observation) if observation.snapshot.nodes.pods else None
    return unanswered(observation.snapshot.with_nodes(listeners=seen))


def silence_error(nodes: tuple[Unanswered, ...], limit: timedelta, work: Work) -> NodesSilent:
    """The error about nodes that have not answered for so long."""
    return NodesSilent(
        f"{listed([node.sentence for node in nodes])}:",
        f"no answer came for {limit.total_seconds():.0f} s",
        f"Look at it: kubectl describe pod {nodes[0].pod} --namespace {work.scope.namespace}. Then run the flow again.",
        frozenset(node.uid for node in nodes),
    )
