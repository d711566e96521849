# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""How long the steps of a plan take: a range for each, from the starts of these very pods. It is an estimate, and decides nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from .model.snapshot import Component, Pod, Snapshot
from .model.steps.base import Step
from .model.steps.leaves import AwaitIssuer
from .model.steps.nodes import AwaitAnswers, AwaitLeaves, AwaitVerdict, Pause, Reload, Roll, RollReason
from .model.steps.presenters import AwaitKept, AwaitPickUp, AwaitReissue
from .model.steps.trust import AwaitBundle, AwaitClients, AwaitOutside


@dataclass(frozen=True)
class Span:
    """A range of time."""

    #: Where nothing keeps the step waiting.
    least: timedelta
    #: Where each party takes the time that it usually takes at most; None where a party outside the cluster decides how long it takes.
    most: timedelta | None

    def __add__(self, other: Span) -> Span:
        open_ended = self.most is None or other.most is None
        return Span(self.least + other.least, None if open_ended else (self.most or _NONE) + (other.most or _NONE))


_NONE, _SECOND = timedelta(0), timedelta(seconds=1)
NO_TIME = Span(_NONE, _NONE)
#: A write: one or a few requests.
_WRITE = Span(_NONE, _SECOND)
#: A reaction of the operator, which may be in the middle of a reconcile (docs/operator.md, "Pause"): at most its usual period.
_REACTION = Span(_SECOND, timedelta(minutes=2))
#: The end of a process. Kubernetes kills it after the default grace period of a pod.
_STOP = Span(_SECOND, timedelta(seconds=30))
#: The reload of one node, and the look whether it has.
_RELOAD = Span(_SECOND, timedelta(seconds=5))
_OF_OPERATOR = (Pause, AwaitBundle, AwaitLeaves, AwaitVerdict)
_OF_OTHERS = (AwaitIssuer, AwaitOutside, AwaitReissue, AwaitKept, AwaitPickUp, AwaitAnswers)


def span_of(step: Step, snapshot: Snapshot) -> Span | None:
    """How long this step takes in the cluster as it is before the step; None where no pod shows how long a start takes."""
    if isinstance(step, Roll):
        return _of_roll(step, snapshot)
    if isinstance(step, Reload):
        return sum((_RELOAD for _node in step.uids), NO_TIME)
    if isinstance(step, AwaitClients):
        left = max(step.until - snapshot.now, _NONE)
        return Span(left, left)
    if isinstance(step, _OF_OTHERS):
        return Span(_NONE, None)
    return _REACTION if isinstance(step, _OF_OPERATOR) else _WRITE


def _of_roll(step: Roll, snapshot: Snapshot) -> Span | None:
    """Nodes restart one after the other, and then all other pods at the same time. A node takes its place in every partition before the next node
    restarts, which takes about as long again as its start at most. Nodes with ended certificates restart at the same time.
    """
    restarted = [pod for pod in snapshot.nodes.pods if pod.uid in step.uids]
    starts = {pod.uid: _start_of(pod, snapshot) for pod in restarted}
    if any(start is None for start in starts.values()):
        return None
    nodes = [starts[pod.uid] or _NONE for pod in restarted if pod.component is Component.KAFKA]
    others = [starts[pod.uid] or _NONE for pod in restarted if pod.component is not Component.KAFKA]
    if step.reason is RollReason.ENDED:
        nodes = [max(nodes, default=_NONE)]
    found = sum((_STOP + Span(start, 2 * start) for start in nodes), _REACTION)
    return found + _STOP + Span(max(others), 2 * max(others)) if others else found


def _start_of(pod: Pod, snapshot: Snapshot) -> timedelta | None:
    """How long the start of this pod takes; of a pod that does not show it, as long as the slowest of its component, or of all."""
    if pod.started_in is not None:
        return pod.started_in
    known = [one for one in snapshot.nodes.pods if one.started_in is not None]
    alike = [one for one in known if one.component is pod.component] or known
    return max((one.started_in for one in alike if one.started_in is not None), default=None)
