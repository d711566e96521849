"""A certificate that one side does not accept is a failure; a connection that ends without a verdict is not."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta, timezone

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from ..cluster.tls import client_context
from .clients import parse
from .handshakes import Outcome, attempt

HOST = "node.test"
Pem = tuple[bytes, bytes]


def self_signed(host: str = HOST) -> Pem:
    """Certificate and key."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(timezone.utc)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "node")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return certificate.public_bytes(Encoding.PEM), pem


@contextmanager
def listener(context: ssl.SSLContext | None) -> Iterator[int]:
    """The port of a listener for one connection; without a context it hangs up at once."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_serve, args=(server, context), daemon=True)
        thread.start()
        yield server.getsockname()[1]
        thread.join(10)


def _serve(server: socket.socket, context: ssl.SSLContext | None) -> None:
    plain, _address = server.accept()
    with plain, suppress(OSError):
        if context is not None:
            with context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False) as connection:
                _greet(connection)
                connection.recv(14)
                connection.sendall(b"\0\0\0\1")


def _greet(connection: ssl.SSLSocket) -> None:
    """Unread data would make the kernel take back the alert."""
    try:
        connection.do_handshake()
    except ssl.SSLError:
        raw = socket.socket(fileno=connection.detach())
        with raw:
            raw.shutdown(socket.SHUT_WR)
            while raw.recv(1024):
                pass
        raise


def server_context(own: Pem, accepted: bytes | None, folder: object) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    file = f"{folder}/server.pem"
    with open(file, "wb") as written:
        written.write(own[1] + own[0])
    context.load_cert_chain(file)
    if accepted is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=accepted.decode())
    return context


MINE, OTHER = self_signed(), self_signed()


@pytest.mark.parametrize(
    ("trusted", "presented", "accepted", "outcome"),
    [
        (MINE[0], None, None, Outcome.DONE),
        (MINE[0], OTHER, OTHER[0], Outcome.DONE),
        (OTHER[0], None, None, Outcome.FAILED),
        (MINE[0], OTHER, MINE[0], Outcome.FAILED),
        (MINE[0], None, MINE[0], Outcome.FAILED),
    ],
)
def test_both_sides_verify(
    trusted: bytes, presented: Pem | None, accepted: bytes | None, outcome: Outcome, tmp_path: object
) -> None:
    with listener(server_context(MINE, accepted, tmp_path)) as port:
        found = attempt(client_context(trusted, *(presented or ())), "127.0.0.1", port, HOST)
    assert found.outcome is outcome, found.detail


def test_another_name_fails(tmp_path: object) -> None:
    with listener(server_context(MINE, None, tmp_path)) as port:
        found = attempt(client_context(MINE[0]), "127.0.0.1", port, "another.test")
    assert found.outcome is Outcome.FAILED


def test_a_listener_that_hangs_up_gives_no_verdict() -> None:
    with listener(None) as port:
        assert attempt(client_context(MINE[0]), "127.0.0.1", port, HOST).outcome is Outcome.INTERRUPTED


def test_nobody_listening_gives_no_verdict() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert attempt(client_context(MINE[0]), "127.0.0.1", port, HOST).outcome is Outcome.INTERRUPTED


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ('{"name": "record_data", "value": "1.1"}', "record_data"),
        ('{"name": "producer_send_error", "exception": "SslAuthenticationException"}', "tls_failure"),
        ('{"name": "producer_send_error", "exception": "TimeoutException"}', None),
        ('at org.apache.ka{"name": "record_data", "value": "1.1"}', "unreadable"),
        ("ERROR Connection to node 1 failed authentication due to: SSL handshake failed", "tls_failure"),
        ("FAIL ssl://b:9094/1: SSL handshake failed: Disconnected: SSL connection closed by peer", None),
        ("FAIL ssl://b:9094/1: SSL handshake failed: error:0A000086: certificate verify failed", "tls_failure"),
        ("WARN Connection to node 1 could not be established. Node may not be available.", None),
    ],
)
def test_a_line_of_a_client_is_understood(line: str, name: str | None) -> None:
    assert parse(line).get("name") == name
