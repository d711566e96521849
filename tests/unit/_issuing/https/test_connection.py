# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections to the server of an issuer, such as Vault: redirects, servers that are none, TLS, proxies, and the client certificate of a login."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import ServerFailure
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.https import connection as https_connection
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.https.api import Call
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import Token
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.settings import VaultTlsCertificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import load_key
from ansible_collections.trustops.strimzi.plugins.module_utils._tls.failures import ROWS, Reason

from ....tools.cluster.ports import free_port
from ....tools.support.certificates import key, make
from ....tools.support.fake_vault.auth import Method
from ....tools.support.fake_vault.errors import ApiError
from ....tools.support.fake_vault.server import FakeVault
from ....tools.support.fake_vault.server import serving as serving_vault
from ....tools.support.golden import GoldenFiles
from ....tools.support.issuer_contract import wish
from ....tools.support.vault_mount import Administrator, documented_policy, set_up
from ..._kube.identities import Identities, make_identities
from ..._kube.server import Reply, Request, Reset, Server, serving
from ..vault.connections import CALL, PROXIES, connection, failing


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(scope="module")
def identities(tmp_path_factory: pytest.TempPathFactory) -> Identities:
    return make_identities(tmp_path_factory.mktemp("identities"))


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(lambda _: Reply(body={"data": {"a": 1}})) as made:
        yield made


def test_a_call_sends_method_path_headers_and_body(server: Server) -> None:
    reply = connection(f"{server.url}/", namespace="/team/kafka/").send(CALL)
    assert (reply.status, reply.body) == (200, {"data": {"a": 1}})
    (request,) = server.requests
    assert (request.method, request.path, request.body) == ("POST", "/v1/pki/sign", b'{"csr": "x"}')
    for name, value in (
        ("X-Vault-Token", "hvs.token"),
        ("X-Vault-Namespace", "team/kafka"),
        ("X-Vault-Request", "true"),
    ):
        assert request.header(name) == [value]


def test_a_call_without_a_body_is_a_get(server: Server) -> None:
    connection(server.url).send(Call("auth/token/lookup-self", None, "look"))
    (request,) = server.requests
    assert (request.method, request.body) == ("GET", b"")
    assert request.header("X-Vault-Token") == request.header("X-Vault-Namespace") == []


def test_connections_are_kept(server: Server) -> None:
    one = connection(server.url)
    for _time in range(3):
        one.send(CALL)
    assert server.connections == 1


def test_an_unreachable_server_is_a_transient_failure() -> None:
    found = failing(f"http://127.0.0.1:{free_port()}")
    assert "cannot be reached (" in str(found)
    assert found.transient


def test_a_connection_that_breaks_off() -> None:
    with serving(lambda _: Reset()) as server:
        found = failing(server.url)
    assert "cannot be reached (" in str(found)
    assert found.transient


def test_an_answer_that_does_not_come_in_time(monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles) -> None:
    monkeypatch.setattr(https_connection, "_READ_TIMEOUT", 0.2)
    ended = threading.Event()

    def wait(_request: Request) -> Reply:
        ended.wait(60)
        return Reply()

    with serving(wait) as server:
        found = failing(server.url)
        ended.set()
    golden.compare_said("issuers", found)
    assert found.transient


@pytest.mark.parametrize("body", [b"<html>Please log in</html>", b"[1]", b'"text"', b"\xff", b"[" * 100_000])
def test_a_server_that_is_no_vault(body: bytes, golden: GoldenFiles) -> None:
    with serving(lambda _: Reply(body=body)) as server:
        found = failing(server.url)
    golden.compare_said("issuers", found)
    assert not found.transient


def test_the_page_of_a_proxy_is_not_quoted() -> None:
    with serving(lambda _: Reply(status=502, body=b"<html>hvs.token</html>")) as server:
        reply = connection(server.url).send(CALL)
    assert (reply.status, reply.errors) == (502, "")


def test_errors_are_quoted_without_what_was_sent_in_secret() -> None:
    call = Call("auth/x/login", {}, "log in", secrets=("s3cr3t",))
    with serving(lambda _: Reply(400, {"errors": ["bad s3cr3t", 7, "and\nmore"]})) as server:
        assert connection(server.url).send(call).errors == "bad (hidden); and more"
    with serving(lambda _: Reply(400, {"errors": None})) as server:
        assert connection(server.url).send(call).errors == ""


@pytest.mark.parametrize("status", [400, 403])
@pytest.mark.parametrize("body", [b"<html>Forbidden</html>", b"", b'{"message": "Forbidden"}'])
def test_a_refusal_of_a_program_before_vault_is_none_of_vault(status: int, body: bytes, golden: GoldenFiles) -> None:
    """Neither the role nor the token is the cause, and no request has failed."""
    with serving(lambda _: Reply(status, body)) as server:
        found = failing(server.url)
    golden.compare_said("issuers", found, f"HTTP {status}")
    assert not found.transient


