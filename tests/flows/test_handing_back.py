# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Handing back: afterwards the operator renews and replaces the CA as if it had always been its own."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import look, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.goals import (
    operator_could_renew,
    operator_keeps_authority,
)

from ..tools.support.authorities import below, root
from ..tools.support.breaches import InvariantBroken
from ..tools.support.engines import without
from ..tools.support.golden import GoldenFiles
from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.watched_cluster import (
    CERTIFICATES,
    CLUSTER,
    IN_USE,
    KEYS,
    LEDGER,
    NAMESPACE,
    WatchedCluster,
    subject,
)
from .cases import DAY, Case
from .test_kept_elsewhere import ASKED, elsewhere, issuing_secrets, moved

pytestmark = pytest.mark.usefixtures("uptake")


def hand_back(cluster: WatchedCluster, circumstance: str = "") -> None:
    before = cluster.current
    cluster.look_away()
    cluster.finish(Goal.DOWNGRADE)
    cluster.memory.settle()
    assert cluster.paid == cluster.cost(Goal.DOWNGRADE, circumstance)
    assert cluster.current == before
    assert cluster.trusted == {before}
    assert cluster.issued_by_operator == []
    assert cluster.memory.api.find("secrets", NAMESPACE, LEDGER) is None
    assert cluster.kafka["spec"]["clusterCa"] == {"generateCertificateAuthority": True}
    assert cluster.ready


def trigger(cluster: WatchedCluster, secret: str, annotation: str) -> None:
    """An administrator of Strimzi sets this annotation; five reconciles are more than the operator needs."""
    cluster.change("secrets", secret, {"metadata": {"annotations": {f"strimzi.io/{annotation}": "true"}}})
    cluster.memory.settle(5)
    assert cluster.ready


def test_the_first_ca_is_handed_back(cluster: WatchedCluster) -> None:
    cluster.create()
    hand_back(cluster)


@pytest.mark.parametrize("case", [Case(Goal.REPLACE_KEY), Case(Goal.REPLACE_KEY, "at once", path_length=0)], ids=str)
def test_after_a_replacement(cluster: WatchedCluster, case: Case) -> None:
    """The switch has raised both generations, and told the operator of it: nothing is left to correct."""
    case.begin(cluster).finish()
    generation = cluster.annotation("secrets", KEYS, "ca-key-generation")
    hand_back(cluster)
    assert cluster.annotation("secrets", KEYS, "ca-key-generation") == generation == "1"


def test_a_ca_that_another_tool_has_replaced_is_handed_back(cluster: WatchedCluster) -> None:
    """The key generation is behind the CA's name: two of the operator's CAs would get one name."""
    cluster.store(root("cluster-ca v3", path_length=0))
    cluster.deploy()
    cluster.finish(Goal.UPGRADE)
    hand_back(cluster, "the key generation is behind")
    assert cluster.annotation("secrets", KEYS, "ca-key-generation") == "3"
    trigger(cluster, KEYS, "force-replace")
    assert cluster.issuers() == {"CN=cluster-ca v4,O=io.strimzi"}


@pytest.mark.parametrize("replacements", [0, 1, 2])
def test_the_operator_goes_on_with_it(cluster: WatchedCluster, replacements: int) -> None:
    cluster.create()
    for _each in range(replacements):
        cluster.finish(Goal.REPLACE_KEY, replaces=cluster.current)
    hand_back(cluster)
    ours = cluster.current
    trigger(cluster, CERTIFICATES, "force-renew")
    assert cluster.current != ours
    assert subject(cluster.secret(CERTIFICATES)["ca.crt"]) == f"CN=cluster-ca v{replacements},O=io.strimzi"
    trigger(cluster, KEYS, "force-replace")
    assert subject(cluster.secret(CERTIFICATES)["ca.crt"]) == f"CN=cluster-ca v{replacements + 1},O=io.strimzi"
    assert cluster.issuers() == {f"CN=cluster-ca v{replacements + 1},O=io.strimzi"}


def test_back_and_forth(cluster: WatchedCluster) -> None:
    """Adopted, replaced, handed back, adopted again, replaced again: no name is given twice."""
    cluster.deploy(generated=True)
    cluster.finish(Goal.UPGRADE)
    cluster.finish(Goal.REPLACE_KEY)
    hand_back(cluster)
    cluster.look_away()
    cluster.finish(Goal.UPGRADE)
    assert cluster.rolls == {0}
    assert cluster.states == {cluster.current: IN_USE}
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)
    assert cluster.issuers() == {"CN=cluster-ca v2,O=io.strimzi"}
    hand_back(cluster)


def test_a_supplied_ca_is_replaced_by_a_generated_one_first(cluster: WatchedCluster) -> None:
    """The operator would renew it under a name of its own."""
    cluster.create(below(root()))
    refused = cluster.run(Goal.DOWNGRADE)
    assert cluster.writes == 0
    assert ["another name" in str(one) for one in refused.outcome.decision.violations] == [True]
    cluster.finish(Goal.REPLACE_KEY)
    hand_back(cluster)
    trigger(cluster, CERTIFICATES, "force-renew")
    trigger(cluster, KEYS, "force-replace")


def test_without_that_rule_the_operators_renewal_breaks_every_connection(
    cluster: WatchedCluster,
) -> None:
    cluster.engine = without(operator_could_renew)
    cluster.create(below(root()))
    hand_back(cluster)
    with pytest.raises(InvariantBroken) as broken:
        trigger(cluster, CERTIFICATES, "force-renew")
    assert broken.value.breach.rule == "I1"


