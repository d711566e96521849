"""Shows who keeps the key of the CA in use, by what is stored where the key could be."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from ..cluster.bed_cluster import BedCluster
from .closing import WIDTH, table


@dataclass(frozen=True)
class Keeper:
    #: The CA in use, in PEM form.
    authority: bytes
    #: The content of the places where the key could be, by their names for people.
    places: Mapping[str, bytes]
    #: Names of requests that are left with the issuer; None where the run asks no issuer for certificates.
    requests: tuple[str, ...] | None = None


def who_keeps(keeper: Keeper, width: int = WIDTH) -> str:
    rows = [(place, _content(content, keeper.authority)) for place, content in keeper.places.items()]
    shown = table(("where", "what is there"), rows, width)
    if keeper.requests is None:
        return shown
    left = ", ".join(keeper.requests) or "none"
    return f"{shown}\n\nRequests for certificates that are left: {left}."


def _content(content: bytes, authority: bytes) -> str:
    """A sentence about the content; never the key itself."""
    if b"PRIVATE KEY" not in content:
        return f"no key: {content.decode().strip()}"
    public = load_pem_private_key(content, None).public_key()
    return "the CA's key" if public == x509.load_pem_x509_certificate(authority).public_key() else "another key"


def _secret(cluster: BedCluster, name: str) -> Mapping[str, bytes]:
    return {key: base64.b64decode(value) for key, value in cluster.get("secrets", name)["data"].items()}


def _of_the_cluster(cluster: BedCluster) -> tuple[bytes, dict[str, bytes]]:
    authority = _secret(cluster, "demo-cluster-ca-cert")["ca.crt"]
    return authority, {"Secret demo-cluster-ca of the Kafka cluster": _secret(cluster, "demo-cluster-ca")["ca.key"]}


def cluster_keeper(cluster: BedCluster) -> Keeper:
    return Keeper(*_of_the_cluster(cluster))


def cert_manager_keeper(cluster: BedCluster, issuer: str) -> Keeper:
    """issuer: of the Issuer and of the Secret that it signs with."""
    authority, places = _of_the_cluster(cluster)
    places[f"Secret {issuer}, read by cert-manager alone"] = _secret(cluster, issuer)["tls.key"]
    path = f"/apis/cert-manager.io/v1/namespaces/{cluster.namespace}/certificaterequests"
    ours = {"labelSelector": "app.kubernetes.io/managed-by=trustops.strimzi"}
    left = cluster.kube.request("GET", path, query=ours).body["items"]
    return Keeper(authority, places, tuple(secret["metadata"]["name"] for secret in left))
