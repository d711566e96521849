"""The CAs that clients may trust: the CA in use, or the bundle that is published for them."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding

from ...kafka.tier import Tier


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
    return b"".join(certificate.public_bytes(Encoding.PEM) for certificate in found)


def published(tier: Tier) -> Trusted | None:
    """The client bundle, where there is one."""
    found = tier.cluster.find("secrets", f"{tier.name}-cluster-ca-bundle")
    if found is None:
        return None
    data = {name: base64.b64decode(value) for name, value in found["data"].items()}
    return Trusted(data["ca.crt"], data["ca.p12"], data["ca.password"].decode())


class Reading(Enum):
    """When an application reads the ``ca.crt`` that it trusts."""

    #: For each connection.
    ANEW = "anew"
    #: As long after a change as the kubelet may take to bring it into a mounted volume.
    LATE = "late"
    #: Once, before the flow begins.
    KEPT = "kept"


#: Seconds until a changed Secret has reached every mounted volume, with the kubelet's default settings: a minute until it looks, and another
#: for its cache; less what a look of the handshake load takes.
MOUNTED = 118.0


@dataclass
class CaCrtHistory:
    """The contents of ``ca.crt``, and since when each is there."""

    #: Seconds of a monotonic clock, and the content that was first seen then, in the order of time.
    versions: list[tuple[float, bytes]] = field(default_factory=list)
    #: The content that applications have read which read once; empty until the next look.
    kept: bytes = b""

    def record(self, at: float, content: bytes) -> None:
        if not self.versions or self.versions[-1][1] != content:
            self.versions.append((at, content))
        self.kept = self.kept or content

    def begin_flow(self) -> None:
        """Applications that read once read at the next look."""
        self.kept = b""

    def read(self, at: float, when: Reading) -> bytes:
        """The certificates that an application trusts at this time which reads then."""
        if when is Reading.KEPT:
            return self.kept
        before = at - (MOUNTED if when is Reading.LATE else 0.0)
        return next((content for since, content in reversed(self.versions) if since <= before), self.versions[0][1])
