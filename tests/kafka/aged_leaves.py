"""Nodes whose certificates are old, which a test cannot wait for, or end soon, which it can."""

from __future__ import annotations

import base64
import time
from datetime import datetime, timedelta, timezone

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from ..tools.cluster.kube import wait_for
from .tier import Tier

_LIFE, _AGE = timedelta(days=365), timedelta(days=200)
#: Of their lives: less than half, so that they may be renewed.
LEFT = _LIFE - _AGE


def age_leaves(tier: Tier, nodes: list[str]) -> None:
    """Each node gets a certificate of the same CA, names and length of life, made long ago, and starts anew with it."""
    before, begin = tier.cluster.node_uids(tier.name), datetime.now(timezone.utc) - _AGE
    for node in nodes:
        store_leaf(tier, node, begin, begin + _LIFE)
    tier.await_restarts(before)


def store_leaf(tier: Tier, node: str, begin: datetime, end: datetime) -> None:
    """A certificate of the same CA and names, with these dates. The operator restarts the node for it, unless it is paused."""
    key = rsa.generate_private_key(65537, 2048)
    chain = tier.node_chain(node)
    made = _aged(tier, chain[0], key, begin, end)
    content = {
        f"{node}.crt": b"".join(one.public_bytes(Encoding.PEM) for one in (made, *chain[1:])),
        f"{node}.key": key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
    }
    data = {name: base64.b64encode(value).decode() for name, value in content.items()}
    _patch(tier, f"/api/v1/namespaces/{tier.cluster.namespace}/secrets/{node}", {"data": data})


def _aged(
    tier: Tier, stored: x509.Certificate, key: rsa.RSAPrivateKey, begin: datetime, end: datetime
) -> x509.Certificate:
    builder = (
        x509.CertificateBuilder().subject_name(stored.subject).issuer_name(stored.issuer).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(begin).not_valid_after(end)
    )  # fmt: skip
    for extension in stored.extensions:
        if not isinstance(extension.value, x509.SubjectKeyIdentifier):
            builder = builder.add_extension(extension.value, extension.critical)
    issuing = load_pem_private_key(tier.secret(f"{tier.name}-cluster-ca")["ca.key"], None)
    assert isinstance(issuing, rsa.RSAPrivateKey)
    return builder.sign(issuing, hashes.SHA256())


def _patch(tier: Tier, path: str, body: dict[str, object]) -> None:
    answer = tier.cluster.kube.request("PATCH", path, body=body, content_type="application/merge-patch+json")
    if answer.status >= 300:
        raise AssertionError(answer.body)


def outlive_leaves(tier: Tier, life: timedelta) -> None:
    """All nodes start with certificates that end soon, while the operator is paused, and run until these have ended. Then the operator goes on: it has stored
    others, and cannot restart a node. life: enough for all nodes to start.
    """
    _pause(tier, "true")
    wait_for(lambda: not is_ready(tier), "the pause", 60)
    before, begin = tier.cluster.node_uids(tier.name), datetime.now(timezone.utc)
    end = begin + life
    for node in before:
        store_leaf(tier, node, begin - timedelta(days=1), end)
    for node in before:
        tier.cluster.kube.request("DELETE", f"/api/v1/namespaces/{tier.cluster.namespace}/pods/{node}")
    tier.await_restarts(before)
    if datetime.now(timezone.utc) >= end:
        raise AssertionError("the nodes took longer to start than their certificates last")
    for node in before:
        if tier.shake_hands(node, 9091).chain[0].not_valid_after_utc != end.replace(microsecond=0):
            raise AssertionError(f"{node} presents another certificate")
    time.sleep(max(0.0, (end - datetime.now(timezone.utc)).total_seconds() + 1))
    _pause(tier, None)
    wait_for(
        lambda: all(tier.node_chain(node)[0].not_valid_after_utc > end for node in before), "new certificates", 120
    )
    wait_for(lambda: not is_ready(tier), "an operator that cannot go on", 120)


def is_ready(tier: Tier) -> bool:
    """Whether the operator says so."""
    conditions = tier.cluster.get("kafkas", tier.name)["status"]["conditions"]
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def _pause(tier: Tier, value: str | None) -> None:
    """As a person pauses the operator; None ends it."""
    path = f"/apis/kafka.strimzi.io/v1/namespaces/{tier.cluster.namespace}/kafkas/{tier.name}"
    _patch(tier, path, {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": value}}})
