# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Restarts that a call has not waited for, told live like those that it has: the operator restarts what has changed by itself, also while the call is
at something else.
"""

from __future__ import annotations

from collections import defaultdict

from .._strimzi.observe import Observation
from .._strimzi.work import Work
from .._trust.model.snapshot import Component, Pod


class Restarted:
    """Compares the pods of each observation with those before."""

    def __init__(self, work: Work, first: Observation) -> None:
        self._work = work
        #: Names by UID, of each party: a node, or a component, whose pods get another name each time.
        self._known: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._looked_at = 0
        self._waited_for: list[str] = []
        for pod in first.snapshot.pods:
            self._known[_party(pod)][pod.uid] = pod.name

    def see(self, observation: Observation) -> None:
        """Tell of each pod that has taken the place of another one since. A pod that has not come yet is told of when it has."""
        done = self._work.actions[self._looked_at :]
        self._looked_at = len(self._work.actions)
        self._waited_for += [one.object.rpartition("/")[2] for one in done if one.verb == "restart"]
        running: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for pod in observation.snapshot.pods:
            running[_party(pod)][pod.uid] = pod.name
        for party, pods in running.items():
            known = self._known[party]
            gone = [uid for uid in known if uid not in pods]
            for old, new in zip(gone, [uid for uid in pods if uid not in known], strict=False):
                self._replaced(known.pop(old), pods[new])
            known.update(pods)

    def _replaced(self, old: str, new: str) -> None:
        if old in self._waited_for:
            self._waited_for.remove(old)
            return
        what = new if new == old else f"{old}, now {new},"
        self._work.tell(
            f"{what} was restarted by the Cluster Operator or another program, while this call was at something else"
        )


def _party(pod: Pod) -> str:
    return pod.name if pod.component is Component.KAFKA else pod.component.value
