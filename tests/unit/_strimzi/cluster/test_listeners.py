# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From pods to evidence, over real connections: port-forward, handshakes, and the CAs that brokers accept from users."""

from __future__ import annotations

import functools
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Unavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import (
    Inquiry,
    make_probe,
    make_untrusted_probe,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.tls import ByteStream
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.connection import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.pod_access import open_port
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import PODS, Attempt
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.response_time import ResponseTime
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster import listeners as listeners_module
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.listeners import (
    Endpoint,
    look_at_user_listeners,
    observe_listeners,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.specified_listeners import (
    UserListener,
    user_listeners,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.secrets import read_clients_ca
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener

from ....tools.support.certificates import Entity
from ....tools.support.golden import GoldenFiles
from ..._handshake.listeners import (
    NOW,
    SocketStream,
    authority,
    end_entity,
    opener,
    openssl_listener,
    server_context,
    tls_listener,
)
from ..._kube.forwarding import Kubelet, Upgrade, forwarding, refuse
from ..bench import SCOPE, Bench, Object, pem, pod, secret

OLD, NEW = authority("cluster-ca v0", 1), authority("cluster-ca v1", 2)
ISSUER = authority("issuer", 4)
LEAF = end_entity(ISSUER).certificate
NAMES = {entity.certificate.fingerprint for entity in (OLD, NEW)}
OLD_NAME, NEW_NAME = OLD.certificate.fingerprint, NEW.certificate.fingerprint
CAS = [OLD.certificate, NEW.certificate]
INQUIRY = Inquiry(
    CAS,
    {entity.certificate.fingerprint: make_probe(entity.certificate, entity.key, now=NOW) for entity in (OLD, NEW)},
    CAS,
    make_untrusted_probe(now=NOW),
)
_POD = re.compile(r"/pods/([^/]+)/portforward\?ports=(\d+) ")


def endpoint(number: int, port: int = 9091) -> Endpoint:
    return Endpoint(f"my-{number}", f"uid-{number}", port)


@contextmanager
def cluster(listeners: dict[str, int]) -> Iterator[Kubelet]:
    """An API server that forwards port 9091 of these pods to ports of this machine."""

    def forward(upgrade: Upgrade) -> None:
        found = _POD.search(upgrade.line)
        assert found is not None
        if found.group(1) not in listeners:
            refuse(404, b'{"reason": "NotFound", "message": "no pod", "details": {"name": "x", "kind": "pods"}}')(
                upgrade
            )
            return
        upgrade.switch()
        upgrade.announce(int(found.group(2)))
        upgrade.relay(listeners[found.group(1)])

    with forwarding(forward) as kubelet:
        yield kubelet


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3], ids=["1.2", "1.3"])
def test_pods_behind_the_api_server_are_told_apart(
    version: ssl.TLSVersion, tmp_path: Path, golden: GoldenFiles
) -> None:
    def context(*trusted: object) -> ssl.SSLContext:
        return server_context(tmp_path, [LEAF, ISSUER.certificate], trusted, version=version)  # type: ignore[arg-type]

    with (
        tls_listener(context(OLD.certificate)) as first,
        tls_listener(context(OLD.certificate, NEW.certificate)) as second,
        cluster({"my-0": first, "my-1": second}) as kubelet,
    ):
        forward = functools.partial(open_port, connect({"host": kubelet.url, "api_key": "k"}, {}), "kafka")
        seen = observe_listeners(forward, [endpoint(0), endpoint(1), endpoint(2)], INQUIRY, seconds=20)
    assert [(one.pod, one.uid, one.port) for one in seen] == [(f"my-{n}", f"uid-{n}", 9091) for n in range(3)]
    assert [one.presents for one in seen] == [(LEAF, ISSUER.certificate), (LEAF, ISSUER.certificate), None]
    assert [one.accepts for one in seen] == [{OLD_NAME}, NAMES, frozenset()]
    assert [one.refuses for one in seen] == [{NEW_NAME}, frozenset(), frozenset()]
    assert seen[0].source.startswith("handshake with TLSv1.")
    assert seen[2].failure.startswith("port 9091: ")
    assert "my-2" not in seen[2].failure
    assert set(seen[2].doubts) == NAMES
    golden.compare_said("cluster", "\n".join(sorted(set(seen[2].doubts.values()))))


@pytest.mark.parametrize("answer", [0.0, 3.0])
def test_the_time_for_all_listeners_grows_with_the_answers_of_the_api_server(
    answer: float, monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    """Of three listeners the call asks two at the same time: two rounds of four questions, each with five answers."""
    monkeypatch.setattr(listeners_module, "collect", lambda jobs, **_limits: dict.fromkeys(jobs))
    slow = ResponseTime()
    slow.note(answer)
    three = [endpoint(number) for number in range(3)]
    seen = observe_listeners(lambda *_at, **_in: None, three, INQUIRY, seconds=20, response_time=slow, at_most=2)  # type: ignore[arg-type,return-value]
    golden.compare_said("cluster", seen[0].failure, f"answers take {answer:.0f} s")


def test_five_hundred_pods_a_few_at_a_time(tmp_path: Path) -> None:
    lock, running, most = threading.Lock(), [0], [0]
    with tls_listener(server_context(tmp_path, [LEAF], [OLD.certificate])) as port:

        @contextmanager
        def forward(pod: str, number: int, *, timeout: float) -> Iterator[ByteStream]:
            if pod == "my-7":
                raise Unavailable(Attempt("get", PODS, "kafka", pod), "no node", "Run again.")
            with lock:
                running[0] += 1
                most[0] = max(most[0], running[0])
            try:
                with opener(port)(timeout) as stream:
                    yield stream
            finally:
                with lock:
                    running[0] -= 1

        inquiry = Inquiry([OLD.certificate], {}, CAS, INQUIRY.untrusted)
        seen = observe_listeners(forward, [endpoint(n) for n in range(500)], inquiry, seconds=60, at_most=8)
    assert [one.uid for one in seen] == [f"uid-{n}" for n in range(500)]
    assert [one.pod for one in seen if one.presents != (LEAF,)] == ["my-7"]
    assert most[0] <= 8


def test_pods_that_never_answer_cost_no_more_than_the_time_for_all(golden: GoldenFiles) -> None:
    class Silent:
        def send(self, data: bytes, timeout: float) -> None:
            pass

        def recv(self, timeout: float) -> bytes:
            time.sleep(timeout)
            raise TimeoutError

    @contextmanager
    def forward(pod: str, port: int, *, timeout: float) -> Iterator[ByteStream]:
        yield Silent()

    begin = time.monotonic()
    seen = observe_listeners(forward, [endpoint(n) for n in range(400)], INQUIRY, seconds=0.5, at_most=4)
    assert time.monotonic() - begin < 40
    assert len(seen) == 400
    assert {(one.presents, one.accepts, one.refuses) for one in seen} == {(None, frozenset(), frozenset())}
    assert all(one.failure for one in seen)
    golden.compare_said("cluster", seen[-1].failure)


def test_a_refusal_of_the_api_server_counts_where_the_pod_runs() -> None:
    """A pod that starts or ends is refused as well, and that passes."""

    @contextmanager
    def forward(pod: str, port: int, *, timeout: float) -> Iterator[ByteStream]:
        yield from ()
        raise Unavailable(Attempt("get", PODS, "kafka", pod), "no ports are forwarded", "Check the proxy.")

    starting = Endpoint("my-1", "uid-1", 9091, running=False)
    seen = observe_listeners(forward, [endpoint(0), starting], INQUIRY, seconds=5)
    assert [one.barred for one in seen] == [True, False]


# The clients CAs that each broker accepts from users, over real connections, and the listeners that no run asks.

OLD_USERS, NEW_USERS = authority("clients-ca v0", 1), authority("clients-ca v1", 2)
SERVER = end_entity(authority("cluster-ca v0", 3))
MUTUAL: Object = {"name": "tls", "port": 9093, "type": "internal", "tls": True, "authentication": {"type": "tls"}}
OTHERS: list[Object] = [
    {"name": "plain", "port": 9092, "type": "internal", "tls": False},
    {"name": "passwords", "port": 9095, "type": "internal", "tls": True, "authentication": {"type": "scram-sha-512"}},
    {"name": "open", "port": 9096, "type": "nodeport", "tls": True},
]
CUSTOM: Object = {
    "name": "own",
    "port": 9094,
    "type": "route",
    "tls": True,
    "authentication": {"type": "custom", "sasl": False, "listenerConfig": {"ssl.client.auth": "required"}},
}


def kafka_with(*listeners: Object) -> Object:
    return {"metadata": {"uid": "of the Kafka resource"}, "spec": {"kafka": {"listeners": list(listeners)}}}


def test_listeners_that_can_ask_for_a_certificate() -> None:
    assert user_listeners(kafka_with(*OTHERS, MUTUAL, CUSTOM)) == (
        UserListener("tls", 9093, "internal", True), UserListener("own", 9094, "route", False),
    )  # fmt: skip
    assert user_listeners({}) == ()


@pytest.mark.parametrize(
    ("configured", "asks"),
    [
        (None, False),
        ({"ssl.client.auth": "none"}, False),
        ({"ssl.client.auth": "NONE"}, False),
        ({"ssl.client.auth": "required"}, True),
        ({"ssl.client.auth": "requested"}, True),
        ({"ssl.client.auth": "${secrets:kafka/own:asks}"}, True),
    ],
)
@pytest.mark.parametrize("sasl", [True, False])
def test_a_custom_listener_asks_where_it_is_told_to(configured: Object | None, asks: bool, sasl: bool) -> None:
    """A listener that lets users in by OAuth or a password verifies no certificate."""
    authentication = {"type": "custom", "sasl": sasl, **({} if configured is None else {"listenerConfig": configured})}
    own = {**CUSTOM, "authentication": authentication}
    expected = (UserListener("own", 9094, "route", False),) if asks else ()
    assert user_listeners(kafka_with(own)) == expected
    assert user_listeners(kafka_with({**own, "tls": False})) == ()


class Brokers:
    """Listeners of this machine in the place of pods' ports."""

    def __init__(self) -> None:
        self.ports: dict[tuple[str, int], int] = {}
        self.asked: list[tuple[str, int]] = []

    def open(self, name: str, port: int, *, timeout: float) -> AbstractContextManager[SocketStream]:
        self.asked.append((name, port))

        @contextmanager
        def opening() -> Iterator[SocketStream]:
            with socket.create_connection(("127.0.0.1", self.ports[name, port]), timeout) as connection:
                yield SocketStream(connection)

        return opening()


def look(bench: Bench, brokers: Brokers, listeners: Sequence[Object], *anchors: Entity) -> tuple[ObservedListener, ...]:
    names = ["ca.crt", *(f"ca-{number}.crt" for number in range(1, len(anchors)))]
    clients_ca = read_clients_ca(secret("any", dict(zip(names, map(pem, anchors), strict=True))))
    return look_at_user_listeners(
        bench.client(), SCOPE, kafka_with(*listeners), clients_ca, brokers.open, now=NOW, seconds=30
    )


@pytest.mark.parametrize("keys", [("ca.key",), ("ca.key", "old"), ()], ids=["its own key", "both keys", "no key"])
def test_each_broker_says_which_it_accepts(tmp_path: Path, keys: tuple[str, ...]) -> None:
    """A broker that has not read again knows the former CA alone. Without a key the list of accepted CAs is evidence."""
    bench, brokers = Bench(), Brokers()
    stored = {"ca.key": NEW_USERS.key, "old": OLD_USERS.key}
    named = {"ca.key": "ca.key", "old": f"{OLD_USERS.certificate.fingerprint}.key"}
    bench.create(
        "secrets", secret(SCOPE.of(CaKind.CLIENTS).ca_key_secret, {named[one]: stored[one].reveal() for one in keys})
    )
    with ExitStack() as stack:
        for number, trusted in enumerate(([OLD_USERS, NEW_USERS], [OLD_USERS])):
            bench.create("pods", pod(f"demo-kafka-{number}"))
            (tmp_path / str(number)).mkdir()
            served = openssl_listener(
                tmp_path / str(number), [SERVER.certificate], [one.certificate for one in trusted]
            )
            brokers.ports[f"demo-kafka-{number}", 9093] = stack.enter_context(served)
        both, one = look(bench, brokers, [MUTUAL], NEW_USERS, OLD_USERS)
    new, old = NEW_USERS.certificate.fingerprint, OLD_USERS.certificate.fingerprint
    assert (both.pod, both.accepts, both.refuses, both.doubts) == ("demo-kafka-0", {new, old}, set(), {})
    assert (one.pod, one.accepts, one.refuses, one.doubts) == ("demo-kafka-1", {old}, {new}, {})


def test_only_brokers_that_run_are_asked_and_only_on_managed_listeners() -> None:
    bench, brokers = Bench(), Brokers()
    controller, gone, other = pod("demo-kafka-1"), pod("demo-kafka-2"), pod("demo-entity-operator", "entity-operator")
    controller["metadata"]["labels"]["strimzi.io/broker-role"] = "false"
    gone["status"]["phase"] = "Failed"
    for one in (pod("demo-kafka-0"), controller, gone, other):
        bench.create("pods", one)
    assert look(bench, brokers, [CUSTOM, *OTHERS], NEW_USERS) == ()
    assert brokers.asked == []
    brokers.ports["demo-kafka-0", 9093] = 1
    (unreached,) = look(bench, brokers, [MUTUAL, CUSTOM], NEW_USERS)
    assert set(brokers.asked) == {("demo-kafka-0", 9093)}
    assert (unreached.accepts, unreached.refuses) == (set(), set())
    assert unreached.failure
