# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A supplied CA in a run that is not the first: either it is in place already, or it is wanted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.authorities import Authority, below, renewed, root
from ..tools.support.watched_cluster import CERTIFICATES, KEYS, WatchedCluster, assert_only, subject

pytestmark = pytest.mark.usefixtures("uptake")
NEVER_FRESH = timedelta(0)


@pytest.mark.parametrize("goal", [Goal.CREATE, Goal.RENEW, Goal.REPLACE_KEY])
def test_a_ca_that_is_in_use_already_changes_nothing(cluster: WatchedCluster, goal: Goal) -> None:
    own = below(root())
    cluster.create(own)
    result = cluster.finish(goal, supplied=own)
    assert result.changes == []
    assert_only(cluster, own.fingerprint)


@pytest.mark.parametrize(("goal", "next_one"), [(Goal.RENEW, renewed), (Goal.REPLACE_KEY, lambda old: root("Next"))])
def test_the_same_playbook_much_later_changes_nothing(
    cluster: WatchedCluster, goal: Goal, next_one: Callable[[Authority], Authority]
) -> None:
    old = below(root())
    cluster.create(old)
    cluster.finish(goal, supplied=next_one(old), fresh_for=NEVER_FRESH)


def test_another_ca_on_the_same_day_is_put_in_place_too(cluster: WatchedCluster) -> None:
    cluster.create()
    first, second = below(root()), below(root("Another Root"), "Kafka CA 2")
    cluster.finish(Goal.REPLACE_KEY, supplied=first)
    cluster.finish(Goal.REPLACE_KEY, supplied=second)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "unlinked") + cluster.cost(Goal.REPLACE_KEY, "unlinked")
    assert_only(cluster, second.fingerprint)


def test_a_ca_that_a_playbook_replaced_long_ago_does_not_come_back(cluster: WatchedCluster) -> None:
    """The playbook names the CA that it replaces, and that CA is gone."""
    cluster.create()
    first, second = below(root()), root("Kafka Root")
    generated = cluster.current
    cluster.finish(Goal.REPLACE_KEY, supplied=first, replaces=generated)
    cluster.finish(Goal.REPLACE_KEY, supplied=second, replaces=first.fingerprint)
    assert cluster.run(Goal.REPLACE_KEY, supplied=first, replaces=first.fingerprint).changes == []
    assert_only(cluster, second.fingerprint)


def test_a_ca_that_every_process_trusts_already_needs_no_trust_roll(cluster: WatchedCluster) -> None:
    cluster.create()
    supplied = below(root())
    cluster.put(CERTIFICATES, next_crt=supplied.pem)
    cluster.finish(Goal.RECONCILE)
    assert cluster.rolls == {1}
    cluster.look_away()
    cluster.finish(Goal.REPLACE_KEY, supplied=supplied)
    assert cluster.rolls == {cluster.cost(Goal.REPLACE_KEY, "unlinked").restarts - 1}
    assert_only(cluster, supplied.fingerprint)


@pytest.mark.parametrize(
    ("goal", "other", "why"),
    [
        (Goal.RENEW, lambda old: root("Kafka CA 2"), "has another key"),
        (Goal.REPLACE_KEY, renewed, "has the key of the CA in use"),
    ],
)
def test_a_ca_that_does_not_fit_the_goal_is_refused(
    cluster: WatchedCluster, goal: Goal, other: Callable[[Authority], Authority], why: str
) -> None:
    """A renewal must not become a replacement of three rolls."""
    old = below(root())
    cluster.create(old)
    result = cluster.run(goal, supplied=other(old))
    assert [why in str(violation) for violation in result.outcome.decision.violations] == [True]
    assert cluster.writes == 0


def test_a_generated_ca_after_a_supplied_one_takes_no_name_that_was_there_before(cluster: WatchedCluster) -> None:
    """Clients may still trust the CA that had it: two CAs of one name and different keys (RFC 5280 6.1)."""
    cluster.create()
    cluster.finish(Goal.REPLACE_KEY, replaces=cluster.current)
    before = subject(cluster.secret(CERTIFICATES)["ca.crt"])
    cluster.finish(Goal.REPLACE_KEY, supplied=root(), replaces=cluster.current)
    cluster.finish(Goal.REPLACE_KEY, replaces=cluster.current)
    assert before == "CN=cluster-ca v1,O=io.strimzi"
    assert subject(cluster.secret(CERTIFICATES)["ca.crt"]) == "CN=cluster-ca v3,O=io.strimzi"
    assert cluster.annotation("secrets", KEYS, "ca-key-generation") == "3"
