# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA that comes from a source, followed by reconcile: killed before and after every write, then run again with the same end. Only the
first run has it confirmed until the ledger knows it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.cases import Case, Flow
from ..flows.test_ca_source import confirmed, wants
from ..flows.test_kept_elsewhere import ASKED, elsewhere, issuing_secrets, moved
from ..tools.support.authorities import below, renewed, root
from ..tools.support.flows import START, FlowResult
from ..tools.support.restarts import Cost
from ..tools.support.signing_office import SigningOffice
from .conftest import Points
from .stories import Story, Telling
from .test_kill_anywhere import assert_killed_at, undisturbed
from .test_kill_requests import AskingTelling


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
    """A CA with another key takes the place of the one in use, or its renewal does, where somebody else keeps the key already."""

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
        flow = Following(cluster, self.case, None, {"asked": ASKED, "confirmed": confirmed(wanted)})
        return AskingTelling(self, flow, SigningOffice(cluster.memory, wanted, START))


@dataclass(frozen=True)
class FirstStory(Story):
    """The first CA of a cluster is one of two of a source: the certificate of the operator tells which one, and the other one is trusted with it."""

    def begin(self, patch: pytest.MonkeyPatch) -> Telling:
        begun = super().begin(patch)
        roots = root("One"), root("Other")
        wants(begun.cluster, *roots)
        flow = Flow(begun.cluster, self.case, None, {"asked": ASKED, "confirmed": confirmed(*roots)})
        return FirstTelling(self, flow, SigningOffice(begun.cluster.memory, roots[1], START))


@dataclass
class FirstTelling(AskingTelling):
    def complete(self) -> None:
        for _made in range(2):
            self.flow.run()
            self.signing.work()
        if not self.cluster.kafka:
            self.cluster.deploy()
        AskingTelling.complete(self)

    def end_state(self) -> dict[str, Any]:
        """A killed flow may ask once more for the certificate that tells which CA signs."""
        known = {"signed": sorted(set(self.signing.signed)), "requests": issuing_secrets(self.cluster)}
        state = Telling.end_state(self)
        # An entry is named by the fingerprint of its CA, another one in each flow.
        return {**state, **known, "certificates": len(state["certificates"])}


_REPLACING = FollowingStory(Case(Goal.REPLACE_KEY), reload=True)
_UNLINKED = FollowingStory(Case(Goal.REPLACE_KEY, "unlinked"))
_RENEWING = FollowingStory(Case(Goal.RENEW), reload=True)
STORIES = [_REPLACING, _UNLINKED, _RENEWING, *(replace(one, eager=True) for one in (_REPLACING, _UNLINKED, _RENEWING))]
#: The stories for every run of the tests; the others take their time.
SHORT = [_RENEWING]


def _marks(story: Story) -> tuple[pytest.MarkDecorator, ...]:
    return () if story in SHORT else (pytest.mark.long,)


@pytest.mark.parametrize("moment", ["after", pytest.param("before", marks=pytest.mark.long)])
@pytest.mark.parametrize("story", [pytest.param(one, id=str(one), marks=_marks(one)) for one in STORIES])
def test_killed_anywhere_and_run_again(
    story: FollowingStory, moment: str, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes, wanted = undisturbed(story, monkeypatch)
    assert wanted["requests"] == []
    assert (wanted["signed"] == []) is (story.case.goal is Goal.RENEW)
    assert_killed_at(story, points.to(writes), moment == "after", wanted, monkeypatch)
    print(f"\n{story}: killed {moment} {len(points.to(writes))} of {writes} writes, all ended the same")


def test_killed_before_several_cas_are_trusted(points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    story = FirstStory(Case(Goal.CREATE))
    writes, wanted = undisturbed(story, monkeypatch)
    assert (wanted["requests"], wanted["trust"]) == ([], 1)
    assert_killed_at(story, points.to(writes), True, wanted, monkeypatch)
    print(f"\n{story}: killed after {len(points.to(writes))} of {writes} writes, all ended the same")
