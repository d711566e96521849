# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator puts another DNS domain into names than most do, and has no key: requests carry that domain, of every component."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import generate_key, load_key
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import build_request
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import Forecast

from ..tools.operator import certs, leaves
from ..tools.support.authorities import Authority, root
from ..tools.support.golden import GoldenFiles
from ..tools.support.watched_cluster import NAMESPACE, WatchedCluster
from .test_kept_elsewhere import ASKED, elsewhere, moved, office

CRUISE_CONTROL = "demo-cruise-control-certs"
DOMAIN = "corp.internal"


@pytest.fixture(autouse=True)
def _other_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaves, "DOMAIN", DOMAIN)


def domains(cluster: WatchedCluster, secret: str) -> set[str]:
    """Of the names in a stored leaf."""
    content = next(pem for entry, pem in cluster.secret(secret).items() if entry.endswith(".crt"))
    names = certs.names_of(certs.load(content)[0])
    return {name.split(".svc.", 1)[1] for name in names if ".svc." in name}


def create(cluster: WatchedCluster, supplied: Authority) -> Any:
    """Until the operator is content, or says why it is not."""
    cluster.run(Goal.CREATE, supplied, external_issuer=ASKED)
    cluster.deploy()
    cluster.run(Goal.CREATE, supplied, external_issuer=ASKED)
    office(cluster, supplied).work()
    return cluster.run(Goal.CREATE, supplied, external_issuer=ASKED).outcome.decision


def test_a_new_cluster_whose_caller_gives_the_domain(cluster: WatchedCluster) -> None:
    cluster.dns_domain = DOMAIN
    supplied = elsewhere(root("Corporate Root"))
    create(cluster, supplied)
    cluster.memory.settle(2)
    cluster.finish(Goal.CREATE, supplied, external_issuer=ASKED)
    assert cluster.ready
    assert domains(cluster, "demo-kafka-0") == domains(cluster, CRUISE_CONTROL) == {DOMAIN}


def test_without_it_the_operator_says_what_it_cannot_use_and_the_option_mends_it(
    cluster: WatchedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    supplied = elsewhere(root("Corporate Root"))
    decision = create(cluster, supplied)
    assert not decision.done
    assert {one.condition for one in decision.violations} == {Condition.VERDICT}
    (violation,) = decision.violations
    assert "than cluster.local" in violation.remedy
    assert "dns_domain (strimzi_dns_domain)" in violation.remedy
    assert domains(cluster, "demo-kafka-0") == {"cluster.local"}
    cluster.dns_domain = DOMAIN
    cluster.run(Goal.CREATE, supplied, external_issuer=ASKED)
    office(cluster, supplied).work()
    cluster.run(Goal.RECONCILE, external_issuer=ASKED)
    cluster.memory.settle(2)
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert cluster.ready
    assert domains(cluster, "demo-kafka-0") == domains(cluster, CRUISE_CONTROL) == {DOMAIN}


def planned(cluster: WatchedCluster, supplied: Authority) -> Forecast:
    work, intent = cluster.work(supplied), cluster.intent(Goal.CREATE, supplied, external_issuer=ASKED)
    return plan(work, inspect(work, intent), intent)


def told(cluster: WatchedCluster, supplied: Authority) -> str:
    """The sentence of the plan about the domain."""
    (choice,) = (one for one in planned(cluster, supplied).choices if "names in them end in" in one)
    return choice


def operator_pod(cluster: WatchedCluster, domain: str) -> None:
    """The operator runs in the namespace of the cluster."""
    cluster.memory.apply({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "strimzi-cluster-operator", "labels": {"strimzi.io/kind": "cluster-operator"}},
        "spec": {"containers": [
            {"name": "strimzi-cluster-operator", "env": [{"name": "KUBERNETES_SERVICE_DNS_DOMAIN", "value": domain}]}
        ]},
    })  # fmt: skip
    pod = cluster.memory.api.find("pods", NAMESPACE, "strimzi-cluster-operator") or {}
    # It reads no trust of the cluster when it starts.
    cluster.memory.kubelet.processes.pop(pod["metadata"]["uid"])


def neighbour(cluster: WatchedCluster) -> None:
    """A node of another Kafka cluster in the namespace has a certificate of the operator."""
    key, names = generate_key(cluster.leaf_key), ["other-kafka-0", f"other-kafka-brokers.{NAMESPACE}.svc.{DOMAIN}"]
    signed = office(cluster, root("Other CA")).sign(build_request(DistinguishedName("other-kafka"), names, key))
    labels = {"strimzi.io/cluster": "other", "strimzi.io/kind": "Kafka", "strimzi.io/name": "other-kafka"}
    cluster.memory.apply({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "other-kafka-0", "labels": labels},
        "data": {"other-kafka-0.crt": b64encode(signed).decode()},
    })  # fmt: skip


