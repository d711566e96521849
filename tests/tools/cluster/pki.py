"""Keys and certificates of the embedded control plane."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID


def write_pki(folder: Path, names: Iterable[str]) -> None:
    """ca.crt, server.{crt,key} for names and addresses, and the service accounts' sa.{key,pub}."""
    ca_key, server_key, accounts = (
        rsa.generate_private_key(public_exponent=65537, key_size=2048) for _number in range(3)
    )
    ca = _certificate("test bed", ca_key, "test bed", ca_key, None)
    server = _certificate("kube-apiserver", server_key, "test bed", ca_key, [_general(name) for name in names])
    public = accounts.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    for name, content in (
        ("ca.crt", ca), ("server.crt", server), ("server.key", _pem(server_key)), ("sa.key", _pem(accounts)),
        ("sa.pub", public),
    ):  # fmt: skip
        path = folder / name
        path.touch(mode=0o600)
        path.write_bytes(content)


def _pem(key: rsa.RSAPrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _certificate(
    name: str,
    key: rsa.RSAPrivateKey,
    issuer: str,
    issuer_key: rsa.RSAPrivateKey,
    alternatives: list[x509.GeneralName] | None,
) -> bytes:
    """A server's certificate, or a CA's when there are no alternative names."""
    begin = datetime.now(timezone.utc) - timedelta(minutes=5)
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(begin).not_valid_after(begin + timedelta(days=30))
        .add_extension(x509.BasicConstraints(alternatives is None, None), True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), False)
    )  # fmt: skip
    if alternatives is not None:
        builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), False)
    return builder.sign(issuer_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
