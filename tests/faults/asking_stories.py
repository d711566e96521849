# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows that ask an outside issuer for every leaf, as the fault tests run them: same end, never a failed handshake, and no leaf is asked for twice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.cases import DAY, Case, Flow
from ..flows.test_ca_source import confirmed, wants
from ..flows.test_kept_elsewhere import ASKED, elsewhere, issuing_secrets, moved
from ..flows.test_scaling import replicas, scale_to
from ..flows.test_spare_leaves import NEXT, growing
from ..tools.support.authorities import below, renewed, root
from ..tools.support.flows import START, FlowResult
from ..tools.support.restarts import Cost, cost_of
from ..tools.support.signing_office import SigningOffice
from ..tools.support.watched_cluster import WatchedCluster
from .courses import Course, Row
from .stories import Story, Telling, with_nodes

UNLINKED = Case(Goal.REPLACE_KEY, "unlinked")


@dataclass(frozen=True)
class AskingStory(Story):
    #: An outside issuer keeps the key of the CA in use already.
    kept: bool = False
    #: The next CA has the name of that one, and is a root.
    named: bool = False

    def __str__(self) -> str:
        told = ", of one name" if self.named else ""
        return f"{super().__str__()}{', from another one' if self.kept else ''}{told}"

    def begin(self, patch: pytest.MonkeyPatch) -> Telling:
        begun = super().begin(patch)
        flow, cluster = begun.flow, begun.cluster
        signing = moved(cluster, elsewhere(root("First"))) if self.kept else None
        if self.case.goal is Goal.REPLACE_KEY:
            linked = not self.case.circumstance
            unlinked = root("First") if self.named else below(root("Next Root"))
            flow.supplied = elsewhere(root("Second", path_length=0) if linked else unlinked)
            signing = SigningOffice(cluster.memory, flow.supplied, START)
        else:
            # Leaves of ninety days: they come to their end.
            cluster.memory.seconds += 60 * DAY
            cluster.memory.settle(1)
            cluster.look_away()
        assert signing is not None
        signing.signed.clear()
        flow.intent["external_issuer"] = ASKED
        return AskingTelling(self, flow, signing, self.named)


@dataclass
class AskingTelling(Telling):
    """Between two runs an office signs the requests in the Secrets."""

    signing: SigningOffice
    #: No listener can show which of two CAs it trusts, so nodes restart.
    named: bool = False

    @property
    def cost(self) -> Cost:
        return cost_of(self.flow.case.goal, self.flow.case.circumstance, reload=False) if self.named else super().cost

    def assert_paid(self) -> None:
        super().assert_paid()
        wanted = self.end_state()
        assert wanted["requests"] == []
        assert len(self.signing.signed) == len(set(self.signing.signed))
        # A renewed CA has the key of the one before: every certificate of it is still good.
        assert (wanted["signed"] == []) is (self.flow.case.goal is Goal.RENEW)

    def complete(self) -> None:
        self.flow.run()
        self.signing.work()
        super().complete()

    def end_state(self) -> dict[str, Any]:
        assert self.cluster.issued_by_operator == []
        return {
            **super().end_state(),
            "signed": sorted(self.signing.signed),
            "requests": issuing_secrets(self.cluster),
            "issuers": self.cluster.issuers(),
        }


@dataclass
class Following(Flow):
    """Always runs reconcile, which finds out by itself which flow to begin or to go on with."""

    @property
    def cost(self) -> Cost:
        """After a renewal every node presents the leaf that it has."""
        found = super().cost
        return replace(found, reloads=0) if self.case.goal is Goal.RENEW else found

    def run(self, **intent: object) -> FlowResult:
        return self.cluster.run(Goal.RECONCILE, **{**self.intent, **intent})


@dataclass(frozen=True)
class FollowingStory(Story):
    """A CA with another key takes the place of the one in use, or its renewal does, where an outside issuer keeps the key already."""

    def __str__(self) -> str:
        return f"{super().__str__()}, of a source"

    def begin(self, patch: pytest.MonkeyPatch) -> Telling:
        begun = super().begin(patch)
        cluster, first = begun.cluster, elsewhere(root("First"))
        if self.case.goal is Goal.RENEW:
            moved(cluster, first)
            wanted = renewed(first)
        else:
            wanted = below(root("Next Root")) if self.case.circumstance else root("Next Root", path_length=0)
        wants(cluster, wanted)
        cluster.look_away()
        flow = Following(cluster, self.case, None, {"external_issuer": ASKED, "confirmed_roots": confirmed(wanted)})
        return AskingTelling(self, flow, SigningOffice(cluster.memory, wanted, START))


