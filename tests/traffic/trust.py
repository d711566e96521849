"""The CAs that clients may trust: the CA in use, or the bundle that is published for them."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding

from ..kafka.tier import Tier


@dataclass(frozen=True)
class Trusted:
    """pkcs12 and password: of the published bundle, which has that form too."""

    pem: bytes
    pkcs12: bytes = b""
    password: str = ""

    @property
    def fingerprints(self) -> frozenset[str]:
        return fingerprints(x509.load_pem_x509_certificates(self.pem))


def fingerprints(certificates: Iterable[x509.Certificate]) -> frozenset[str]:
    return frozenset(certificate.fingerprint(hashes.SHA256()).hex() for certificate in certificates)


def in_use(tier: Tier) -> Trusted:
    """Only the CA that signs now, and its chain: OpenSSL follows a path to a root."""
    return Trusted(tier.secret(f"{tier.name}-cluster-ca-cert")["ca.crt"])


def issuing(tier: Tier, ca: str = "cluster") -> str:
    """The fingerprint of the CA that signs now. ca: cluster or clients."""
    first, *_chain = x509.load_pem_x509_certificates(tier.secret(f"{tier.name}-{ca}-ca-cert")["ca.crt"])
    (found,) = fingerprints([first])
    return found


def anchors(files: Mapping[str, bytes]) -> bytes:
    """The CAs that Strimzi's components trust of a Secret: the first certificate of every ``*.crt`` (docs/operator.md,
    "User-managed CA").
    """
    found = (x509.load_pem_x509_certificates(files[name])[0] for name in sorted(files) if name.endswith(".crt"))
    return b"".join(one.public_bytes(Encoding.PEM) for one in found)


def published(tier: Tier) -> Trusted | None:
    """The client bundle, where there is one."""
    found = tier.cluster.find("secrets", f"{tier.name}-cluster-ca-bundle")
    if found is None:
        return None
    data = {name: base64.b64decode(value) for name, value in found["data"].items()}
    return Trusted(data["ca.crt"], data["ca.p12"], data["ca.password"].decode())
