# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A key replaced in two rolls: old CA A, new CA B, X is B's key certified by A (operator-facts "The bridge")."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from cryptography.hazmat.primitives.hashes import SHA256

from .authorities import UserCa
from .bed import Bed, certificates, issued_by
from .by_hand import OPERATOR, nodes

SECRET = "demo-cluster-ca-cert"


@dataclass(frozen=True)
class Bridged:
    """A cluster after the first update, still paused."""

    bed: Bed
    a: UserCa
    b: UserCa
    x: UserCa


@pytest.fixture(params=[False, True], ids=["dual role", "separate controllers"])
def bridged(request: pytest.FixtureRequest, bed: Bed) -> Bridged:
    a, b = bed.ca("a"), bed.ca("b")
    x = bed.ca("b", a, key=b.private_key)
    bed.bring("cluster", a)
    bed.start(generated=False, separate=request.param)
    bed.pause()
    bed.step()
    entries = {"ca.crt": x.pem + a.pem, "a.crt": a.pem, "b.crt": b.pem}
    bed.bring("cluster", b, certificates=entries, generations=(1, 0))
    bed.annotate("secrets", OPERATOR, cluster_ca_cert_generation="1")
    return Bridged(bed, a, b, x)


def _resume(bed: Bed) -> None:
    bed.pause(False)
    bed.step(3)
    assert bed.is_ready()


def _trusted(bed: Bed) -> list[set[bytes]]:
    """What each node has loaded."""
    return [{one.fingerprint(SHA256()) for one in certificates(process.trusted)} for process in bed.processes()]


def _fingerprints(*cas: UserCa) -> set[bytes]:
    return {ca.certificate.fingerprint(SHA256()) for ca in cas}


def test_the_first_update_is_one_roll(bridged: Bridged) -> None:
    """1: leaf, X and A presented, by everybody who is rolled."""
    bed = bridged.bed
    _resume(bed)
    assert set(bed.rolls()) == {1}
    for process in bed.processes():
        ((_secret, presented),) = process.presented
        assert presented.endswith(bridged.x.pem + bridged.a.pem)
        assert issued_by(presented, bridged.x.pem)


def test_the_operators_certificate_stays_when_it_has_the_generation(bridged: Bridged) -> None:
    """1: re-annotated only, its certificate stays A's, which everybody trusts."""
    own = bridged.bed.existing("secrets", OPERATOR)["data"]
    _resume(bridged.bed)
    assert bridged.bed.existing("secrets", OPERATOR)["data"] == own


def test_without_the_generation_the_operators_certificate_is_of_the_new_key(bridged: Bridged) -> None:
    """2.3 of strimzi.md, rule (b), and it has no chain: nodes that trust A alone would refuse it. Hence the above."""
    bridged.bed.annotate("secrets", OPERATOR, cluster_ca_cert_generation="0")
    _resume(bridged.bed)
    own = bridged.bed.entries(OPERATOR)["cluster-operator.crt"]
    assert issued_by(own, bridged.b.pem)
    assert len(certificates(own)) == 1


def test_nodes_trust_what_is_first_in_an_entry(bridged: Bridged) -> None:
    """1: "nodes not yet rolled trust only A, rolled ones trust both"; of X‖A it is X that becomes an anchor."""
    bed, old = bridged.bed, _fingerprints(bridged.a)
    seen: list[set[bytes]] = []
    bed.api.listeners.append(lambda change: seen.extend(_trusted(bed)) if change.plural == "pods" else None)
    assert _trusted(bed) == [old] * len(nodes(bed))
    _resume(bed)
    assert {frozenset(one) for one in seen} == {
        frozenset(old),
        frozenset(old | _fingerprints(bridged.b, bridged.x)),
    }
    bed.bring("cluster", bridged.b, certificates={"ca.crt": bridged.x.pem + bridged.a.pem}, generations=(1, 0))
    for pod_set in bed.versions("strimzipodsets"):
        bed.annotate("strimzipodsets", pod_set, manual_rolling_update="true")
    bed.step(2)
    assert _trusted(bed) == [_fingerprints(bridged.x)] * len(nodes(bed))


def test_the_second_update_is_one_roll_after_which_only_the_new_ca_is_trusted(bridged: Bridged) -> None:
    """2: the bundle shrinks before the roll, the operator's certificate and the nodes' are of B; two rolls in all."""
    bed, new = bridged.bed, _fingerprints(bridged.b)
    _resume(bed)
    order: list[str] = []
    bed.api.listeners.append(lambda change: order.append(f"{change.verb} {change.name}"))
    bed.bring("cluster", bridged.b, generations=(2, 0))
    bed.step(3)
    assert bed.is_ready()
    assert set(bed.rolls()) == {2}
    assert _trusted(bed) == [new] * len(nodes(bed))
    restarts = [line for line in order if line.startswith("delete") and line.split()[1] in nodes(bed)]
    first = order.index(restarts[0])
    assert order.index("update demo-trustbundle") < order.index(f"update {OPERATOR}") < first
    assert issued_by(bed.entries(OPERATOR)["cluster-operator.crt"], bridged.b.pem)
    for process in bed.processes():
        ((_secret, presented),) = process.presented
        assert presented.endswith(bridged.b.pem)
        assert len(certificates(presented)) == 2