@dataclass(frozen=True)
class FirstStory(Story):
    """The first CA of a cluster is one of two of a source: the certificate of the operator tells which one, and the other one is trusted with it."""

    def __str__(self) -> str:
        return f"{super().__str__()}, the first of a source"

    def begin(self, patch: pytest.MonkeyPatch) -> Telling:
        begun = super().begin(patch)
        roots = root("One"), root("Other")
        wants(begun.cluster, *roots)
        flow = Flow(begun.cluster, self.case, None, {"external_issuer": ASKED, "confirmed_roots": confirmed(*roots)})
        return FirstTelling(self, flow, SigningOffice(begun.cluster.memory, roots[1], START))


@dataclass
class FirstTelling(AskingTelling):
    def complete(self) -> None:
        for _made in range(2):
            self.flow.run()
            self.signing.work()
        if not self.cluster.kafka:
            self.cluster.deploy()
        super().complete()

    def end_state(self) -> dict[str, Any]:
        """A killed flow may ask once more for the certificate that tells which CA signs."""
        known = {"signed": sorted(set(self.signing.signed)), "requests": issuing_secrets(self.cluster)}
        state = Telling.end_state(self)
        # An entry is named by the fingerprint of its CA, another one in each flow.
        return {**state, **known, "certificates": len(state["certificates"])}


@dataclass(frozen=True)
class ScalingStory:
    """A cluster of two nodes gets a third one; no node that runs notices."""

    # How many certificates are at hand.
    spare: int

    def __str__(self) -> str:
        return f"scaling, {'at hand' if self.spare else 'asked for'}"

    def begin(self, patch: pytest.MonkeyPatch) -> ScalingTelling:
        cluster = WatchedCluster()
        with_nodes(cluster, patch, reload=False)
        signing = growing(cluster, self.spare)
        cluster.look_away()
        return ScalingTelling(cluster, signing)


@dataclass
class ScalingTelling(Course):
    """A story under way."""

    growing: WatchedCluster
    signing: SigningOffice

    @property
    def cluster(self) -> WatchedCluster:
        return self.growing

    @property
    def restarts(self) -> int:
        return 0

    def run(self) -> FlowResult:
        return scale_to(self.cluster, 3)

    def complete(self) -> None:
        for _run in range(2):
            self.run()
            self.signing.work()

    def assert_paid(self) -> None:
        cluster = self.cluster
        assert (replicas(cluster), cluster.ready, cluster.paused, cluster.rolls) == (3, True, False, {0})

    def end_state(self) -> dict[str, Any]:
        cluster = self.cluster
        cluster.memory.settle(2)
        return {
            "replicas": replicas(cluster),
            "nodes": sorted(cluster.memory.kubelet.nodes),
            "rolls": cluster.rolls,
            "ready": cluster.ready,
            "paused": cluster.paused,
            "leaf": sorted(cluster.secret(NEXT)),
            "issued by the operator": cluster.issued_by_operator,
            "signed": len(self.signing.signed) - len(set(self.signing.signed)),
        }


_RESTARTING = [
    AskingStory(Case(Goal.REPLACE_KEY)),
    AskingStory(UNLINKED),
    AskingStory(UNLINKED, kept=True),
    AskingStory(UNLINKED, kept=True, named=True),
    AskingStory(Case(Goal.RENEW_LEAVES), kept=True),
]
_RELOADING = [replace(story, reload=True) for story in _RESTARTING]
_ALL = [*_RESTARTING, *_RELOADING, *(replace(story, eager=True) for story in (*_RESTARTING, *_RELOADING))]
_REPLACING = FollowingStory(Case(Goal.REPLACE_KEY), reload=True)
_UNLINKED = FollowingStory(Case(Goal.REPLACE_KEY, "unlinked"))
_RENEWING = FollowingStory(Case(Goal.RENEW), reload=True)
_FOLLOWING = [
    _REPLACING,
    _UNLINKED,
    _RENEWING,
    *(replace(one, eager=True) for one in (_REPLACING, _UNLINKED, _RENEWING)),
]
STORIES: list[Row] = [*_ALL, *_FOLLOWING, FirstStory(Case(Goal.CREATE)), ScalingStory(0), ScalingStory(1)]
#: For every run of the tests; the others take their time.
SHORT: list[Row] = [_RELOADING[-1], _RENEWING, FirstStory(Case(Goal.CREATE)), ScalingStory(1)]
