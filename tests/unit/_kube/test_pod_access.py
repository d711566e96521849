# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes to a port of a pod: through the API server by the way of all other requests, or to the pod's own address."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest
from kubernetes.client.configuration import Configuration

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    Forbidden,
    KubeError,
    NotFound,
    Unauthorized,
    Unavailable,
    Unreachable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube import http_transport
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.connection import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.http_transport import HttpTransport
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.pod_access import (
    DirectPorts,
    PodStream,
    open_port,
    run_command,
)

from ...tools.cluster.ports import free_port
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_api import MemoryApi
from .forwarding import (
    CLOSE,
    PING,
    PORT,
    Behaviour,
    Upgrade,
    echo,
    exchange,
    forwarding,
    opened,
    options,
    refuse,
    tunnel,
)
from .identities import Identities, make_identities


def failure(behaviour: Behaviour) -> KubeError:
    with forwarding(behaviour) as kubelet, pytest.raises(KubeError) as caught:
        exchange(options(kubelet))
    return caught.value


def test_bytes_go_there_and_back_without_the_announced_port() -> None:
    with forwarding(echo) as kubelet:
        assert exchange(options(kubelet), bytes(range(256)) * 200) == bytes(range(256)) * 200
    line = kubelet.upgrades[0].line
    assert line == f"GET /api/v1/namespaces/kafka/pods/my-0/portforward?ports={PORT} HTTP/1.1"
    assert kubelet.upgrades[0].header("Sec-WebSocket-Protocol") == ["v4.channel.k8s.io"]
    assert kubelet.upgrades[0].header("Origin") == []


def test_frames_of_other_channels_are_no_data() -> None:
    def chatty(upgrade: Upgrade) -> None:
        upgrade.switch()
        upgrade.announce(PORT)
        for _twice in range(2):
            upgrade.frame(b"\x07something else")
        upgrade.frame(b"\0" + upgrade.data())
        upgrade.data()

    with forwarding(chatty) as kubelet:
        assert exchange(options(kubelet)) == b"hello"


@pytest.mark.parametrize(
    ("case", "status", "reason", "kind"),
    [
        ("401", 401, "Unauthorized", Unauthorized),
        ("404", 404, "NotFound", NotFound),
        ("500", 500, "InternalError", Unavailable),
        ("502", 502, "", Unavailable),
    ],
)
def test_refusals_are_typed(case: str, status: int, reason: str, kind: type[KubeError], golden: GoldenFiles) -> None:
    body = {"reason": reason, "message": "went wrong with my-0", "details": {"name": "my-0", "kind": "pods"}}
    error = failure(refuse(status, json.dumps(body).encode()))
    assert isinstance(error, kind)
    golden.compare_said("kubernetes", error, case)
    assert not error.outcome_unknown


def test_a_token_that_has_run_out_is_replaced() -> None:
    """As for any request: the plugin of the kubeconfig gives another one."""
    tokens = iter(["old", "new"])

    def guarded(upgrade: Upgrade) -> None:
        if upgrade.header("Authorization") == ["Bearer new"]:
            echo(upgrade)
        else:
            refuse(401, b"{}")(upgrade)

    with forwarding(guarded) as kubelet:

        def configuration() -> Configuration:
            made = Configuration(host=kubelet.url)
            made.api_key = {"authorization": f"Bearer {next(tokens)}"}
            return made

        transport = HttpTransport(configuration(), load_again=configuration)
        with open_port(transport, "kafka", "my-0", PORT, timeout=60) as stream:
            stream.send(b"hello", 5)
            assert stream.recv(60) == b"hello"
    assert len(kubelet.upgrades) == 2


@pytest.mark.parametrize("body", [b"", b"<html>no such page</html>", b"[]"])
def test_a_refusal_without_a_status_object_is_typed_too(body: bytes) -> None:
    assert isinstance(failure(refuse(404, body)), NotFound)
    assert isinstance(failure(refuse(503, body)), Unavailable)


def test_a_missing_permission_is_named_with_both_verbs(golden: GoldenFiles) -> None:
    message = 'pods "my-0" is forbidden: User "jane" cannot create resource "pods/portforward" in API group ""'
    error = failure(refuse(403, json.dumps({"reason": "Forbidden", "message": message}).encode()))
    assert isinstance(error, Forbidden)
    golden.compare_said("kubernetes", error)


def test_a_redirect_is_not_followed() -> None:
    with forwarding(echo) as other:
        target = other.url.replace("http", "ws")

        def away(upgrade: Upgrade) -> None:
            upgrade.connection.sendall(f"HTTP/1.1 302 Found\r\nLocation: {target}/\r\n\r\n".encode())

        assert isinstance(failure(away), (Unavailable, Unreachable))
        assert other.upgrades == []


