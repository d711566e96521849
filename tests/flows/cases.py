# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every flow in every circumstance that changes its way, and a cluster at the point where it begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Protocol

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent

from ..tools.operator import clusters
from ..tools.support.authorities import Authority, below, root
from ..tools.support.certificates import YEAR
from ..tools.support.flows import FlowResult
from ..tools.support.restarts import Cost
from ..tools.support.watched_cluster import CLUSTER, NAMESPACE, WatchedCluster

DAY = 86400.0
PATIENT = {"retire": Retire.WHEN_RESTARTED}
#: More than half of a leaf's life, and nothing that the operator would see to by itself.
LATER = 200 * DAY


Object = dict[str, Any]


def roles_together(*, generated: bool = False) -> list[Object]:
    return clusters.dual_role(CLUSTER, NAMESPACE, replicas=2, generated=generated)


def roles_apart(*, generated: bool = False) -> list[Object]:
    return clusters.separate_roles(CLUSTER, NAMESPACE, replicas=2, generated=generated)


class Layout(Protocol):
    """Makes the resources of a cluster."""

    def __call__(self, *, generated: bool = False) -> list[Object]: ...


@dataclass(frozen=True)
class Case:
    goal: Goal
    #: The circumstance, as the table of costs names it.
    circumstance: str = ""
    #: The path length of the CA in use; with 0, Go and OpenSSL accept no CA below it.
    path_length: int = 1

    def __str__(self) -> str:
        said = (self.goal.value, self.circumstance, f"path length {self.path_length}" * (self.path_length != 1))
        return ", ".join(filter(None, said))

    @property
    def is_hasty(self) -> bool:
        """Whether clients get no time."""
        return self.circumstance == "at once"

    def begin(self, cluster: WatchedCluster, layout: Layout = roles_together) -> Flow:
        cluster.path_length = self.path_length
        if self.goal is Goal.UPGRADE:
            cluster.deploy(layout(generated=True))
        elif self.goal is not Goal.CREATE:
            self._create(cluster, layout)
        cluster.look_away()
        patient = PATIENT if self.circumstance.startswith("when_restarted") else {}
        hasty = {"client_grace": timedelta(0)} if self.is_hasty else {}
        due = {"renew_before": timedelta(days=400)} if self.goal is Goal.RENEW_LEAVES else {}
        supplied = below(root("Next Root")) if self.circumstance.endswith("unlinked") else None
        return Flow(cluster, self, supplied, {**patient, **hasty, **due})

    def _create(self, cluster: WatchedCluster, layout: Layout) -> None:
        if self.goal is Goal.RENEW_LEAVES:
            cluster.validity = 10 * YEAR
        cluster.create(manifests=layout())
        if self.circumstance == "after a replacement":
            # The next CA lives as long; leaves live as the Kafka resource says.
            cluster.run(Goal.REPLACE_KEY, last_phase=Phase.PREPARE)
            cluster.validity = None
            cluster.finish(Goal.REPLACE_KEY)
        cluster.validity = None
        if self.circumstance == "ended":
            outlive_authority(cluster)
        if self.goal is Goal.RENEW_LEAVES:
            cluster.memory.seconds += LATER
        if self.goal is Goal.DOWNGRADE:
            cluster.finish(Goal.RENEW if self.circumstance == "after a renewal" else Goal.REPLACE_KEY)


def outlive_authority(cluster: WatchedCluster) -> None:
    """Until the CA has ended: the operator has issued certificates that live on."""
    cluster.memory.seconds += 340 * DAY
    cluster.memory.settle(6)
    cluster.memory.seconds += 30 * DAY


@dataclass
class Flow:
    """It can be run again and again."""

    cluster: WatchedCluster
    case: Case
    #: The next CA, where the caller brings it.
    supplied: Authority | None = None
    intent: dict[str, Any] = field(default_factory=dict)

    @property
    def cost(self) -> Cost:
        return self.cluster.cost(self.case.goal, self.case.circumstance)

    def asked(self, **intent: Any) -> Intent:
        return self.cluster.intent(self.case.goal, self.supplied, **{**self.intent, **intent})

    def run(self, **intent: Any) -> FlowResult:
        return self.cluster.run(self.case.goal, self.supplied, **{**self.intent, **intent})

    def finish(self, **intent: Any) -> FlowResult:
        return self.cluster.finish(self.case.goal, self.supplied, **{**self.intent, **intent})


REPLACEMENTS = [
    Case(Goal.REPLACE_KEY),
    Case(Goal.REPLACE_KEY, "renewed first", path_length=0),
    Case(Goal.REPLACE_KEY, "at once", path_length=0),
    Case(Goal.REPLACE_KEY, "unlinked"),
]
#: They take nodes that can read again without a restart.
PATIENT_REPLACEMENTS = [
    Case(Goal.REPLACE_KEY, "when_restarted"),
    Case(Goal.REPLACE_KEY, "when_restarted, renewed first", path_length=0),
    Case(Goal.REPLACE_KEY, "when_restarted, unlinked"),
]
#: Flows that another one resembles but for what comes before it.
_ALIKE = {"renewed first", "at once", "when_restarted, renewed first"}


def mostly_long(cases: Sequence[Case]) -> list[Any]:
    """Parameters for a test that tries each case in each phase, or after any write: those that are alike take their time with the long tests."""
    return [
        pytest.param(one, id=str(one), marks=pytest.mark.long if one.circumstance in _ALIKE else ()) for one in cases
    ]


#: Numbers of the writes of a flow at which a test kills it; two thirds of them take their time with the long tests.
WRITES = [
    pytest.param(range(first, 1000, 3), id=f"every third from {first} on", marks=marks)
    for first, marks in ((1, ()), (2, pytest.mark.long), (3, pytest.mark.long))
]
#: With a CA in use that has ended.
ENDED = [Case(Goal.RENEW, "ended"), Case(Goal.REPLACE_KEY, "ended")]
#: Of a cluster that runs.
CASES = [*REPLACEMENTS, Case(Goal.RENEW), Case(Goal.RENEW_LEAVES), Case(Goal.UPGRADE), Case(Goal.DOWNGRADE)]
