# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each reason for which a TLS connection fails has its own sentence and remedy, whichever connection fails: real
servers, each with its own fault.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Unreachable
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import SECRETS
from ansible_collections.trustops.strimzi.plugins.module_utils._tls.contexts import to_kafka_node
from ansible_collections.trustops.strimzi.plugins.module_utils._tls.failures import (
    ROWS,
    Peer,
    Reason,
    TlsFailure,
    explain,
)

from .._handshake.listeners import serving as listening
from .._issuing.vault.connections import CALL, PROXIES, connection, failing
from .._kube.forwarding import echo, forwarding, opened, options, tunnel
from .._kube.server import Reply, serving
from .._kube.test_http_transport import open_client
from .kinds import ACCEPTED, REFUSED, Kind, issue, kind, of_server, root

PEER = Peer("the server", "the CA", "the address", "the certificate")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def request_to(found: Kind, folder: Path) -> None:
    """As every request to the API server."""
    (folder / "ca.crt").write_bytes(found.trusted)
    with serving(lambda request: Reply(body={"kind": "Secret"}), found.server_context(folder)) as server:
        url = server.url.replace("127.0.0.1", found.host)
        try:
            open_client(url, api_key="tok", ca_cert=str(folder / "ca.crt")).get(SECRETS, "kafka", "a")
        except Unreachable:
            assert server.requests == []
            raise


def forward_to(found: Kind, folder: Path) -> None:
    """As every connection to a port of a pod through the API server."""
    (folder / "ca.crt").write_bytes(found.trusted)
    with forwarding(echo, found.server_context(folder)) as kubelet:
        given = options(kubelet, ca_cert=str(folder / "ca.crt"))
        with opened({**given, "host": given["host"].replace("127.0.0.1", found.host)}) as stream:
            stream.send(b"hello", 60)
            assert stream.recv(60) == b"hello"


WAYS = pytest.mark.parametrize("way", [request_to, forward_to])
Way = Callable[[Kind, Path], None]


@WAYS
@pytest.mark.parametrize("name", ACCEPTED)
def test_the_api_server_is_accepted_as_kubectl_accepts_it(name: str, way: Way, tmp_path: Path) -> None:
    way(ACCEPTED[name](tmp_path), tmp_path)


@pytest.mark.parametrize("name", ACCEPTED)
def test_vault_is_accepted_as_its_own_program_accepts_it(name: str, tmp_path: Path) -> None:
    found = ACCEPTED[name](tmp_path)
    with serving(lambda _: Reply(body={"data": {}}), found.server_context(tmp_path)) as server:
        assert connection(server.url, ca_certificate=found.trusted).send(CALL).status == 200


#: Ends a connection after its first answer, and with it the tunnel.
ONCE = {"Connection": "close"}


def test_a_proxy_with_tls_is_accepted_as_kubectl_accepts_it(tmp_path: Path) -> None:
    found = ACCEPTED["Amazon EKS: a CA with basicConstraints only"](tmp_path)
    (tmp_path / "ca.crt").write_bytes(found.trusted)
    context = found.server_context(tmp_path)
    with (
        serving(lambda request: Reply(body={"kind": "Secret"}, headers=ONCE), context) as server,
        forwarding(tunnel, context) as proxy,
    ):
        client = open_client(server.url, api_key="tok", ca_cert=str(tmp_path / "ca.crt"), proxy=proxy.url)
        assert client.get(SECRETS, "kafka", "a") == {"kind": "Secret"}
    assert [upgrade.line.split()[0] for upgrade in proxy.upgrades] == ["CONNECT"]


def test_a_proxy_with_tls_before_vault_is_accepted_by_the_cas_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = ACCEPTED["Amazon EKS: a CA with basicConstraints only"](tmp_path)
    (tmp_path / "ca.crt").write_bytes(found.trusted)
    context = found.server_context(tmp_path)
    with (
        serving(lambda _: Reply(body={"data": {}}, headers=ONCE), context) as server,
        forwarding(tunnel, context) as proxy,
    ):
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        refused = failing(server.url, found.trusted)
        assert ROWS[Reason.UNKNOWN_ISSUER].cause in str(refused)
        assert "HTTPS_PROXY" in refused.remedy
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.crt"))
        assert connection(server.url, ca_certificate=found.trusted).send(CALL).status == 200


def is_remedy_of(reason: Reason, remedy: str) -> bool:
    """Whether it is the remedy of this row, with names of settings in the places for them."""
    pattern = re.sub(r"\\{\w+\\}", ".+", re.escape(ROWS[reason].remedy))
    return re.fullmatch(pattern, remedy) is not None


