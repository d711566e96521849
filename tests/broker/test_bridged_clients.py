# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real clients that trust only the old CA meet brokers that present a bridge, and the gate has foreseen who refuses it.

The path length of the old CA makes the difference (operator-facts, "The bridge").
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.authorities import (
    DistinguishedName,
    cross_certify,
    issue_root,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, encode_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import (
    KeyAlgorithm,
    KeySpec,
    PrivateKey,
    generate_key,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.leaves import sign_leaf
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import trust_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger, LedgerEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState
from ansible_collections.trustops.strimzi.tests.unit._trust.builders import cluster

from ..cluster.binaries import find_go_client
from ..cluster.tls import client_context
from ..traffic.handshakes import attempt
from .clients import LIBRARY_READS_ITS_FILES
from .jars import find_jars, find_java
from .nodes import NODES, USER, KafkaNodes
from .reloading import reload, settings_of
from .stores import DOMAIN, pod_of

pytestmark = pytest.mark.filterwarnings(LIBRARY_READS_ITS_FILES)
BEGIN, VALIDITY = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(hours=1), timedelta(days=1)
#: Seconds in which a client that is not refused has got an answer.
PATIENCE = 20


def authority(name: str, path_length: int) -> tuple[Certificate, PrivateKey]:
    key = generate_key(KeySpec(KeyAlgorithm.ECDSA, 256))
    subject = DistinguishedName(name, "io.strimzi")
    return issue_root(subject, key, not_before=BEGIN, validity=VALIDITY, path_length=path_length), key


@dataclass(frozen=True)
class Bridged:
    """chain: what brokers present behind their leaf. old: the only CA that the clients trust. new: the one that its
    bridge leads to. bootstrap: of the users' listeners."""

    chain: tuple[Certificate, ...]
    old: Certificate
    new: Certificate
    bootstrap: str
    trusted: Path


@pytest.fixture(scope="module", params=[1, 0], ids=["pathlen:1", "pathlen:0"])
def bridged(
    request: pytest.FixtureRequest, kafka: KafkaNodes, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bridged]:
    """On the users' listeners of all brokers; afterwards they present again what they did before."""
    (old, old_key), (new, new_key) = authority("cluster-ca v0", request.param), authority("cluster-ca v1", 1)
    bridge = cross_certify(new, old, old_key, not_before=BEGIN, validity=VALIDITY)
    trusted = tmp_path_factory.mktemp("client") / "old.pem"
    trusted.write_bytes(encode_certificates([old]))
    for node in NODES:
        leaf, own = users_leaf(node, new, new_key)
        kafka.stores.put(node, encode_certificates([leaf, bridge, old]), own.reveal())
        reload_users_leaf(kafka, node)
    bootstrap = ",".join(f"localhost:{kafka.ports[node, USER]}" for node in NODES)
    yield Bridged((bridge, old), old, new, bootstrap, trusted)
    for node in NODES:
        kafka.stores.issue(node, kafka.authority)
        reload_users_leaf(kafka, node)


def users_leaf(node: int, issuer: Certificate, key: PrivateKey) -> tuple[Certificate, PrivateKey]:
    """With the names of the leaf that the node has: Kafka takes no other."""
    own, subject = generate_key(KeySpec(KeyAlgorithm.ECDSA, 256)), DistinguishedName("demo-kafka", "io.strimzi")
    names = ["localhost", "127.0.0.1", f"{pod_of(node)}.{DOMAIN}"]
    return sign_leaf(own.public_key, subject, names, issuer, key, not_before=BEGIN, validity=VALIDITY), own


def reload_users_leaf(kafka: KafkaNodes, node: int) -> None:
    """The other listeners keep the leaf that they have, as the nodes know nothing of these CAs."""
    settings = [one for one in settings_of(kafka, node).leaf if f"-{USER}." in one.name]
    assert len(settings) == 2
    reload(kafka, node, settings)


def ask_as_jvm(bootstrap: str, trusted: Path) -> str:
    """Kafka's own client, by one of its tools. What it was refused for; nothing when it got an answer."""
    properties = trusted.with_suffix(".properties")
    properties.write_text(
        f"security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location={trusted}\n"
        f"default.api.timeout.ms={PATIENCE * 1000}\nrequest.timeout.ms=10000\n"
    )
    java = [find_java(), "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", f"{find_jars()}/*"]
    tool = ["org.apache.kafka.tools.TopicCommand", "--list", "--bootstrap-server", bootstrap]
    done = subprocess.run(
        [*java, *tool, "--command-config", str(properties)], capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout + done.stderr if done.returncode else ""


def ask_as_librdkafka(bootstrap: str, trusted: Path) -> str:
    """The same, by librdkafka, which goes on trying for ever: the first refusal counts."""
    said: list[str] = []

    def hear(error: KafkaError) -> None:
        said.append(error.str())

    configuration: dict[str, Any] = {
        "bootstrap.servers": bootstrap, "security.protocol": "ssl", "ssl.ca.location": str(trusted),
        "ssl.endpoint.identification.algorithm": "https", "error_cb": hear, "log_level": 0,
    }  # fmt: skip
    client = AdminClient(configuration)
    deadline = time.monotonic() + PATIENCE
    while not said and time.monotonic() < deadline:
        with suppress(KafkaException):
            client.list_topics(timeout=1)
            return ""
        client.poll(0)
    return said[0] if said else "no answer"


def ask_as_go(bootstrap: str, trusted: Path) -> str:
    """The same, by a program of Go, as Kafka Exporter is one."""
    address = bootstrap.partition(",")[0]
    done = subprocess.run(
        [find_go_client(), address, "localhost", trusted], capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout + done.stderr


def foreseen(bridged: Bridged, kind: Verifier, *also: Certificate) -> bool:
    """Whether the gate lets a broker present this to a client of this kind that trusts the old CA, and also these."""
    books = Ledger((LedgerEntry((bridged.old,), TrustState.TRUSTED_IN_USE_ALL, frozenset({0}), frozenset()),))
    client = OutsideClient("Secret apps/orders", (bridged.old, *also), kind=kind, declared=True)
    snapshot = cluster(ledger=books, outside=(client,), now=datetime.now(timezone.utc))
    held = trust_gate(snapshot, books, bridged.chain)
    return client.name not in {one.subject for one in held}


def test_a_jvm_accepts_it_whatever_the_path_length(bridged: Bridged) -> None:
    assert ask_as_jvm(bridged.bootstrap, bridged.trusted) == ""
    assert foreseen(bridged, Verifier.JVM)


@pytest.mark.parametrize(
    ("ask", "kind", "says"),
    [
        pytest.param(ask_as_librdkafka, Verifier.OPENSSL, "certificate verify failed", id="librdkafka"),
        pytest.param(ask_as_go, Verifier.GO, "too many intermediates for path length constraint", id="Go"),
    ],
)
def test_others_look_at_the_path_length(
    bridged: Bridged, ask: Callable[[str, Path], str], kind: Verifier, says: str
) -> None:
    refusal = ask(bridged.bootstrap, bridged.trusted)
    accepted = bridged.old.path_length == 1
    assert (says in refusal) is not accepted, refusal
    assert (refusal == "") is accepted, refusal
    assert foreseen(bridged, kind) is accepted


def test_it_is_the_path_length_that_openssl_refuses(bridged: Bridged) -> None:
    """Which librdkafka does not say."""
    port = int(bridged.bootstrap.rpartition(":")[2])
    found = attempt(client_context(bridged.trusted.read_bytes()), "127.0.0.1", port, "localhost")
    assert ("path length constraint exceeded" in found.detail) is (bridged.old.path_length == 0), found


def test_go_accepts_it_once_it_knows_the_new_ca(bridged: Bridged, tmp_path: Path) -> None:
    """What an exporter restarts for before a bridge is used."""
    both = tmp_path / "both.pem"
    both.write_bytes(encode_certificates([bridged.old, bridged.new]))
    assert ask_as_go(bridged.bootstrap, both) == ""
    assert foreseen(bridged, Verifier.GO, bridged.new)


def test_a_stranger_is_refused_by_all(bridged: Bridged, tmp_path: Path) -> None:
    """Else an answer would prove nothing."""
    stranger = tmp_path / "stranger.pem"
    stranger.write_bytes(encode_certificates([authority("cluster-ca v0", 1)[0]]))
    assert "SSL handshake failed" in ask_as_jvm(bridged.bootstrap, stranger)
    assert "certificate verify failed" in ask_as_librdkafka(bridged.bootstrap, stranger)
    assert "failed to verify certificate" in ask_as_go(bridged.bootstrap, stranger)
