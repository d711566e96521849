# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster moves to a CA whose key cert-manager keeps, grows there, and moves back; with cert-manager's own controllers."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, parse_certificates

from ..tools.cluster.bed import Bed
from ..tools.cluster.cert_manager import start_cert_manager
from ..tools.cluster.corporate_issuer import set_up_issuer
from ..tools.cluster.kube import wait_for
from .resources import read_secret
from .running import Runner

#: The issuers that are asked are tested before the real cert-manager in every run, and in flows in memory.
pytestmark = pytest.mark.long

GROUP = "cert-manager.io/v1"
ISSUER = {"type": "cert_manager", "name": "corporate"}


@pytest.fixture(scope="module")
def corporate(bed: Bed, runner: Runner) -> Certificate:
    """The CA of the issuer, whose key only cert-manager reads."""
    namespace = runner.cluster.namespace
    start_cert_manager(bed, approving=namespace)
    return parse_certificates(set_up_issuer(runner.cluster.kube, namespace, "corporate").encode())[0]


def leaves(runner: Runner) -> dict[str, str]:
    """The issuer's name by the Secret of the leaf."""
    return {leaf["secret"]: leaf["issuer"] for leaf in runner.module("strimzi_ca_info")["leaves"]}


def requests(runner: Runner) -> list[str]:
    path = f"/apis/{GROUP}/namespaces/{runner.cluster.namespace}/certificaterequests"
    listed = runner.cluster.kube.request("GET", path).body["items"]
    return [one["metadata"]["name"] for one in listed if "strimzi.io/cluster" in (one["metadata"].get("labels") or {})]


def test_a_cluster_moves_to_cert_manager_grows_and_moves_back(runner: Runner, corporate: Certificate) -> None:
    certificate, before = corporate.pem.decode(), runner.cluster.node_uids("demo")
    moving: dict[str, Any] = {"strimzi_issuer": ISSUER, "strimzi_issue_timeout": 60, "strimzi_spare_leaves": 0}
    runner.flow("rotate_cluster_ca", strimzi_certificate=certificate, **moving).check()
    assert runner.restarts_since(before) == len(before)
    assert set(leaves(runner).values()) == {corporate.subject}
    assert requests(runner) == []
    assert read_secret(runner, "demo-cluster-ca")["ca.key"].startswith(b"The private key with the public key SHA-256")

    grown = _grow(runner, len(before) + 1)
    runner.flow("reconcile", **moving).check()
    runner.cluster.wait_until_ready("demo")
    assert set(runner.cluster.node_uids("demo")) == grown
    assert set(leaves(runner).values()) == {corporate.subject}

    _scale(runner, len(grown) + 1, {**moving, "strimzi_spare_leaves": 1})

    runner.flow("rotate_cluster_ca", strimzi_replaces=corporate.sha256, **moving).check()
    assert corporate.subject not in set(leaves(runner).values())
    assert b"PRIVATE KEY" in read_secret(runner, "demo-cluster-ca")["ca.key"]


def _grow(runner: Runner, replicas: int) -> set[str]:
    """A person who scales by hand waits: the operator can sign nothing."""
    path = f"/apis/kafka.strimzi.io/v1/namespaces/{runner.cluster.namespace}/kafkanodepools/kafka"
    patch, kind = {"spec": {"replicas": replicas}}, "application/merge-patch+json"
    assert runner.cluster.kube.request("PATCH", path, body=patch, content_type=kind).status == 200
    return {f"demo-kafka-{number}" for number in range(replicas)}


def _scale(runner: Runner, replicas: int, moving: dict[str, Any]) -> None:
    """A person who has the playbook scale does not wait: the certificate is at hand, and the operator never stands still."""
    runner.flow("reconcile", **moving).check()
    wait_for(lambda: not _open(runner, moving), "the certificate for the next node being at hand")
    told = runner.flow("status", strimzi_spare_leaves=1, strimzi_issuer=moving["strimzi_issuer"]).check().output
    assert re.search(rf"pool kafka: .* node {replicas - 1}\b", told)
    assert "nothing to do" in told
    planned = runner.flow("scale", "--check", "--diff", strimzi_node_pool="kafka", strimzi_replicas=replicas, **moving)
    assert planned.check().output.count("changed=1") == 1
    runner.flow("scale", strimzi_node_pool="kafka", strimzi_replicas=replicas, **moving).check()
    runner.cluster.wait_until_ready("demo")
    assert set(runner.cluster.node_uids("demo")) == {f"demo-kafka-{number}" for number in range(replicas)}


def _open(runner: Runner, moving: dict[str, Any]) -> list[int]:
    """Numbers of the next nodes whose certificates are still to come, after another run."""
    runner.flow("reconcile", **moving).check()
    (pool,) = runner.module("strimzi_ca_info")["node_pools"]
    return list(pool["awaited"])


BY_CERTIFICATES = {**ISSUER, "resource": "Certificate"}


def certificates(runner: Runner) -> dict[str, dict[str, Any]]:
    path = f"/apis/{GROUP}/namespaces/{runner.cluster.namespace}/certificates"
    listed = runner.cluster.kube.request("GET", path).body["items"]
    return {
        one["metadata"]["name"]: one for one in listed if "strimzi.io/cluster" in (one["metadata"].get("labels") or {})
    }


def renew(runner: Runner, name: str) -> None:
    """As ``cmctl renew`` does; to cert-manager it is as if the time had come."""
    found = certificates(runner)[name]
    condition = {
        "type": "Issuing", "status": "True", "reason": "ManuallyTriggered", "message": "it is time",
        "lastTransitionTime": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }  # fmt: skip
    path = f"/apis/{GROUP}/namespaces/{runner.cluster.namespace}/certificates/{name}/status"
    patch = {"status": {"conditions": [*found["status"]["conditions"], condition]}}
    done = runner.cluster.kube.request("PATCH", path, body=patch, content_type="application/merge-patch+json")
    assert done.status == 200, done.body


def test_a_cluster_moves_to_certificates_that_cert_manager_renews(runner: Runner, corporate: Certificate) -> None:
    name = "demo-kafka-0"
    moving: dict[str, Any] = {"strimzi_issuer": BY_CERTIFICATES, "strimzi_issue_timeout": 60, "strimzi_spare_leaves": 0}
    runner.flow("rotate_cluster_ca", strimzi_certificate=corporate.pem.decode(), **moving).check()
    assert set(leaves(runner).values()) == {corporate.subject}
    assert set(certificates(runner)) == set(leaves(runner))
    before = read_secret(runner, f"{name}-cm")["tls.crt"]
    assert read_secret(runner, name)[f"{name}.crt"].startswith(before)

    renew(runner, name)
    wait_for(lambda: read_secret(runner, f"{name}-cm").get("tls.crt", before) != before, "the renewal")
    assert read_secret(runner, name)[f"{name}.crt"].startswith(before)
    runner.flow("reconcile", **moving).check()
    runner.cluster.wait_until_ready("demo")
    assert read_secret(runner, name)[f"{name}.crt"].startswith(read_secret(runner, f"{name}-cm")["tls.crt"])
    assert read_secret(runner, name)[f"{name}.key"].startswith(b"-----BEGIN PRIVATE KEY-----")

    runner.flow("rotate_cluster_ca", strimzi_replaces=corporate.sha256, **moving).check()
    assert set(certificates(runner)) >= {name}
    runner.module("strimzi_ee_cert", state="tidied")
    assert certificates(runner) == {}
    assert read_secret(runner, f"{name}-cm") == {}