@WAYS
@pytest.mark.parametrize("name", REFUSED)
def test_the_api_server_is_refused_for_its_own_reason(name: str, way: Way, tmp_path: Path) -> None:
    reason, make = REFUSED[name]
    with pytest.raises(Unreachable) as caught:
        way(make(tmp_path), tmp_path)
    assert f"{ROWS[reason].cause} (" in str(caught.value)
    assert is_remedy_of(reason, caught.value.remedy)
    assert not caught.value.outcome_unknown
    assert not caught.value.is_transient


@pytest.mark.parametrize("name", REFUSED)
def test_vault_is_refused_for_its_own_reason(name: str, tmp_path: Path) -> None:
    reason, make = REFUSED[name]
    found = make(tmp_path)
    with serving(lambda _: Reply(), found.server_context(tmp_path)) as server:
        failure = failing(server.url.replace("127.0.0.1", found.host), found.trusted)
        assert server.requests == []
    assert f"{ROWS[reason].cause} (" in str(failure)
    assert is_remedy_of(reason, failure.remedy)
    assert not failure.transient


# Alerts of a server about this side, and other protocols.


def client_context(found: Kind) -> ssl.SSLContext:
    context = to_kafka_node()
    context.load_verify_locations(cadata=found.trusted.decode())
    return context


def failure_of(handle: Callable[[socket.socket], None], context: ssl.SSLContext) -> TlsFailure:
    """Of a handshake, or of the first read after it, where a server of TLS 1.3 refuses this side."""
    with (
        listening(handle) as port,
        socket.create_connection(("127.0.0.1", port), 60) as plain,
        pytest.raises(ssl.SSLError) as caught,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as tls,
    ):
        tls.recv(1)
    found = explain(caught.value, PEER)
    assert found is not None
    return found


@pytest.fixture
def served() -> Kind:
    return kind(issue("server", root(), of_server()), trusted=root())


def speaking(context: ssl.SSLContext) -> Callable[[socket.socket], None]:
    def handle(plain: socket.socket) -> None:
        with context.wrap_socket(plain, server_side=True) as tls:
            tls.recv(1)

    return handle


def wanting_certificates(server: ssl.SSLContext, trusted: bytes) -> None:
    server.verify_mode = ssl.CERT_REQUIRED
    server.load_verify_locations(cadata=trusted.decode())


def answering(alert: ssl.AlertDescription) -> Callable[[ssl.SSLContext], None]:
    def prepare(server: ssl.SSLContext) -> None:
        server.sni_callback = lambda *_arguments: alert

    return prepare


@pytest.mark.parametrize(
    ("alert", "reason"),
    [
        (ssl.AlertDescription.ALERT_DESCRIPTION_BAD_CERTIFICATE, Reason.OWN_REFUSED),
        (ssl.AlertDescription.ALERT_DESCRIPTION_UNSUPPORTED_CERTIFICATE, Reason.OWN_REFUSED),
        (ssl.AlertDescription.ALERT_DESCRIPTION_ACCESS_DENIED, Reason.OWN_DENIED),
        (ssl.AlertDescription.ALERT_DESCRIPTION_UNRECOGNIZED_NAME, Reason.UNKNOWN_NAME),
        (ssl.AlertDescription.ALERT_DESCRIPTION_INSUFFICIENT_SECURITY, Reason.NOTHING_IN_COMMON),
        (ssl.AlertDescription.ALERT_DESCRIPTION_INTERNAL_ERROR, Reason.ALERT),
    ],
)
def test_an_alert_of_the_server(alert: ssl.AlertDescription, reason: Reason, served: Kind, tmp_path: Path) -> None:
    server = served.server_context(tmp_path)
    answering(alert)(server)
    client = client_context(served)
    assert failure_of(speaking(server), client).reason is reason


@pytest.mark.parametrize(
    ("version", "reason"),
    [(ssl.TLSVersion.TLSv1_3, Reason.OWN_MISSING), (ssl.TLSVersion.TLSv1_2, Reason.NOTHING_IN_COMMON)],
)
def test_a_server_that_wants_a_certificate(
    version: ssl.TLSVersion, reason: Reason, served: Kind, tmp_path: Path
) -> None:
    server = served.server_context(tmp_path)
    server.minimum_version = server.maximum_version = version
    wanting_certificates(server, root().pem)
    client = client_context(served)
    found = failure_of(speaking(server), client)
    assert found.reason is reason
    assert "the certificate" in found.remedy


