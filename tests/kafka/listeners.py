"""A listener as a TLS handshake shows it: its chain, the CAs that it accepts, and whether it takes a certificate."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from OpenSSL import SSL

#: ApiVersions, version 0, without a client id: every listener of Kafka answers it to any client that it lets in.
QUESTION = struct.pack(">ihhih", 10, 18, 0, 1, -1)
_PATIENCE = struct.pack("ll", 20, 0)  # a struct timeval


@dataclass(frozen=True)
class Shown:
    chain: list[x509.Certificate]
    #: Subjects (DER) of the CertificateRequest.
    accepted: set[bytes]
    #: Reason of the alert, empty when Kafka answered.
    refusal: str


def handshake(address: str, port: int, certificates: bytes = b"", key: bytes = b"") -> Shown:
    """Connect with a client certificate (PEM, leaf first) or without one, and ask something; trusts every server."""
    context = SSL.Context(SSL.TLS_CLIENT_METHOD)
    context.set_verify(SSL.VERIFY_NONE)
    if certificates:
        leaf, *others = x509.load_pem_x509_certificates(certificates)
        context.use_certificate(leaf)
        for other in others:
            context.add_extra_chain_cert(other)
        context.use_privatekey(serialization.load_pem_private_key(key, password=None))  # type: ignore[arg-type]
    with socket.create_connection((address, port)) as plain:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _PATIENCE)
        connection = SSL.Connection(context, plain)
        connection.set_connect_state()
        connection.do_handshake()
        chain = connection.get_peer_cert_chain(as_cryptography=True) or []
        accepted = {name.der() for name in connection.get_client_ca_list()}
        return Shown(list(chain), accepted, _refusal(connection))


def _refusal(connection: SSL.Connection) -> str:
    """With TLS 1.3 a client has finished its handshake before it hears that its certificate is refused."""
    try:
        connection.sendall(QUESTION)
        connection.recv(4)
    except SSL.Error as error:
        return str(error.args[0][0][2])
    return ""
