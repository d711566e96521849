# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows as the fault tests run them: to their very end, again and again, whatever happened in between."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Layout

from ..flows.cases import CASES, DAY, ENDED, PATIENT_REPLACEMENTS, Case, Flow
from ..tools.operator import certs
from ..tools.support.checker import first
from ..tools.support.flows import START, FlowResult
from ..tools.support.kubelet import Process
from ..tools.support.memory_api import Change
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.restarts import Cost
from ..tools.support.watched_cluster import CERTIFICATES, KEYS, NAMESPACE, WatchedCluster, fingerprints
from .courses import Course

#: For so many seconds a client goes on with its copy of the CA certificate Secret: what a mounted Secret takes at most.
COPIES_LAST = 120.0
RESTARTED, AT_LAST = "all have restarted", "restarted at last"
_GENERATION = "strimzi.io/cluster-ca-cert-generation"


@dataclass(frozen=True)
class Story:
    """A flow and what follows until nothing is left to do."""

    case: Case
    #: The fate of nodes that keep the old CA, as the table of costs names it.
    follows: str = ""
    #: Nodes can be told to read again.
    reload: bool = False
    #: The operator looks after every single write of ours, not only when it is waited for.
    eager: bool = False
    #: The arrangement of Secrets that contains the ledger.
    layout: Layout = Layout.SINGLE

    def __str__(self) -> str:
        how = ("reload" if self.reload else "restart", "operator at once" if self.eager else "", _other(self.layout))
        return ", ".join(filter(None, (str(self.case), self.follows, *how)))

    def begin(self, patch: pytest.MonkeyPatch) -> Telling:
        """At the point where the flow begins."""
        cluster = WatchedCluster()
        with_nodes(cluster, patch, reload=self.reload)
        flow = self.begin_flow(cluster)
        if self.layout is not Layout.SINGLE:
            finished(cluster.run(Goal.RECONCILE, layout=self.layout))
        # By now clients have brought their earlier copies of the Secret up to date.
        cluster.memory.seconds += COPIES_LAST
        cluster.checker.copies_last = 0.0 if self.case.is_hasty else COPIES_LAST
        if self.case.goal in (Goal.RENEW, Goal.REPLACE_KEY, Goal.RENEW_LEAVES):
            cluster.checker.plant_foreign(CERTIFICATES, KEYS)
        if self.follows == AT_LAST:
            flow.intent["retire"] = START + timedelta(seconds=cluster.memory.seconds + DAY / 2)
        if self.eager:
            cluster.memory.api.listeners.append(_Eager(cluster))
        return Telling(self, flow)

    def begin_flow(self, cluster: WatchedCluster) -> Flow:
        return self.case.begin(cluster)


def _other(layout: Layout) -> str:
    return "" if layout is Layout.SINGLE else layout.value


def with_nodes(cluster: WatchedCluster, patch: pytest.MonkeyPatch, *, reload: bool = True) -> None:
    """Gives the double fast keys, and the cluster nodes that can be told to read again."""
    have_fast_keys(cluster, patch)
    if reload:
        cluster.nodes = ReloadingNodes(cluster.memory)
        cluster.nodes.replace_requests(patch)


def have_fast_keys(cluster: WatchedCluster, patch: pytest.MonkeyPatch) -> None:
    """Gives the double fast keys: the tests are about who trusts whom, not about how long primes take. It shares the clock of all other processes."""
    for name in ("new_ca_key", "new_leaf_key"):
        patch.setattr(certs, name, lambda: ec.generate_private_key(ec.SECP256R1()))
    begin = START.replace(microsecond=0)
    patch.setattr(certs, "now", lambda: begin + timedelta(seconds=cluster.memory.seconds))


@dataclass
class _Eager:
    """Listens to writes: the operator acts on each of them, but not on its own."""

    cluster: WatchedCluster
    _busy: bool = field(default=False, init=False)

    def __call__(self, change: Change) -> None:
        if not self._busy:
            self._busy = True
            try:
                self.cluster.memory.step()
            finally:
                self._busy = False


