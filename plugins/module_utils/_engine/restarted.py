# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Restarts that a call has not waited for, reported as they happen: the operator also restarts pods by itself while the call does something else."""

from __future__ import annotations

from collections import defaultdict

from .._strimzi.observe import Observation
from .._strimzi.work import Work
from .budget import party_of


class Restarted:
    """Compares the pods of each observation with those before."""

    def __init__(self, work: Work, first: Observation) -> None:
        self._work = work
        #: Names by UID, of each party: a node, or a component, whose pods get another name each time.
        self._known: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._looked_at = 0
        self._waited_for: list[str] = []
        for pod in first.snapshot.nodes.pods:
            self._known[party_of(pod)][pod.uid] = pod.name

    def see(self, observation: Observation) -> None:
        """Report each pod that has taken the place of another one since the last observation; one that is still missing, when it is there."""
        done = self._work.actions[self._looked_at :]
        self._looked_at = len(self._work.actions)
        self._waited_for += [one.object.rpartition("/")[2] for one in done if one.verb == "restart"]
        running: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for pod in observation.snapshot.nodes.pods:
            running[party_of(pod)][pod.uid] = pod.name
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
