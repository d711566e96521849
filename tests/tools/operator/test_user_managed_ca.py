# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A user-managed CA: what has to be there, what is refused, what is never touched (docs/operator.md,
"User-managed CA").
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from . import clusters
from .conftest import Clock
from .operated_cluster import CLUSTER, OperatedCluster, encode, issued_by

SECRET, KEY = "demo-cluster-ca-cert", "demo-cluster-ca"

BREAKAGES: dict[str, Callable[[OperatedCluster], None]] = {
    "no certificate Secret": lambda cluster: cluster.delete("secrets", SECRET),
    "no key Secret": lambda cluster: cluster.delete("secrets", KEY),
    "no ca.crt": lambda cluster: cluster.change("secrets", SECRET, {"data": {"ca.crt": None}}),
    "blank ca.crt": lambda cluster: cluster.change("secrets", SECRET, {"data": encode({"ca.crt": b" \n"})}),
    "no ca.key": lambda cluster: cluster.change("secrets", KEY, {"data": {"ca.key": None}}),
}


def replace_chain(cluster: OperatedCluster, name: str, content: bytes) -> None:
    cluster.change("secrets", SECRET, {"data": encode({name: content})})


@pytest.mark.parametrize("breakage", BREAKAGES.values(), ids=BREAKAGES)
def test_a_missing_secret_makes_the_cluster_not_ready(
    breakage: Callable[[OperatedCluster], None], managed: OperatedCluster
) -> None:
    """docs/operator.md, "User-managed CA": InvalidResourceException; ca.key has to be there even if nothing is to be
    signed.
    """
    pods, written = managed.uids(), managed.versions("secrets")
    breakage(managed)
    managed.step()
    condition = managed.condition()
    assert (condition["type"], condition["status"]) == ("NotReady", "True")
    assert condition["reason"] == "InvalidResourceException"
    assert condition["message"] == "Cluster CA should not be generated, but the secrets were not found."
    assert managed.uids() == pods
    others = {name: v for name, v in written.items() if name not in (SECRET, KEY)}
    assert {name: v for name, v in managed.versions("secrets").items() if name in others} == others


def test_the_message_names_the_ca(managed: OperatedCluster) -> None:
    """docs/operator.md, "User-managed CA": each CA is on its own."""
    managed.change("kafkas", CLUSTER, {"spec": {"clientsCa": {"generateCertificateAuthority": False}}})
    managed.delete("secrets", "demo-clients-ca")
    managed.step()
    assert managed.condition()["message"] == "Clients CA should not be generated, but the secrets were not found."


def test_nothing_is_made_before_the_secrets_are_there(cluster: OperatedCluster) -> None:
    """docs/operator.md, "User-managed CA"; the cluster comes up as soon as they are."""
    cluster.memory.apply(*clusters.dual_role(CLUSTER, "kafka"))
    cluster.step(2)
    assert cluster.condition()["reason"] == "InvalidResourceException"
    assert cluster.pods() == []
    assert cluster.get("secrets", "demo-trustbundle") is None
    cluster.bring("cluster", cluster.ca("first"))
    cluster.step(2)
    assert cluster.is_ready()
    assert len(cluster.pods()) == 3


def test_the_secrets_are_never_modified(managed: OperatedCluster, clock: Clock) -> None:
    """docs/operator.md, "User-managed CA", "Tried by hand", 7: also not near expiry, also not what is foreign."""
    expired = managed.ca("expired", days=1).pem
    managed.bring("cluster", managed.ca("short", days=20), certificates={"ca-2026-06-02T12-00-00Z.crt": expired})
    for secret in (SECRET, KEY):
        managed.annotate("secrets", secret, force_renew="true", force_replace="true")
        managed.change("secrets", secret, {"metadata": {"labels": {"mine": "1"}}, "data": encode({"mine": b"1"})})
    before = managed.existing("secrets", SECRET), managed.existing("secrets", KEY)
    clock.pass_days(15)
    managed.step(40)
    assert (managed.existing("secrets", SECRET), managed.existing("secrets", KEY)) == before


@pytest.mark.parametrize("entry", ["ca.crt", "extra.crt"])
def test_unrelated_cas_in_one_entry_are_refused(entry: str, managed: OperatedCluster) -> None:
    """docs/operator.md, "User-managed CA": one ordered chain per entry, each entry on its own."""
    first = managed.entries(SECRET)["ca.crt"]
    replace_chain(managed, entry, first + managed.ca("unrelated").pem)
    managed.step()
    assert managed.condition()["type"] == "NotReady"
    assert entry in managed.condition()["message"]