@dataclass
class Telling(Course):
    """A story under way: its cluster and its flow."""

    story: Story
    flow: Flow

    @property
    def cluster(self) -> WatchedCluster:
        return self.flow.cluster

    @property
    def cost(self) -> Cost:
        """With the restarts that others bring about."""
        foreign = Cost(int(self.story.follows == RESTARTED))
        follows = self.cluster.cost(Goal.RECONCILE, self.story.follows) if self.story.follows else Cost(0)
        return self.flow.cost + follows + foreign

    @property
    def restarts(self) -> int:
        return self.cost.restarts

    def assert_paid(self) -> None:
        assert self.cluster.paid == self.cost

    def run(self) -> FlowResult:
        return self.flow.run()

    def complete(self) -> None:
        finished(self.flow.run())
        if self.story.case.goal is Goal.CREATE:
            if not self.cluster.kafka:
                self.cluster.deploy()
            self.cluster.memory.settle()
            finished(self.flow.run())
        if self.story.follows:
            self._nodes_give_up_the_old_ca()
            finished(self.cluster.run(Goal.RECONCILE))

    def _nodes_give_up_the_old_ca(self) -> None:
        if self.story.follows == AT_LAST:
            self.cluster.memory.seconds = max(self.cluster.memory.seconds, DAY)
            return
        for node in (one.pod for one in self._nodes() if _holds_another_leaf(one)):
            self.cluster.restart(node)

    def _nodes(self) -> list[Process]:
        return [one for one in self.cluster.memory.kubelet.processes.values() if one.component == "kafka"]

    def end_state(self) -> dict[str, Any]:
        cluster = self.cluster
        nodes = self._nodes()
        pods = [cluster.memory.api.find("pods", NAMESPACE, node.pod) or {} for node in nodes]
        return {
            "certificates": sorted(key for key in cluster.secret(CERTIFICATES) if key.endswith(".crt")),
            "keys": sorted(map(len, cluster.secret(KEYS))),
            "states": sorted(cluster.states.values()),
            "ledger": sorted({key.split(".")[-1] for key in cluster.ledger}),
            "ledgers": cluster.ledgers,
            "generations": [
                cluster.annotation("secrets", CERTIFICATES, "ca-cert-generation"),
                cluster.annotation("secrets", KEYS, "ca-key-generation"),
            ],
            "pods": {pod["metadata"]["annotations"][_GENERATION] for pod in pods},
            "paused": cluster.paused,
            "generated": cluster.kafka["spec"]["clusterCa"],
            "sent": {cluster.secret(node.pod)[f"{node.pod}.crt"].count(b"BEGIN") for node in nodes},
            "trust": len({frozenset(fingerprints(node.trusted)) for node in nodes}),
        }


def _holds_another_leaf(process: Process) -> bool:
    """Whether its Raft client presents a leaf that its listeners do not present any more."""
    kept = process.kept
    return kept is not None and first(kept.presented[0][1]) != first(process.presented[0][1])


def finished(result: FlowResult) -> None:
    assert result.outcome.decision.done, [str(violation) for violation in result.outcome.decision.violations]


_RESTARTING = [Story(case) for case in (Case(Goal.CREATE), *CASES, *ENDED, Case(Goal.DOWNGRADE, "after a renewal"))]
_RELOADING = [
    replace(story, reload=True) for story in _RESTARTING if story.case.goal not in (Goal.CREATE, Goal.UPGRADE)
]
_PATIENT = [Story(case, follows, reload=True) for case in PATIENT_REPLACEMENTS for follows in (RESTARTED, AT_LAST)]
_LAID_OUT = [
    replace(story, layout=layout) for story in (*_RELOADING, *_PATIENT) for layout in (Layout.SPLIT, Layout.KEYED)
]
#: The leaves that are renewed have both link certificates behind them, and get them again.
LEAVES_AFTER_A_REPLACEMENT = Story(Case(Goal.RENEW_LEAVES, "after a replacement"), reload=True)
STORIES = [*_RESTARTING, *_RELOADING, *_PATIENT, *_LAID_OUT, LEAVES_AFTER_A_REPLACEMENT]
EAGER = [replace(story, eager=True) for story in STORIES]
#: A story of each kind, for every run of the tests; the others take their time.
SHORT = [
    *(Story(Case(goal)) for goal in (Goal.CREATE, Goal.UPGRADE, Goal.DOWNGRADE)),
    *(Story(Case(goal), reload=True) for goal in (Goal.REPLACE_KEY, Goal.RENEW)),
    LEAVES_AFTER_A_REPLACEMENT,
    *(Story(case, reload=True) for case in ENDED),
    Story(Case(Goal.REPLACE_KEY, "renewed first", path_length=0), reload=True),
    Story(Case(Goal.REPLACE_KEY, "unlinked")),
    Story(Case(Goal.REPLACE_KEY), reload=True, layout=Layout.SPLIT),
    Story(PATIENT_REPLACEMENTS[0], RESTARTED, reload=True),
]