def test_before_the_first_request_the_plan_says_that_a_wrong_domain_costs_a_second_issuance(
    cluster: WatchedCluster, golden: GoldenFiles
) -> None:
    """Of the first CA, of the requests, and of a run that waits for their answers."""
    supplied = elsewhere(root("Corporate Root"))
    sentences = [told(cluster, supplied)]
    cluster.run(Goal.CREATE, supplied, external_issuer=ASKED)
    cluster.deploy()
    sentences.append(told(cluster, supplied))
    (asking,) = (step.what for step in planned(cluster, supplied).steps if step.kind == "AskForLeaves")
    waiting = cluster.run(Goal.CREATE, supplied, external_issuer=ASKED).outcome.decision.waiting
    sentences += [sentence for sentence in waiting if "names in them" in sentence]
    assert len(sentences) == 3
    golden.compare_said("flows", "\n".join([asking, *sentences]))


@pytest.mark.parametrize(
    ("shows", "because"),
    [
        (lambda cluster: operator_pod(cluster, DOMAIN), "the environment of the Cluster Operator says so."),
        (neighbour, "the certificates of other Kafka clusters in the namespace have it."),
        (lambda cluster: setattr(cluster, "dns_domain", DOMAIN), "dns_domain (strimzi_dns_domain) says so."),
    ],
    ids=["the operator", "another cluster", "the caller"],
)
def test_a_new_cluster_gets_the_domain_that_something_shows(
    cluster: WatchedCluster, shows: Callable[[WatchedCluster], None], because: str
) -> None:
    """The first certificates are accepted, and the plan says what shows it."""
    supplied = elsewhere(root("Corporate Root"))
    shows(cluster)
    assert f"end in {DOMAIN}: {because}" in told(cluster, supplied)
    cluster.run(Goal.CREATE, supplied, external_issuer=ASKED)
    cluster.deploy()
    assert f"end in {DOMAIN}: {because}" in told(cluster, supplied)
    waiting = cluster.run(Goal.CREATE, supplied, external_issuer=ASKED).outcome.decision.waiting
    assert not any("strimzi_dns_domain" in sentence for sentence in waiting)
    signing = office(cluster, supplied)
    signing.work()
    cluster.run(Goal.CREATE, supplied, external_issuer=ASKED)
    cluster.memory.settle(2)
    cluster.finish(Goal.CREATE, supplied, external_issuer=ASKED)
    assert cluster.ready
    assert domains(cluster, "demo-kafka-0") == domains(cluster, CRUISE_CONTROL) == {DOMAIN}
    assert len(signing.signed) == len(set(signing.signed))


def test_the_operator_shows_it_when_it_accepts_no_certificate(cluster: WatchedCluster) -> None:
    """Its certificates are requested again without a word of the caller."""
    supplied = elsewhere(root("Corporate Root"))
    create(cluster, supplied)
    assert domains(cluster, "demo-kafka-0") == {"cluster.local"}
    operator_pod(cluster, DOMAIN)
    cluster.run(Goal.RECONCILE, external_issuer=ASKED)
    office(cluster, supplied).work()
    cluster.run(Goal.RECONCILE, external_issuer=ASKED)
    cluster.memory.settle(2)
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert cluster.ready
    assert domains(cluster, "demo-kafka-0") == domains(cluster, CRUISE_CONTROL) == {DOMAIN}


@pytest.mark.parametrize("happens", ["is lost", "is wrong"])
def test_cruise_control_gets_the_domain_of_the_nodes(cluster: WatchedCluster, happens: str) -> None:
    """Also where a certificate with another domain is stored."""
    cluster.create()
    supplied = elsewhere(root("Corporate Root"))
    signing = moved(cluster, supplied)
    assert domains(cluster, CRUISE_CONTROL) == {DOMAIN}
    if happens == "is lost":
        cluster.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/secrets/{CRUISE_CONTROL}")
    else:
        key = load_key(cluster.secret(CRUISE_CONTROL)["cruise-control.key"])
        names = ["localhost", "demo-cruise-control.kafka.svc.cluster.local"]
        signed = signing.sign(build_request(DistinguishedName("demo-cruise-control"), names, key))
        cluster.put(CRUISE_CONTROL, **{"cruise-control_crt": signed})
    cluster.memory.settle(2)
    assert not cluster.ready
    cluster.run(Goal.RECONCILE, external_issuer=ASKED)
    signing.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert cluster.ready
    assert domains(cluster, CRUISE_CONTROL) == {DOMAIN}
