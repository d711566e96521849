# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CA in use has ended, and the certificates of the processes have not: JVMs go on, and clients of OpenSSL and Go refuse the nodes until the
CA is renewed (docs/operator.md, "A CA that has ended").
"""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.operator import certs
from ..tools.support.verification import verifies
from ..tools.support.watched_cluster import CERTIFICATES, WatchedCluster, assert_only
from .cases import outlive_authority

pytestmark = pytest.mark.usefixtures("uptake")


@pytest.fixture
def ended(cluster: WatchedCluster) -> WatchedCluster:
    """The operator has issued certificates that outlive the CA."""
    cluster.create()
    outlive_authority(cluster)
    cluster.look_away()
    (ca,) = parse_certificates(cluster.secret(CERTIFICATES)["ca.crt"])
    assert ca.not_after < certs.now()
    return cluster


def clients_refuse(cluster: WatchedCluster) -> set[bool]:
    """Whether Go clients, which load every certificate of the Secret, refuse what nodes present."""
    trusted = [value for name, value in cluster.secret(CERTIFICATES).items() if name.endswith(".crt")]
    shown = {chain for party in cluster.checker.parties() if party.node for chain in party.presented}
    return {not verifies(chain, b"".join(trusted), jvm=False) for chain in shown}


@pytest.mark.parametrize("goal", [Goal.RENEW, Goal.REPLACE_KEY])
def test_an_ended_ca_is_renewed_and_replaced_as_any_other(ended: WatchedCluster, goal: Goal) -> None:
    """The checker asks every process and JVM client after each write."""
    before = ended.current
    assert clients_refuse(ended) == {True}
    ended.finish(goal)
    assert ended.current != before
    assert_only(ended, ended.current, twins={before} if goal is Goal.RENEW else set())
    assert clients_refuse(ended) == {False}


def test_an_ended_ca_is_adopted_and_then_renewed(ended: WatchedCluster) -> None:
    ended.finish(Goal.RECONCILE)
    ended.finish(Goal.RENEW)
    assert clients_refuse(ended) == {False}


@pytest.mark.parametrize("goal", [Goal.DOWNGRADE, Goal.RENEW_LEAVES])
def test_an_ended_ca_is_not_handed_back_and_issues_no_leaves(ended: WatchedCluster, goal: Goal) -> None:
    assert violated(ended, goal)[0] is Condition.AUTHORITY_IS_VALID_NOW
    assert ended.writes == 0


def test_clients_are_not_led_back_to_it(ended: WatchedCluster) -> None:
    """After the switch they accept the nodes, and would refuse them again."""
    ended.run(Goal.REPLACE_KEY, last_phase=Phase.USE)
    used = ended.current
    assert violated(ended, Goal.ABORT) == [Condition.FLOW_CAN_BE_UNDONE]
    ended.finish(Goal.RECONCILE)
    assert_only(ended, used)


def test_before_the_switch_the_way_back_is_open(ended: WatchedCluster) -> None:
    before = ended.current
    ended.run(Goal.REPLACE_KEY, last_phase=Phase.TRUST)
    ended.finish(Goal.ABORT)
    assert_only(ended, before)


def violated(cluster: WatchedCluster, goal: Goal) -> list[Condition]:
    return [one.condition for one in cluster.run(goal).outcome.decision.violations]
