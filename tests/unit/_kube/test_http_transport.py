# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real transport against a real server on the loopback interface."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
import urllib3

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    Gone,
    OptionsError,
    TransportError,
    Unavailable,
    Unreachable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube import http_transport
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.connection import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.network import (
    describe_failure,
    host_and_port,
    retry_after,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import SECRETS, Attempt
from ansible_collections.trustops.strimzi.plugins.module_utils._tls.failures import ROWS, Reason

from ...tools.cluster.ports import free_port
from ...tools.support.golden import GoldenFiles
from .identities import Identities, make_identities
from .server import Reply, Request, Reset, Server, serving


@pytest.fixture(scope="module")
def identities(tmp_path_factory: pytest.TempPathFactory) -> Identities:
    return make_identities(tmp_path_factory.mktemp("identities"))


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(lambda request: Reply(body={"kind": "Secret"})) as running:
        yield running


def open_client(url: str, **options: Any) -> KubeClient:
    return KubeClient(connect({"host": url, **options}, {}), sleep=lambda seconds: None)


def answering(server: Server, *answers: Reply | Reset) -> None:
    """These answers, the last one again and again."""
    left = list(answers)
    server.answer = lambda request: left.pop(0) if len(left) > 1 else left[0]


def test_headers_of_every_request(server: Server) -> None:
    options = {"api_key": "tok", "impersonate_user": "alice", "impersonate_groups": ["admins", "ops,dev"]}
    client = open_client(server.url, **options)
    client.get(SECRETS, "kafka", "a")
    client.patch(SECRETS, "kafka", "a", {"data": {}})
    answering(server, Reply(chunks=[]))
    assert list(client.watch(SECRETS, "kafka", resource_version="1", timeout=1)) == []
    for request in server.requests:
        assert request.header("Authorization") == ["Bearer tok"]
        assert request.header("Impersonate-User") == ["alice"]
        assert request.header("Impersonate-Group") == ["admins", "ops,dev"]
        assert request.header("User-Agent") == ["trustops.strimzi"]
    assert server.requests[1].header("Content-Type") == ["application/merge-patch+json"]
    assert json.loads(server.requests[1].body) == {"data": {}}
    assert server.requests[2].path.startswith("/api/v1/namespaces/kafka/secrets?watch=true&")


def test_only_metadata_is_asked_for_where_it_is_enough(server: Server) -> None:
    answering(server, Reply(body={"items": [], "metadata": {"resourceVersion": "1"}}))
    client = open_client(server.url)
    for metadata_only in (True, False):
        assert client.each(SECRETS, "kafka", lambda one: one, metadata_only=metadata_only) == ()
    metadata, whole = (request.header("Accept") for request in server.requests)
    assert metadata == ["application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"]
    assert whole == ["application/json"]


def test_no_credentials_are_made_up(server: Server) -> None:
    open_client(server.url).get(SECRETS, "kafka", "a")
    assert server.requests[0].header("Authorization") == []


def test_connections_are_kept(server: Server) -> None:
    client = open_client(server.url)
    answering(server, Reply(status=404, body={"details": {"name": "a"}}), Reply(body={}))
    assert client.get_or_none(SECRETS, "kafka", "a") is None
    client.get(SECRETS, "kafka", "a")
    answering(server, Reply(chunks=[]), Reply(body={}))
    assert list(client.watch(SECRETS, "kafka", resource_version="1", timeout=1)) == []
    client.get(SECRETS, "kafka", "a")
    assert server.connections == 1


def test_read_is_repeated_after_429(server: Server) -> None:
    slept: list[float] = []
    client = KubeClient(connect({"host": server.url}, {}), sleep=slept.append, random=lambda: 0.0)
    answering(server, Reply(status=429, body={}, headers={"Retry-After": "2"}), Reply(body={"a": 1}))
    assert client.get(SECRETS, "kafka", "a") == {"a": 1}
    assert slept == [2.0]


def test_read_is_repeated_after_a_reset(server: Server) -> None:
    answering(server, Reset(), Reply(body={"a": 1}))
    assert open_client(server.url).get(SECRETS, "kafka", "a") == {"a": 1}


@pytest.mark.parametrize(
    "write",
    [
        lambda client: client.create(SECRETS, "kafka", {"metadata": {"name": "a"}}),
        lambda client: client.patch(SECRETS, "kafka", "a", {}),
        lambda client: client.delete(SECRETS, "kafka", "a"),
    ],
)
def test_write_is_not_repeated_after_a_reset(
    server: Server, write: Callable[[KubeClient], Any], golden: GoldenFiles
) -> None:
    answering(server, Reset(), Reply(body={}))
    with pytest.raises(Unreachable) as caught:
        write(open_client(server.url))
    assert caught.value.outcome_unknown
    # In parentheses stand the words of the system: they depend on the moment of the reset.
    golden.compare_said("kubernetes", f"{caught.value.cause.partition(' (')[0]}\n{caught.value.remedy}")
    assert len(server.requests) == 1


def test_an_answer_that_does_not_come(server: Server, golden: GoldenFiles) -> None:
    ended = threading.Event()

    def wait(request: Request) -> Reply:
        ended.wait(60)
        return Reply()

    server.answer = wait
    with pytest.raises(TransportError) as caught:
        connect({"host": server.url}, {}).request("PATCH", "/x", body={}, timeout=0.1)
    ended.set()
    golden.compare_said("kubernetes", caught.value)
    assert (caught.value.sent, caught.value.transient, caught.value.timed_out) == (True, True, True)


def test_a_tls_handshake_has_the_time_of_a_connection_and_the_message_names_it(
    monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    """A server that takes the connection and says nothing more, as one does that has no processor to itself."""
    monkeypatch.setattr(http_transport, "_CONNECT_TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        client = open_client(f"https://127.0.0.1:{silent.getsockname()[1]}", api_key="token")
        with pytest.raises(Unreachable) as caught:
            client.get(SECRETS, "kafka", "one")
    golden.compare_said("kubernetes", caught.value)


def test_a_connection_may_take_as_long_as_answers_of_a_slow_server() -> None:
    """Ten seconds an answer were seen, and the first request of a call has nothing to measure by."""
    assert 20 <= http_transport._CONNECT_TIMEOUT < http_transport.REQUEST_TIMEOUT


def test_a_server_that_is_not_there(golden: GoldenFiles) -> None:
    port = free_port()
    with pytest.raises(Unreachable) as caught:
        open_client(f"http://127.0.0.1:{port}").delete(SECRETS, "kafka", "a")
    assert not caught.value.outcome_unknown
    golden.compare_said("kubernetes", caught.value)


def test_a_refused_watch_that_breaks_off_is_no_bug(server: Server) -> None:
    answering(server, Reply(status=503, chunks=[b"{"], complete=False))
    with pytest.raises(Unreachable) as caught:
        list(open_client(server.url).watch(SECRETS, "kafka", resource_version="1", timeout=1))
    assert caught.value.attempt == Attempt("watch", SECRETS, "kafka")


def test_a_socks_proxy_without_its_library(
    server: Server, monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    monkeypatch.setitem(sys.modules, "socks", None)
    monkeypatch.delitem(sys.modules, "urllib3.contrib.socks", raising=False)
    with pytest.raises(OptionsError) as caught:
        open_client(server.url, proxy="socks5://127.0.0.1:1080")
    golden.compare_said("kubernetes", caught.value)


@pytest.mark.parametrize("proxy", ["proxy.corp:3128", "http://proxy.corp:port", "http://proxy.corp:3128\n"])
def test_a_proxy_of_a_kubeconfig_that_is_no_url(proxy: str, golden: GoldenFiles) -> None:
    kubeconfig = {
        "clusters": [{"name": "c", "cluster": {"server": "https://k8s:6443", "proxy-url": proxy}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    with pytest.raises(OptionsError) as caught:
        connect({"kubeconfig": kubeconfig}, {})
    golden.compare_said("kubernetes", caught.value)
    assert "proxy.corp" not in f"{caught.value} {caught.value.remedy}"


def test_a_login_page_is_not_an_object(server: Server, golden: GoldenFiles) -> None:
    answering(server, Reply(body=b"<html>Please log in</html>"))
    with pytest.raises(Unreachable) as caught:
        open_client(server.url).get(SECRETS, "kafka", "a")
    golden.compare_said("kubernetes", caught.value)
    assert len(server.requests) == 1


def test_a_redirect_is_not_followed(server: Server) -> None:
    answering(server, Reply(status=302, body=b"", headers={"Location": f"{server.url}/login"}))
    with pytest.raises(Unavailable):
        open_client(server.url, api_key="tok").get(SECRETS, "kafka", "a")
    assert len(server.requests) == 1


def event(kind: str, **metadata: str) -> bytes:
    return json.dumps({"type": kind, "object": {"metadata": metadata}}, ensure_ascii=False).encode() + b"\n"


def test_watch_events_are_put_together_and_come_at_once(server: Server) -> None:
    whole = event("ADDED", name="a\u00e4") + event("MODIFIED", name="b") + b"\n"
    middle = whole.index("\u00e4".encode()) + 1
    came = threading.Event()

    def pieces() -> Iterator[bytes]:
        yield from (whole[:13], whole[13:middle], whole[middle:])
        came.wait(60)
        yield event("DELETED", name="c")

    answering(server, Reply(chunks=pieces()))
    seen = []
    for found in open_client(server.url).watch(SECRETS, "kafka", resource_version="1", timeout=30):
        if len(seen) == 1:
            came.set()
        seen.append((found.type, found.object["metadata"]["name"]))
    assert seen == [("ADDED", "a\u00e4"), ("MODIFIED", "b"), ("DELETED", "c")]


def test_watch_left_early_does_not_disturb_the_next_request(server: Server) -> None:
    client = open_client(server.url)
    answering(server, Reply(chunks=[event("ADDED", name="a")] * 50), Reply(body={"kind": "Secret"}))
    events = client.watch(SECRETS, "kafka", resource_version="1", timeout=5)
    next(events)
    del events
    assert client.get(SECRETS, "kafka", "a") == {"kind": "Secret"}


@pytest.mark.parametrize(
    "reply",
    [
        Reply(chunks=[b'{"type":"ERROR","object":{"kind":"Status","code":410,"message":"too old"}}\n']),
        Reply(status=410, body={"kind": "Status", "reason": "Expired", "message": "too old"}),
    ],
)
def test_watch_too_old(server: Server, reply: Reply) -> None:
    answering(server, reply)
    with pytest.raises(Gone, match="too old"):
        list(open_client(server.url).watch(SECRETS, "kafka", resource_version="1", timeout=1))


def test_watch_cut_off(server: Server) -> None:
    answering(server, Reply(chunks=[event("ADDED", name="a")], complete=False))
    events = open_client(server.url).watch(SECRETS, "kafka", resource_version="1", timeout=1)
    assert next(events).type == "ADDED"
    with pytest.raises(Unreachable, match="broke off"):
        next(events)


@pytest.mark.parametrize(
    "line",
    [
        b"<html>",
        b"[" * 100_000,
        b"[]",
        b'{"kind":"Status"}',
        b'{"type":"ADDED","object":{}}',
        b'{"type":"MODIFIED","object":{"metadata":{}}}',
        b'{"type":"BOOKMARK","object":null}',
        b'{"type":"ERROR","object":"too old"}',
    ],
)
def test_a_line_that_is_no_watch_event(server: Server, line: bytes, golden: GoldenFiles) -> None:
    answering(server, Reply(chunks=[line + b"\n"]))
    with pytest.raises(Unreachable) as caught:
        list(open_client(server.url).watch(SECRETS, "kafka", resource_version="1", timeout=1))
    golden.compare_said("kubernetes", caught.value)


def test_watch_on_a_dead_connection_ends(server: Server) -> None:
    ended = threading.Event()

    def silence() -> Iterator[bytes]:
        ended.wait(60)
        yield event("ADDED", name="a")

    answering(server, Reply(chunks=silence()))
    found = list(connect({"host": server.url}, {}).stream("/x", timeout=0.2))
    ended.set()
    assert found == []


# TLS and proxy ---------------------------------------------------------------------------------------------------


def subject_of(request: Request) -> Reply:
    return Reply(body={"subject": request.client_subject})


def test_client_certificate(identities: Identities) -> None:
    files = {
        "ca_cert": str(identities.ca),
        "client_cert": str(identities.client),
        "client_key": str(identities.client_key),
    }
    with serving(subject_of, identities.server_context()) as server:
        assert open_client(server.url, **files).get(SECRETS, "kafka", "a") == {"subject": "client-user"}


def test_a_server_that_is_not_trusted(identities: Identities) -> None:
    with serving(subject_of, identities.server_context()) as server:
        with pytest.raises(Unreachable) as caught:
            open_client(server.url, api_key="tok").patch(SECRETS, "kafka", "a", {})
        assert server.requests == []
    assert f"the API server {server.address} {ROWS[Reason.UNKNOWN_ROOT].cause} (" in str(caught.value)
    assert "_ssl" not in str(caught.value)
    assert not caught.value.outcome_unknown
    assert "ca_cert (K8S_AUTH_SSL_CA_CERT" in caught.value.remedy


def test_a_connection_without_verification_works_with_a_warning(
    identities: Identities, recwarn: pytest.WarningsRecorder
) -> None:
    with serving(subject_of, identities.server_context()) as server:
        client = open_client(server.url, api_key="tok", validate_certs=False)
        assert client.get(SECRETS, "kafka", "a") == {"subject": ""}
    assert [str(warning.message) for warning in recwarn if "Unverified HTTPS" in str(warning.message)] == []


def test_tls_to_a_plain_server(server: Server) -> None:
    with pytest.raises(Unreachable, match=rf"the API server [0-9.:]+ {ROWS[Reason.NO_TLS].cause} \([a-z ]+\)"):
        open_client(server.url.replace("http:", "https:"), api_key="tok").get(SECRETS, "kafka", "a")


def test_proxy_gets_the_request_and_its_headers(server: Server) -> None:
    options = {"proxy": server.url, "proxy_headers": {"proxy_basic_auth": "me:pw", "user_agent": "agent/1"}}
    open_client("http://k8s.example:6443", **options).get(SECRETS, "kafka", "a")
    (request,) = server.requests
    assert request.path == "http://k8s.example:6443/api/v1/namespaces/kafka/secrets/a"
    assert request.header("Proxy-Authorization") == ["Basic bWU6cHc="]


def test_no_proxy_bypasses_the_proxy(server: Server) -> None:
    port = free_port()
    client = open_client(server.url, proxy=f"http://127.0.0.1:{port}", no_proxy="example.com,127.0.0.1")
    assert client.get(SECRETS, "kafka", "a") == {"kind": "Secret"}


def test_a_proxy_that_refuses(server: Server, golden: GoldenFiles) -> None:
    answering(server, Reply(status=407, body=b""))
    with pytest.raises(Unreachable) as caught:
        open_client("https://k8s.example:6443", api_key="tok", proxy=server.url).patch(SECRETS, "kafka", "a", {})
    golden.compare_said("kubernetes", caught.value)
    assert not caught.value.outcome_unknown
    assert len(server.requests) == 1


# Words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("https://k8s.example", "k8s.example:443"),
        ("http://k8s.example/path", "k8s.example:80"),
        ("https://[::1]:6443", "[::1]:6443"),
    ],
)
def test_address(host: str, expected: str) -> None:
    assert host_and_port(host) == expected


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0), (" 7 ", 7.0), ("", None), ("soon", None), ("-3", None), ("\u00b2", None),
        ("Mon, 27 Jul 2026 20:21:26 GMT", 57.0), ("Mon, 27 Jul 2026 20:21:26 UTC", 57.0),
        ("Mon, 27 Jul 2026 20:21:26 -0000", 57.0), ("Mon, 27 Jul 2026 20:00:00 GMT", 0.0),
        ("Mon, 27 Jul 99999 20:21:26 GMT", None),
    ],
)  # fmt: skip
def test_how_long_a_server_wants_to_be_left_alone(
    monkeypatch: pytest.MonkeyPatch, header: str, seconds: float | None
) -> None:
    monkeypatch.setattr(time, "time", lambda: datetime(2026, 7, 27, 20, 20, 29, tzinfo=timezone.utc).timestamp())
    assert retry_after(header) == seconds


@pytest.mark.parametrize("digits", [400, 5000])
def test_a_number_that_no_float_holds_is_no_time(digits: int) -> None:
    """Late releases of urllib3 cut every time off at six hours."""
    assert retry_after("9" * digits) in (None, 21600.0)


def test_connection_attempt_without_answer(golden: GoldenFiles) -> None:
    error = describe_failure(urllib3.exceptions.ConnectTimeoutError(None, "x"), "https://10.0.0.1:6443", 60)
    golden.compare_said("kubernetes", error)
    assert (error.sent, error.transient) == (False, True)


def test_token_of_a_kubeconfig(server: Server, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("first")
    user = {"name": "u", "user": {"tokenFile": str(token)}}
    content = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
        "clusters": [{"name": "k", "cluster": {"server": server.url}}],
        "users": [user],
    }
    KubeClient(connect({"kubeconfig": content}, {})).get(SECRETS, "kafka", "a")
    assert server.requests[0].header("Authorization") == ["Bearer first"]
