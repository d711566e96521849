"""A CA and what it issues, valid now, as PEM: what Strimzi would have put into its Secrets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from ipaddress import IPv4Address

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

_LOCAL = (x509.DNSName("localhost"), x509.IPAddress(IPv4Address("127.0.0.1")))

_LEFT = timedelta(days=1)


@dataclass(frozen=True, repr=False)
class Issued:
    """A certificate with its key."""

    certificate: x509.Certificate
    key: rsa.RSAPrivateKey

    @property
    def certificate_pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        return self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )


def authority(common_name: str = "cluster-ca v0") -> Issued:
    return _issue(common_name, None, x509.BasicConstraints(ca=True, path_length=0))


def leaf(common_name: str, issuer: Issued, *hosts: str, left: timedelta = _LEFT) -> Issued:
    """For ``localhost`` and these hosts, as a server and as a client. left: until it ends; it has begun an hour ago."""
    return _issue(common_name, issuer, x509.SubjectAlternativeName([*_LOCAL, *map(x509.DNSName, hosts)]), left)


def _issue(common_name: str, issuer: Issued | None, extension: x509.ExtensionType, left: timedelta = _LEFT) -> Issued:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    names = ((NameOID.ORGANIZATION_NAME, "io.strimzi"), (NameOID.COMMON_NAME, common_name))
    subject = x509.Name([x509.NameAttribute(kind, value) for kind, value in names])
    now = datetime.now(timezone.utc)
    builder = x509.CertificateBuilder(
        subject_name=subject,
        issuer_name=issuer.certificate.subject if issuer else subject,
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=now - timedelta(hours=1),
        not_valid_after=now + left,
    ).add_extension(extension, critical=issuer is None)
    return Issued(builder.sign(issuer.key if issuer else key, hashes.SHA256()), key)
