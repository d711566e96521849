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

from ..cluster.tls import client_context, server_context
from .clients import parse
from .handshakes import GoClient, Outcome, attempt, attempt_in_memory

HOST = "node.test"
Pem = tuple[bytes, bytes]


def self_signed(host: str | None = HOST) -> Pem:
    """Certificate and key; without a host, it is one of a client."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(timezone.utc)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "node")])
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
    )
    if host:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
    certificate = builder.sign(key, hashes.SHA256())
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


MINE, OTHER = self_signed(), self_signed()


@pytest.mark.parametrize(
    ("trusted", "presented", "accepted", "outcome"),
    [
        (MINE[0], None, b"", Outcome.DONE),
        (MINE[0], OTHER, OTHER[0], Outcome.DONE),
        (OTHER[0], None, b"", Outcome.FAILED),
        (MINE[0], OTHER, MINE[0], Outcome.FAILED),
        (MINE[0], None, MINE[0], Outcome.FAILED),
    ],
)
def test_both_sides_verify(trusted: bytes, presented: Pem | None, accepted: bytes, outcome: Outcome) -> None:
    with listener(server_context(*MINE, accepted)) as port:
        found = attempt(client_context(trusted, *(presented or ())), "127.0.0.1", port, HOST)
    assert found.outcome is outcome, found.detail


def test_another_name_fails() -> None:
    with listener(server_context(*MINE)) as port:
        found = attempt(client_context(MINE[0]), "127.0.0.1", port, "another.test")
    assert found.outcome is Outcome.FAILED


def test_a_listener_that_hangs_up_gives_no_verdict() -> None:
    with listener(None) as port:
        assert attempt(client_context(MINE[0]), "127.0.0.1", port, HOST).outcome is Outcome.INTERRUPTED


def test_a_port_without_a_listener_gives_no_verdict() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert attempt(client_context(MINE[0]), "127.0.0.1", port, HOST).outcome is Outcome.INTERRUPTED


@pytest.mark.parametrize(
    ("trusted", "host", "outcome"),
    [(MINE[0], HOST, Outcome.DONE), (OTHER[0], HOST, Outcome.FAILED), (MINE[0], "another.test", Outcome.FAILED)],
)
def test_in_memory_a_client_verifies_too(trusted: bytes, host: str, outcome: Outcome) -> None:
    found = attempt_in_memory(client_context(trusted), server_context(*MINE), host)
    assert found.outcome is outcome, found.detail


@pytest.mark.parametrize(
    ("presented", "outcome"), [(OTHER, Outcome.DONE), ((), Outcome.FAILED), (MINE, Outcome.FAILED)]
)
def test_in_memory_a_server_verifies_where_it_wants_a_certificate(presented: Pem | tuple[()], outcome: Outcome) -> None:
    found = attempt_in_memory(client_context(MINE[0], *presented), server_context(*MINE, OTHER[0]), HOST)
    assert found.outcome is outcome, found.detail


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


@pytest.mark.parametrize(
    ("trusted", "expected"), [(MINE[0], Outcome.DONE), (OTHER[0], Outcome.FAILED)], ids=["trusted", "another"]
)
def test_a_client_in_go_says_why_it_refuses_a_node(trusted: bytes, expected: Outcome) -> None:
    with listener(server_context(*MINE)) as port:
        found = GoClient(trusted)("127.0.0.1", port, HOST)
    assert found.outcome is expected, found.detail


def test_a_node_that_hangs_up_on_a_client_in_go_is_no_verdict() -> None:
    with listener(None) as port:
        assert GoClient(MINE[0])("127.0.0.1", port, HOST).outcome is Outcome.INTERRUPTED
