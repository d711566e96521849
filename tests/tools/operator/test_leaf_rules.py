# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a leaf is issued again: rules (a) to (e), and nothing else (docs/operator.md, "Re-issue")."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding
from hypothesis import given
from hypothesis import strategies as st

from . import certs
from .api import Api
from .authorities import make_ca
from .authority import Authority
from .conftest import Clock
from .leaves import reconcile_leaf
from .operated_cluster import CERTIFICATE, CLUSTER, NAMESPACE, OperatedCluster, certificates, encode, issued_by

NODE, CRUISE_CONTROL, CLIENT = "demo-kafka-0", "demo-cruise-control-certs", "demo-kafka-exporter-certs"
ENTRY = {NODE: "demo-kafka-0.crt", CRUISE_CONTROL: "cruise-control.crt", CLIENT: "kafka-exporter.crt"}
ALL, SERVERS = [NODE, CRUISE_CONTROL, CLIENT], [NODE, CRUISE_CONTROL]


def leaf(cluster: OperatedCluster, secret: str) -> bytes:
    return cluster.entries(secret)[ENTRY[secret]]


def foreign(cluster: OperatedCluster, secret: str, **changes: object) -> bytes:
    """A leaf from elsewhere for this Secret: its names, and after it what has to be after it."""
    present = certificates(leaf(cluster, secret))[0]
    names = changes.get("names", certs.names_of(present))
    assert isinstance(names, set)
    days = changes.get("days", 365)
    assert isinstance(days, int)
    issuer = cluster.ca("elsewhere")
    builder = (
        x509.CertificateBuilder()
        .subject_name(changes.get("subject", present.subject))  # type: ignore[arg-type]
        .issuer_name(issuer.certificate.subject)
        .public_key(present.public_key())
        .serial_number(1)
        .not_valid_before(cluster.now())
        .not_valid_after(cluster.now() + timedelta(days=days))
    )
    if names:
        san = x509.SubjectAlternativeName([x509.DNSName(n) for n in sorted(names)])
        builder = builder.add_extension(san, False)
    content = builder.sign(issuer.private_key, hashes.SHA256()).public_bytes(Encoding.PEM)
    return content + cluster.entries("demo-cluster-ca-cert")["ca.crt"] if secret == NODE else content


def put(cluster: OperatedCluster, secret: str, content: bytes) -> None:
    cluster.change("secrets", secret, {"data": encode({ENTRY[secret]: content})})


def kept(cluster: OperatedCluster, secret: str) -> bool:
    before = cluster.existing("secrets", secret)["data"]
    cluster.step()
    return bool(cluster.existing("secrets", secret)["data"] == before)


@pytest.mark.parametrize("secret", ALL)
def test_rule_a_a_missing_secret_is_made(secret: str, managed: OperatedCluster) -> None:
    """docs/operator.md, "Re-issue" (a): with a new key, and for a node the pod follows."""
    before = managed.entries(secret)
    managed.delete("secrets", secret)
    managed.step()
    after = managed.entries(secret)
    assert set(after) == set(before)
    assert all(after[entry] != before[entry] for entry in before)
    assert issued_by(leaf(managed, secret), managed.entries("demo-cluster-ca-cert")["ca.crt"])


@pytest.mark.parametrize("secret", ALL)
@pytest.mark.parametrize("generation", ["1", "-1", None])
def test_rule_b_another_generation(generation: str | None, secret: str, managed: OperatedCluster) -> None:
    """docs/operator.md, "Re-issue" (b)."""
    managed.annotate("secrets", secret, cluster_ca_cert_generation=generation)
    assert not kept(managed, secret)
    assert managed.marks("secrets", secret) == {CERTIFICATE: "0"}


@pytest.mark.parametrize("secret", SERVERS)
@pytest.mark.parametrize("change", [lambda n: n | {"more"}, lambda n: set(sorted(n)[1:]), lambda n: {"other"}])
def test_rule_c_other_names(change: Callable[[set[str]], set[str]], secret: str, managed: OperatedCluster) -> None:
    """docs/operator.md, "Re-issue" (c): the set differs."""
    names = certs.names_of(certificates(leaf(managed, secret))[0])
    put(managed, secret, foreign(managed, secret, names=change(names)))
    assert not kept(managed, secret)
    assert certs.names_of(certificates(leaf(managed, secret))[0]) == names


def test_rule_c_is_not_for_clients(managed: OperatedCluster) -> None:
    """docs/operator.md, "Re-issue": client certificates (a), (b), (d) only."""
    put(managed, CLIENT, foreign(managed, CLIENT, names={"whatever"}))
    assert kept(managed, CLIENT)


@pytest.mark.parametrize("secret", ALL)
@pytest.mark.parametrize(("days", "expected"), [(29, False), (31, True)])
def test_rule_d_in_the_renewal_window(days: int, expected: bool, secret: str, managed: OperatedCluster) -> None:
    """docs/operator.md, "Re-issue" (d): renewalDays is 30, also under a user-managed CA."""
    put(managed, secret, foreign(managed, secret, days=days))
    assert kept(managed, secret) is expected