@pytest.mark.parametrize("reason", [Reason.OWN_UNKNOWN_ISSUER, Reason.OWN_EXPIRED])
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_3, ssl.TLSVersion.TLSv1_2])
def test_a_server_that_refuses_the_certificate(
    version: ssl.TLSVersion, reason: Reason, served: Kind, tmp_path: Path
) -> None:
    server = served.server_context(tmp_path)
    server.minimum_version = server.maximum_version = version
    wanting_certificates(server, root().pem)
    _reason, make = REFUSED["an expired leaf" if reason is Reason.OWN_EXPIRED else "a chain up to another root"]
    own = tmp_path / "own.pem"
    own.write_bytes(make(tmp_path).presented)
    client = client_context(served)
    client.load_cert_chain(own)
    assert failure_of(speaking(server), client).reason is reason


def test_a_server_of_an_old_version(served: Kind, tmp_path: Path) -> None:
    server = served.server_context(tmp_path)
    server.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        server.maximum_version = ssl.TLSVersion.TLSv1_1
    client = client_context(served)
    assert failure_of(speaking(server), client).reason is Reason.VERSION


def test_a_server_that_answers_in_an_old_version(served: Kind) -> None:
    """A ServerHello of TLS 1.1, which the client refuses itself."""
    hello = bytes.fromhex("0302") + bytes(32) + bytes.fromhex("00 c013 00")
    message = bytes([2, 0, 0, len(hello)]) + hello

    def answer(plain: socket.socket) -> None:
        plain.recv(4096)
        plain.sendall(bytes([22, 3, 2, 0, len(message)]) + message)
        plain.recv(1)

    client = client_context(served)
    assert failure_of(answer, client).reason is Reason.VERSION


def test_a_server_without_a_common_cipher(served: Kind, tmp_path: Path) -> None:
    server = served.server_context(tmp_path)
    server.maximum_version = ssl.TLSVersion.TLSv1_2
    client = client_context(served)
    client.maximum_version = ssl.TLSVersion.TLSv1_2
    client.set_ciphers("ECDHE-RSA-AES128-GCM-SHA256")
    assert failure_of(speaking(server), client).reason is Reason.NOTHING_IN_COMMON


@pytest.mark.parametrize(
    "greeting", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n", b"220 mail ESMTP\r\n"]
)
def test_a_server_that_speaks_no_tls(greeting: bytes, served: Kind) -> None:
    def answer(plain: socket.socket) -> None:
        plain.recv(4096)
        plain.sendall(greeting)
        plain.recv(1)

    client = client_context(served)
    assert failure_of(answer, client).reason is Reason.NO_TLS


def test_a_server_that_ends_the_connection(served: Kind) -> None:
    def end(plain: socket.socket) -> None:
        plain.recv(4096)

    found = failure_of(end, client_context(served))
    assert (found.reason, found.transient, found.sent) == (Reason.ENDED, True, True)


STRICT = {
    "Amazon EKS: a CA with basicConstraints only": Reason.NO_KEY_IDENTIFIER,
    "basicConstraints that are not critical": Reason.STRICT_FORM,
}


@pytest.mark.parametrize("name", STRICT)
def test_a_strict_verification_says_that_it_is_one(name: str, tmp_path: Path) -> None:
    """No connection of the collection asks for that; a setting of OpenSSL may."""
    found = ACCEPTED[name](tmp_path)
    client = client_context(found)
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    failure = failure_of(speaking(found.server_context(tmp_path)), client)
    assert failure.reason is STRICT[name]
    assert "X509_STRICT" in failure.cause


def test_an_error_without_a_row_keeps_the_words_of_the_library() -> None:
    error = ssl.SSLError(1, "[SSL: NEVER_HEARD_OF] never heard of (_ssl.c:1)")
    error.reason = "NEVER_HEARD_OF"  # type: ignore[assignment]
    refused = ssl.SSLCertVerificationError(1, "certificate verify failed")
    refused.reason = "CERTIFICATE_VERIFY_FAILED"
    refused.verify_code, refused.verify_message = 61, "suite B: something"
    for one, reason, words in (
        (error, Reason.LIBRARY, "never heard of"),
        (refused, Reason.NOT_VERIFIED, "suite B: something"),
    ):
        found = explain(one, PEER)
        assert found is not None
        assert (found.reason, found.cause) == (reason, f"{ROWS[reason].cause} ({words})")


def test_an_error_that_is_none_of_tls() -> None:
    outer = ConnectionResetError("reset")
    outer.__context__ = ValueError(outer)
    assert explain(outer, PEER) is None


def test_each_reason_has_its_own_sentence_and_remedy() -> None:
    assert set(ROWS) == set(Reason)
    assert len({row.cause for row in ROWS.values()}) == len({row.remedy for row in ROWS.values()}) == len(Reason)
    for row in ROWS.values():
        row.remedy.format_map(vars(PEER))
