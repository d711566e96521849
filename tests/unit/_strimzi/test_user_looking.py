# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clients CAs that each broker accepts from users, over real connections, and the listeners that nobody asks."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.kafka import (
    UserListener,
    user_listeners,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.looking import look_at_user_listeners
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.secrets import read_clients_ca
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.nodes import ObservedListener

from ...support.certificates import Entity
from .._handshake.listeners import (
    NOW,
    SocketStream,
    authority,
    end_entity,
    openssl_listener,
)
from .bench import SCOPE, Bench, Object, pem, pod, secret

OLD, NEW = authority("clients-ca v0", 1), authority("clients-ca v1", 2)
SERVER = end_entity(authority("cluster-ca v0", 3))
MUTUAL: Object = {"name": "tls", "port": 9093, "type": "internal", "tls": True, "authentication": {"type": "tls"}}
OTHERS: list[Object] = [
    {"name": "plain", "port": 9092, "type": "internal", "tls": False},
    {"name": "passwords", "port": 9095, "type": "internal", "tls": True, "authentication": {"type": "scram-sha-512"}},
    {"name": "anybody", "port": 9096, "type": "nodeport", "tls": True},
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
    assert [one.label for one in user_listeners(kafka_with(own))] == (
        ["listener own (9094, authentication custom)"] if asks else []
    )
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
    stored = {"ca.key": NEW.key, "old": OLD.key}
    named = {"ca.key": "ca.key", "old": f"{OLD.certificate.fingerprint}.key"}
    bench.create(
        "secrets", secret(SCOPE.of(CaKind.CLIENTS).ca_key_secret, {named[one]: stored[one].reveal() for one in keys})
    )
    with ExitStack() as stack:
        for number, trusted in enumerate(([OLD, NEW], [OLD])):
            bench.create("pods", pod(f"demo-kafka-{number}"))
            (tmp_path / str(number)).mkdir()
            served = openssl_listener(
                tmp_path / str(number), [SERVER.certificate], [one.certificate for one in trusted]
            )
            brokers.ports[f"demo-kafka-{number}", 9093] = stack.enter_context(served)
        both, one = look(bench, brokers, [MUTUAL], NEW, OLD)
    new, old = NEW.certificate.fingerprint, OLD.certificate.fingerprint
    assert (both.pod, both.accepts, both.refuses, both.doubts) == ("demo-kafka-0", {new, old}, set(), {})
    assert (one.pod, one.accepts, one.refuses, one.doubts) == ("demo-kafka-1", {old}, {new}, {})


def test_only_brokers_that_run_are_asked_and_only_on_managed_listeners() -> None:
    bench, brokers = Bench(), Brokers()
    controller, gone, other = pod("demo-kafka-1"), pod("demo-kafka-2"), pod("demo-entity-operator", "entity-operator")
    controller["metadata"]["labels"]["strimzi.io/broker-role"] = "false"
    gone["status"]["phase"] = "Failed"
    for one in (pod("demo-kafka-0"), controller, gone, other):
        bench.create("pods", one)
    assert look(bench, brokers, [CUSTOM, *OTHERS], NEW) == ()
    assert brokers.asked == []
    brokers.ports["demo-kafka-0", 9093] = 1
    (unreached,) = look(bench, brokers, [MUTUAL, CUSTOM], NEW)
    assert set(brokers.asked) == {("demo-kafka-0", 9093)}
    assert (unreached.accepts, unreached.refuses) == (set(), set())
    assert unreached.why
