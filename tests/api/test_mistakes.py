"""Mistakes that users make: the message names object, cause and remedy, and nothing is changed."""

from __future__ import annotations

import pytest

from ..tools.operator import clusters
from .running import Runner

#: Modules and roles refuse each of them without an API server in every run of the tests.
pytestmark = pytest.mark.long


def refused(runner: Runner, playbook: str, *texts: str, **variables: str | dict[str, str]) -> None:
    since = runner.audit_lines()
    finished = runner.flow(playbook, **variables)
    assert finished.code != 0
    for text in texts:
        assert text in finished.output, finished.output[-2500:]
    assert [w for w in runner.writes_in_audit_log(since) if "leases/" not in w] == []


def test_unknown_cluster(runner: Runner) -> None:
    refused(runner, "renew", "does not exist", "names of cluster and namespace", strimzi_cluster="absent")


def test_unknown_namespace(runner: Runner) -> None:
    refused(runner, "renew", "does not exist", "names of cluster and namespace", strimzi_namespace="nowhere")


def test_misspelt_variable(runner: Runner) -> None:
    refused(runner, "renew", "No role reads strimzi_untill_phase", strimzi_untill_phase="trust")


def test_variables_that_no_role_reads(runner: Runner) -> None:
    refused(runner, "renew", "No role reads strimzi_way", "There is one way of working now", strimzi_way="takeover")
    refused(runner, "renew", "No role reads strimzi_bridge", "A link certificate is used", strimzi_bridge="never")


def test_a_goal_that_cannot_be_planned(runner: Runner) -> None:
    refused(runner, "plan", "strimzi_goal: scale is no flow that can be planned.", strimzi_goal="scale")


def test_unknown_fingerprint(runner: Runner) -> None:
    refused(runner, "rotate-cluster-ca", "has no CA with the fingerprint", strimzi_replaces="ab" * 20)


def test_a_source_of_cas_that_is_not_there(runner: Runner) -> None:
    missing = {"kind": "ConfigMap", "name": "corporate-roots"}
    where = f"ConfigMap {runner.cluster.namespace}/corporate-roots, entry ca.crt"
    refused(
        runner, "reconcile", f"{where}: does not exist", "correct kind, namespace and name", strimzi_ca_source=missing
    )


def test_two_ways_of_saying_which_ca(runner: Runner) -> None:
    both = {"strimzi_ca_source": {"name": "corporate-roots"}, "strimzi_certificate": "a certificate"}
    refused(runner, "rotate-cluster-ca", "mutually exclusive", "certificate", "ca_source", **both)


def test_a_key_where_only_cas_belong(runner: Runner) -> None:
    """The Secret of the CA itself."""
    own = {"name": "demo-cluster-ca", "key": "ca.key"}
    refused(runner, "reconcile", "holds a private key", "Name an object with certificates alone", strimzi_ca_source=own)


def test_generated_authority(runner: Runner) -> None:
    cluster = runner.cluster
    cluster.kube.apply(clusters.dual_role("theirs", cluster.namespace, generated=True))
    cluster.wait_until_ready("theirs")
    refused(runner, "rotate-cluster-ca", "the operator generates", "upgrade playbook", strimzi_cluster="theirs")
    secret = f"/api/v1/namespaces/{cluster.namespace}/secrets/theirs-cluster-ca"
    cluster.kube.request("PATCH", f"/apis/kafka.strimzi.io/v1/namespaces/{cluster.namespace}/kafkas/theirs", body={
        "metadata": {"annotations": {"strimzi.io/pause-reconciliation": "true"}},
    }, content_type="application/merge-patch+json")  # fmt: skip
    refused(runner, "upgrade", "is paused", "not by this collection", strimzi_cluster="theirs")
    assert cluster.kube.request("GET", secret).status == 200


def test_absent_operator(runner: Runner) -> None:
    cluster = runner.cluster
    cluster.kube.apply([clusters.kafka("unseen", "default")])
    refused(
        runner, "renew", "is reconciled by no Cluster Operator", strimzi_cluster="unseen",
        strimzi_namespace="default",
    )  # fmt: skip


@pytest.mark.parametrize("annotation", ["force-renew"])
def test_left_over_trigger(runner: Runner, annotation: str) -> None:
    path = f"/api/v1/namespaces/{runner.cluster.namespace}/secrets/demo-cluster-ca-cert"

    def mark(value: str | None) -> None:
        body = {"metadata": {"annotations": {f"strimzi.io/{annotation}": value}}}
        runner.cluster.kube.request("PATCH", path, body=body, content_type="application/merge-patch+json")

    mark("true")
    try:
        refused(runner, "renew", f"strimzi.io/{annotation}", "left over", "Remove this annotation")
    finally:
        mark(None)
