# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to Vault over real connections: redirects, and servers that are none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault import http
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.errors import Call

from .._kube.identities import Identities, make_identities
from .._kube.server import Reply, Reset, Server, free_port, serving
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


def test_what_is_sent(server: Server) -> None:
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


def test_what_is_only_read_is_not_sent_as_a_change(server: Server) -> None:
    connection(server.url).send(Call("auth/token/lookup-self", None, "look"))
    (request,) = server.requests
    assert (request.method, request.body) == ("GET", b"")
    assert request.header("X-Vault-Token") == request.header("X-Vault-Namespace") == []


def test_connections_are_kept(server: Server) -> None:
    one = connection(server.url)
    for _time in range(3):
        one.send(CALL)
    assert server.connections == 1


def test_no_answer_at_all() -> None:
    found = failing(f"http://127.0.0.1:{free_port()}")
    assert "cannot be reached (" in str(found)
    assert found.transient


def test_a_connection_that_breaks_off() -> None:
    with serving(lambda _: Reset()) as server:
        found = failing(server.url)
    assert "cannot be reached (" in str(found)
    assert found.transient


def test_an_answer_that_does_not_come_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "_READ_TIMEOUT", 0.2)
    with serving(lambda _: Reply(delay=1)) as server:
        found = failing(server.url)
    assert "did not answer within 0.2 s" in str(found)
    assert found.transient


@pytest.mark.parametrize("body", [b"<html>Please log in</html>", b"[1]", b'"text"', b"\xff"])
def test_a_server_that_is_no_vault(body: bytes) -> None:
    with serving(lambda _: Reply(body=body)) as server:
        found = failing(server.url)
    assert "it is no Vault or OpenBao" in str(found)
    assert not found.transient


def test_the_page_of_a_proxy_is_not_quoted() -> None:
    with serving(lambda _: Reply(status=502, body=b"<html>hvs.token</html>")) as server:
        reply = connection(server.url).send(CALL)
    assert (reply.status, reply.said) == (502, "")


def test_errors_are_quoted_without_what_was_sent_in_secret() -> None:
    call = Call("auth/x/login", {}, "log in", secrets=("s3cr3t",))
    with serving(lambda _: Reply(400, {"errors": ["bad s3cr3t", 7, "and\nmore"]})) as server:
        assert connection(server.url).send(call).said == "bad (hidden); and more"
    with serving(lambda _: Reply(400, {"errors": None})) as server:
        assert connection(server.url).send(call).said == ""


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


def test_nodes_that_send_to_each_other_are_not_followed_for_ever() -> None:
    with serving(lambda _: Reply(307, b"", {"Location": "/v1/pki/sign"})) as server:
        assert "from one node to the next" in str(failing(server.url))
        assert len(server.requests) == 3


def test_a_token_is_not_sent_to_where_there_is_no_tls(server: Server, identities: Identities) -> None:
    with serving(lambda _: Reply(307, b"", {"Location": "http://vault.example/v1/pki/sign"})) as standby:
        assert "without TLS" in str(failing(standby.url))
    here = Reply(307, b"", {"Location": f"{server.url}/v1/pki/sign"})
    with serving(lambda _: here, identities.server_context()) as standby:
        assert "without TLS" in str(failing(standby.url, identities.ca.read_bytes()))
    assert server.requests == []


def test_a_redirect_to_nowhere_is_an_answer() -> None:
    with serving(lambda _: Reply(307, b"")) as server:
        assert connection(server.url).send(CALL).status == 307
