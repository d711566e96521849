# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped Roles permit what the flows ask for, and nothing that none asks for (docs/rbac.yml)."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Forbidden
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.external.issuer import External
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.lease import TrustLease
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import SECRETS, Attempt
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.audit import read_lines
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_source import CaSourceReference
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.clients import OutsideOptions
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.node_pools import NO_GROWTH, Growth
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.reading import read_users
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import NamedSecret
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Layout
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.pools import Scaling

from ..tools.operator import clusters
from ..tools.support.authorities import root
from ..tools.support.flows import START, insisting, run_flow
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.restarts import Cost
from ..tools.support.roles import ByRoles, permissions
from ..tools.support.signing_office import SigningOffice
from ..tools.support.watched_cluster import CLUSTER, NAMESPACE, WatchedCluster
from .cases import CASES, PATIENT_REPLACEMENTS, Case, mostly_long

DOCUMENT = Path(__file__).parents[2] / "docs" / "rbac.yml"
ROLES: dict[str, list[dict[str, Any]]] = {
    role["metadata"]["name"].removeprefix("trustops-strimzi-"): role["rules"]
    for role in yaml.safe_load(DOCUMENT.read_text())["items"]
}
LOOKING, FLOWS = ROLES["looking"], [*ROLES["looking"], *ROLES["flows"]]
ALL = [*FLOWS, *ROLES["reload"]]
ISSUING = [*ALL, *ROLES["issuing"]]
LAYOUTS = [*FLOWS, *ROLES["layouts"]]
#: Where an outside issuer keeps the key of the CA.
TO_KNOW_WANTED_NODES = {("list", "kafkanodepools", "*")}
TO_READ_ADDRESSES = {("list", "services", "*"), ("list", "routes", "*")}
#: Where the CAs to trust are in a ConfigMap. The Role for reloads reads every one.
TO_READ_CAS = {("get", "configmaps", "corporate-roots")}
#: With the Role for looking alone; the Role for reloads reads every ConfigMap.
TO_READ_TRAIL = {("get", "configmaps", "demo-cluster-ca-audit")}
#: Through a websocket, which no test here opens; tests/unit/_kube/ has what it asks for.
TO_TELL = {("create", "events", "*")}
TO_REACH_NODES = {("create", "pods/portforward", "*"), ("get", "pods/portforward", "*")}


def test_the_begin_of_the_document_says_what_each_role_is_for() -> None:
    begin = DOCUMENT.read_text().partition("\n---\n")[0]
    listed = {
        name for line in re.findall(r"^#   ([a-z][a-z, -]*?)  ", begin, re.MULTILINE) for name in line.split(", ")
    }
    # "issuing" has a sentence of its own.
    assert listed | {"issuing"} == ROLES.keys()


def bound(cluster: WatchedCluster, rules: list[dict[str, Any]]) -> ByRoles:
    """From here on the collection may do what these rules say."""
    permitted = ByRoles(cluster.memory.api, rules)
    cluster.permitted = permitted
    return permitted


def three_nodes(*, generated: bool = False) -> list[dict[str, Any]]:
    """As the document names them."""
    return clusters.dual_role(CLUSTER, NAMESPACE, replicas=3, generated=generated)


@pytest.mark.parametrize("case", mostly_long(CASES))
def test_two_roles_are_enough_where_nodes_are_restarted(cluster: WatchedCluster, case: Case) -> None:
    permitted = bound(cluster, FLOWS)
    flow = case.begin(cluster, three_nodes)
    flow.finish(publishes_bundle=True)
    # The runs could not tell the operator of the key that was replaced before.
    cost = Cost(2, pauses=1) if case.goal is Goal.DOWNGRADE else flow.cost
    assert (permitted.refused, cluster.paid) == ([], cost)


@pytest.mark.parametrize("case", mostly_long([*CASES, *PATIENT_REPLACEMENTS]))
def test_three_roles_are_enough_for_a_reload(cluster: WatchedCluster, nodes: ReloadingNodes, case: Case) -> None:
    permitted = bound(cluster, ALL)
    flow = case.begin(cluster, three_nodes)
    flow.finish(publishes_bundle=True)
    assert (permitted.refused, cluster.paid) == ([], flow.cost)


