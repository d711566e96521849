# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The preconditions together: none is untested, all that is wrong is told at once, and what is right holds no flow."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from yaml import safe_load

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import CaDefects, Reconciliation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import PRECONDITIONS, check

from ....tools.documents.stops import TABLE
from ..builders import cluster, secrets
from ..ledgers import a_journal
from ..rules.asking import FLOWS, RENEW
from . import test_abort as abort
from . import test_adoption as adoption
from . import test_apart as apart
from . import test_asked as asked
from . import test_authority as authority
from . import test_clock as clock
from . import test_cluster as of_cluster
from . import test_hand_back as hand_back
from . import test_labels as labels
from . import test_leaves as of_leaves
from . import test_lives as lives
from . import test_policy as of_policy
from . import test_presenters as of_presenters
from . import test_same_name as same_name
from . import test_scaling as of_pools
from . import test_source as source
from . import test_supplied as supplied
from . import test_swap as swap
from . import test_waivers as waivers
from .refusals import Refusal, assert_only_resumed, assert_refused, rules_of, violations_of

#: In a pause of ours too: it ends, and nothing else is done.
ALWAYS = [
    *apart.CASES, *authority.CASES, *clock.CASES, *of_cluster.ALWAYS, *hand_back.CASES, *of_leaves.CASES, *of_pools.CASES, *same_name.CASES,
    *source.CASES, *supplied.CASES, *swap.CASES, *waivers.CASES,
]  # fmt: skip
CASES = [
    *ALWAYS, *abort.CASES, *adoption.CASES, *asked.CASES, *of_cluster.FIRST_OF_ALL, *of_cluster.BEFORE_A_FLOW, *labels.CASES,
    *of_leaves.BEGINNING, *lives.CASES, *of_policy.CASES, *of_presenters.CASES,
]  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_precondition_holds_the_flow_with_its_reason(case: Refusal) -> None:
    assert_refused(case)


@pytest.mark.parametrize("case", ALWAYS)
def test_our_pause_ends_whatever_is_wrong(case: Refusal) -> None:
    assert_only_resumed(case)


NOT_IN_FLIGHT = next(
    group["conditions"] for group in safe_load(TABLE.read_text()) if group["about"].startswith("No flow begins")
)


@pytest.mark.parametrize(
    "case", [case for case in CASES if cast(Refusal, case.values[0]).rule.__name__ in NOT_IN_FLIGHT]
)
def test_a_flow_in_flight_goes_on_where_the_page_of_stops_says_so(case: Refusal) -> None:
    begun = replace(case.snapshot, ledger=replace(case.snapshot.ledger_or_empty, journal=a_journal()))
    assert violations_of(case.rule, begun, case.intent) == ()


def test_every_precondition_is_tested() -> None:
    assert rules_of(CASES) == set(PRECONDITIONS)


def test_check_returns_every_violation_at_once() -> None:
    wrong = cluster(
        ca=secrets(defects=CaDefects(triggers=("one", "two")), key=None), reconciliation=Reconciliation(generated=True)
    )
    assert [violation.condition for violation in check(wrong, RENEW)] == [
        Condition.AUTHORITY_IS_USER_MANAGED,
        *[Condition.NO_LEFT_OVER_TRIGGER] * 2,
        Condition.KEY_MATCHES,
    ]


@pytest.mark.parametrize("goal", Goal)
def test_a_healthy_cluster_holds_no_goal(goal: Goal) -> None:
    assert check(cluster(), Intent(goal)) == ()


@pytest.mark.parametrize("stage", FLOWS)
def test_no_precondition_holds_a_flow_at_any_of_its_stages(stage: str) -> None:
    assert check(*FLOWS[stage]) == ()
