# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Secret that brokers, controllers and the exporter trust (docs/operator.md, "User-managed CA", "Trust bundle",
"What each process trusts").
"""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

from .conftest import Clock
from .operated_cluster import CLUSTER, OperatedCluster, certificates, encode

BUNDLE = "demo-trustbundle"


def trusted(cluster: OperatedCluster, kind: str = "cluster") -> list[bytes]:
    return sorted(c.public_bytes(Encoding.PEM) for c in certificates(cluster.entries(BUNDLE)[f"{kind}-ca.crt"]))


def test_entries_annotations_labels_and_owner(generated: OperatedCluster) -> None:
    """docs/operator.md, "Trust bundle"."""
    found = generated.existing("secrets", BUNDLE)
    assert set(found["data"]) == {"cluster-ca.crt", "clients-ca.crt"}
    assert found["metadata"]["annotations"] == {
        "strimzi.io/cluster-ca-cert-generation": "0",
        "strimzi.io/clients-ca-cert-generation": "0",
    }
    assert found["metadata"]["labels"]["strimzi.io/component-type"] == "trust-bundle"
    assert found["metadata"]["labels"]["strimzi.io/name"] == "strimzi"
    assert [o["uid"] for o in found["metadata"]["ownerReferences"]] == [
        generated.existing("kafkas", CLUSTER)["metadata"]["uid"]
    ]
    for kind in ("cluster", "clients"):
        assert trusted(generated, kind) == [generated.entries(f"demo-{kind}-ca-cert")["ca.crt"]]


def test_generations_follow_each_ca(generated: OperatedCluster) -> None:
    """docs/operator.md, "Trust bundle"."""
    generated.annotate("secrets", "demo-clients-ca-cert", force_renew="true")
    generated.step()
    assert generated.marks("secrets", BUNDLE) == {
        "strimzi.io/cluster-ca-cert-generation": "0",
        "strimzi.io/clients-ca-cert-generation": "1",
    }


def test_the_first_certificate_of_every_entry_is_an_anchor(managed: OperatedCluster) -> None:
    """docs/operator.md, "User-managed CA", "Trust bundle": roots of a chain are not trusted as such; blank entries and
    other keys are left out.
    """
    root, other = managed.ca("root"), managed.ca("other")
    lower = managed.ca("lower", root)
    extra = {"chain.crt": lower.pem + root.pem, "old.crt": other.pem, "blank.crt": b"\n", "note.txt": other.pem}
    first = managed.entries("demo-cluster-ca-cert")["ca.crt"]
    managed.change("secrets", "demo-cluster-ca-cert", {"data": encode(extra)})
    managed.step()
    assert trusted(managed) == sorted([first, lower.pem, other.pem])


def test_a_change_of_the_bundle_alone_rolls_nothing(managed: OperatedCluster) -> None:
    """docs/operator.md, "Trust bundle", "Tried by hand", 1: no re-issue, no pod replaced, old trust only."""
    pods, secrets = managed.uids(), managed.versions("secrets")
    second = managed.ca("second").pem
    managed.change("secrets", "demo-cluster-ca-cert", {"data": encode({"second.crt": second})})
    managed.step(2)
    assert second in trusted(managed)
    assert managed.uids() == pods
    changed = {name for name, version in managed.versions("secrets").items() if secrets.get(name) != version}
    assert changed == {"demo-cluster-ca-cert", BUNDLE}
    assert all(second.strip() not in p.trusted for p in managed.processes())


@pytest.mark.parametrize("component", ["kafka", "kafka-exporter", "cruise-control", "entity-operator"])
def test_processes_learn_at_their_next_start(component: str, managed: OperatedCluster) -> None:
    """docs/operator.md, "What each process trusts": refreshed when the process starts, whatever it reads."""
    second = managed.ca("second").pem
    managed.change("secrets", "demo-cluster-ca-cert", {"data": encode({"second.crt": second})})
    managed.step()
    for pod in managed.pods(component):
        managed.delete("pods", pod["metadata"]["name"])
    managed.step()
    assert managed.processes(component)
    assert all(second.strip() in p.trusted for p in managed.processes(component))


def test_the_operator_rewrites_it_in_every_reconcile(managed: OperatedCluster) -> None:
    """docs/operator.md, "Trust bundle": what a stranger writes into it lasts until the next reconcile, also under a
    user-managed CA.
    """
    before = managed.entries(BUNDLE)
    managed.change("secrets", BUNDLE, {"data": encode({"cluster-ca.crt": b"mine", "extra": b"mine"})})
    managed.step()
    assert managed.entries(BUNDLE) == before


def test_expired_cas_of_a_user_stay(managed: OperatedCluster, clock: Clock) -> None:
    """docs/operator.md, "User-managed CA": the operator never removes expired or old certificates of a user-managed CA."""
    old = managed.ca("short", days=2).pem
    entries = {"ca-2026-06-03T12-00-00Z.crt": old}
    managed.change("secrets", "demo-cluster-ca-cert", {"data": encode(entries)})
    clock.pass_days(3)
    managed.step(2)
    assert managed.entries("demo-cluster-ca-cert")["ca-2026-06-03T12-00-00Z.crt"] == old
    assert old in trusted(managed)