def test_a_success_may_have_no_body() -> None:
    with serving(lambda _: Reply(204, b"")) as server:
        assert connection(server.url).send(CALL).body == {}


@pytest.mark.parametrize(("header", "seconds"), [("7", 7.0), ("", None), ("soon", None)])
def test_how_long_a_server_wants_to_be_left_alone(header: str, seconds: float | None) -> None:
    with serving(lambda _: Reply(429, {"errors": []}, {"Retry-After": header})) as server:
        assert connection(server.url).send(CALL).wait == seconds
    with serving(lambda _: Reply(503, b"<html>", {"Retry-After": header})) as server:
        assert connection(server.url).send(CALL).wait == seconds


def test_a_standby_sends_to_the_active_node(server: Server) -> None:
    with serving(lambda _: Reply(307, b"", {"Location": f"{server.url}/v1/pki/sign"})) as standby:
        assert connection(standby.url).send(CALL).status == 200
    (request,) = server.requests
    assert (request.method, request.body) == ("POST", b'{"csr": "x"}')
    assert request.header("X-Vault-Token") == ["hvs.token"]


def test_nodes_that_send_to_each_other_are_not_followed_for_ever(golden: GoldenFiles) -> None:
    with serving(lambda _: Reply(307, b"", {"Location": "/v1/pki/sign"})) as server:
        golden.compare_said("issuers", failing(server.url))
        assert len(server.requests) == 3


def test_a_token_is_not_sent_to_where_there_is_no_tls(server: Server, identities: Identities) -> None:
    with serving(lambda _: Reply(307, b"", {"Location": "http://vault.example/v1/pki/sign"})) as standby:
        assert "without TLS" in str(failing(standby.url))
    here = Reply(307, b"", {"Location": f"{server.url}/v1/pki/sign"})
    with serving(lambda _: here, identities.server_context()) as standby:
        assert "without TLS" in str(failing(standby.url, identities.ca.read_bytes()))
    assert server.requests == []


@pytest.mark.parametrize("target", ["https://[::1", "https://vault.example:99999/v1", "//[/"])
def test_a_redirect_to_what_is_no_url(target: str, golden: GoldenFiles) -> None:
    with serving(lambda _: Reply(307, b"", {"Location": target})) as server:
        golden.compare_said("issuers", failing(server.url))


def test_a_redirect_to_nowhere_is_an_answer() -> None:
    with serving(lambda _: Reply(307, b"")) as server:
        assert connection(server.url).send(CALL).status == 307


# The servers that a run speaks to, the way to them, and the login that it uses.


@pytest.mark.parametrize(
    "url",
    [
        "", "vault", "ftp://vault", "http://vault.example:8200", "https://", "https://user:s3cr3t@vault", "https://vault:99999",
        "https://vault?x=1", "https://va ult", "https://[::1", "http://127.0.0.1.evil.example",
    ],
)  # fmt: skip
def test_a_url_that_is_not_safe_or_none_is_refused(url: str) -> None:
    found = failing(url)
    assert "https://" in found.remedy
    assert "s3cr3t" not in str(found)
    assert not found.transient


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:8200", "http://localhost:8100", "http://[::1]:8200", "https://vault"]
)
def test_a_url_that_is_safe_is_taken(address: str) -> None:
    assert connection(address).server == f"Vault {address}"


@pytest.mark.parametrize("given", ["system", "another"])
def test_a_server_that_is_not_trusted_gets_nothing(identities: Identities, given: str) -> None:
    ca_certificate = None if given == "system" else make("another", key(1)).certificate.pem
    with serving(lambda _: Reply(), identities.server_context()) as server:
        found = failing(server.url, ca_certificate)
        assert server.requests == []
    assert f"Vault at {server.address} {ROWS[Reason.UNKNOWN_ROOT].cause} (" in str(found)
    assert "issuer.ca_certificate" in found.remedy
    assert not found.transient


def test_a_server_of_another_name_gets_nothing(identities: Identities) -> None:
    with serving(lambda _: Reply(), identities.server_context()) as server:
        found = failing(server.url.replace("127.0.0.1", "localhost"), identities.ca.read_bytes())
        assert server.requests == []
    assert ROWS[Reason.OTHER_NAME].cause in str(found)
    assert "issuer.url" in found.remedy


def test_a_server_without_tls(server: Server) -> None:
    found = failing(server.url.replace("http:", "https:"))
    assert ROWS[Reason.NO_TLS].cause in str(found)
    assert not found.transient


def test_a_connection_that_is_cut_before_tls_stands_may_come_later() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def cut() -> None:
            listening.accept()[0].close()

        threading.Thread(target=cut, daemon=True).start()
        assert failing(f"https://127.0.0.1:{listening.getsockname()[1]}").transient


@pytest.mark.parametrize("given", [b"no PEM", b"\xff", b""])
def test_a_ca_that_is_none(given: bytes, golden: GoldenFiles) -> None:
    golden.compare_said("issuers", failing("https://vault", given))


