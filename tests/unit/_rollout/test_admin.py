# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kafka's answers as values, and the cluster operator's identity towards Kafka: mTLS with a key that lies in no file."""

from __future__ import annotations

import os
import socket
import ssl
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from kafka.errors import UnknownBrokerIdError

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KafkaUnavailable, StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import (
    Certificate,
    parse_certificates,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import admin as admin_module
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import (
    Broker,
    KafkaPythonAdmin,
    Partition,
    Quorum,
    Topic,
    Voter,
    bootstrap_servers,
    connect_to,
    context_for,
    missing_library,
    operator_context,
    read_brokers,
    read_quorum,
    read_topics,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._tls.contexts import accept_ended
from ansible_collections.trustops.strimzi.plugins.module_utils._tls.failures import ROWS, Reason

from ...broker.certificates import Issued, authority, leaf
from ...tools.support.certificates import key, make
from ...tools.support.golden import GoldenFiles
from .._handshake.listeners import serving as listening
from .._strimzi.bench import SCOPE, Bench, kafka, secret


def quorum(leader: int = 1, error: str | None = None, **last: int) -> dict[str, Any]:
    voters = [{"replica_id": int(name[1:]), "last_caught_up_timestamp": time} for name, time in last.items()]
    partition = {"error": error, "leader_id": leader, "current_voters": voters, "observers": [{"replica_id": 9}]}
    return {"topics": [{"topic_name": "__cluster_metadata", "partitions": [partition]}]}


def test_quorum_with_what_the_leader_does_not_know() -> None:
    assert read_quorum(quorum(1, v1=500, v2=-1)) == Quorum(1, (Voter(1, 500), Voter(2, None)))
    assert read_quorum(quorum(-1, v1=-1)) == Quorum(None, (Voter(1, None),))


def test_a_quorum_that_is_not_described(golden: GoldenFiles) -> None:
    with pytest.raises(KafkaUnavailable) as caught:
        read_quorum(quorum(error="NotLeaderForPartitionError", v1=500))
    golden.compare_said("rolls", caught.value)


def test_a_broker_that_is_not_said_to_serve_counts_as_fenced() -> None:
    answer = {"brokers": [{"broker_id": 0, "is_fenced": False}, {"broker_id": 1, "is_fenced": True}, {"broker_id": 2}]}
    assert read_brokers(answer) == (Broker(0, False), Broker(1, True), Broker(2, True))


def described(error: int = 0) -> dict[str, Any]:
    partition = {"error_code": 5, "partition_index": 3, "replica_nodes": [2, 0], "isr_nodes": [2], "leader_id": -1}
    return {"name": "orders", "error_code": error, "partitions": [partition]}


CONFIGURED = {"orders": {"min.insync.replicas": {"value": "2"}}}


def test_a_topic_with_its_minimum() -> None:
    partition = Partition(
        "orders", 3, frozenset({0, 2}), frozenset({2}), has_leader=False, preferred=2, is_led_by_preferred=False
    )
    assert read_topics([described()], CONFIGURED, frozenset()) == (Topic(2, (partition,)),)


def test_a_partition_that_is_being_reassigned() -> None:
    (topic,) = read_topics([described()], CONFIGURED, frozenset({("orders", 3), ("payments", 0)}))
    assert [partition.is_moving for partition in topic.partitions] == [True]
    (topic,) = read_topics([described()], CONFIGURED, frozenset({("orders", 2), ("payments", 3)}))
    assert [partition.is_moving for partition in topic.partitions] == [False]


def test_racks_of_brokers() -> None:
    answer = {"brokers": [{"broker_id": 0, "is_fenced": False, "rack": "a"}, {"broker_id": 1, "rack": ""}]}
    assert [broker.rack for broker in read_brokers(answer)] == ["a", None]


@pytest.mark.parametrize(
    ("topic", "configured"),
    [
        pytest.param(described(error=29), CONFIGURED, id="denied"),
        pytest.param(described(), {}, id="gone meanwhile"),
        pytest.param(described(), {"orders": {}}, id="its configuration denied"),
    ],
)
def test_a_topic_of_which_not_all_is_known_is_no_answer(
    topic: dict[str, Any], configured: dict[str, Any], golden: GoldenFiles
) -> None:
    with pytest.raises(KafkaUnavailable) as caught:
        read_topics([topic], configured, frozenset())
    golden.compare_said("rolls", caught.value, f"error code {topic['error_code']}")


@pytest.mark.parametrize("version", [None, "2.3.3", ""], ids=["missing", "too old", "without a version"])
def test_a_library_that_is_missing_or_too_old(
    version: str | None, monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    def installed(name: str) -> str:
        assert name == "kafka-python"
        if version is None:
            raise metadata.PackageNotFoundError(name)
        return version

    monkeypatch.setattr(metadata, "version", installed)
    problem = missing_library()
    assert problem is not None
    golden.compare_said("rolls", f"{problem}\n{problem.remedy}".replace(sys.executable, "<python>"), version or "")
    with pytest.raises(StepError) as caught:
        connect_to(())(Bench().observe())
    assert str(caught.value) == str(problem)


@pytest.mark.parametrize("version", ["3.0.0", "3.0.12", "10.1"])
def test_a_library_that_will_do(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: version)
    assert missing_library() is None


def test_bootstrap_servers_are_given_or_the_service_of_the_cluster() -> None:
    bench = Bench()
    bench.create("kafkas", kafka({}))
    assert bootstrap_servers(bench.observe(), []) == ["demo-kafka-bootstrap.kafka.svc:9091"]
    assert bootstrap_servers(bench.observe(), ["a:1", "b:2"]) == ["a:1", "b:2"]


# The cluster operator's identity towards Kafka: mTLS with a key that lies in no file and shows up nowhere.

WHERE = "Secret kafka/demo-cluster-operator-certs"


@cache
def ca(number: int = 0) -> Issued:
    return authority(f"cluster-ca v{number}")


@cache
def operator() -> Issued:
    return leaf("cluster-operator", ca())


@cache
def server() -> Issued:
    return leaf("demo-kafka", ca())


def anchors(*issued: Issued) -> dict[str, Certificate]:
    return {f"entry {number}": parse_certificates(one.certificate_pem)[0] for number, one in enumerate(issued)}


def entries(certificate: bytes | None = None, key: bytes | None = None) -> Mapping[str, bytes]:
    return {
        "cluster-operator.crt": operator().certificate_pem if certificate is None else certificate,
        "cluster-operator.key": operator().key_pem if key is None else key,
    }


@cache
def ended() -> Issued:
    return leaf("demo-kafka", ca(), left=timedelta(minutes=-1))


def shake_hands(
    client: ssl.SSLContext | None,
    host: str = "localhost",
    serving: Callable[[], Issued] = server,
    *,
    asking: bool = True,
) -> Mapping[str, Any]:
    """With a node that asks for a certificate of the CA, where it is ``asking``; what it learns about the client."""
    assert client is not None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.verify_mode = ssl.CERT_REQUIRED if asking else ssl.CERT_NONE
    context.load_verify_locations(cadata=ca().certificate_pem.decode())
    with tempfile.NamedTemporaryFile() as file:
        file.write(serving().key_pem + serving().certificate_pem)
        file.flush()
        context.load_cert_chain(file.name)
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [client.wrap_bio(down, up, server_hostname=host), context.wrap_bio(up, down, server_side=True)]
    waiting = list(ends)
    while waiting:
        for end in list(waiting):
            try:
                end.do_handshake()
                waiting.remove(end)
            except ssl.SSLWantReadError:
                continue
    return ends[1].getpeercert() or {}


def test_we_are_the_cluster_operator_to_the_nodes() -> None:
    learned = shake_hands(context_for(entries(), anchors(ca()), WHERE))
    assert (("commonName", "cluster-operator"),) in learned["subject"]


def test_nodes_of_another_ca_are_not_believed() -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(context_for(entries(), anchors(ca(1)), WHERE))


def test_nodes_of_another_name_are_not_believed() -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(context_for(entries(), anchors(ca()), WHERE), host="elsewhere")


def test_a_certificate_that_has_ended_is_believed_where_that_is_wanted_and_nothing_else_is() -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(context_for(entries(), anchors(ca()), WHERE), serving=ended)
    assert shake_hands(accept_ended(context_for(entries(), anchors(ca()), WHERE)), serving=ended)
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(accept_ended(context_for(entries(), anchors(ca(1)), WHERE)), serving=ended)
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(accept_ended(context_for(entries(), anchors(ca()), WHERE)), "elsewhere", ended)


def test_nodes_of_both_cas_are_trusted_in_a_replacement() -> None:
    assert shake_hands(context_for(entries(), anchors(ca(1), ca()), WHERE))


def test_a_subordinate_ca_is_an_anchor_by_itself() -> None:
    """Strimzi's JVMs take it for one; OpenSSL would want its issuer."""
    assert shake_hands(context_for(entries(), anchors(server()), WHERE))


def test_leaf_and_anchors_come_from_the_secrets_of_the_cluster() -> None:
    bench = Bench()
    bench.create("kafkas", kafka({}))
    bench.create("secrets", secret("demo-cluster-operator-certs", entries()))
    trusted = {"ca.crt": ca(1).certificate_pem, "ca-2026.crt": ca().certificate_pem}
    bench.create("secrets", secret(SCOPE.ca_certificate_secret, trusted))
    assert shake_hands(operator_context(bench.observe()))


def secured(encryption: str, authentication: str) -> Bench:
    """A cluster whose operator has no certificate of its own."""
    bench = Bench()
    security = {"encryption": {"type": encryption}, "authentication": {"type": authentication}}
    bench.create("kafkas", kafka({"clusterSecurity": security}))
    bench.create("secrets", secret(SCOPE.ca_certificate_secret, {"ca.crt": ca().certificate_pem}))
    return bench


def test_no_certificate_is_needed_where_nodes_ask_for_none() -> None:
    """The node is verified all the same."""
    context = operator_context(secured("strimzi-tls", "none").observe())
    assert context is not None
    assert shake_hands(context, asking=False) == {}
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(context, host="elsewhere", asking=False)


def test_there_is_no_tls_where_nodes_speak_none() -> None:
    assert operator_context(secured("none", "none").observe()) is None


def test_no_connection_is_tried_where_it_is_unknown_what_nodes_speak(golden: GoldenFiles) -> None:
    with pytest.raises(StepError) as caught:
        operator_context(secured("mesh", "none").observe())
    golden.compare_said("rolls", caught.value)


def test_a_cluster_without_the_secret_is_told_which_one_is_missing(golden: GoldenFiles) -> None:
    bench = Bench()
    bench.create("kafkas", kafka({}))
    with pytest.raises(StepError) as caught:
        operator_context(bench.observe())
    assert caught.value.object == WHERE
    golden.compare_said("rolls", caught.value)


def encrypted() -> bytes:
    return operator().key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"secret")
    )


def test_an_unusable_pair_is_refused_and_nothing_of_it_is_told(golden: GoldenFiles) -> None:
    unusable = [
        # Another key, half a key and none.
        entries(key=server().key_pem),
        entries(key=operator().key_pem[:-400]),
        entries(key=b""),
        entries(certificate=b"nonsense"),
        # It has to be refused without asking for the password.
        entries(key=encrypted()),
    ]
    sentences = set()
    for stored in unusable:
        with pytest.raises(StepError) as caught:
            context_for(stored, anchors(ca()), WHERE)
        assert caught.value.__suppress_context__
        sentences.add(str(caught.value))
    golden.compare_said("rolls", "\n".join(sorted(sentences)))


@pytest.mark.parametrize("usable", [True, False])
def test_the_key_lies_in_a_memory_file_of_ours_and_only_while_it_is_read(
    usable: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[tuple[str, int]] = []
    load = ssl.SSLContext.load_cert_chain

    def watched(self: ssl.SSLContext, path: str, *arguments: Any, **named: Any) -> None:
        assert b"PRIVATE KEY" in Path(path).read_bytes()
        assert named["password"] is not None, "OpenSSL would ask on the terminal"
        seen.append((os.readlink(path), os.stat(path).st_mode & 0o777))
        load(self, path, *arguments, **named)

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", watched)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = sorted(os.listdir("/proc/self/fd"))
    try:
        context_for(entries() if usable else entries(key=server().key_pem), anchors(ca()), WHERE)
    except StepError:
        assert not usable
    ((where, mode),) = seen
    assert where.startswith("/memfd:")
    assert mode == 0o600
    assert sorted(os.listdir("/proc/self/fd")) == before
    assert list(tmp_path.iterdir()) == []


def test_a_ca_that_openssl_does_not_read_is_told_by_its_entry(golden: GoldenFiles) -> None:
    """Its name is a string of a type for times, which the library that parses certificates does not mind."""
    der = make("odd", key(1)).certificate.der
    odd = Certificate(der.replace(b"\x55\x04\x03\x0c\x03odd", b"\x55\x04\x03\x17\x03odd"))
    assert odd.der != der
    with pytest.raises(StepError) as caught:
        context_for(entries(), {**anchors(ca()), "Secret kafka/demo-cluster-ca-cert, entry odd.crt": odd}, WHERE)
    golden.compare_said("rolls", caught.value)


def test_where_there_are_no_memory_files_the_key_is_not_written_to_a_disk_instead(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, golden: GoldenFiles
) -> None:
    monkeypatch.delattr(os, "memfd_create")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(StepError) as caught:
        context_for(entries(), anchors(ca()), WHERE)
    golden.compare_said("rolls", caught.value)
    assert list(tmp_path.iterdir()) == []


# Answers that cannot be used, and connections that end under the library: Kafka is asked again, and no roll ends with the name of an exception.


class Library:
    """kafka-python's client, with one answer, or one error, for each question."""

    def __init__(self, answer: Any) -> None:
        self.answer, self.closed = answer, 0

    def close(self) -> None:
        self.closed += 1
        raise RuntimeError("NetworkSelector closed!")

    def _answer(self, *_arguments: Any, **_named: Any) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    describe_metadata_quorum = describe_cluster = describe_topics = describe_configs = _answer
    list_partition_reassignments = elect_leaders = _answer


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (RuntimeError("Transport closed for writes"), r"RuntimeError \(Transport closed for writes\)"),
        (AttributeError("no transport"), r"AttributeError \(no transport\)"),
        (OSError("reset"), "does not answer: reset"),
        ({"topics": []}, "IndexError"),
        ({"topics": [{"partitions": []}]}, "ValueError"),
        ({}, "KeyError"),
        (None, "TypeError"),
    ],
)
@pytest.mark.parametrize("question", ["quorum", "brokers", "topics"])
def test_an_answer_that_cannot_be_read_is_refused(
    question: str, answer: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(answer)
    asked = KafkaPythonAdmin(["broker:9091"], ssl.create_default_context())
    monkeypatch.setattr(asked, "_connect", lambda: library)
    with pytest.raises(KafkaUnavailable, match=words if question == "quorum" else None):
        getattr(asked, question)()
    assert library.closed == 1
    asked.close()


def test_a_question_to_a_broker_that_has_left_is_asked_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library remembers the broker to which it sends questions to the controller."""
    libraries = [Library(UnknownBrokerIdError(2)), Library({"brokers": []})]
    connections = iter(libraries)
    asked = KafkaPythonAdmin(["broker:9091"], ssl.create_default_context())
    monkeypatch.setattr(asked, "_connect", lambda: next(connections))
    assert asked.brokers() == ()
    assert [library.closed for library in libraries] == [1, 0]


def test_an_election_is_about_these_partitions_and_prefers(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []
    library = Library(None)
    monkeypatch.setattr(library, "elect_leaders", lambda *wanted, **_named: asked.append(wanted), raising=False)
    admin = KafkaPythonAdmin(["broker:9091"], ssl.create_default_context())
    monkeypatch.setattr(admin, "_connect", lambda: library)
    both = frozenset({0, 1})
    admin.elect_preferred_leaders(
        [Partition("a", 0, both, both), Partition("b", 2, both, both), Partition("a", 3, both, both)]
    )
    assert asked == [(0, {"a": [0, 3], "b": [2]})]


def test_an_election_of_a_kafka_that_is_away() -> None:
    admin = KafkaPythonAdmin(["broker:9091"], ssl.create_default_context())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(admin, "_connect", lambda: Library(OSError("reset")))
        with pytest.raises(KafkaUnavailable):
            admin.elect_preferred_leaders([Partition("a", 0, frozenset({0}), frozenset({0}))])


@pytest.mark.parametrize(
    ("serving", "trusted", "reason"),
    [
        (ended, ca, Reason.EXPIRED),
        (server, lambda: ca(1), Reason.UNKNOWN_ISSUER),
        (None, ca, Reason.NO_TLS),
    ],
    ids=["ended", "another CA", "no TLS"],
)
def test_the_library_does_not_hide_why_a_node_is_refused(
    serving: Callable[[], Issued] | None,
    trusted: Callable[[], Issued],
    reason: Reason,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(admin_module, "_REQUEST_TIMEOUT", 500)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if serving is not None:
        (tmp_path / "server.pem").write_bytes(serving().key_pem + serving().certificate_pem)
        context.load_cert_chain(tmp_path / "server.pem")

    def handle(plain: socket.socket) -> None:
        if serving is None:
            plain.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            plain.recv(4096)
        else:
            context.wrap_socket(plain, server_side=True)

    with listening(handle) as port:
        asked = KafkaPythonAdmin([f"localhost:{port}"], context_for(entries(), anchors(trusted()), WHERE))
        with pytest.raises(KafkaUnavailable, match=ROWS[reason].cause) as caught:
            asked.quorum()
        asked.close()
    assert caught.value.remedy
    assert (reason is Reason.EXPIRED) == ("recover" in caught.value.remedy)
