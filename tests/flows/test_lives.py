# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves that would live no longer than the operator's time for renewal: it would issue each again as soon as it is there."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.leaves import (
    leaves_outlast_the_window,
)

from ..tools.support.authorities import Authority, root
from ..tools.support.engines import without
from ..tools.support.flows import START, insisting
from ..tools.support.golden import GoldenFiles
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.signing_office import SigningOffice
from ..tools.support.watched_cluster import WatchedCluster
from .cases import DAY, Object, roles_together
from .test_kept_elsewhere import ASKED, elsewhere, moved

NODE = "demo-kafka-0"
DAYS = timedelta(days=1)


def lasting(validity: int, renewal: int) -> list[Object]:
    *others, kafka = roles_together()
    kafka["spec"]["clusterCa"] |= {"validityDays": validity, "renewalDays": renewal}
    return [*others, kafka]


def ends_in(cluster: WatchedCluster, name: str = NODE) -> timedelta:
    (leaf, *_chain) = parse_certificates(cluster.secret(name)[f"{name}.crt"])
    return leaf.not_after - cluster.work().clock.now()


#: As the operator sees them: an option of ours, or a CA that the user brings.
SHORT: list[tuple[int, timedelta | None, Authority | None]] = [
    (30, 30 * DAYS, None),
    (90, 90 * DAYS, None),
    (180, None, root("Company CA", end=START + 170 * DAYS)),
    (30, None, root("Company CA", end=START + 25 * DAYS)),
]


@pytest.mark.parametrize(("renewal", "validity", "supplied"), SHORT)
def test_a_ca_with_short_leaves_is_held_before_the_first_write(
    cluster: WatchedCluster, nodes: ReloadingNodes, renewal: int, validity: timedelta | None, supplied: Authority | None
) -> None:
    cluster.create(manifests=lasting(365, renewal))
    cluster.validity = validity
    found = cluster.run(Goal.REPLACE_KEY, supplied).outcome.decision
    assert [one.condition for one in found.violations] == [Condition.LEAVES_OUTLAST_THE_WINDOW]
    assert (cluster.writes, cluster.rolls) == (0, {0})


@pytest.mark.parametrize(("renewal", "validity", "supplied"), SHORT)
def test_without_this_the_operator_puts_others_in_their_place(
    cluster: WatchedCluster, nodes: ReloadingNodes, renewal: int, validity: timedelta | None, supplied: Authority | None
) -> None:
    """A negative control."""
    cluster.create(manifests=lasting(365, renewal))
    cluster.validity, cluster.engine = validity, without(leaves_outlast_the_window)
    cluster.checker.enabled = False
    with suppress(StepError):
        cluster.run(Goal.REPLACE_KEY, supplied)
    # Where the budget of restarts has ended the call by now, the operator looks at what it has left.
    cluster.memory.settle(3)
    assert cluster.issued_by_operator.count(NODE) > 0


@pytest.mark.parametrize("goal", [Goal.REPLACE_KEY, Goal.RENEW])
def test_without_an_option_they_live_as_long_as_the_resource_says(
    cluster: WatchedCluster, nodes: ReloadingNodes, goal: Goal
) -> None:
    """``validityDays: 3650`` with ``renewalDays: 365``, of which a life of 365 days is no day outside."""
    cluster.deploy(generated_lasting())
    cluster.finish(Goal.UPGRADE)
    cluster.look_away()
    cluster.finish(goal)
    assert cluster.rolls == {cluster.cost(goal).restarts}
    assert NODE not in cluster.issued_by_operator
    assert ends_in(cluster) > 3640 * DAYS


def generated_lasting() -> list[Object]:
    *others, kafka = roles_together(generated=True)
    kafka["spec"]["clusterCa"] = {"validityDays": 3650, "renewalDays": 365}
    return [*others, kafka]


@pytest.mark.parametrize("goal", [Goal.REPLACE_KEY, Goal.RENEW])
def test_a_ca_in_its_last_days_is_renewed_or_replaced(
    cluster: WatchedCluster, nodes: ReloadingNodes, goal: Goal
) -> None:
    """A new CA is judged by its own life."""
    cluster.create(root("Company CA", end=START + 300 * DAYS))
    cluster.memory.seconds += 275 * DAY
    cluster.memory.settle(2)
    cluster.look_away()
    cluster.finish(goal)
    assert cluster.paid == cluster.cost(goal)


@pytest.mark.parametrize("goal", [Goal.REPLACE_KEY, Goal.RENEW])
def test_leaves_that_are_in_the_window_already_are_left_to_the_operator_first(
    cluster: WatchedCluster, nodes: ReloadingNodes, lasting_ca: Authority, goal: Goal
) -> None:
    """It has yet to look."""
    cluster.create(lasting_ca)
    cluster.memory.seconds += 340 * DAY
    (held,) = cluster.run(goal).outcome.decision.violations
    assert (held.condition, NODE in held.subject) == (Condition.LEAVES_OUTLAST_THE_WINDOW, True)
    assert (cluster.writes, cluster.rolls) == (0, {0})
    cluster.memory.settle(3)
    assert cluster.rolls == {1}
    cluster.look_away()
    cluster.finish(goal)
    assert cluster.paid == cluster.cost(goal)


