# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The User Operator's certificates (docs/operator.md, "Users")."""

from __future__ import annotations

from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import pkcs12

from . import certs
from .api import encode
from .conftest import Clock
from .operated_cluster import CLUSTER, NAMESPACE, OperatedCluster, certificates, issued_by
from .user_operator import UserOperatorDouble

Object = dict[str, Any]
CA = "demo-clients-ca-cert"


@pytest.fixture
def operator(generated: OperatedCluster) -> UserOperatorDouble:
    add_user(generated, "orders")
    found = UserOperatorDouble(generated.api, NAMESPACE, CLUSTER)
    found.reconcile()
    return found


def add_user(cluster: OperatedCluster, name: str, kind: str = "tls") -> None:
    cluster.memory.apply({
        "apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaUser",
        "metadata": {"name": name, "labels": {"strimzi.io/cluster": CLUSTER}},
        "spec": {"authentication": {"type": kind}},
    })  # fmt: skip


def condition(cluster: OperatedCluster, user: str) -> Object:
    (found,) = cluster.existing("kafkausers", user)["status"]["conditions"]
    return found


def test_a_user_gets_a_leaf_alone_with_a_name_without_organization(
    operator: UserOperatorDouble, generated: OperatedCluster
) -> None:
    found = generated.entries("orders")
    assert set(found) == {"ca.crt", "user.crt", "user.key", "user.p12", "user.password"}
    (leaf,) = certificates(found["user.crt"])
    assert leaf.subject.rfc4514_string() == "CN=orders"
    assert issued_by(found["user.crt"], generated.entries(CA)["ca.crt"])
    assert condition(generated, "orders")["type"] == "Ready"


@pytest.mark.parametrize("kind", ["tls-external", "scram-sha-512"])
def test_others_get_none(kind: str, operator: UserOperatorDouble, generated: OperatedCluster) -> None:
    add_user(generated, "other", kind)
    operator.reconcile()
    assert generated.get("secrets", "other") is None


def test_nothing_is_issued_twice(operator: UserOperatorDouble, generated: OperatedCluster) -> None:
    before = generated.versions("secrets")
    operator.reconcile()
    assert (operator.issued, generated.versions("secrets")) == (["orders"], before)


@pytest.mark.parametrize("entry", ["user.crt", "user.key"])
def test_an_incomplete_secret_is_issued_again(
    entry: str, operator: UserOperatorDouble, generated: OperatedCluster
) -> None:
    generated.change("secrets", "orders", {"data": {entry: None}})
    operator.reconcile()
    assert operator.issued == ["orders", "orders"]


def test_a_line_feed_in_the_ca_is_enough(operator: UserOperatorDouble, generated: OperatedCluster) -> None:
    """Compared are bytes, and nothing but ``ca.crt`` ties a user to a CA."""
    content = generated.entries(CA)["ca.crt"]
    generated.change("secrets", CA, {"data": encode({"ca.crt": content + b"\n"})})
    operator.reconcile()
    assert operator.issued == ["orders", "orders"]


def test_a_leaf_in_its_window_is_issued_again(
    operator: UserOperatorDouble, generated: OperatedCluster, clock: Clock
) -> None:
    clock.pass_days(334)
    operator.reconcile()
    assert operator.issued == ["orders"]
    clock.pass_days(2)
    operator.reconcile()
    assert operator.issued == ["orders", "orders"]


def test_foreign_entries_and_labels_are_wiped(operator: UserOperatorDouble, generated: OperatedCluster) -> None:
    generated.change("secrets", "orders", {"data": encode({"mine": b"x"}), "metadata": {"labels": {"mine": "x"}}})
    operator.reconcile()
    assert "mine" not in generated.entries("orders")
    assert "mine" not in generated.existing("secrets", "orders")["metadata"]["labels"]


def test_a_certificate_is_kept_whatever_its_issuer(operator: UserOperatorDouble, generated: OperatedCluster) -> None:
    """A certificate and a key that fit together are kept, whatever CA they are of."""
    foreign = generated.ca("a stranger")
    generated.change("secrets", "orders", {"data": encode({"user.crt": foreign.pem, "user.key": foreign.key})})
    operator.reconcile()
    assert (operator.issued, generated.entries("orders")["user.crt"]) == (["orders"], foreign.pem)


def test_a_paused_user_stays_as_it_is(operator: UserOperatorDouble, generated: OperatedCluster) -> None:
    generated.annotate("kafkausers", "orders", pause_reconciliation="true")
    generated.delete("secrets", "orders")
    operator.reconcile()
    assert generated.get("secrets", "orders") is None
    assert condition(generated, "orders")["type"] == "ReconciliationPaused"


@pytest.mark.parametrize(("keystores", "state", "leaf"), [(True, "NotReady", True), (False, "Ready", False)])
def test_a_key_that_is_not_that_of_the_ca(
    keystores: bool, state: str, leaf: bool, operator: UserOperatorDouble, generated: OperatedCluster
) -> None:
    """With keystores nothing is written; without them an empty certificate."""
    operator.keystores = keystores
    generated.change("secrets", "demo-clients-ca", {"data": encode({"ca.key": generated.ca("other").key})})
    generated.annotate("secrets", "orders", force_renew="true")
    operator.reconcile()
    assert condition(generated, "orders")["type"] == state
    assert bool(generated.entries("orders")["user.crt"]) is leaf


EXTERNAL: Object = {"spec": {"authentication": {"type": "tls-external"}}}
#: Takes the labels off a Secret, so that it is no user's any more.
WITHOUT: Object = {"metadata": {"labels": {"strimzi.io/kind": None, "strimzi.io/cluster": None}}}


