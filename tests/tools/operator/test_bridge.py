# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A key replaced in two rolls: old CA A, new CA B, X is B's key certified by A (docs/operator.md, "Path lengths")."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from cryptography.hazmat.primitives.hashes import SHA256

from .authorities import UserCa
from .by_hand import OPERATOR, nodes
from .operated_cluster import OperatedCluster, certificates, issued_by

SECRET = "demo-cluster-ca-cert"


@dataclass(frozen=True)
class Bridged:
    """A cluster after the first update, still paused."""

    cluster: OperatedCluster
    a: UserCa
    b: UserCa
    x: UserCa


@pytest.fixture(params=[False, True], ids=["dual role", "separate controllers"])
def bridged(request: pytest.FixtureRequest, cluster: OperatedCluster) -> Bridged:
    a, b = cluster.ca("a"), cluster.ca("b")
    x = cluster.ca("b", a, key=b.private_key)
    cluster.bring("cluster", a)
    cluster.start(generated=False, separate=request.param)
    cluster.pause()
    cluster.step()
    entries = {"ca.crt": x.pem + a.pem, "a.crt": a.pem, "b.crt": b.pem}
    cluster.bring("cluster", b, certificates=entries, generations=(1, 0))
    cluster.annotate("secrets", OPERATOR, cluster_ca_cert_generation="1")
    return Bridged(cluster, a, b, x)


def _resume(cluster: OperatedCluster) -> None:
    cluster.pause(False)
    cluster.step(3)
    assert cluster.is_ready()


def _trusted(cluster: OperatedCluster) -> list[set[bytes]]:
    """Fingerprints of the trusted certificates that each node has loaded."""
    return [
        {certificate.fingerprint(SHA256()) for certificate in certificates(process.trusted)}
        for process in cluster.processes()
    ]


def _fingerprints(*cas: UserCa) -> set[bytes]:
    return {ca.certificate.fingerprint(SHA256()) for ca in cas}


def test_the_first_update_is_one_roll(bridged: Bridged) -> None:
    """1: each pod that restarts presents leaf, X and A."""
    cluster = bridged.cluster
    _resume(cluster)
    assert set(cluster.rolls()) == {1}
    for process in cluster.processes():
        ((_secret, presented),) = process.presented
        assert presented.endswith(bridged.x.pem + bridged.a.pem)
        assert issued_by(presented, bridged.x.pem)


def test_the_operators_certificate_stays_when_it_has_the_generation(bridged: Bridged) -> None:
    """1: re-annotated only, its certificate stays A's, which every process trusts."""
    own = bridged.cluster.existing("secrets", OPERATOR)["data"]
    _resume(bridged.cluster)
    assert bridged.cluster.existing("secrets", OPERATOR)["data"] == own


def test_without_the_generation_the_operators_certificate_is_of_the_new_key(bridged: Bridged) -> None:
    """docs/operator.md, "Re-issue" (b), and it has no chain: nodes that trust A alone would refuse it. Hence the above."""
    bridged.cluster.annotate("secrets", OPERATOR, cluster_ca_cert_generation="0")
    _resume(bridged.cluster)
    own = bridged.cluster.entries(OPERATOR)["cluster-operator.crt"]
    assert issued_by(own, bridged.b.pem)
    assert len(certificates(own)) == 1


def test_nodes_trust_what_is_first_in_an_entry(bridged: Bridged) -> None:
    """1: "nodes not yet rolled trust only A, rolled ones trust both"; of X‖A it is X that becomes an anchor."""
    cluster, old = bridged.cluster, _fingerprints(bridged.a)
    seen: list[set[bytes]] = []
    cluster.api.listeners.append(lambda change: seen.extend(_trusted(cluster)) if change.plural == "pods" else None)
    assert _trusted(cluster) == [old] * len(nodes(cluster))
    _resume(cluster)
    assert {frozenset(trusted) for trusted in seen} == {
        frozenset(old),
        frozenset(old | _fingerprints(bridged.b, bridged.x)),
    }
    cluster.bring("cluster", bridged.b, certificates={"ca.crt": bridged.x.pem + bridged.a.pem}, generations=(1, 0))
    for pod_set in cluster.versions("strimzipodsets"):
        cluster.annotate("strimzipodsets", pod_set, manual_rolling_update="true")
    cluster.step(2)
    assert _trusted(cluster) == [_fingerprints(bridged.x)] * len(nodes(cluster))


def test_the_second_update_is_one_roll_after_which_only_the_new_ca_is_trusted(bridged: Bridged) -> None:
    """2: the bundle shrinks before the roll, the operator's certificate and the nodes' are of B; two rolls in all."""
    cluster, new = bridged.cluster, _fingerprints(bridged.b)
    _resume(cluster)
    order: list[str] = []
    cluster.api.listeners.append(lambda change: order.append(f"{change.verb} {change.name}"))
    cluster.bring("cluster", bridged.b, generations=(2, 0))
    cluster.step(3)
    assert cluster.is_ready()
    assert set(cluster.rolls()) == {2}
    assert _trusted(cluster) == [new] * len(nodes(cluster))
    restarts = [line for line in order if line.startswith("delete") and line.split()[1] in nodes(cluster)]
    first = order.index(restarts[0])
    assert order.index("update demo-trustbundle") < order.index(f"update {OPERATOR}") < first
    assert issued_by(cluster.entries(OPERATOR)["cluster-operator.crt"], bridged.b.pem)
    for process in cluster.processes():
        ((_secret, presented),) = process.presented
        assert presented.endswith(bridged.b.pem)
        assert len(certificates(presented)) == 2
