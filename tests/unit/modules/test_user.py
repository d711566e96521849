# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""strimzi_user: what it asks for before it leaves a user's certificates to somebody else, and what it says."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ...operator import certs
from ...support.certificates import Entity, key, make
from ...support.memory_cluster import MemoryCluster
from .running import Ended, call
from .uses import USES

(USE,) = (use for use in USES if use.module == "strimzi_user")


def keep(memory: MemoryCluster, subject: str, *, by: Entity | None = None) -> None:
    """A Secret as cert-manager leaves it. by: the CA that has issued the certificate, where that is not the one in use."""
    stored = (memory.api.find("secrets", "kafka", name) or {} for name in ("demo-clients-ca-cert", "demo-clients-ca"))
    ca, ca_key = (base64.b64decode(one["data"][entry]) for one, entry in zip(stored, ("ca.crt", "ca.key"), strict=True))
    if by is not None:
        ca, ca_key = by.certificate.pem, by.key.reveal()
    own = certs.new_leaf_key()
    leaf = certs.leaf(certs.name(subject, None), (), own, ca, certs.load_key(ca_key), 90)
    assert leaf is not None
    data = encode({"tls.crt": leaf, "tls.key": certs.key_pem(own), "ca.crt": ca})
    metadata = {"name": "orders-cm"}
    memory.apply(
        {"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls", "metadata": metadata, "data": data}
    )


def encode(content: dict[str, bytes]) -> dict[str, str]:
    return {entry: base64.b64encode(value).decode() for entry, value in content.items()}


def leave(memory: MemoryCluster, **options: Any) -> Ended:
    return call("strimzi_user", memory, **{**USE.options, **options})


def test_with_a_certificate_at_hand() -> None:
    memory = USE.start()
    keep(memory, "orders")
    ended = leave(memory, presenting_secrets=["orders-cm"])
    assert not ended.failed, ended.result["msg"]
    assert ended.result["user"] == {
        "name": "orders", "namespace": "kafka", "authentication": "tls-external", "secret": "orders",
    }  # fmt: skip
    assert ended.warnings == []


def test_without_any_it_says_until_when_the_old_one_serves() -> None:
    (warning,) = leave(USE.start()).warnings
    assert warning.startswith(
        "From here on only the issuer that you use issues certificates with the subject CN=orders"
    )
    assert "The one in Secret kafka/orders ends at 20" in warning


@pytest.mark.parametrize(
    ("subject", "known", "named", "message"),
    [
        ("orders", False, "orders-cm", "Secret kafka/orders-cm entry tls.crt: brokers refuse its certificate: "),
        ("other", True, "orders-cm", "No Secret of presenting_secrets holds a certificate with the subject CN=orders."),
        ("orders", True, "none", "Secret kafka/none: it does not exist."),
    ],
)
def test_what_would_cut_it_off_is_refused(subject: str, known: bool, named: str, message: str) -> None:
    memory = USE.start()
    keep(memory, subject, by=None if known else make("stranger", key(20)))
    ended = leave(memory, presenting_secrets=[named])
    assert (ended.failed, ended.writes) == (True, [])
    assert ended.result["msg"].startswith(message)


@pytest.mark.parametrize(("state", "accepted"), [("UNTRUSTED", False), ("TRUSTED_UNUSED", True)])
def test_a_ca_that_brokers_are_still_to_trust_is_none_that_they_accept(state: str, accepted: bool) -> None:
    """It lies in the Secret, and a flow was to stop there."""
    memory, corporate = USE.start(), make("Corporate Root", key(21))
    pem, fingerprint = corporate.certificate.pem, corporate.certificate.fingerprint
    labels = {"strimzi.io/kind": "Kafka", "strimzi.io/cluster": "demo"}
    memory.api.request(
        "PATCH", "/api/v1/namespaces/kafka/secrets/demo-clients-ca-cert",
        body={"data": encode({f"{fingerprint}.crt": pem})}, content_type="application/merge-patch+json",
    )  # fmt: skip
    memory.apply({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "demo-clients-ca-trusted-certs", "labels": labels},
        "data": encode({f"{fingerprint}.crt": pem, f"{fingerprint}.state": state.encode()}),
    })  # fmt: skip
    keep(memory, "orders", by=corporate)
    ended = leave(memory, presenting_secrets=["orders-cm"])
    assert ended.failed is not accepted
    refused = "Secret kafka/orders-cm entry tls.crt: brokers refuse its certificate: "
    assert str(ended.result.get("msg", "")).startswith("" if accepted else refused)


def test_a_user_of_another_namespace_has_the_prefix_of_that() -> None:
    spaces = [{"namespace": "team", "secret_prefix": "k-"}]
    ended = leave(USE.start(), user_namespace="team", user_namespaces=spaces)
    assert ended.result["msg"] == "KafkaUser team/orders does not exist. Correct user or user_namespace."


def test_a_cluster_that_is_not_there() -> None:
    ended = leave(MemoryCluster())
    assert ended.result["msg"].startswith(
        "Kafka kafka/demo does not exist, and no other Kafka cluster is seen in this namespace. "
    )