def in_its_time(cluster: WatchedCluster, **specification: Any) -> None:
    """The CA was replaced here, and ends in 20 days."""
    cluster.create()
    cluster.finish(Goal.REPLACE_KEY)
    cluster.memory.seconds += 345 * DAY
    lasting: Any = {"clusterCa": specification, "clientsCa": {"validityDays": 3650}}
    cluster.change("kafkas", CLUSTER, {"spec": lasting})
    cluster.checker.enabled = False
    cluster.memory.settle(4)
    cluster.checker.enabled = True
    cluster.look_away()


@pytest.mark.parametrize("policy", ["renew-certificate", "replace-key"])
def test_a_ca_that_the_operator_would_not_keep_is_not_handed_back(
    cluster: WatchedCluster, policy: str, golden: GoldenFiles
) -> None:
    in_its_time(cluster, certificateExpirationPolicy=policy)
    (violation,) = cluster.run(Goal.DOWNGRADE).outcome.decision.violations
    assert violation.condition is Condition.OPERATOR_KEEPS_AUTHORITY
    golden.compare_stop(f"operator_keeps_authority, {policy}", violation)
    assert (cluster.writes, cluster.rolls) == (0, {0})
    cluster.finish(Goal.RENEW)
    before = cluster.current
    cluster.finish(Goal.DOWNGRADE)
    cluster.look_away()
    cluster.memory.settle(4)
    assert (cluster.current, cluster.rolls) == (before, {0})


def test_without_this_the_operator_renews_it(cluster: WatchedCluster) -> None:
    """A negative control."""
    in_its_time(cluster)
    before, cluster.engine = cluster.current, without(operator_keeps_authority)
    cluster.run(Goal.DOWNGRADE)
    cluster.memory.settle(4)
    assert cluster.current != before
    assert cluster.rolls == {1}


def test_the_caller_may_leave_the_renewal_to_the_operator(cluster: WatchedCluster, golden: GoldenFiles) -> None:
    """The plan has the restarts, and they come."""
    in_its_time(cluster)
    before = cluster.current
    intent = cluster.intent(Goal.DOWNGRADE, operator_may_renew=True)
    work = replace(cluster.work(), dry_run=True)
    planned = plan(work, look(work, intent), intent)
    assert {name for step in planned.steps for name in step.nodes} == cluster.memory.kubelet.nodes
    golden.compare_said("flows", "\n".join(planned.choices))
    cluster.run(Goal.DOWNGRADE, operator_may_renew=True)
    cluster.memory.settle(4)
    assert (cluster.current != before, cluster.rolls) == (True, {1})


@pytest.mark.parametrize("case", [Case(Goal.REPLACE_KEY), Case(Goal.RENEW)], ids=str)
def test_the_ca_is_kept_and_the_records_go(cluster: WatchedCluster, case: Case) -> None:
    """The operator goes on with it, whatever it is called and whatever processes hold, and it can be adopted again."""
    flow = case.begin(cluster)
    flow.finish()
    before, running = cluster.current, set(cluster.memory.kubelet.processes)
    cluster.look_away()
    cluster.finish(Goal.DOWNGRADE, keeps_authority=True)
    cluster.memory.settle(3)
    assert (cluster.current, set(cluster.memory.kubelet.processes)) == (before, running)
    assert cluster.kafka["spec"]["clusterCa"] == {"generateCertificateAuthority": False}
    assert cluster.memory.api.find("secrets", NAMESPACE, LEDGER) is None
    for plural, name in (("kafkas", CLUSTER), ("secrets", CERTIFICATES), ("secrets", KEYS)):
        marks = (cluster.memory.api.find(plural, NAMESPACE, name) or {})["metadata"].get("annotations") or {}
        assert not [mark for mark in marks if mark.startswith("trustops.strimzi/")]
    assert cluster.ready
    cluster.finish(Goal.UPGRADE)
    assert cluster.states == {before: IN_USE}


def test_a_ca_in_the_middle_of_a_flow_is_not_given_up(cluster: WatchedCluster) -> None:
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    flow.run(last_phase=Phase.TRUST)
    result = cluster.run(Goal.DOWNGRADE, keeps_authority=True)
    assert [one.condition for one in result.outcome.decision.violations][:1] == [Condition.READY_TO_HAND_BACK]
    assert result.changes == []


def test_a_ca_whose_key_is_elsewhere_is_kept_too(cluster: WatchedCluster) -> None:
    cluster.create()
    moved(cluster, elsewhere(root("Corporate Root")))
    cluster.finish(Goal.DOWNGRADE, keeps_authority=True, external_issuer=ASKED)
    assert issuing_secrets(cluster) == []
    assert cluster.memory.api.find("secrets", NAMESPACE, LEDGER) is None


@pytest.mark.parametrize("number", range(1, 5))
def test_a_killed_call_that_gives_it_up_is_continued(cluster: WatchedCluster, number: int) -> None:
    flow = Case(Goal.RENEW).begin(cluster)
    flow.finish()
    cluster.permitted = KillingTransport(cluster.memory.api, number, after=True)
    with suppress(Killed):
        cluster.run(Goal.DOWNGRADE, keeps_authority=True)
    cluster.permitted = cluster.memory.api
    cluster.finish(Goal.DOWNGRADE, keeps_authority=True)
    assert cluster.memory.api.find("secrets", NAMESPACE, LEDGER) is None
    assert cluster.ready