def test_unrelated_cas_in_two_entries_are_accepted(managed: OperatedCluster) -> None:
    """docs/operator.md, "User-managed CA": use one key per CA."""
    replace_chain(managed, "extra.crt", managed.ca("unrelated").pem)
    managed.step()
    assert managed.is_ready()


def test_a_chain_that_expired_is_refused_a_single_certificate_is_not(managed: OperatedCluster, clock: Clock) -> None:
    """docs/operator.md, "User-managed CA": several are path-validated with dates, one is accepted unchecked."""
    root = managed.ca("root")
    short = managed.ca("short", root, days=2)
    replace_chain(managed, "extra.crt", short.pem + root.pem)
    managed.step()
    assert managed.is_ready()
    clock.pass_days(3)
    managed.step()
    assert managed.condition()["type"] == "NotReady"
    replace_chain(managed, "extra.crt", short.pem)
    managed.step()
    assert managed.is_ready()


def test_nodes_present_the_whole_of_ca_crt(cluster: OperatedCluster) -> None:
    """docs/operator.md, "User-managed CA": leaf followed by the complete bytes of ca.crt; Cruise Control and clients
    only the leaf.
    """
    root = cluster.ca("root")
    lower = cluster.ca("lower", root)
    chain = b"# written by hand\n" + lower.pem + root.pem + b"\n"
    cluster.bring("cluster", lower, certificates={"ca.crt": chain})
    cluster.start(generated=False)
    assert cluster.is_ready()
    node = cluster.entries("demo-kafka-0")["demo-kafka-0.crt"]
    assert node.endswith(chain)
    assert node.count(b"BEGIN CERTIFICATE") == 3
    assert issued_by(node, lower.pem)
    for secret, entry in (
        ("demo-cruise-control-certs", "cruise-control"),
        ("demo-kafka-exporter-certs", "kafka-exporter"),
    ):
        leaf = cluster.entries(secret)[f"{entry}.crt"]
        assert leaf.count(b"BEGIN CERTIFICATE") == 1
        assert issued_by(leaf, lower.pem)


def test_key_and_certificate_that_do_not_match_fail_closed(managed: OperatedCluster) -> None:
    """docs/operator.md, "Certificates", "Tried by hand", 6: no Secret and no pod is touched; healed later."""
    second = managed.ca("second")
    first_key = managed.entries(KEY)["ca.key"]
    pods, secrets = managed.uids(), managed.versions("secrets")
    managed.bring("cluster", second, generations=(1, 0))
    managed.change("secrets", KEY, {"data": encode({"ca.key": first_key})})
    managed.step()
    assert managed.condition()["type"] == "NotReady"
    assert managed.condition()["message"].startswith("Could not parse certificate: ")
    assert managed.condition()["message"].endswith("Empty input")
    assert managed.uids() == pods
    changed = {name for name, version in managed.versions("secrets").items() if secrets[name] != version}
    assert changed == {SECRET, KEY, "demo-trustbundle"}
    managed.change("secrets", KEY, {"data": encode({"ca.key": second.key})})
    managed.step()
    assert managed.is_ready()
    assert issued_by(managed.entries("demo-kafka-0")["demo-kafka-0.crt"], second.pem)


def test_a_placeholder_key_is_enough_while_nothing_is_issued(managed: OperatedCluster) -> None:
    """docs/operator.md, "User-managed CA", "Re-issue": the operator reads no key while it keeps every leaf."""
    managed.change("secrets", KEY, {"data": encode({"ca.key": b"placeholder"})})
    managed.step(2)
    assert managed.is_ready()
    managed.delete("secrets", "demo-kafka-1")
    managed.step()
    assert managed.condition()["type"] == "NotReady"
    assert managed.rolls() == [0, 0, 0]


@pytest.mark.parametrize("annotation", ["ca_cert_generation", "ca_key_generation"])
def test_a_missing_generation_reads_as_zero(annotation: str, managed: OperatedCluster) -> None:
    """docs/operator.md, "CA Secrets"."""
    secret = SECRET if "cert" in annotation else KEY
    pods = managed.uids()
    managed.annotate("secrets", secret, **{annotation: None})
    managed.step(2)
    assert managed.uids() == pods
    assert managed.is_ready()