@pytest.mark.parametrize("case", mostly_long(CASES))
def test_looking_is_enough_for_check_mode(cluster: WatchedCluster, case: Case) -> None:
    flow = case.begin(cluster, three_nodes)
    permitted = bound(cluster, LOOKING)
    run_flow(replace(cluster.work(flow.supplied), dry_run=True), flow.asked())
    assert permitted.refused == []


def test_a_node_that_no_role_names_holds_its_flow_which_then_goes_on(cluster: WatchedCluster) -> None:
    flow = Case(Goal.REPLACE_KEY).begin(cluster, three_nodes)
    names = [name for rule in FLOWS for name in rule.get("resourceNames", [])]
    assert "demo-kafka-2" in names
    bound(cluster, [{**rule, **_without("demo-kafka-2", rule)} for rule in FLOWS])
    with pytest.raises(Forbidden) as refused:
        flow.run()
    assert refused.value.attempt == Attempt("patch", SECRETS, "kafka", "demo-kafka-2")
    assert "resourceNames: [demo-kafka-2]" in refused.value.remedy
    assert not cluster.paused
    bound(cluster, FLOWS)
    flow.finish()


def _without(name: str, rule: dict[str, Any]) -> dict[str, Any]:
    return {"resourceNames": [one for one in rule["resourceNames"] if one != name]} if "resourceNames" in rule else {}


