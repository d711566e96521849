# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A user puts another CA into the place of the CA in use: every flow holds, until it is adopted or taken out again."""

from __future__ import annotations

from collections import Counter

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.clients import NO_OUTSIDE_OPTIONS
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import PutBack

from ..tools.support.authorities import BEGIN, EC256, Authority, root
from ..tools.support.certificates import YEAR, make
from ..tools.support.flows import START, run_flow
from ..tools.support.golden import GoldenFiles
from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.memory_api import Change
from ..tools.support.watched_cluster import CERTIFICATES, KEYS, LEDGER, WatchedCluster, assert_only
from .test_link_outside import NAMED, client_reads

pytestmark = pytest.mark.usefixtures("uptake")
GOALS = [goal for goal in Goal if goal is not Goal.CREATE]


def swap(cluster: WatchedCluster, new: Authority, generation: int = 1, **kept: bytes) -> None:
    """In one breath, as far as the operator is concerned: it looks at its next reconcile. From here until the old CA is
    back, processes need not accept each other.
    """
    old, cluster.checker.enabled = cluster.current, False

    def watch_again(change: Change) -> None:
        cluster.checker.enabled = cluster.checker.enabled or cluster.current == old

    cluster.put(KEYS, ca_key=new.keys[0].reveal())
    cluster.put(CERTIFICATES, ca_crt=new.pem, **kept)
    annotations = {"strimzi.io/ca-cert-generation": str(generation)}
    cluster.change("secrets", CERTIFICATES, {"metadata": {"annotations": annotations}})
    cluster.memory.api.listeners.append(watch_again)


def conditions(cluster: WatchedCluster, goal: Goal, adopts: str | None = None) -> list[Condition]:
    """The conditions that hold the flow; nothing is written then."""
    before = cluster.memory.api.snapshot()
    held = cluster.run(goal, adopts=adopts).outcome.decision.violations
    assert cluster.writes == 0
    assert cluster.memory.api.snapshot() == before
    return [violation.condition for violation in held]


@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: goal.value)
def test_every_flow_holds(cluster: WatchedCluster, goal: Goal) -> None:
    cluster.create()
    swap(cluster, root("Swapped Root"))
    assert Condition.AUTHORITY_IS_KNOWN in conditions(cluster, goal)


def test_putting_the_old_one_back_is_a_way_on(cluster: WatchedCluster) -> None:
    cluster.create()
    old, before, key = cluster.current, cluster.secret(CERTIFICATES)["ca.crt"], cluster.secret(KEYS)["ca.key"]
    swap(cluster, root("Swapped Root"))
    assert conditions(cluster, Goal.RECONCILE) == [Condition.AUTHORITY_IS_KNOWN]
    cluster.put(KEYS, ca_key=key)
    cluster.put(CERTIFICATES, ca_crt=before)
    cluster.change("secrets", CERTIFICATES, {"metadata": {"annotations": {"strimzi.io/ca-cert-generation": "0"}}})
    cluster.finish(Goal.RECONCILE)
    assert cluster.rolls == {0}
    assert_only(cluster, old)


def test_a_swapped_in_ca_is_adopted_through_every_gate(cluster: WatchedCluster) -> None:
    """As a key replacement without a link, because the key of the old CA is gone. I1 to I3 are watched at every write."""
    cluster.create()
    new = root("Swapped Root")
    swap(cluster, new)
    cluster.finish(Goal.UPGRADE, adopts=new.chain[0].sha256)
    assert cluster.checker.enabled
    assert_only(cluster, new.fingerprint)
    assert cluster.rolls == {cluster.cost(Goal.REPLACE_KEY, "unlinked").restarts}


def test_killed_when_the_old_one_is_back_it_is_remembered_where_to_look(cluster: WatchedCluster) -> None:
    cluster.create()
    client_reads(cluster, cluster.secret(CERTIFICATES)["ca.crt"])
    new, number = root("Swapped Root"), 0
    swap(cluster, new)
    while new.fingerprint not in cluster.prepared:
        number += 1
        cluster.outside, transport = NAMED, KillingTransport(cluster.memory.api, number, after=True)
        with pytest.raises(Killed):
            run_flow(cluster.work(transport=transport), cluster.intent(Goal.UPGRADE, adopts=new.fingerprint))
    cluster.outside = NO_OUTSIDE_OPTIONS
    assert cluster.work().observe().snapshot.outside_clients.named_places == NAMED.named_places()


