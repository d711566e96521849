"""Certificates as the operator makes them with openssl (docs/operator.md, "Certificates", "Leaves")."""

from __future__ import annotations

import hashlib
import ipaddress
import itertools
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from typing import Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import PrivateFormat, pkcs12
from cryptography.x509.oid import NameOID

from . import java_pem


def _rsa(bits: int) -> Any:
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


def new_ca_key() -> Any:
    """Tests put a pool in its place: 4096 bits take half a second."""
    return _rsa(4096)


def new_leaf_key() -> Any:
    return _rsa(2048)


def now() -> datetime:
    return datetime.now(timezone.utc).replace(microsecond=0)


def name(common_name: str, organization: str | None = "io.strimzi") -> x509.Name:
    attributes = [x509.NameAttribute(NameOID.COMMON_NAME, common_name)]
    if organization:
        attributes.insert(0, x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization))
    return x509.Name(attributes)


def pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def key_pem(key: Any) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


@lru_cache(maxsize=1000)
def load_key(content: bytes) -> Any:
    """The key in PEM form, or None where it is none. The library takes 0.4 s to validate one of RSA 4096, which a CA signs every leaf with."""
    try:
        return serialization.load_pem_private_key(content, None)
    except (ValueError, TypeError):
        return None


def load(content: bytes) -> list[x509.Certificate]:
    """As the operator reads them, which is a Java program."""
    try:
        return [x509.load_der_x509_certificate(block) for block in java_pem.blocks(content)]
    except ValueError:
        return []


def _usage(ca: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not ca, content_commitment=False, key_encipherment=not ca, data_encipherment=False,
        key_agreement=False, key_cert_sign=ca, crl_sign=ca, encipher_only=False, decipher_only=False,
    )  # fmt: skip


def _builder(subject: x509.Name, issuer: x509.Name, public_key: Any, days: float) -> x509.CertificateBuilder:
    begin = now()
    return (
        x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(public_key)
        .serial_number(x509.random_serial_number()).not_valid_before(begin).not_valid_after(begin + timedelta(days=days))
    )  # fmt: skip


def root(subject: x509.Name, key: Any, days: float) -> bytes:
    builder = (
        _builder(subject, subject, key.public_key(), days)
        .add_extension(x509.BasicConstraints(True, 0), True)
        .add_extension(_usage(True), True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
    )
    return pem(builder.sign(key, hashes.SHA512()))


def leaf(subject: x509.Name, names: Iterable[str], key: Any, ca_pem: bytes, ca_key: Any, days: int) -> bytes | None:
    """None is what an openssl that refuses leaves behind: an empty file (docs/operator.md, "Tried by hand", 6)."""
    chain = load(ca_pem)
    if not chain or ca_key is None or _spki(ca_key.public_key()) != _spki(chain[0].public_key()):
        return None
    builder = _builder(subject, chain[0].subject, key.public_key(), days)
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName([_general(n) for n in sorted(names)]), False)
    else:
        builder = builder.add_extension(x509.BasicConstraints(False, None), True).add_extension(_usage(False), True)
    builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
    builder = builder.add_extension(_authority_identifier(chain[0]), False)
    return pem(builder.sign(ca_key, hashes.SHA512()))


def _authority_identifier(ca: x509.Certificate) -> x509.AuthorityKeyIdentifier:
    """The CA's own identifier; its issuer and serial number where it has none (docs/operator.md, "Certificates")."""
    try:
        found = ca.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    except x509.ExtensionNotFound:
        return x509.AuthorityKeyIdentifier(None, [x509.DirectoryName(ca.issuer)], ca.serial_number)
    return x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(found)


def _general(value: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(value))
    except ValueError:
        return x509.DNSName(value)


def _spki(public_key: Any) -> bytes:
    return public_key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def names_of(certificate: x509.Certificate) -> set[str]:
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return set()
    return {*found.get_values_for_type(x509.DNSName), *map(str, found.get_values_for_type(x509.IPAddress))}


def thumbprint(content: bytes) -> str:
    """SHA-1 over the DER of the first certificate (docs/operator.md, "Pod annotations")."""
    return hashlib.sha1(load(content)[0].public_bytes(serialization.Encoding.DER)).hexdigest()


def old_name(content: bytes) -> str:
    """Key of a retired CA certificate: its expiry date (docs/operator.md, "CA Secrets")."""
    return f"ca-{load(content)[0].not_valid_after_utc:%Y-%m-%dT%H-%M-%SZ}.crt"


def valid_chain(content: bytes) -> bool:
    """CertificateUtils.validateUserCaCertChain: one certificate unchecked, several are one ordered, valid chain."""
    chain = load(content)
    if len(chain) < 2:
        return bool(chain)
    # PKIX leaves the dates of the anchor, the last one, alone.
    dated = all(c.not_valid_before_utc <= now() <= c.not_valid_after_utc for c in chain[:-1])
    return dated and all(_issued(lower, upper) for lower, upper in itertools.pairwise(chain))


def _issued(lower: x509.Certificate, upper: x509.Certificate) -> bool:
    try:
        lower.verify_directly_issued_by(upper)
        return upper.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except (ValueError, TypeError, InvalidSignature, x509.ExtensionNotFound):
        return False


def truststore(entries: dict[str, bytes], password: bytes) -> bytes:
    certificates = [pkcs12.PKCS12Certificate(load(value)[0], key.encode()) for key, value in sorted(entries.items())]
    return pkcs12.serialize_java_truststore(certificates, serialization.BestAvailableEncryption(password))


def keystore(name: str, certificate: bytes, key: bytes, password: bytes) -> bytes:
    """With the first certificate only, as the User Operator has ``openssl pkcs12 -export`` make it."""
    algorithm = pkcs12.PBES.PBESv2SHA256AndAES256CBC
    how = PrivateFormat.PKCS12.encryption_builder().kdf_rounds(2048).key_cert_algorithm(algorithm).build(password)
    return pkcs12.serialize_key_and_certificates(name.encode(), load_key(key), load(certificate)[0], None, how)