def test_a_worker_without_an_address_is_no_failure_that_passes() -> None:
    message = "no preferred addresses found; known addresses: []"
    error = failure(refuse(500, json.dumps({"kind": "Status", "code": 500, "message": message}).encode()))
    assert (type(error), error.is_transient) == (Unavailable, False)
    assert not isinstance(error, Unreachable)


def test_a_connection_without_the_port_forward_protocol_is_refused() -> None:
    assert "v4.channel.k8s.io" in str(failure(lambda upgrade: upgrade.switch(None)))
    assert "v4.channel.k8s.io" in str(failure(lambda upgrade: upgrade.switch("chat")))
    assert "broke off" in str(failure(lambda upgrade: None))


def test_nothing_listens_on_the_port_of_the_pod(golden: GoldenFiles) -> None:
    def refused(upgrade: Upgrade) -> None:
        upgrade.switch()
        upgrade.announce(PORT)
        upgrade.frame(b"\x01dial tcp4 127.0.0.1:9091: connect: connection refused")
        upgrade.data()

    error = failure(refused)
    golden.compare_said("kubernetes", error)


def closes(upgrade: Upgrade) -> None:
    upgrade.switch()
    upgrade.announce(PORT)
    upgrade.frame(b"\x03\xe8", CLOSE)
    while upgrade.connection.recv(100):
        pass


def breaks_off(upgrade: Upgrade) -> None:
    upgrade.switch()


@pytest.mark.parametrize("behaviour", [closes, breaks_off])
def test_the_end_of_the_stream_is_empty(behaviour: Behaviour) -> None:
    with forwarding(behaviour) as kubelet, opened(options(kubelet)) as stream:
        assert stream.recv(60) == b""


def test_pings_are_answered_and_do_not_prolong_the_waiting() -> None:
    waited = Event()

    def chatter(upgrade: Upgrade) -> None:
        upgrade.switch()
        upgrade.announce(PORT)
        for _number in range(600):
            upgrade.frame(b"still there", PING)
            if waited.wait(0.1):
                break
        upgrade.frame(b"\0" + upgrade.data())
        upgrade.data()

    with forwarding(chatter) as kubelet, opened(options(kubelet)) as stream:
        begin = time.monotonic()
        with pytest.raises(TimeoutError):
            stream.recv(0.3)
        assert 0.2 < time.monotonic() - begin < 50
        waited.set()
        stream.send(b"x", 5)
        assert stream.recv(60) == b"x"
    assert b"still there" in kubelet.upgrades[0].pongs


def test_a_flood_of_pings_ends_with_the_timeout() -> None:
    def flood(upgrade: Upgrade) -> None:
        upgrade.switch()
        while True:
            upgrade.frame(b"", PING)

    with forwarding(flood) as kubelet, opened(options(kubelet)) as stream:
        begin = time.monotonic()
        with pytest.raises(TimeoutError):
            stream.recv(0.2)
        assert time.monotonic() - begin < 60


def test_a_server_that_never_answers_ends_with_the_timeout(golden: GoldenFiles) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        begin = time.monotonic()
        with (
            pytest.raises(Unreachable) as late,
            opened({"host": f"http://127.0.0.1:{silent.getsockname()[1]}", "api_key": "k"}, timeout=0.2),
        ):
            pass
        assert late.value.is_transient
        golden.compare_said("kubernetes", late.value)
        assert time.monotonic() - begin < 60


def test_a_connection_that_was_lost_is_an_error_when_sending() -> None:
    def send_until_it_fails(stream: PodStream) -> None:
        # The first bytes after the loss still go into the buffer of the system.
        for _attempt in range(50):
            stream.send(b"x" * 4096, 1)
            time.sleep(0.01)

    with forwarding(breaks_off) as kubelet, opened(options(kubelet)) as stream:
        assert stream.recv(60) == b""
        with pytest.raises(Unreachable, match=f"port {PORT} of Pod kafka/my-0"):
            send_until_it_fails(stream)


# A byte stream to a pod takes the way of all other requests: the same address, TLS, credentials and proxy.


@pytest.fixture(scope="module")
def identities(tmp_path_factory: pytest.TempPathFactory) -> Identities:
    return make_identities(tmp_path_factory.mktemp("identities"))


def test_token_and_impersonation_are_sent() -> None:
    with forwarding(echo) as kubelet:
        exchange(options(kubelet, impersonate_user="jane", impersonate_groups=["a", "b"]))
    sent = kubelet.upgrades[0]
    assert sent.header("Authorization") == ["Bearer t0ken"]
    assert sent.header("Impersonate-User") == ["jane"]
    assert sent.header("Impersonate-Group") == ["a", "b"]