def test_the_roles_permit_only_what_the_flows_use(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    """path_length: a Deployment would refuse a link certificate, and restarts first. Clients get no time, so the CA is not renewed instead."""
    # Where nodes are added, the Roles name their Secrets too.
    rules = [_grown(rule) for rule in ALL]
    permitted = bound(cluster, rules)
    cluster.path_length, cluster.backs_up, cluster.audits = 0, True, True
    cluster.create(manifests=three_nodes())
    cluster.outside = OutsideOptions((NamedSecret(NAMESPACE, "app"),))
    assert cluster.run(Goal.REPLACE_KEY, publishes_bundle=True, client_grace=timedelta(0)).outcome.decision.violations
    cluster.outside = OutsideOptions(())
    for goal in (Goal.REPLACE_KEY, Goal.RENEW):
        cluster.finish(goal, publishes_bundle=True, client_grace=timedelta(0))
    cluster.growth = Growth(0, scaling=Scaling("kafka", 4))
    cluster.run(Goal.RECONCILE, scaling=cluster.growth.scaling, last_phase=Phase.USE)
    cluster.growth = NO_GROWTH
    cluster.memory.settle(3)
    cluster.finish(Goal.DOWNGRADE, publishes_bundle=True)
    for holder in ("killed", "next"):
        lease_for(cluster, holder).acquire()
    assert lease_for(cluster, "next").release()
    assert lease_for(cluster, "next").delete()
    assert (
        permissions(rules) - permitted.used
        == TO_REACH_NODES | TO_TELL | TO_READ_CAS | TO_READ_ADDRESSES | TO_READ_TRAIL
    )


def _grown(rule: dict[str, Any]) -> dict[str, Any]:
    """The rule for four nodes where it names the three of the document."""
    known = rule.get("resourceNames", [])
    return {**rule, "resourceNames": [*known, "demo-kafka-3"]} if "demo-kafka-2" in known else rule


def test_looking_is_enough_to_read_the_cas_to_trust(cluster: WatchedCluster) -> None:
    cluster.create()
    path, corporate = f"/api/v1/namespaces/{NAMESPACE}/configmaps", root()
    body = {"kind": "ConfigMap", "metadata": {"name": "corporate-roots"}, "data": {"ca.crt": corporate.pem.decode()}}
    assert cluster.memory.api.request("POST", path, body=body).status == 201
    permitted = bound(cluster, LOOKING)
    cluster.source = CaSourceReference("ConfigMap", NAMESPACE, "corporate-roots", "ca.crt")
    found = run_flow(replace(cluster.work(), dry_run=True), cluster.intent(Goal.RECONCILE))
    assert corporate.chain[0].sha256 in found.outcome.decision.waiting[0]
    assert read_lines(cluster.work().client, cluster.work().scope) == []
    assert (permitted.refused, permitted.used >= TO_READ_CAS | TO_READ_TRAIL) == ([], True)


def test_four_roles_are_enough_where_an_outside_issuer_keeps_the_key(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    """And each rule of the fourth is used: a refused request is made again, which changes what is stored."""
    permitted = bound(cluster, ISSUING)
    cluster.create(manifests=three_nodes())
    supplied = replace(root("Corporate Root"), elsewhere=True)
    office = SigningOffice(cluster.memory, supplied, START)
    asked: dict[str, Any] = {"external_issuer": External.reference}
    cluster.run(Goal.REPLACE_KEY, supplied, **asked)
    for secret, name in office.requests():
        office.put_back(secret, name, b"no certificate")
    cluster.run(Goal.REPLACE_KEY, supplied, **asked)
    cluster.run(Goal.REPLACE_KEY, supplied, **asked, retry_requested_at=insisting(cluster.work()))
    office.work()
    cluster.finish(Goal.REPLACE_KEY, supplied, **asked)
    assert permitted.refused == []
    assert permissions(ROLES["issuing"]) | TO_KNOW_WANTED_NODES <= permitted.used
    assert not TO_READ_ADDRESSES & permitted.used


def test_another_role_is_enough_for_a_ledger_in_other_secrets(cluster: WatchedCluster) -> None:
    """And each rule of it is used."""
    permitted = bound(cluster, LAYOUTS)
    cluster.create(manifests=three_nodes())
    kept = ((Layout.SPLIT, Goal.RENEW), (Layout.KEYED, Goal.REPLACE_KEY), (Layout.SPLIT, Goal.RENEW))
    for layout, goal in kept:
        cluster.run(Goal.RECONCILE, layout=layout)
        cluster.finish(goal)
    cluster.finish(Goal.DOWNGRADE)
    assert permitted.refused == []
    assert permissions(ROLES["layouts"]) <= permitted.used


def test_another_role_is_enough_to_show_users(cluster: WatchedCluster) -> None:
    """And each rule of it is used."""
    cluster.create()
    user = {
        "metadata": {"name": "orders", "labels": {"strimzi.io/cluster": CLUSTER}},
        "spec": {"authentication": {"type": "tls"}},
    }
    path = f"/apis/kafka.strimzi.io/v1/namespaces/{NAMESPACE}/kafkausers"
    assert cluster.memory.api.request("POST", path, body=user).status == 201
    permitted = bound(cluster, [*LOOKING, *ROLES["users"]])
    work = cluster.work()
    assert [one.name for one in read_users(work.client, work.scope, START).users] == ["orders"]
    assert permitted.refused == []
    assert read_lines(work.client, work.scope.other_ca) == []
    assert permissions(ROLES["users"]) <= permitted.used


def test_looking_is_enough_to_read_the_addresses_of_listeners(cluster: WatchedCluster) -> None:
    """Where an outside issuer keeps the key of the CA, and only there."""
    cluster.create(manifests=three_nodes())
    kinds = ("loadbalancer", "route")
    listeners = [{"name": kind, "port": 9095, "type": kind, "tls": True} for kind in kinds]
    cluster.change("kafkas", CLUSTER, {"spec": {"kafka": {"listeners": listeners}}})
    permitted = bound(cluster, LOOKING)
    cluster.work().observe()
    assert not TO_READ_ADDRESSES & permitted.used
    kept = b"The private key with the public key SHA-256 " + b"0" * 64 + b" is kept elsewhere."
    cluster.put("demo-cluster-ca", ca_key=kept)
    cluster.work().observe()
    assert (permitted.refused, permitted.used >= TO_READ_ADDRESSES) == ([], True)


def lease_for(cluster: WatchedCluster, holder: str) -> TrustLease:
    work = cluster.work()
    return TrustLease(
        work.client, NAMESPACE, work.scope.lease, holder, now=work.clock.now, monotonic=work.clock.monotonic
    )
