# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each gate is needed: a flow with this gate left open breaks a connection.

A root in every truststore is enough for leaves that are presented with their chain, and for no other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing import issue
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.leaves import LeafSecret
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import ENGINE, Engine
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.leaves import issue_operator_leaf

from ..tools.support.authorities import Authority, below, root
from ..tools.support.breaches import InvariantBroken
from ..tools.support.engines import leaving_open, without
from ..tools.support.memory_api import Change
from ..tools.support.watched_cluster import IN_USE, NAMESPACE, UNUSED, WatchedCluster
from .cases import Case


def with_the_root_trusted(cluster: WatchedCluster) -> tuple[Authority, Authority]:
    """Every process trusts the corporate root, below which the next CA is."""
    corporate = root()
    first, second = below(corporate, "Kafka CA 1"), below(corporate, "Kafka CA 2")
    cluster.store(first, {"root.crt": corporate.pem})
    cluster.deploy()
    cluster.finish(Goal.UPGRADE)
    cluster.look_away()
    return corporate, second


@pytest.mark.usefixtures("uptake")
def test_an_intermediate_of_a_trusted_root_is_made_known_first(cluster: WatchedCluster) -> None:
    """The operator presents its own leaf alone."""
    corporate, second = with_the_root_trusted(cluster)
    cluster.finish(Goal.REPLACE_KEY, second)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "unlinked")
    assert cluster.states == {second.fingerprint: IN_USE, corporate.fingerprint: UNUSED}
    assert cluster.trusted == {second.fingerprint, corporate.fingerprint}


@pytest.mark.parametrize("engine", [ENGINE, leaving_open("alone")], ids=["closed", "open"])
def test_the_operators_own_leaf_has_a_gate_of_its_own(cluster: WatchedCluster, engine: Engine) -> None:
    """It can issue its own leaf at any time, and does so without the chain that we would write with it."""
    _corporate, second = with_the_root_trusted(cluster)

    def issue_again(change: Change) -> None:
        if change.plural == "kafkas" and not cluster.paused and cluster.pauses:
            path = f"/api/v1/namespaces/{NAMESPACE}/secrets/demo-cluster-operator-certs"
            cluster.memory.api.request("DELETE", path)

    cluster.memory.api.listeners.append(issue_again)
    cluster.engine = engine
    if engine is ENGINE:
        assert cluster.run(Goal.REPLACE_KEY, second).outcome.decision.done
    else:
        with pytest.raises(InvariantBroken) as broken:
            cluster.run(Goal.REPLACE_KEY, second)
        assert broken.value.breach.rule in {"I1", "I3"}


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize(
    "case", [Case(Goal.REPLACE_KEY, "unlinked"), Case(Goal.REPLACE_KEY, "at once", path_length=0)], ids=str
)
def test_without_the_trust_gate_a_ca_is_used_too_early(cluster: WatchedCluster, case: Case) -> None:
    """Nodes that do not know the CA meet its leaves, or a Go program refuses the link certificate behind them."""
    flow = case.begin(cluster)
    cluster.engine = leaving_open("trust", "alone")
    with pytest.raises(InvariantBroken) as broken:
        flow.run()
    assert broken.value.breach.rule in {"I1", "I3"}


@pytest.mark.usefixtures("uptake")
def test_without_the_removal_gate_a_ca_leaves_while_a_leaf_relies_on_it(cluster: WatchedCluster) -> None:
    """The operator's own leaf relies on it: the flow has no rule here that replaces it."""
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    cluster.engine = without(issue_operator_leaf)
    violations = flow.run().outcome.decision.violations
    assert {one.condition for one in violations} == {Condition.REMOVAL}
    cluster.engine = replace(cluster.engine, gates=leaving_open("removal").gates)
    with pytest.raises(InvariantBroken) as broken:
        flow.run()
    assert broken.value.breach.rule in {"I1", "I2", "I3"}


def test_a_component_that_presents_its_leaf_without_the_link_is_refused(
    cluster: WatchedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = issue.presented

    def presented(leaf: LeafSecret, certificate: Certificate, *arguments: Any) -> bytes:
        return whole(leaf, certificate, *arguments) if leaf.component is Component.KAFKA else certificate.pem

    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    monkeypatch.setattr(issue, "presented", presented)
    with pytest.raises(InvariantBroken) as broken:
        flow.run()
    assert broken.value.breach.rule in {"I1", "I3"}