def test_tls_with_the_ca_and_client_certificate_of_the_options(identities: Identities) -> None:
    def who(upgrade: Upgrade) -> None:
        upgrade.switch()
        upgrade.announce(PORT)
        subject = upgrade.connection.getpeercert()["subject"]  # type: ignore[attr-defined]
        upgrade.frame(b"\0" + dict(pair[0] for pair in subject)["commonName"].encode())
        upgrade.data()

    with forwarding(who, identities.server_context()) as kubelet:
        certificate = {"client_cert": str(identities.client), "client_key": str(identities.client_key)}
        assert exchange({"host": kubelet.url, "ca_cert": str(identities.ca), **certificate}) == b"client-user"


def test_token_and_server_name_of_a_kubeconfig(identities: Identities) -> None:
    """The certificate is for the address, not for localhost."""
    with forwarding(echo, identities.server_context()) as kubelet:
        cluster = {"server": kubelet.url.replace("127.0.0.1", "localhost"), "tls-server-name": "127.0.0.1"}
        content = {
            "current-context": "c",
            "clusters": [{"name": "k", "cluster": {**cluster, "certificate-authority": str(identities.ca)}}],
            "users": [{"name": "u", "user": {"token": "of-the-kubeconfig"}}],
            "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
        }
        assert exchange({"kubeconfig": content}) == b"hello"
    assert kubelet.upgrades[0].header("Authorization") == ["Bearer of-the-kubeconfig"]


def test_an_api_server_of_another_ca_gets_no_credentials(identities: Identities, tmp_path: Path) -> None:
    stranger = make_identities(tmp_path)
    with forwarding(echo, identities.server_context()) as kubelet:
        with pytest.raises(Unreachable) as caught:
            exchange(options(kubelet, ca_cert=str(stranger.ca)))
        assert kubelet.upgrades == []
        assert exchange(options(kubelet, ca_cert=str(stranger.ca), validate_certs=False)) == b"hello"
    assert "certificate" in str(caught.value)
    assert "ca_cert" in caught.value.remedy


def test_the_proxy_of_the_options_is_used_and_gets_no_token(identities: Identities) -> None:
    with forwarding(echo, identities.server_context()) as kubelet, forwarding(tunnel) as proxy:
        given = options(kubelet, ca_cert=str(identities.ca), proxy=proxy.url)
        assert exchange({**given, "proxy_headers": {"proxy_basic_auth": "u:p"}}) == b"hello"
        assert exchange({**given, "no_proxy": "127.0.0.1"}) == b"hello"
    assert [upgrade.line.split()[:2] for upgrade in proxy.upgrades] == [["CONNECT", f"127.0.0.1:{kubelet.port}"]]
    assert proxy.upgrades[0].header("Proxy-Authorization") == ["Basic dTpw"]
    assert proxy.upgrades[0].header("Authorization") == []


def test_a_proxy_that_refuses_and_one_of_another_kind(golden: GoldenFiles) -> None:
    with forwarding(echo) as kubelet, forwarding(refuse(407, b"")) as proxy:
        with pytest.raises(Unreachable) as caught:
            exchange(options(kubelet, proxy=proxy.url))
        golden.compare_said("kubernetes", caught.value, "it refuses")
        with pytest.raises(Unreachable) as caught:
            exchange(options(kubelet, proxy="https://127.0.0.1:1"))
        golden.compare_said("kubernetes", caught.value, "of another kind")
    assert kubelet.upgrades == []


def test_a_socks_proxy_is_not_passed_by(monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles) -> None:
    pool = SimpleNamespace(proxy_url="socks5://127.0.0.1:1080")
    monkeypatch.setattr(http_transport, "RESTClientObject", lambda configuration: SimpleNamespace(pool_manager=pool))
    with forwarding(echo) as kubelet:
        with pytest.raises(Unreachable) as caught:
            exchange(options(kubelet))
        golden.compare_said("kubernetes", caught.value)
        assert kubelet.upgrades == []


def test_an_unreachable_api_server_is_reported(golden: GoldenFiles) -> None:
    with (
        pytest.raises(Unreachable) as caught,
        opened({"host": f"https://127.0.0.1:{free_port()}", "api_key": "k"}),
    ):
        pass
    golden.compare_said("kubernetes", caught.value)


# Ports of pods by the pods' own addresses, over real sockets.

ADDRESSES = {"demo-kafka-0": "127.0.0.1", "demo-kafka-1": None}


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(5)
        yield server


@pytest.fixture
def ports() -> DirectPorts:
    """Of two pods of the cluster; the second has no address yet, a third is of another cluster."""
    api = MemoryApi()
    for name, address in {**ADDRESSES, "other": "127.0.0.1"}.items():
        cluster = "demo" if name.startswith("demo") else "other"
        body = {
            "apiVersion": "v1", "kind": "Pod", "status": {"podIP": address} if address else {},
            "metadata": {"name": name, "labels": {"strimzi.io/cluster": cluster}},
        }  # fmt: skip
        api.request("POST", "/api/v1/namespaces/kafka/pods", body=body)
    return DirectPorts(KubeClient(api), "kafka", "strimzi.io/cluster=demo")


