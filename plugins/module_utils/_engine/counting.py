# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Restarts by party: of a plan, and of the pods that a call sees. A party is a node by its name, or a component whose
pods get another name each time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TypeAlias

from .._strimzi.apply.restarts import SharedCount
from .._trust.model.components import Component
from .._trust.model.snapshot import Pod, Snapshot
from .._trust.plan import Forecast

#: Restarts by the reason and the party.
Restarts: TypeAlias = Counter[tuple[str, str]]


def party_of(pod: Pod) -> str:
    """The name of a node, or the component, whose pods get another name each time."""
    return pod.name if pod.component is Component.KAFKA else pod.component.value


def pods_by_party(snapshot: Snapshot) -> dict[str, dict[str, str]]:
    """The names of pods by UID, of each party."""
    pods: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for pod in snapshot.nodes.pods:
        pods[party_of(pod)][pod.uid] = pod.name
    return dict(pods)


def restarts_of(planned: Forecast, snapshot: Snapshot) -> Restarts:
    """The restarts of a plan that begins with this snapshot."""
    parties = {pod.name: party_of(pod) for pod in snapshot.nodes.pods}
    return Counter(
        (step.reason.value, parties[name])
        for step in planned.whole
        if step.reason
        for name in (*step.nodes, *step.others)
    )


def count_restarts(restarts: Restarts) -> Counter[str]:
    """The restarts without their reasons."""
    total: Counter[str] = Counter()
    for (_reason, party), count in restarts.items():
        total[party] += count
    return total


def begin_shared_count(planned: Forecast, snapshot: Snapshot) -> SharedCount:
    """The count of restarts with which the calls of a play with this plan begin."""
    restarts = count_restarts(restarts_of(planned, snapshot))
    return SharedCount(restarts, {}, pods_by_party(snapshot), snapshot.nodes.in_place_obstacles)
