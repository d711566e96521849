# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers that a run speaks to, the way to them, and the login that it uses."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import VaultFailure
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import Token
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import load_key
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import (
    VaultTlsCertificate,
)

from ...support.certificates import key, make
from ...support.fake_vault.auth import Method
from ...support.fake_vault.errors import ApiError
from ...support.fake_vault.server import FakeVault
from ...support.fake_vault.server import serving as serving_vault
from ...support.issuer_contract import wish
from ...support.vault_mount import (
    Administrator,
    documented_policy,
    set_up,
)
from .._kube.identities import Identities, make_identities
from .._kube.server import Reply, Server, free_port, serving
from .vault_connections import (
    CALL,
    PROXIES,
    connection,
    failing,
)


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


def test_a_server_that_is_verified(identities: Identities) -> None:
    with serving(lambda _: Reply(), identities.server_context()) as server:
        assert connection(server.url, ca_certificate=identities.ca.read_bytes()).send(CALL).status == 200


@pytest.mark.parametrize("given", ["system", "another"])
def test_a_server_that_is_not_trusted_gets_nothing(identities: Identities, given: str) -> None:
    ca_certificate = None if given == "system" else make("another", key(1)).certificate.pem
    with serving(lambda _: Reply(), identities.server_context()) as server:
        found = failing(server.url, ca_certificate)
        assert server.requests == []
    assert f"The certificate of Vault at {server.address} is not trusted (" in str(found)
    assert "It is always verified." in found.remedy
    assert not found.transient


def test_a_server_of_another_name_gets_nothing(identities: Identities) -> None:
    with serving(lambda _: Reply(), identities.server_context()) as server:
        found = failing(server.url.replace("127.0.0.1", "localhost"), identities.ca.read_bytes())
        assert server.requests == []
    assert "is not trusted (" in str(found)


def test_a_server_without_tls(server: Server) -> None:
    found = failing(server.url.replace("http:", "https:"))
    assert "There is no TLS connection to Vault at" in str(found)
    assert not found.transient


def test_a_connection_that_is_cut_before_tls_stands_may_come_later() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=lambda: listening.accept()[0].close(), daemon=True).start()
        assert failing(f"https://127.0.0.1:{listening.getsockname()[1]}").transient


@pytest.mark.parametrize("given", [b"no PEM", b"\xff"])
def test_a_ca_that_is_none(given: bytes) -> None:
    assert "no certificate in PEM form" in str(failing("https://vault", given))


def login_of(identities: Identities) -> VaultTlsCertificate:
    chain = parse_certificates(identities.client.read_bytes())
    return VaultTlsCertificate(chain, load_key(identities.client_key.read_bytes()), "kafka")


@pytest.mark.parametrize(
    "refusal",
    [
        ApiError(400, "invalid certificate or no client certificate supplied"),
        # The answer of a real server to a certificate that has expired (tests/issuers/test_vault_logins.py).
        ApiError(500, "failed to verify client's certificate: x509: certificate has expired or is not yet valid"),
    ],
    ids=["unknown", "expired"],
)
def test_a_client_certificate_logs_in(identities: Identities, refusal: ApiError) -> None:
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
        with pytest.raises(VaultFailure, match="refuses the login by TLS certificate at auth/cert") as raised:
            ready.issuer(login=other).request(wish().order)
        assert "ends TLS" in raised.value.remedy
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
def test_a_proxy_that_refuses(name: str, status: int, transient: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _: Reply(status, b"")) as proxy:
        monkeypatch.setenv(name, proxy.url.replace("http://", "http://me:s3cr3t@"))
        found = failing("https://vault.example:8200")
        assert [one.method for one in proxy.requests] == ["CONNECT"]
    assert "The proxy to Vault at vault.example:8200 does not let us through (" in str(found)
    assert "s3cr3t" not in str(found)
    assert found.transient is transient


def test_a_server_beside_the_proxy(identities: Identities, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("NO_PROXY", "example.com,127.0.0.1")
    with serving(lambda _: Reply(), identities.server_context()) as server:
        assert connection(server.url, ca_certificate=identities.ca.read_bytes()).send(CALL).status == 200


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY"])
def test_what_has_no_tls_does_not_go_to_a_proxy(name: str, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    assert connection(server.url).send(CALL).status == 200


def test_a_proxy_that_speaks_no_http_is_not_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "socks5://me:s3cr3t@proxy.example:1080")
    found = failing("https://vault.example:8200")
    assert "The proxy proxy.example:1080" in str(found)
    assert "s3cr3t" not in str(found)


def test_without_a_ca_of_its_own_the_system_says_who_is_trusted(
    identities: Identities, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(identities.ca))
    with serving(lambda _: Reply(), identities.server_context()) as server:
        assert connection(server.url).send(CALL).status == 200