def port_of(server: socket.socket) -> int:
    return int(server.getsockname()[1])


def test_bytes_go_both_ways(listening: socket.socket, ports: DirectPorts) -> None:
    with ports("demo-kafka-0", port_of(listening), timeout=60) as stream:
        peer, _address = listening.accept()
        with peer:
            stream.send(b"question", 5)
            assert peer.recv(100) == b"question"
            peer.sendall(b"answer")
            assert stream.recv(60) == b"answer"
        assert stream.recv(60) == b""


def test_silence_is_a_timeout(listening: socket.socket, ports: DirectPorts) -> None:
    with ports("demo-kafka-0", port_of(listening), timeout=60) as stream, pytest.raises(TimeoutError):
        stream.recv(0.05)


def test_a_broken_connection_names_the_pod(listening: socket.socket, ports: DirectPorts, golden: GoldenFiles) -> None:
    with ports("demo-kafka-0", port_of(listening), timeout=60) as stream:
        peer, _address = listening.accept()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.close()
        with pytest.raises(Unreachable) as caught:
            stream.recv(60)
    golden.compare_said("kubernetes", str(caught.value).replace(str(port_of(listening)), "<port>"))


def test_a_port_without_a_listener_is_unreachable(
    listening: socket.socket, ports: DirectPorts, golden: GoldenFiles
) -> None:
    port = port_of(listening)
    listening.close()
    with pytest.raises(Unreachable) as refused:
        ports("demo-kafka-0", port, timeout=5).__enter__()
    golden.compare_said("kubernetes", f"{refused.value}\n{refused.value.remedy}".replace(str(port), "<port>"))


@pytest.mark.parametrize("pod", ["demo-kafka-1", "demo-kafka-2", "other"])
def test_a_pod_without_an_address_of_this_cluster(ports: DirectPorts, pod: str, golden: GoldenFiles) -> None:
    with pytest.raises(Unreachable) as caught:
        ports(pod, 9091, timeout=5).__enter__()
    golden.compare_said("kubernetes", caught.value, pod)


# Commands.


def run(behaviour: Behaviour, timeout: float = 5.0) -> str:
    """The line of the request."""
    with forwarding(behaviour) as kubelet:
        run_command(connect(options(kubelet), {}), "kafka", "my-0", "kafka", ("sh", "-c", "a & b"), timeout=timeout)
    return kubelet.upgrades[0].line


def ending(*frames: bytes) -> Behaviour:
    def behave(upgrade: Upgrade) -> None:
        upgrade.switch()
        for frame in frames:
            upgrade.frame(frame)
        upgrade.data()

    return behave


SUCCESS = b"\x03" + json.dumps({"status": "Success"}).encode()
FAILURE = b"\x03" + json.dumps({"status": "Failure", "message": "command terminated with exit code 1"}).encode()


def test_a_command_is_one_argument_after_the_other_and_has_ended_afterwards() -> None:
    line = run(ending(b"\x01some output", SUCCESS))
    query = "container=kafka&command=sh&command=-c&command=a+%26+b&stdout=true&stderr=true"
    assert line == f"GET /api/v1/namespaces/kafka/pods/my-0/exec?{query} HTTP/1.1"


@pytest.mark.parametrize(
    ("case", "frames"),
    [
        ("silent", (FAILURE,)),
        ("with a word", (b"\x02no such process", FAILURE)),
    ],
)
def test_a_command_that_fails_is_an_error_with_its_own_words(
    case: str, frames: tuple[bytes, ...], golden: GoldenFiles
) -> None:
    with pytest.raises(Unavailable) as caught:
        run(ending(*frames))
    golden.compare_said("kubernetes", caught.value, case)


def test_a_command_of_which_nothing_shows_how_it_ended_is_an_error(golden: GoldenFiles) -> None:
    """It may have been done: another look shows that."""
    with pytest.raises(Unreachable) as lost:
        run(lambda upgrade: upgrade.switch())
    with pytest.raises(Unreachable) as late:
        run(ending(b"\x01at work"), timeout=0.2)
    assert (lost.value.is_transient, late.value.is_transient) == (True, True)
    for end in (b"", b"{cut off", b"[]"):
        with pytest.raises(Unreachable) as unread:
            run(ending(b"\x03" + end))
        assert unread.value.is_transient
        golden.compare_said("kubernetes", unread.value)


def test_the_permission_for_commands_is_named(golden: GoldenFiles) -> None:
    body = {"reason": "Forbidden", "message": "no", "details": {"name": "my-0", "kind": "pods"}}
    with pytest.raises(Forbidden) as refused:
        run(refuse(403, json.dumps(body).encode()))
    golden.compare_said("kubernetes", refused.value)
