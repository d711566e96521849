# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The restarts of a call beside its plan: one count, whatever restarts a pod, and the line that shows each restart by
its number. The calls of one play share a plan, and each goes on with the count of the call before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..._trust.model.snapshot import InPlaceObstacles
    from ..._trust.model.steps.nodes import RollReason

#: The end of a line about a restart outside the plan.
_UNPLANNED = "by the Cluster Operator or another program, while this call was at something else"


@dataclass(frozen=True)
class CountedRestart:
    """A restart of a pod, beside the plan."""

    #: The name of the ended pod.
    pod: str
    #: The name of the pod in its place.
    successor: str
    #: The number of the restart, from 1 on; None if the plan does not have it.
    number: int | None
    #: The number of restarts in the plan; None if there is no plan.
    planned: int | None
    #: Why the pod restarts; None if that is not known.
    reason: RollReason | None = None
    #: Seconds from the end of the pod until its successor was ready; None if the call has not waited for the restart.
    seconds: float | None = None

    @property
    def is_planned(self) -> bool:
        """Whether the plan has this restart."""
        return self.number is not None and (self.planned is None or self.number <= self.planned)

    def sentence(self) -> str:
        """The line for people who watch."""
        ready = "" if self.seconds is None else f", Ready after {self.seconds:.1f} s"
        why = f" ({self.reason.value} roll)" if self.reason else ""
        name = self.pod if self.successor == self.pod else f"{self.pod}, now {self.successor}"
        return f"{self._heading}: {name}{why}{ready}{f', {_UNPLANNED}' if self.number is None else ''}"

    @property
    def _heading(self) -> str:
        if self.number is None:
            return "restart beyond the plan"
        if self.planned is None:
            return f"restart {self.number}"
        beyond = "" if self.is_planned else ", beyond the plan"
        return f"restart {self.number} of {self.planned}{beyond}"


@dataclass
class RestartCount:
    """The restarts of a call, counted with the restarts of the calls before it that share its plan."""

    #: The number of restarts in the plan; None if there is no plan yet.
    planned: int | None = None
    #: The number of restarts so far, without the restarts outside the plan.
    done: int = 0
    #: The restarts shown by this call, in order.
    shown: list[CountedRestart] = field(default_factory=list)

    def count(
        self, pod: str, reason: RollReason | None, *, successor: str = "", seconds: float | None = None
    ) -> CountedRestart:
        """Count a restart of the plan. The pod in its place has the same name if no ``successor`` is given."""
        self.done += 1
        return self._show(CountedRestart(pod, successor or pod, self.done, self.planned, reason, seconds))

    def note_unplanned(self, pod: str, successor: str) -> CountedRestart:
        """Note a restart outside the plan."""
        return self._show(CountedRestart(pod, successor, None, self.planned))

    def _show(self, restart: CountedRestart) -> CountedRestart:
        self.shown.append(restart)
        return restart


@dataclass(frozen=True)
class SharedCount:
    """The count of restarts that one call of a play hands over to the next. A party is a node by its name, or a
    component whose pods get another name each time.
    """

    #: The restarts of the plan, by party.
    planned: Mapping[str, int]
    #: The restarts of the plan so far, by party.
    done: Mapping[str, int]
    #: The names of the pods as the last call has seen them, by UID, of each party.
    pods: Mapping[str, Mapping[str, str]]
    #: The obstacles to a change without a restart that the plan rests on; None if the plan was made without a look for
    #: them.
    in_place_obstacles: InPlaceObstacles | None = None