@pytest.mark.parametrize("goal", [Goal.REPLACE_KEY, Goal.RENEW])
def test_without_this_the_operator_restarts_nodes_in_the_middle_of_a_flow(
    cluster: WatchedCluster, nodes: ReloadingNodes, lasting_ca: Authority, goal: Goal
) -> None:
    """A negative control."""
    cluster.create(lasting_ca)
    cluster.engine = without(leaves_outlast_the_window)
    cluster.memory.seconds += 340 * DAY
    with suppress(StepError):
        cluster.run(goal)
    assert NODE in cluster.issued_by_operator


def test_leaves_under_a_ca_that_ends_in_the_window_are_not_renewed(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    """The operator has yet to renew them: it would once, and for longer than their CA lives."""
    cluster.create(root("Company CA", end=START + 368 * DAYS))
    cluster.memory.seconds += 333 * DAY
    found = cluster.run(Goal.RENEW_LEAVES).outcome.decision
    assert [one.condition for one in found.violations] == [Condition.LEAVES_OUTLAST_THE_WINDOW]
    assert cluster.writes == 0


def test_leaves_are_renewed_before_the_operator_would(
    cluster: WatchedCluster, nodes: ReloadingNodes, lasting_ca: Authority
) -> None:
    """With ``renewalDays: 180`` a scheduled renewal comes first, which restarts nothing, whatever ``renew_before`` says."""
    cluster.create(lasting_ca, manifests=lasting(365, 180))
    cluster.memory.seconds += 172 * DAY
    cluster.finish(Goal.RENEW_LEAVES)
    assert ends_in(cluster) > 364 * DAYS
    cluster.memory.seconds += 20 * DAY
    cluster.memory.settle(2)
    assert cluster.rolls == {0}
    assert NODE not in cluster.issued_by_operator


@pytest.fixture
def lasting_ca() -> Authority:
    return root(end=START + 3650 * DAYS)


@pytest.mark.parametrize(("renewal", "signs"), [(30, 30), (180, 90)])
def test_an_issuer_that_signs_for_less_is_refused_with_the_reason(
    cluster: WatchedCluster, nodes: ReloadingNodes, renewal: int, signs: int, golden: GoldenFiles
) -> None:
    """Nodes go on with what they have, and nothing restarts."""
    cluster.create(manifests=lasting(365, renewal))
    before, supplied = cluster.current, elsewhere(root("Corporate Root", end=START + 3650 * DAYS))
    replaced: dict[str, Any] = {"external_issuer": ASKED}
    cluster.run(Goal.REPLACE_KEY, supplied, **replaced)
    SigningOffice(cluster.memory, supplied, START, validity=signs * DAYS).work()
    found = cluster.run(Goal.REPLACE_KEY, supplied, **replaced).outcome.decision
    golden.compare_said("flows", found.waiting[1], f"{renewal} days")
    assert (found.done, cluster.current, cluster.rolls) == (False, before, {0})
    cluster.run(Goal.REPLACE_KEY, supplied, retry_requested_at=insisting(cluster.work()), **replaced)
    SigningOffice(cluster.memory, supplied, START, validity=300 * DAYS).work()
    cluster.finish(Goal.REPLACE_KEY, supplied, **replaced)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)


def test_a_renewal_with_leaves_that_end_too_soon_waits(
    cluster: WatchedCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    cluster.create()
    supplied = elsewhere(root("Corporate Root", end=START + 3650 * DAYS))
    moved(cluster, supplied)
    cluster.memory.seconds += 50 * DAY
    asked: dict[str, Any] = {"external_issuer": ASKED}
    cluster.run(Goal.RECONCILE, **asked)
    SigningOffice(cluster.memory, supplied, START, validity=30 * DAYS).work()
    found = cluster.run(Goal.RECONCILE, **asked).outcome.decision
    golden.compare_said("flows", found.waiting[1])
    assert (cluster.rolls, cluster.ready) == ({0}, True)


def test_a_flow_that_waits_for_restarts_ends_before_the_operator_would_issue(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    """Leaves of the next CA come near the operator's time, which would put others of the old CA in their place."""
    cluster.create(manifests=lasting(365, 30))
    cluster.validity = 40 * DAYS
    patient: dict[str, Any] = {"retire": Retire.WHEN_RESTARTED}
    assert cluster.run(Goal.REPLACE_KEY, **patient).outcome.decision.waiting
    cluster.memory.seconds += 4 * DAY
    assert cluster.run(Goal.RECONCILE).outcome.decision.waiting
    assert cluster.rolls == {0}
    cluster.memory.seconds += 2 * DAY
    cluster.finish(Goal.RECONCILE)
    assert (cluster.rolls, cluster.issued_by_operator.count(NODE)) == ({1}, 0)
    assert len(cluster.states) == 1
