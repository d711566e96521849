"""Nodes whose certificates are old, which a test cannot wait for; and certificates and CAs that end soon, which it can."""

from __future__ import annotations

import base64
import time
from datetime import datetime, timedelta, timezone
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from ..tools.cluster.bed_cluster import BedCluster
from ..tools.cluster.kube import wait_for
from ..tools.operator import certs
from ..tools.operator.api import ready
from ..tools.operator.authority import labels
from .tier import Tier

#: Ends every Java process of a container; the kubelet starts the container again, in the same pod.
_END_JAVA = 'for exe in /proc/[0-9]*/exe; do case "$(readlink "$exe")" in */java) p="${exe#/proc/}"; kill "${p%/exe}";; esac; done'

_LIFE, _AGE = timedelta(days=365), timedelta(days=200)
#: Of their lives: less than half, so that they may be renewed.
LEFT = _LIFE - _AGE


def age_leaves(tier: Tier, nodes: list[str]) -> None:
    """Each node gets a certificate of the same CA, names and length of life, made long ago, and starts again with it."""
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
    tier.patch("secrets", node, {"data": data})


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


def outlive_leaves(tier: Tier, life: timedelta) -> None:
    """All nodes start with certificates that end soon, while the operator is away, and run until these have ended. Then the operator comes back: it has stored
    others, and tries in vain to restart a node. life: enough for all nodes to start.
    """
    tier.cluster.stop_operator()
    begin, before = datetime.now(timezone.utc), starts(tier)
    end = begin + life
    for node in before:
        store_leaf(tier, node, begin - timedelta(days=1), end)
    for node in before:
        tier.pods.execute(node, "sh", "-c", _END_JAVA, container="kafka")
    wait_for(lambda: _have_restarted(tier, before), "nodes that have started again", 400)
    if datetime.now(timezone.utc) >= end:
        raise AssertionError("the nodes took longer to start than their certificates last")
    for node in before:
        if tier.shake_hands(node, _internal_port(tier, node)).chain[0].not_valid_after_utc != end.replace(
            microsecond=0
        ):
            raise AssertionError(f"{node} presents another certificate")
    _await(end)
    tier.cluster.start_operator(interval=5)
    wait_for(
        lambda: all(tier.node_chain(node)[0].not_valid_after_utc > end for node in before), "new certificates", 120
    )


def _internal_port(tier: Tier, node: str) -> int:
    """The listener between brokers; a controller that is no broker has the control plane alone."""
    is_broker = tier.cluster.get("pods", node)["metadata"]["labels"].get("strimzi.io/broker-role") == "true"
    return 9091 if is_broker else 9090


def starts(tier: Tier) -> dict[str, int]:
    """How often the container of each node was started again."""
    pods = {node: tier.cluster.get("pods", node) for node in tier.cluster.node_uids(tier.name)}
    return {
        node: one["restartCount"]
        for node, pod in pods.items()
        for one in pod["status"].get("containerStatuses") or []
        if one["name"] == "kafka"
    }


def _have_restarted(tier: Tier, before: dict[str, int]) -> bool:
    now = starts(tier)
    return all(now.get(node, 0) > count and ready(tier.cluster.find("pods", node)) for node, count in before.items())


def _await(end: datetime) -> None:
    time.sleep(max(0.0, (end - datetime.now(timezone.utc)).total_seconds() + 1))


def make_short_lived_authority(cluster: BedCluster, name: str, end: datetime, ca: str = "cluster") -> None:
    """A CA of the user for a Kafka resource of this name, before there is one. ca: ``cluster`` or ``clients``."""
    key = certs.new_ca_key()
    content = {
        f"{name}-{ca}-ca-cert": ("ca.crt", _root(certs.name(f"{ca}-ca v0"), key, end), "ca-cert-generation"),
        f"{name}-{ca}-ca": ("ca.key", certs.key_pem(key), "ca-key-generation"),
    }
    resource = {"metadata": {"name": name, "namespace": cluster.namespace}}
    for secret, (entry, value, generation) in content.items():
        metadata = {
            "name": secret, "namespace": cluster.namespace, "labels": labels(resource),
            "annotations": {f"strimzi.io/{generation}": "0"},
        }  # fmt: skip
        data = {entry: base64.b64encode(value).decode()}
        cluster.kube.apply([{"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data}])


def outlive_authority(tier: Tier, ca: str = "cluster") -> None:
    """Returns when the CA has ended; no certificate of it has."""
    _await(x509.load_pem_x509_certificate(tier.secret(f"{tier.name}-{ca}-ca-cert")["ca.crt"]).not_valid_after_utc)


def renewed_authority(tier: Tier, end: datetime) -> bytes:
    """A certificate (PEM) of the name and key of the cluster CA."""
    present = x509.load_pem_x509_certificate(tier.secret(f"{tier.name}-cluster-ca-cert")["ca.crt"])
    return _root(present.subject, load_pem_private_key(tier.secret(f"{tier.name}-cluster-ca")["ca.key"], None), end)


def _root(subject: x509.Name, key: Any, end: datetime) -> bytes:
    return certs.root(subject, key, (end - certs.now()) / timedelta(days=1))
