# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Waiting for nodes that have not answered: they restart just now, also by the operator's own doing, or hang for a while."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from .._errors import NodesSilent
from .._strimzi.actions import Action
from .._strimzi.observe import Observation
from .._strimzi.work import Work
from .._trust.evidence.parties import unanswered
from .._trust.model.listeners import Unanswered
from .._trust.model.steps.nodes import AwaitAnswers

_PAUSE = 1.0


def await_answers(step: AwaitAnswers, observation: Observation, work: Work) -> None:
    """Ask these nodes until each has answered or is gone; its successor is asked with all others. Raises NodesSilent."""
    what = ", ".join(f"Pod {work.scope.namespace}/{node.pod}" for node in step.nodes)
    if work.dry_run:
        work.record(Action("wait", what, "answer what it presents and trusts", step.phase.value))
        return
    begun, limit = work.clock.monotonic(), work.settings.pod_timeout
    silent, moved_at = step.nodes, begun
    while left := _ask_again(silent, work):
        now = work.clock.monotonic()
        moved_at = now if len(left) < len(silent) else moved_at
        if now - moved_at >= limit.total_seconds():
            raise silence_error(left, limit, work)
        silent = left
        work.alive()
        work.clock.sleep(_PAUSE)
    work.record(Action("wait", what, "answered", step.phase.value, seconds=work.clock.monotonic() - begun))


def _ask_again(nodes: Iterable[Unanswered], work: Work) -> tuple[Unanswered, ...]:
    """The nodes that are still there and have not answered this time either."""
    found = work.observe().with_only(frozenset(node.uid for node in nodes))
    seen = work.look_live(found) if work.look_live and found.snapshot.nodes.pods else None
    return unanswered(found.snapshot.with_nodes(listeners=seen))


def silence_error(nodes: tuple[Unanswered, ...], limit: timedelta, work: Work) -> NodesSilent:
    """The error about nodes that have not answered for so long."""
    return NodesSilent(
        f"{', '.join(node.sentence for node in nodes)}:",
        f"no answer came for {limit.total_seconds():.0f} s",
        f"Look at it: kubectl describe pod {nodes[0].pod} --namespace {work.scope.namespace}. Then run the flow again.",
        frozenset(node.uid for node in nodes),
    )