@pytest.mark.parametrize("secret", ALL)
@pytest.mark.parametrize(
    ("window", "expected"), [("* * 3 ? * *", True), ("* * 11-13 ? * *", False), ("* * 12 1,15 6 ?", False)]
)
def test_rule_d_waits_for_a_maintenance_window(
    window: str, expected: bool, secret: str, managed: OperatedCluster
) -> None:
    """docs/operator.md, "Maintenance windows". It is 12:00 on the first of June."""
    managed.change("kafkas", CLUSTER, {"spec": {"maintenanceTimeWindows": [window]}})
    put(managed, secret, foreign(managed, secret, days=29))
    assert kept(managed, secret) is expected


def test_no_window_holds_a_leaf_of_another_generation(managed: OperatedCluster) -> None:
    """docs/operator.md, "Maintenance windows": changes of a user-managed CA wait for none."""
    managed.change("kafkas", CLUSTER, {"spec": {"maintenanceTimeWindows": ["* * 3 ? * *"]}})
    managed.annotate("secrets", "demo-cluster-ca-cert", ca_cert_generation="1")
    managed.step()
    assert managed.marks("secrets", CLIENT)["strimzi.io/cluster-ca-cert-generation"] == "1"
    assert managed.rolls() == [1, 1, 1]


def test_rule_d_rolls_what_is_about_to_expire(managed: OperatedCluster, clock: Clock) -> None:
    """docs/operator.md, "Re-issue" (d), "Pod annotations": the new thumbprint is what restarts the pods."""
    clock.pass_days(336)
    managed.log()
    managed.step()
    assert managed.rolls() == [1, 1, 1]
    assert {reason for _pod, reason in managed.log()} == {"PodHasOldRevision"}


@pytest.mark.parametrize(
    "suffix", [lambda ca: ca + b"\n", lambda ca: b"# note\n" + ca, lambda ca: ca.replace(b"\n", b"\r\n")]
)
def test_rule_e_other_bytes_of_ca_crt(suffix: Callable[[bytes], bytes], managed: OperatedCluster) -> None:
    """docs/operator.md, "Re-issue" (e): even a trailing newline; no generation change, no trust phase. Only nodes."""
    ca = managed.entries("demo-cluster-ca-cert")["ca.crt"]
    managed.change("secrets", "demo-cluster-ca-cert", {"data": encode({"ca.crt": suffix(ca)})})
    others = [managed.entries(s) for s in (CRUISE_CONTROL, CLIENT, "demo-cluster-operator-certs")]
    assert not kept(managed, NODE)
    assert leaf(managed, NODE).endswith(suffix(ca))
    assert [managed.entries(s) for s in (CRUISE_CONTROL, CLIENT, "demo-cluster-operator-certs")] == others
    assert managed.rolls() == [1, 1, 1]


@pytest.mark.parametrize("secret", ALL)
def test_a_leaf_from_elsewhere_is_kept(secret: str, managed: OperatedCluster) -> None:
    """docs/operator.md, "Re-issue": when it avoids (b) to (e); who issued it is not looked at. Its thumbprint rolls
    what uses it.
    """
    name = NODE if secret == NODE else secret.removesuffix("-certs")
    before = managed.uids()
    put(managed, secret, foreign(managed, secret))
    assert kept(managed, secret)
    managed.step()
    changed = {pod for pod, uid in managed.uids().items() if before[pod] != uid}
    assert changed == {name}
    assert managed.is_ready()


def test_the_subject_is_not_compared(managed: OperatedCluster) -> None:
    """docs/operator.md, "Re-issue"."""
    for secret in ALL:
        put(managed, secret, foreign(managed, secret, subject=certs.name("a stranger", None)))
        assert kept(managed, secret)


NAMES = st.sets(st.sampled_from(["a", "b.example", "c.example", "10.0.0.1", "::1"]), min_size=1)


@given(stored=NAMES, wanted=NAMES, generation=st.integers(0, 2), days=st.integers(1, 90), tail=st.booleans())
def test_a_node_leaf_is_kept_if_and_only_if_no_rule_holds(
    stored: set[str], wanted: set[str], generation: int, days: int, tail: bool
) -> None:
    """docs/operator.md, "Re-issue": all five rules together."""
    cluster = OperatedCluster(certs.now)
    about = {"apiVersion": "kafka.strimzi.io/v1", "kind": "Kafka"}
    cluster.memory.apply({**about, "metadata": {"name": CLUSTER}, "spec": {}})
    kafka = cluster.existing("kafkas", CLUSTER)
    user = make_ca("ca", certs.now())
    api = Api(cluster.api, NAMESPACE)

    def reconcile(names: set[str], certificate_generation: int, validity: int, chain: bytes) -> bytes:
        ca = Authority("cluster", False, {"ca.crt": chain}, user.key, certificate_generation, 0, validity)
        return reconcile_leaf(api, kafka, ca, NODE, NODE, "x", names, True)

    first = reconcile(stored, 1, days, user.pem if tail else user.pem + b"\n")
    second = reconcile(wanted, generation, 365, user.pem)
    quiet = stored == wanted and generation == 1 and days >= 30 and tail
    assert (first == second) is quiet
