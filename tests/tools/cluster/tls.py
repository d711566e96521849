"""TLS as clients speak it that verify whom they talk to, and as servers do."""

from __future__ import annotations

import math
import ssl
import tempfile
from datetime import datetime
from enum import Enum
from functools import lru_cache
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding


class Rules(Enum):
    """The rules of path validation that a client goes by."""

    #: A trusted certificate that is not self-signed ends no path by itself, and of several with one name the first is tried.
    OPENSSL = "openssl"
    #: A trusted certificate that is not self-signed ends a path, and of several with one name each is tried.
    GO = "go"
    #: As GO, and of a trusted certificate name and key count and nothing else; the two others look at its path length (docs/operator.md, "Path lengths").
    JVM = "jvm"


def client_context(
    trusted: bytes, certificates: bytes = b"", key: bytes = b"", *, rules: Rules = Rules.OPENSSL
) -> ssl.SSLContext:
    """Verifies chain and name of the server; with a certificate (PEM, leaf first) it presents that."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if rules is not Rules.OPENSSL:
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    prepare = {Rules.GO: _widest_first, Rules.JVM: _bare}.get(rules, bytes)
    context.load_verify_locations(cadata=prepare(trusted).decode())
    if certificates:
        _present(context, certificates, key)
    return context


@lru_cache(maxsize=1000)
def _bare(trusted: bytes) -> bytes:
    """Certificates (PEM) with the names and keys of these CAs and nothing else. No client verifies how a trusted certificate
    is signed, so any key will do for that."""
    found = (
        bare_anchor(certificate) if _is_authority(certificate) else certificate
        for certificate in x509.load_pem_x509_certificates(trusted)
    )
    return b"".join(certificate.public_bytes(Encoding.PEM) for certificate in found)


@lru_cache(maxsize=1000)
def _widest_first(trusted: bytes) -> bytes:
    """These certificates (PEM), those first that allow most CAs below them: OpenSSL takes the first with the name that it looks for, and a Go
    program finds each.
    """
    found = sorted(x509.load_pem_x509_certificates(trusted), key=_path_length, reverse=True)
    return b"".join(certificate.public_bytes(Encoding.PEM) for certificate in found)


def _path_length(certificate: x509.Certificate) -> float:
    try:
        length = certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.path_length
    except x509.ExtensionNotFound:
        return 0
    return math.inf if length is None else length


def _is_authority(certificate: x509.Certificate) -> bool:
    return any(
        isinstance(extension.value, x509.BasicConstraints) and extension.value.ca
        for extension in certificate.extensions
    )


#: A JVM does not look at the dates of a CA that it trusts.
_ALWAYS = (datetime(2000, 1, 1), datetime(2200, 1, 1))


def bare_anchor(certificate: x509.Certificate) -> x509.Certificate:
    """A certificate with the name, the key and the key identifier of this CA, and no limits."""
    builder = (
        x509.CertificateBuilder()
        .subject_name(certificate.subject)
        .issuer_name(certificate.subject)
        .public_key(certificate.public_key())
        .serial_number(certificate.serial_number)
        .not_valid_before(_ALWAYS[0])
        .not_valid_after(_ALWAYS[1])
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    )
    for extension in certificate.extensions:
        if isinstance(extension.value, x509.SubjectKeyIdentifier):
            builder = builder.add_extension(extension.value, critical=False)
    return builder.sign(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256())


def server_context(certificates: bytes, key: bytes, accepted: bytes = b"") -> ssl.SSLContext:
    """Presents a certificate (PEM, leaf first); with accepted CAs it wants one of its clients too."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    _present(context, certificates, key)
    if accepted:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=accepted.decode())
    return context


def _present(context: ssl.SSLContext, certificates: bytes, key: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        both = Path(folder, "identity.pem")
        both.touch(mode=0o600)
        both.write_bytes(key.rstrip() + b"\n" + certificates)
        context.load_cert_chain(both)