def test_the_plan_says_what_the_adoption_takes(cluster: WatchedCluster, golden: GoldenFiles) -> None:
    cluster.create()
    old, new = cluster.current, root("Swapped Root")
    swap(cluster, new)
    work, asked = cluster.work(), cluster.intent(Goal.UPGRADE, adopts=new.fingerprint)
    planned = plan(work, inspect(work, asked), asked)
    assert cluster.secret(LEDGER)[f"{old}.crt"].decode()
    assert planned.violations == ()
    assert PutBack.__name__ in {step.kind for step in planned.steps}
    golden.compare_said("flows", planned.choices[0])
    cluster.run(Goal.UPGRADE, adopts=new.fingerprint)
    assert Counter(name for step in planned.steps for name in step.nodes) == +Counter(cluster.counts())


def test_the_old_ca_that_was_kept_beside_it_keeps_being_trusted(cluster: WatchedCluster) -> None:
    """As Strimzi's documentation has a key replaced by hand, in a cluster of which it does not speak."""
    cluster.create()
    new = root("Swapped Root")
    swap(cluster, new, old_crt=cluster.secret(CERTIFICATES)["ca.crt"])
    cluster.finish(Goal.UPGRADE, adopts=new.fingerprint)
    assert cluster.checker.enabled
    assert_only(cluster, new.fingerprint)


def test_where_every_process_has_started_with_it_it_enters_as_the_ca_in_use(cluster: WatchedCluster) -> None:
    """The operator has brought it to every process by restarts; no process restarts once more to trust it."""
    cluster.create()
    new = root("Swapped Root")
    swap(cluster, new)
    cluster.memory.settle(3)
    cluster.look_away()
    assert conditions(cluster, Goal.REPLACE_KEY) == [Condition.AUTHORITY_IS_KNOWN]
    cluster.checker.enabled = True
    cluster.finish(Goal.UPGRADE, adopts=new.fingerprint)
    assert_only(cluster, new.fingerprint)
    assert cluster.rolls == {0 if cluster.nodes else 1}


def test_when_the_operator_has_gone_too_far_it_says_so(cluster: WatchedCluster) -> None:
    """Leaves of the new CA are stored, and a process that has not restarted since would refuse them."""
    cluster.create()
    new = root("Swapped Root")
    swap(cluster, new)
    cluster.memory.settle(3)
    annotation = {"strimzi.io/cluster-ca-cert-generation": "0"}
    cluster.change("pods", "demo-kafka-0", {"metadata": {"annotations": annotation}})
    assert conditions(cluster, Goal.UPGRADE, new.fingerprint) == [Condition.ADOPTED_IS_USABLE]


def test_the_fingerprint_of_another_ca_adopts_nothing(cluster: WatchedCluster) -> None:
    cluster.create()
    other = root("Another Root")
    assert conditions(cluster, Goal.UPGRADE, other.fingerprint) == [Condition.AUTHORITY_IS_KNOWN]
    swap(cluster, root("Swapped Root"))
    assert conditions(cluster, Goal.UPGRADE, other.fingerprint) == [Condition.AUTHORITY_IS_KNOWN]


def test_a_renewal_by_hand_with_the_same_key_is_no_swap(cluster: WatchedCluster) -> None:
    key = EC256
    first = root(key=key)
    cluster.create(first)
    again = make("Corporate Root", first.keys[0], begin=BEGIN, end=START + 2 * YEAR)
    swap(cluster, Authority((again.certificate,), first.keys))
    cluster.checker.enabled = True
    cluster.finish(Goal.RECONCILE)
    assert cluster.current == again.certificate.fingerprint


def test_a_ca_that_was_brought_to_trust_before_is_no_swap(cluster: WatchedCluster) -> None:
    """The gates were asked when it came."""
    cluster.create()
    new = root("Partner Root")
    cluster.put(CERTIFICATES, partner_crt=new.pem)
    cluster.finish(Goal.RECONCILE)
    swap(cluster, new, old_crt=cluster.secret(CERTIFICATES)["ca.crt"])
    cluster.checker.enabled = True
    cluster.finish(Goal.RECONCILE)
    assert_only(cluster, new.fingerprint)
