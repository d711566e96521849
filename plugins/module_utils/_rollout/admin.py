# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The state of Kafka at one moment, as Kafka reports it, and the client that asks Kafka for it. By this state the
safety checks of a roll judge. The client uses the library kafka-python. Only the direct strategy and reloads need that
library, so it is imported when one of both is used.

This collection logs in to Kafka with the certificate of the Cluster Operator, a superuser (docs/operator.md,
"KafkaRoller"), and trusts the CAs of the operator. If the processes of a cluster do not verify each other, every client
of their listeners is a superuser (docs/operator.md, "Security between processes"). This collection presents no
certificate then, and speaks TLS only if they do.
"""

from __future__ import annotations

import logging
import ssl
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Protocol, TypeVar

from .._errors import KafkaUnavailable, NoMemoryFiles, StepError, UnusablePair
from .._kube.private_files import present
from .._pki.certificates import Certificate
from .._strimzi.cluster.ca_secrets import CURRENT, read_ca_secrets
from .._strimzi.cluster.observe import Observation
from .._strimzi.names import CaKind
from .._strimzi.secret_data import entries
from .._tls.contexts import to_kafka_node
from .._tls.failures import Reason, cause_of, reason_of, tls_error_in
from .._trust.model.decision import Condition, Violation
from .._trust.model.security import HOW_TO_KNOW

_CERTIFICATE_REMEDY = (
    "The Cluster Operator writes it: let it reconcile the cluster, or use strategy=operator with spread=restart."
)


def operator_context(observation: Observation) -> ssl.SSLContext | None:
    """A context for TLS as the Cluster Operator connects to nodes, with trust in the CAs of the CA certificate Secret;
    None if it connects without TLS. Raises StepError, also if that is unknown.
    """
    security = observation.snapshot.security
    if security.problem:
        raise Violation(
            Condition.SECURITY_IS_KNOWN, observation.snapshot.names.kafka, security.problem, HOW_TO_KNOW
        ).as_error()
    if not security.has_tls:
        return None
    name, trusted = (
        observation.scope.cluster_operator_secret,
        observation.scope.of(CaKind.CLUSTER).ca_certificate_secret,
    )
    ca, where = read_ca_secrets(observation.secret(trusted), None), f"Secret {observation.scope.namespace}/{trusted}"
    anchors = {
        f"{where}, entry {entry}": chain[0]
        for entry, chain in {CURRENT: ca.current, **ca.other_entries}.items()
        if chain
    }
    identity = entries(observation.secret(name)) if security.verifies_clients else None
    return context_for(identity, anchors, f"Secret {observation.scope.namespace}/{name}")


def context_for(identity: Mapping[str, bytes] | None, anchors: Mapping[str, Certificate], where: str) -> ssl.SSLContext:
    """A context for TLS with the entries of the operator's Secret as ``identity``; messages name it by ``where``. The
    identity is None for a server that verifies no client. The keys of ``anchors`` say where each anchor lies, for
    messages too. Raises StepError.
    """
    try:
        pem = (
            identity["cluster-operator.key"] + b"\n" + identity["cluster-operator.crt"] if identity is not None else b""
        )
    except KeyError as missing:
        raise StepError(where, f"does not exist or has no entry {missing}", _CERTIFICATE_REMEDY) from None
    context = to_kafka_node()
    for place, anchor in anchors.items():
        _load_anchor(context, anchor, place)
    if pem:
        _load_identity(context, pem, where)
    return context


def _load_anchor(context: ssl.SSLContext, anchor: Certificate, place: str) -> None:
    """Have the context trust the anchor. OpenSSL refuses certificates that other libraries read, such as names in odd
    types of strings.
    """
    try:
        context.load_verify_locations(cadata=anchor.pem.decode("ascii"))
    except ssl.SSLError:
        raise StepError(
            f"{place},",
            f"contains a CA that OpenSSL cannot read ({anchor.subject})",
            "Clients of OpenSSL cannot trust it either: replace it, or use strategy=operator with spread=restart.",
        ) from None


def _load_identity(context: ssl.SSLContext, pem: bytes, where: str) -> None:
    try:
        present(context, pem, "identity")
    except NoMemoryFiles:
        raise StepError(
            "This system",
            "has no memory files (memfd_create), so the key of the cluster operator cannot be used without "
            "writing it to a disk",
            "Run this task on Linux, or use strategy=operator with spread=restart.",
        ) from None
    except UnusablePair:
        raise StepError(f"The certificate and the key in {where}", "are no usable pair", _CERTIFICATE_REMEDY) from None


#: The remedies for failures of these reasons; all other reasons have one remedy. Certificates and CAs of nodes are the
#: affair of the flows and of the operator.
_REMEDIES = {
    Reason.EXPIRED: (
        "Check the clock of this machine (date -u). If it is right, run recover: it brings back nodes whose "
        "certificates have expired."
    ),
    Reason.NOT_YET_VALID: (
        "Check the clocks of this machine (date -u) and of the machine that has made the certificate."
    ),
    Reason.NO_TLS: (
        "Check that this listener has TLS in the configuration of the node, and that this address leads to the node."
    ),
    Reason.ENDED: "Check that the node is up, and run again.",
    **dict.fromkeys(
        (Reason.OWN_MISSING, Reason.OWN_UNKNOWN_ISSUER, Reason.OWN_EXPIRED, Reason.OWN_REFUSED, Reason.OWN_DENIED),
        f"The node refuses the certificate of the cluster operator. {_CERTIFICATE_REMEDY}",
    ),
}


def node_remedy(error: ssl.SSLError) -> str:
    """The remedy if a TLS connection with a Kafka node failed."""
    return _REMEDIES.get(
        reason_of(error),
        "Run status: it shows the certificate of each node, and the CAs of the cluster; reconcile corrects "
        "certificates of nodes.",
    )


@dataclass(frozen=True)
class Voter:
    """A member of the metadata quorum."""

    #: Kafka's ``node.id`` of the controller.
    node_id: int
    #: The time of the last fetch that reached the end of the log, in milliseconds; None if the leader does not know.
    last_caught_up: int | None


@dataclass(frozen=True)
class Quorum:
    """The metadata quorum as its leader, the active controller, sees it."""

    #: The id of the leader; None if there is none.
    leader: int | None
    #: All voters of the quorum, the leader among them.
    voters: tuple[Voter, ...]


@dataclass(frozen=True)
class Broker:
    """A registered broker."""

    #: Kafka's ``node.id`` of the broker.
    node_id: int
    #: Whether the broker is registered and does not serve, or not yet: it starts, or recovers its logs.
    fenced: bool
    #: ``broker.rack``; None if the broker has none.
    rack: str | None = None


def serving_ids(brokers: Iterable[Broker]) -> frozenset[int]:
    """The ids of the brokers that are registered and not fenced."""
    return frozenset(broker.node_id for broker in brokers if not broker.fenced)


@dataclass(frozen=True)
class Partition:
    """A partition of a topic."""

    #: The name of the topic.
    topic: str
    #: The number of the partition in its topic, from 0.
    index: int
    #: Node ids of the brokers that are to have a replica.
    replicas: frozenset[int]
    #: Node ids of the brokers with a replica in sync.
    in_sync: frozenset[int]
    #: Whether a broker leads it.
    has_leader: bool = True
    #: Whether a reassignment of it is under way: its replicas are the replicas before and after it then.
    is_moving: bool = False
    #: The node id of the broker that Kafka prefers as leader, which has the first replica; None if it is not known.
    preferred: int | None = None
    #: Whether that broker leads it.
    is_led_by_preferred: bool = True

    def __str__(self) -> str:
        return f"{self.topic}-{self.index}"


@dataclass(frozen=True)
class Topic:
    """A topic, internal topics included; its partitions have its name."""

    #: The value in force, wherever it is configured.
    min_insync_replicas: int
    #: The partitions in question; in an answer of Kafka, all partitions of the topic.
    partitions: tuple[Partition, ...]


#: The first major version with describe_metadata_quorum.
MINIMUM_KAFKA_PYTHON = 3
#: Milliseconds for one answer of Kafka, which is no part of the control plane. It is short, because the client does not
#: renew the Lease while it waits. If an answer does not come, no node restarts, and Kafka gets the question again.
_REQUEST_TIMEOUT = 5000
_MINIMUM_IN_SYNC = "min.insync.replicas"
#: An operation for nodes and superusers only.
_SUPERUSERS_ONLY = "CLUSTER_ACTION"

#: The type of an election that makes the broker with the first replica the leader (KIP-460).
_PREFERRED = 0

#: The remedy if Kafka does not answer.
_REMEDY = "Look at the brokers, at the way to them (DNS, NetworkPolicy), or use strategy=operator."

Answer = TypeVar("Answer")


class KafkaAdmin(Protocol):
    """The questions to Kafka, and the one request for a change. All methods raise KafkaUnavailable."""

    def quorum(self) -> Quorum:
        """The metadata quorum as its leader sees it."""

    def brokers(self) -> tuple[Broker, ...]:
        """All registered brokers, fenced brokers included."""

    def topics(self) -> tuple[Topic, ...]:
        """All topics, internal topics included."""

    def elect_preferred_leaders(self, partitions: Collection[Partition]) -> None:
        """Have Kafka make the broker with the first replica the leader of each of these partitions. Kafka leaves a
        partition as it is if that broker is not in sync, or leads already.
        """

    def close(self) -> None:
        """End all connections."""


Connect = Callable[[Observation], KafkaAdmin]


def missing_library(what: str = "strategy=direct", instead: str = "strategy=operator") -> StepError | None:
    """The error if the library cannot be used here, with the reason; None if it can be. Messages name the options that
    need it and that do without it.
    """
    try:
        installed_version = metadata.version("kafka-python")
    except metadata.PackageNotFoundError:
        installed_version = ""
    if installed_version and int(installed_version.split(".", maxsplit=1)[0]) >= MINIMUM_KAFKA_PYTHON:
        return None
    return StepError(
        what,
        f"needs the Python library kafka-python >= {MINIMUM_KAFKA_PYTHON}, and {sys.executable} has "
        f"{installed_version or 'none'}",
        f"Install it there, let ansible_python_interpreter name a Python that has it, or use {instead}.",
    )


def bootstrap_servers(observation: Observation, given: Sequence[str]) -> list[str]:
    """The brokers to ask first: the given servers, or the bootstrap Service on the operator's own port."""
    scope = observation.scope
    return list(given) or [f"{scope.cluster}-kafka-bootstrap.{scope.namespace}.svc:9091"]