class TestAnotherAuthentication:
    """docs/operator.md, "Users": a user whose authentication changes."""

    def test_its_secret_is_deleted(self, operator: UserOperatorDouble, generated: OperatedCluster) -> None:
        generated.change("kafkausers", "orders", EXTERNAL)
        operator.reconcile()
        assert generated.get("secrets", "orders") is None

    def test_one_without_labels_stays(self, operator: UserOperatorDouble, generated: OperatedCluster) -> None:
        generated.change("secrets", "orders", WITHOUT)
        generated.change("kafkausers", "orders", EXTERNAL)
        operator.reconcile()
        assert generated.entries("orders")["user.crt"]

    def test_one_without_labels_is_overwritten_for_a_user_with_tls(
        self, operator: UserOperatorDouble, generated: OperatedCluster
    ) -> None:
        before = generated.entries("orders")
        generated.change("secrets", "orders", WITHOUT)
        operator.reconcile()
        assert generated.entries("orders")["user.crt"] != before["user.crt"]

    def test_one_of_another_type_is_never_written(
        self, operator: UserOperatorDouble, generated: OperatedCluster
    ) -> None:
        add_user(generated, "partner", "tls-external")
        content = encode({"tls.crt": b"", "tls.key": b""})
        generated.memory.apply({
            "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls", "metadata": {"name": "partner"}, "data": content,
        })  # fmt: skip
        generated.change("kafkausers", "partner", {"spec": {"authentication": {"type": "tls"}}})
        operator.reconcile()
        assert condition(generated, "partner")["type"] == "NotReady"
        assert set(generated.entries("partner")) == {"tls.crt", "tls.key"}


def test_the_keystore_holds_what_lies_beside_it(operator: UserOperatorDouble, generated: OperatedCluster) -> None:
    found = generated.entries("orders")
    stored = pkcs12.load_pkcs12(found["user.p12"], found["user.password"])
    assert stored.cert is not None
    assert [stored.cert.certificate] == certificates(found["user.crt"])


@pytest.fixture
def without_key(operator: UserOperatorDouble, generated: OperatedCluster) -> UserOperatorDouble:
    """A text lies where the key of the CA was."""
    generated.change("secrets", "demo-clients-ca", {"data": encode({"ca.key": b"It is kept elsewhere."})})
    return operator


def test_without_a_key_what_fits_is_kept(without_key: UserOperatorDouble, generated: OperatedCluster) -> None:
    before = generated.entries("orders")
    without_key.reconcile()
    assert (generated.entries("orders"), condition(generated, "orders")["type"]) == (before, "Ready")


def test_without_a_key_a_new_user_is_not_ready(without_key: UserOperatorDouble, generated: OperatedCluster) -> None:
    add_user(generated, "billing")
    without_key.reconcile()
    told = condition(generated, "billing")
    assert (told["type"], "Empty input" in told["message"]) == ("NotReady", True)
    assert generated.get("secrets", "billing") is None


def test_and_without_pkcs12_files_it_gets_an_empty_certificate_again_and_again(
    without_key: UserOperatorDouble, generated: OperatedCluster
) -> None:
    """Each time with another key: what it has stored is incomplete."""
    without_key.keystores = False
    add_user(generated, "billing")
    found = []
    for _pass in range(3):
        without_key.reconcile("billing")
        found.append(generated.entries("billing"))
    assert [entries["user.crt"] for entries in found] == [b""] * 3
    assert len({entries["user.key"] for entries in found}) == 3


def pair(generated: OperatedCluster, key: Any) -> dict[str, bytes]:
    """A certificate that a CA outside the cluster has issued, with the certificate of that CA behind it."""
    ca = generated.ca("a stranger")
    leaf = certs.leaf(certs.name("orders", None), (), key, ca.pem, certs.load_key(ca.key), 365)
    return {"user.crt": (leaf or b"") + ca.pem, "user.key": certs.key_pem(key)}


@pytest.mark.parametrize("missing", ["user.p12", "user.password"])
def test_a_pkcs12_file_is_made_of_the_pair_that_is_there(
    missing: str, without_key: UserOperatorDouble, generated: OperatedCluster
) -> None:
    """Of its first certificate only; the key of the CA is not used."""
    own = pair(generated, rsa.generate_private_key(65537, 2048))
    generated.change("secrets", "orders", {"data": {**encode(own), missing: None}})
    without_key.reconcile()
    stored = generated.entries("orders")
    made = pkcs12.load_pkcs12(stored["user.p12"], stored["user.password"])
    assert {entry: stored[entry] for entry in own} == own
    assert made.cert is not None
    assert made.cert.certificate == certs.load(own["user.crt"])[0]
    assert made.additional_certs == []


def test_it_makes_none_of_other_keys(without_key: UserOperatorDouble, generated: OperatedCluster) -> None:
    own = pair(generated, ec.generate_private_key(ec.SECP256R1()))
    generated.change("secrets", "orders", {"data": {**encode(own), "user.p12": None}})
    without_key.reconcile()
    assert condition(generated, "orders")["type"] == "NotReady"
    assert generated.entries("orders")["user.crt"] == own["user.crt"]


@pytest.mark.parametrize(("of_ca", "own", "issued"), [(30, None, 1), (400, None, 2), (30, 400, 2), (400, 10, 1)])
def test_its_own_window_counts_before_that_of_the_ca(
    of_ca: int, own: int | None, issued: int, operator: UserOperatorDouble, generated: OperatedCluster
) -> None:
    generated.change("kafkas", CLUSTER, {"spec": {"clientsCa": {"renewalDays": of_ca}}})
    generated.change("kafkausers", "orders", {"spec": {"authentication": {"type": "tls", "renewalDays": own}}})
    operator.reconcile()
    assert len(operator.issued) == issued
