# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster moves to a CA whose key cert-manager keeps, grows there, and moves back; with cert-manager's own controllers."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, parse_certificates

from ..cluster.bed import Bed
from ..cluster.cert_manager import start_cert_manager
from ..cluster.kube import wait_for
from .running import Runner

GROUP = "cert-manager.io/v1"
ISSUER = {"type": "cert_manager", "name": "corporate"}


def manifest(kind: str, name: str, namespace: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": GROUP, "kind": kind, "metadata": {"name": name, "namespace": namespace}, "spec": spec}


def data(runner: Runner, secret: str) -> dict[str, bytes]:
    found = runner.cluster.kube.request("GET", f"/api/v1/namespaces/{runner.cluster.namespace}/secrets/{secret}").body
    return {name: base64.b64decode(value) for name, value in (found.get("data") or {}).items()}


@pytest.fixture(scope="module")
def corporate(bed: Bed, runner: Runner) -> Certificate:
    """The CA of the issuer, whose key only cert-manager reads."""
    namespace = runner.cluster.namespace
    start_cert_manager(bed, approving=namespace)
    spec = {
        "isCA": True, "commonName": "corporate", "secretName": "corporate", "issuerRef": {"name": "selfsigned"},
        "duration": "17520h", "privateKey": {"algorithm": "ECDSA", "size": 256},
    }  # fmt: skip
    runner.cluster.kube.apply([
        manifest("Issuer", "selfsigned", namespace, {"selfSigned": {}}),
        manifest("Certificate", "corporate", namespace, spec),
    ])  # fmt: skip
    wait_for(lambda: "tls.crt" in data(runner, "corporate"), "the corporate CA being made")
    runner.cluster.kube.apply([manifest("Issuer", "corporate", namespace, {"ca": {"secretName": "corporate"}})])
    return parse_certificates(data(runner, "corporate")["tls.crt"])[0]


def leaves(runner: Runner) -> dict[str, str]:
    """The issuer's name by the Secret of the leaf."""
    return {leaf["secret"]: leaf["issuer"] for leaf in runner.module("strimzi_ca_info")["leaves"]}


def requests(runner: Runner) -> list[str]:
    path = f"/apis/{GROUP}/namespaces/{runner.cluster.namespace}/certificaterequests"
    listed = runner.cluster.kube.request("GET", path).body["items"]
    return [one["metadata"]["name"] for one in listed if "strimzi.io/cluster" in (one["metadata"].get("labels") or {})]


def test_there_more_nodes_and_back(runner: Runner, corporate: Certificate) -> None:
    certificate, before = corporate.pem.decode(), runner.cluster.node_uids("demo")
    moving: dict[str, Any] = {"strimzi_issuer": ISSUER, "strimzi_issue_timeout": 60}
    runner.flow("rotate_cluster_ca", strimzi_certificate=certificate, **moving).check()
    assert runner.restarts_since(before) == len(before)
    assert set(leaves(runner).values()) == {corporate.subject}
    assert requests(runner) == []
    assert data(runner, "demo-cluster-ca")["ca.key"].startswith(b"The private key with the public key SHA-256")

    grown = _grow(runner, len(before) + 1)
    runner.flow("reconcile", **moving).check()
    runner.cluster.wait_until_ready("demo")
    assert set(runner.cluster.node_uids("demo")) == grown
    assert set(leaves(runner).values()) == {corporate.subject}

    runner.flow("rotate_cluster_ca", strimzi_replaces=corporate.sha256, **moving).check()
    assert corporate.subject not in set(leaves(runner).values())
    assert b"PRIVATE KEY" in data(runner, "demo-cluster-ca")["ca.key"]


def _grow(runner: Runner, replicas: int) -> set[str]:
    """Who scales by hand waits: the operator can sign nothing."""
    path = f"/apis/kafka.strimzi.io/v1/namespaces/{runner.cluster.namespace}/kafkanodepools/kafka"
    patch, kind = {"spec": {"replicas": replicas}}, "application/merge-patch+json"
    assert runner.cluster.kube.request("PATCH", path, body=patch, content_type=kind).status == 200
    return {f"demo-kafka-{number}" for number in range(replicas)}
