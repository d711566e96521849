"""The collection's admin client on a trio of nodes, and patience."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KafkaUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import (
    Broker,
    KafkaAdmin,
    KafkaPythonAdmin,
    context_for,
    serving_ids,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.direct import (
    FETCH_TIMEOUT,
    absence_violations,
    lag_violations,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.kafka_pods import Node
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.safety import voters_caught_up

from .certificates import Issued
from .nodes import COMBINED, NODES, KafkaNodes
from .stores import pod_of

#: The library reads its files in a way that some Pythons consider old.
LIBRARY_READS_ITS_FILES = "ignore:.* is deprecated. Use files:DeprecationWarning"
SECRET = "Secret kafka/demo-cluster-operator-certs"


def node(node_id: int, roles: str = COMBINED) -> Node:
    has = roles.split(",")
    return Node(
        pod_of(node_id), f"uid-{node_id}", node_id, controller="controller" in has, broker="broker" in has, ready=True
    )


def entries_of(identity: Issued) -> Mapping[str, bytes]:
    return {"cluster-operator.crt": identity.certificate_pem, "cluster-operator.key": identity.key_pem}


def context_of(nodes: KafkaNodes, identity: Issued | None, trusted: Sequence[Issued]) -> ssl.SSLContext | None:
    """As the collection connects to nodes of this security: with the operator's identity unless told otherwise, where
    they verify it.
    """
    if not nodes.security.has_tls:
        return None
    entries = entries_of(identity or nodes.operator) if nodes.security.verifies_clients else None
    anchors = {f"CA {number}": parse_certificates(one.certificate_pem)[0] for number, one in enumerate(trusted)}
    return context_for(entries, anchors, SECRET)


@contextmanager
def admin_of(
    nodes: KafkaNodes, *, identity: Issued | None = None, trusted: Issued | None = None
) -> Iterator[KafkaPythonAdmin]:
    """An admin client with the cluster operator's identity that trusts the nodes' CA, unless told otherwise."""
    admin = KafkaPythonAdmin(nodes.bootstrap, context_of(nodes, identity, [trusted or nodes.authority]))
    try:
        yield admin
    finally:
        admin.close()


def create_topic(admin: KafkaPythonAdmin, name: str, replicas: list[int], **configuration: Any) -> None:
    """Makes a topic of one partition on these nodes. The collection creates no topics, so this asks the library below it."""
    configs = {key.replace("_", "."): str(value) for key, value in configuration.items()}
    topic = {name: {"assignments": {0: replicas}, "configs": configs}}

    def is_there() -> bool:
        # Asked again after a failure: a client may not know yet the node that it is told to turn to.
        if name in {partition.topic for topic in admin.topics() for partition in topic.partitions}:
            return True
        admin._ask(lambda client: client.create_topics(topic))
        return False

    eventually(is_there)


def nodes_are_back(admin: KafkaAdmin) -> bool:
    brokers, topics, quorum = admin.brokers(), admin.topics(), admin.quorum()
    if len(voters_caught_up(quorum, FETCH_TIMEOUT)) < len(NODES) or set(brokers) != {
        Broker(one, False) for one in NODES
    }:
        return False
    return not any(
        (
            *absence_violations(node(one), serving_ids(brokers), topics),
            *lag_violations(node(one), quorum, FETCH_TIMEOUT),
        )
        for one in NODES
    )


#: Within which nodes start, on a machine that has three times as much to do.
START_SECONDS = 300.0


def eventually(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    """Waits until the condition holds; a question to Kafka that fails meanwhile is asked again."""
    deadline, problem = time.monotonic() + seconds, "never true"
    while time.monotonic() < deadline:
        try:
            if condition():
                return
        except KafkaUnavailable as error:
            problem = str(error)
        time.sleep(0.2)
    raise AssertionError(f"not within {seconds:g} s: {problem}")
