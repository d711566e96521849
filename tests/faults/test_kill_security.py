# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows on clusters whose processes do not verify each other on both sides, killed after their writes and run again: same end, same restarts."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.cases import Case, Flow
from ..flows.test_security import NEXT, secured
from ..tools.operator.security import MUTUAL, ONE_WAY, PLAIN, Security
from ..tools.support.watched_cluster import WatchedCluster
from .conftest import Points
from .courses import Row, assert_killed_and_run_again, rows
from .stories import Story


@dataclass(frozen=True)
class SecuredStory(Story):
    #: The security between processes.
    security: Security = MUTUAL

    def __str__(self) -> str:
        return f"{super().__str__()}, {self.security}"

    def begin_flow(self, cluster: WatchedCluster) -> Flow:
        cluster.memory.use_release(NEXT)
        return self.case.begin(cluster, secured(self.security))


def told(goal: Goal, circumstance: str, security: Security) -> Row:
    return SecuredStory(Case(goal, circumstance), reload=True, security=security)


ROWS: list[Row] = [
    told(Goal.REPLACE_KEY, "one-way", ONE_WAY),
    told(Goal.REPLACE_KEY, "plain", PLAIN),
    told(Goal.REPLACE_KEY, "when_restarted, plain", PLAIN),
    told(Goal.RENEW, "", PLAIN),
]
LONG: list[Row] = [
    told(Goal.REPLACE_KEY, "one-way, unlinked", ONE_WAY),
    told(Goal.REPLACE_KEY, "plain, unlinked", PLAIN),
    told(Goal.RENEW, "", ONE_WAY),
    told(Goal.RENEW_LEAVES, "", ONE_WAY),
    told(Goal.RENEW_LEAVES, "", PLAIN),
]


@pytest.mark.parametrize("row", rows(ROWS, LONG))
def test_killed_at_any_write_and_run_again(row: Row, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_killed_and_run_again(row.begin(monkeypatch), points.all(), after=True)
