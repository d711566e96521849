# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A further condition under which a CA may leave the trust, made up: it comes in the middle of a flow and at its end."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import Violations
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Violation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.situation import Situation

from ..tools.support.checker import entries
from ..tools.support.memory_api import Change
from ..tools.support.watched_cluster import CERTIFICATES, WatchedCluster, assert_only, fingerprints
from .cases import Case

UNMET = Violation(Condition.REMOVAL, "approval 7", "is not given.", "Give this approval.")


@dataclass
class Approval:
    """The condition: an approval that a person gives, and may take back."""

    is_given: bool = False


@pytest.fixture
def approval(monkeypatch: pytest.MonkeyPatch) -> Approval:
    given, others = Approval(), Situation.why_it_stays

    def why_it_stays(at: Situation, fingerprint: str) -> Violations:
        return (*others(at, fingerprint), *(() if given.is_given else (UNMET,)))

    monkeypatch.setattr(Situation, "why_it_stays", why_it_stays)
    return given


def projected(certificates: dict[str, bytes]) -> set[str]:
    return {name for key, pem in certificates.items() if key.endswith(".crt") for name in fingerprints(pem)}


CASES = [Case(Goal.REPLACE_KEY), Case(Goal.REPLACE_KEY, "unlinked")]


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_flow_goes_on_when_the_condition_is_met(cluster: WatchedCluster, approval: Approval, case: Case) -> None:
    flow = case.begin(cluster)
    old = cluster.current
    assert flow.run().outcome.decision.violations == (UNMET,)
    assert old in projected(cluster.secret(CERTIFICATES))
    approval.is_given = True
    flow.finish()
    assert_only(cluster, cluster.current)


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_ca_that_is_out_is_not_put_back(cluster: WatchedCluster, approval: Approval, case: Case) -> None:
    """The approval is taken back right after the write that takes the CA out."""
    approval.is_given = True
    flow = case.begin(cluster)
    old, seen = cluster.current, []

    def take_back(change: Change) -> None:
        if change.name == CERTIFICATES:
            seen.append(old in projected(entries(change.new)))
            approval.is_given = seen[-1]

    cluster.memory.api.listeners.append(take_back)
    flow.finish()
    assert not approval.is_given
    assert seen == sorted(seen, reverse=True)
    assert_only(cluster, cluster.current)
