# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Strimzi 0.51 on a real API server, which serves v1beta2 beside v1 and stores it (docs/operator.md, "The API before v1")."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from ..tools.cluster.bed import Bed
from ..tools.cluster.bed_cluster import BedCluster
from ..tools.cluster.versions import OLDEST_STRIMZI
from ..tools.operator import clusters
from .running import Runner

Object = dict[str, Any]
PLACE = "/apis/kafka.strimzi.io/v1beta2/namespaces/test-releases"
MIRROR: Object = {
    "apiVersion": "kafka.strimzi.io/v1beta2",
    "kind": "KafkaMirrorMaker2",
    "metadata": {"name": "mirror", "namespace": "test-releases"},
    "spec": {
        "replicas": 1,
        "connectCluster": "here",
        "clusters": [
            {"alias": "there", "bootstrapServers": "there:9093"},
            {
                "alias": "here",
                "bootstrapServers": "demo-kafka-bootstrap:9093",
                "tls": {"trustedCertificates": [{"secretName": "demo-cluster-ca-cert", "pattern": "*.crt"}]},
            },
        ],
        "mirrors": [{"sourceCluster": "there", "targetCluster": "here"}],
    },
}


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    """A Ready cluster as people wrote it for v1beta2, with the operator's own CA."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "only")
    with Bed(f"releases-{worker}", pod_start_seconds=0.5, strimzi=OLDEST_STRIMZI) as bed:
        cluster = BedCluster(bed, "test-releases")
        cluster.start(interval=10)
        cluster.kube.apply(clusters.before_v1(clusters.dual_role("demo", cluster.namespace, generated=True)))
        cluster.wait_until_ready("demo")
        yield Runner(cluster)
        cluster.stop_operator()


def stored(runner: Runner) -> Object:
    """The Kafka resource, whole."""
    return runner.cluster.kube.request("GET", f"{PLACE}/kafkas/demo").body


def test_a_pause_takes_no_field_away(runner: Runner) -> None:
    before = stored(runner)["spec"]
    for state in ("paused", "resumed"):
        assert runner.module("strimzi_reconciliation", state=state)["changed"]
        assert stored(runner)["spec"] == before


@pytest.mark.long
def test_a_cluster_is_adopted_rotated_renewed_and_handed_back_and_keeps_each_field(runner: Runner) -> None:
    before, uids = stored(runner), runner.cluster.node_uids("demo")
    assert {"replicas", "storage", "resources"} <= before["spec"]["kafka"].keys()
    assert before["status"]["operatorLastSuccessfulVersion"] == OLDEST_STRIMZI
    runner.flow("upgrade").check()
    assert runner.cluster.node_uids("demo") == uids
    runner.flow("rotate_cluster_ca").check()
    assert not uids.items() & runner.cluster.node_uids("demo").items()
    for playbook in ("renew", "downgrade"):
        runner.flow(playbook).check()
    after = stored(runner)
    assert after["spec"]["clusterCa"].pop("generateCertificateAuthority")
    before["spec"]["clusterCa"].pop("generateCertificateAuthority")
    assert after["spec"] == before["spec"]


def test_a_mirror_maker_of_v1beta2_is_known_as_a_client(runner: Runner) -> None:
    runner.cluster.kube.request("POST", f"{PLACE}/kafkamirrormaker2s", body=MIRROR)
    found = runner.module("strimzi_ca_info")["outside"]
    assert [client["client"] for client in found] == ["KafkaMirrorMaker2 test-releases/mirror"]