def connect_to(given: Sequence[str]) -> Connect:
    """The way to Kafka by given bootstrap addresses as host:port; empty for the cluster's own. Raises StepError."""

    def connect(observation: Observation) -> KafkaAdmin:
        if problem := missing_library():
            raise problem
        return KafkaPythonAdmin(bootstrap_servers(observation, given), operator_context(observation))

    return connect


class _Causes(logging.Handler):
    """Collects causes from the log of the library: it logs why it cannot connect, and then raises only that it took too
    long.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._causes: list[Exception] = []

    def emit(self, record: logging.LogRecord) -> None:
        arguments = record.args if isinstance(record.args, tuple) else ()
        self._causes += [argument for argument in arguments if isinstance(argument, Exception)]

    def before(self, error: Exception) -> str:
        """The last other cause than the error itself."""
        others = [f" ({cause})" for cause in self._causes if str(cause) != str(error)]
        return others[-1] if others else ""

    def of_tls(self, error: Exception) -> ssl.SSLError | None:
        """The last failure of TLS, of the error or before it; None if there was none."""
        return next(filter(None, map(tls_error_in, [error, *reversed(self._causes)])), None)


class KafkaPythonAdmin:
    """Connects at the first question, and again after every failure: nodes come and go during a roll."""

    def __init__(self, bootstrap: Sequence[str], context: ssl.SSLContext | None) -> None:
        self._bootstrap = list(bootstrap)
        self._context = context
        self._client: Any = None

    def quorum(self) -> Quorum:
        return self._ask(lambda client: read_quorum(client.describe_metadata_quorum()))

    def brokers(self) -> tuple[Broker, ...]:
        return self._ask(lambda client: read_brokers(client.describe_cluster()))

    def topics(self) -> tuple[Topic, ...]:
        return self._ask(_topics)

    def elect_preferred_leaders(self, partitions: Collection[Partition]) -> None:
        wanted: dict[str, list[int]] = {}
        for partition in partitions:
            wanted.setdefault(partition.topic, []).append(partition.index)
        # A partition that keeps its leader shows in the next answer about topics, and so does a refusal of all.
        self._ask(lambda client: client.elect_leaders(_PREFERRED, wanted, raise_errors=False))

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            # If a connection does not end in order, that must not hide the reason of its end.
            with suppress(Exception):
                client.close()

    def _ask(self, question: Callable[[Any], Answer]) -> Answer:
        from kafka.errors import KafkaError, UnknownBrokerIdError

        causes = _Causes()
        logger = logging.getLogger("kafka.net")
        logger.addHandler(causes)
        try:
            if self._client is None:
                self._client = self._connect()
            try:
                return question(self._client)
            except UnknownBrokerIdError:
                # The library remembers one broker for all questions to the controller, and this broker has left since.
                self.close()
                self._client = self._connect()
                return question(self._client)
        except (KafkaError, OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError) as error:
            # If a connection ends under the library, it raises errors of Python. An answer may lack a part that is
            # read.
            self.close()
            where = f"Kafka at {', '.join(self._bootstrap)}"
            if tls := causes.of_tls(error):
                raise KafkaUnavailable(where, f"does not answer: a node {cause_of(tls)}", node_remedy(tls)) from None
            own = error if isinstance(error, (KafkaError, OSError)) else f"{type(error).__name__} ({error})"
            cause = f"{own}{causes.before(error)}"
            raise KafkaUnavailable(where, f"does not answer: {cause}", _REMEDY) from None
        except KafkaUnavailable:
            self.close()
            raise
        finally:
            logger.removeHandler(causes)

    def _connect(self) -> Any:
        from kafka.admin import KafkaAdminClient

        networks: list[Any] = []

        def network(**configuration: Any) -> Any:
            networks.append(KafkaAdminClient.DEFAULT_CONFIG["kafka_client"](**configuration))
            return networks[-1]

        try:
            return KafkaAdminClient(
                bootstrap_servers=self._bootstrap,
                client_id="trustops.strimzi",
                security_protocol="PLAINTEXT" if self._context is None else "SSL",
                ssl_context=self._context,
                bootstrap_timeout_ms=_REQUEST_TIMEOUT,
                request_timeout_ms=_REQUEST_TIMEOUT,
                kafka_client=network,
            )
        except BaseException:
            # If a constructor fails, it leaves a thread behind. As long as Kafka does not answer, the constructor is
            # called again and again.
            for opened in networks:
                opened.close()
            raise


def _topics(client: Any) -> tuple[Topic, ...]:
    from kafka.admin import ConfigResource, ConfigResourceType

    if _SUPERUSERS_ONLY not in (client.describe_cluster().get("authorized_operations") or ()):
        # If a client may not see a topic, Kafka leaves the topic out. An unsafe restart would then look safe.
        raise KafkaUnavailable("Kafka", "does not take us for a superuser, so it may not show all topics", _REMEDY)
    described = client.describe_topics()
    wanted = [ConfigResource(ConfigResourceType.TOPIC, topic["name"], [_MINIMUM_IN_SYNC]) for topic in described]
    configured = client.describe_configs(wanted, config_filter="all") if wanted else {}
    moving = frozenset((one.topic, one.partition) for one in client.list_partition_reassignments())
    return read_topics(described, configured.get("topic") or {}, moving)


def read_quorum(answer: Mapping[str, Any]) -> Quorum:
    """The metadata quorum from DescribeQuorum. Raises KafkaUnavailable."""
    (partition,) = answer["topics"][0]["partitions"]
    if partition["error"]:
        raise KafkaUnavailable("Kafka", f"does not describe its metadata quorum: {partition['error']}", _REMEDY)
    voters = (
        Voter(voter["replica_id"], _known(voter["last_caught_up_timestamp"])) for voter in partition["current_voters"]
    )
    return Quorum(_known(partition["leader_id"]), tuple(voters))


def read_brokers(answer: Mapping[str, Any]) -> tuple[Broker, ...]:
    """The brokers from DescribeCluster. A broker counts as fenced unless Kafka says that it serves."""
    return tuple(
        Broker(broker["broker_id"], bool(broker.get("is_fenced", True)), broker.get("rack") or None)
        for broker in answer["brokers"]
    )


def read_topics(
    described: Iterable[Mapping[str, Any]], configured: Mapping[str, Any], moving: frozenset[tuple[str, int]]
) -> tuple[Topic, ...]:
    """The topics from Metadata, DescribeConfigs and ListPartitionReassignments: the last gives the partitions that are
    being reassigned, by topic and number. Raises KafkaUnavailable if an answer lacks something of a topic.
    """
    return tuple(_read_topic(topic, configured.get(topic["name"]) or {}, moving) for topic in described)


def _read_topic(
    topic: Mapping[str, Any], configuration: Mapping[str, Any], moving: frozenset[tuple[str, int]]
) -> Topic:
    name = topic["name"]
    if topic["error_code"] or _MINIMUM_IN_SYNC not in configuration:
        # Access was denied, or the topic is just being deleted. A restart might harm it, so it does not count as safe.
        raise KafkaUnavailable("Kafka", f"does not describe topic {name} (error code {topic['error_code']})", _REMEDY)
    partitions = (
        Partition(
            name,
            partition["partition_index"],
            frozenset(partition["replica_nodes"]),
            frozenset(partition["isr_nodes"]),
            has_leader=partition["leader_id"] >= 0,
            is_moving=(name, partition["partition_index"]) in moving,
            preferred=(preferred := next(iter(partition["replica_nodes"]), None)),
            is_led_by_preferred=partition["leader_id"] == preferred,
        )
        for partition in topic["partitions"]
    )
    return Topic(int(configuration[_MINIMUM_IN_SYNC]["value"]), tuple(partitions))


def _known(number: int) -> int | None:
    """The number; None for -1: Kafka writes it for an unknown number."""
    return None if number < 0 else number
