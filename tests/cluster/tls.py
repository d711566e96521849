"""TLS as clients speak it that verify whom they talk to, and as servers do."""

from __future__ import annotations

import ssl
import tempfile
from pathlib import Path


def client_context(trusted: bytes, certificates: bytes = b"", key: bytes = b"", *, jvm: bool = False) -> ssl.SSLContext:
    """Verifies chain and name of the server; with a certificate (PEM, leaf first) it presents that.

    jvm: a trusted certificate that is not self-signed ends a path, as it does for JVMs and not for OpenSSL by itself.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if jvm:
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.load_verify_locations(cadata=trusted.decode())
    if certificates:
        _present(context, certificates, key)
    return context


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