def test_a_bundle_of_cas_may_name_them_in_any_language(identities: Identities) -> None:
    """As those of distributions do."""
    bundle = "# Főtanúsítvány\n".encode() + identities.ca.read_bytes() + b"# \xe9\n"
    with serving(lambda _: Reply(), identities.server_context()) as server:
        assert connection(server.url, ca_certificate=bundle).send(CALL).status == 200


def login_of(identities: Identities) -> VaultTlsCertificate:
    chain = parse_certificates(identities.client.read_bytes())
    return VaultTlsCertificate(chain, load_key(identities.client_key.read_bytes()), "kafka")


@pytest.mark.parametrize(
    ("case", "refusal"),
    [
        ("unknown", ApiError(400, "invalid certificate or no client certificate supplied")),
        # The answer of a real server to a certificate that has expired (tests/issuers/test_vault_logins.py).
        (
            "expired",
            ApiError(500, "failed to verify client's certificate: x509: certificate has expired or is not yet valid"),
        ),
    ],
)
def test_a_client_certificate_logs_in(
    identities: Identities, case: str, refusal: ApiError, golden: GoldenFiles
) -> None:
    login, vault = login_of(identities), FakeVault()
    vault.tokens.methods["cert"] = Method(
        lambda body, der: body == {"name": "kafka"} and der == login.chain[0].der,
        refusal, ("default", "kafka"),
    )  # fmt: skip
    ca_certificate = identities.ca.read_bytes()
    context = identities.server_context()
    with (
        serving_vault(vault, context),
        set_up(Administrator(vault.url, vault.root, ca_certificate=ca_certificate), "pki") as ready,
    ):
        vault.tokens.policies["kafka"] = documented_policy("pki", ready.issuer_ref)
        assert isinstance(ready.issuer(login=login).request(wish().order), Token)
        other = VaultTlsCertificate(login.chain, login.key, "other")
        vault.seen.clear()
        with pytest.raises(ServerFailure) as raised:
            ready.issuer(login=other).request(wish().order)
        golden.compare_said("issuers", raised.value, case)
        # Asking again would not help.
        assert len(vault.seen) == 1


def test_a_key_of_another_certificate_does_not_log_in(identities: Identities) -> None:
    login = VaultTlsCertificate(login_of(identities).chain, key(3))
    found = failing("https://vault", login=login)
    assert "no usable pair" in str(found)
    assert key(3).public_key_sha256 not in str(found)


def test_without_memory_files_no_key_is_written_to_a_disk(
    identities: Identities, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "memfd_create")
    assert "memory files" in str(failing("https://vault", login=login_of(identities)))


def test_a_proxy_of_the_environment_is_asked_to_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _: Reply(407, b"")) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url.replace("http://", "http://me:p%40ss@"))
        failing("https://vault.example:8200")
    (request,) = proxy.requests
    assert (request.method, request.path) == ("CONNECT", "vault.example:8200")
    assert request.header("Proxy-Authorization") == ["Basic bWU6cEBzcw=="]
    assert request.header("X-Vault-Token") == []


@pytest.mark.parametrize(
    ("name", "status", "transient"),
    [("HTTPS_PROXY", 407, False), ("ALL_PROXY", 407, False), ("HTTPS_PROXY", 503, True)],
)
def test_a_proxy_that_refuses(
    name: str, status: int, transient: bool, monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    with serving(lambda _: Reply(status, b"")) as proxy:
        monkeypatch.setenv(name, proxy.url.replace("http://", "http://me:s3cr3t@"))
        found = failing("https://vault.example:8200")
        assert [one.method for one in proxy.requests] == ["CONNECT"]
    golden.compare_said("issuers", found, f"HTTP {status}")
    assert "s3cr3t" not in str(found)
    assert found.transient is transient


def test_a_server_beside_the_proxy(identities: Identities, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("NO_PROXY", "example.com,127.0.0.1")
    with serving(lambda _: Reply(), identities.server_context()) as server:
        assert connection(server.url, ca_certificate=identities.ca.read_bytes()).send(CALL).status == 200


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY"])
def test_a_call_without_tls_bypasses_the_proxy(name: str, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    assert connection(server.url).send(CALL).status == 200


def test_a_proxy_that_speaks_no_http_is_not_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "socks5://me:s3cr3t@proxy.example:1080")
    found = failing("https://vault.example:8200")
    assert "the proxy proxy.example:1080" in str(found)
    assert "s3cr3t" not in str(found)


def test_a_proxy_that_is_no_url(monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://me:s3cr3t@[proxy:3128")
    found = failing("https://vault.example:8200")
    golden.compare_said("issuers", found)
    assert "s3cr3t" not in str(found)


def test_without_a_ca_of_its_own_the_system_says_who_is_trusted(
    identities: Identities, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(identities.ca))
    with serving(lambda _: Reply(), identities.server_context()) as server:
        assert connection(server.url).send(CALL).status == 200
