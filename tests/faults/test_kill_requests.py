# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows that ask somebody else for every leaf, killed before and after every write, then run again: same end, never a failed
handshake, and no leaf is asked for twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.cases import DAY, Case
from ..flows.test_kept_elsewhere import ASKED, elsewhere, issuing_secrets, moved
from ..tools.support.authorities import below, root
from ..tools.support.flows import START
from ..tools.support.restarts import Cost, cost_of
from ..tools.support.signing_office import SigningOffice
from .conftest import Points
from .stories import Story, Telling
from .test_kill_anywhere import assert_killed_at, undisturbed

UNLINKED = Case(Goal.REPLACE_KEY, "unlinked")


@dataclass(frozen=True)
class AskingStory(Story):
    """kept: somebody else keeps the key of the CA in use already. named: the next CA has the name of that one, and is a root."""

    kept: bool = False
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
        flow.intent["asked"] = ASKED
        return AskingTelling(self, flow, signing, self.named)


@dataclass
class AskingTelling(Telling):
    """Between two runs somebody signs what lies in the Secrets. named: no listener can show which of two CAs it trusts, so nodes restart."""

    signing: SigningOffice
    named: bool = False

    @property
    def cost(self) -> Cost:
        return cost_of(self.flow.case.goal, self.flow.case.circumstance, reload=False) if self.named else super().cost

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


_RESTARTING = [
    AskingStory(Case(Goal.REPLACE_KEY)),
    AskingStory(UNLINKED),
    AskingStory(UNLINKED, kept=True),
    AskingStory(UNLINKED, kept=True, named=True),
    AskingStory(Case(Goal.RENEW_LEAVES), kept=True),
]
_RELOADING = [replace(story, reload=True) for story in _RESTARTING]
STORIES = [*_RESTARTING, *_RELOADING, *(replace(story, eager=True) for story in (*_RESTARTING, *_RELOADING))]
#: For every run of the tests; the others take their time.
SHORT = [_RELOADING[-1]]


def _marks(story: Story) -> tuple[pytest.MarkDecorator, ...]:
    return () if story in SHORT else (pytest.mark.long,)


@pytest.mark.parametrize("moment", ["after", pytest.param("before", marks=pytest.mark.long)])
@pytest.mark.parametrize("story", [pytest.param(one, id=str(one), marks=_marks(one)) for one in STORIES])
def test_killed_anywhere_and_run_again(
    story: AskingStory, moment: str, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes, wanted = undisturbed(story, monkeypatch)
    assert len(wanted["signed"]) == len(set(wanted["signed"])) > 0
    assert wanted["requests"] == []
    assert_killed_at(story, points.to(writes), moment == "after", wanted, monkeypatch)
    print(f"\n{story}: killed {moment} {len(points.to(writes))} of {writes} writes, all ended the same")
