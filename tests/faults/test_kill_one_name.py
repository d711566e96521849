# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A replacement by a CA that has the name of the one in use, killed at every write, then run again. The keys of both are here."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.cases import Case
from ..tools.support.authorities import root
from .conftest import Points
from .stories import Story, Telling
from .test_kill_anywhere import assert_killed_at, undisturbed


@dataclass(frozen=True)
class NamedStory(Story):
    def begin(self, patch: pytest.MonkeyPatch) -> Telling:
        begun = super().begin(patch)
        begun.flow.supplied = root("cluster-ca v0")
        return begun


RELOADING = NamedStory(Case(Goal.REPLACE_KEY), reload=True)
_LONG = [NamedStory(Case(Goal.REPLACE_KEY)), replace(RELOADING, eager=True)]


@pytest.mark.parametrize("story", [RELOADING, *(pytest.param(one, marks=pytest.mark.long) for one in _LONG)], ids=str)
def test_killed_anywhere_and_run_again(story: NamedStory, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key of the old CA stays for probes until the last node has refused it, also where a run has ended meanwhile."""
    writes, wanted = undisturbed(story, monkeypatch)
    assert_killed_at(story, points.to(writes), True, wanted, monkeypatch)
