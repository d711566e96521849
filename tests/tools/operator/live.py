"""Running nodes and what they say of partitions and quorum, asked as the operator asks them: with its certificate."""

from __future__ import annotations

import base64
import socket
import ssl
import struct
from contextlib import nullcontext
from typing import Any

from ..cluster.tls import Rules, client_context
from .api import Api, Object, ready
from .releases import STRIMZI_1_2, Release
from .roller import SILENCE
from .safety import Partition, State, refusals
from .security import choose

_PATIENCE = 5.0
_BROKER_PORT = 9091


class Live:
    """The brokers of one cluster, any of which knows about all."""

    def __init__(self, api: Api, kafka: Object, release: Release = STRIMZI_1_2) -> None:
        self.api, self.cluster, self.security = api, kafka["metadata"]["name"], choose(kafka, release)
        self.min_in_sync = int((kafka["spec"]["kafka"].get("config") or {}).get("min.insync.replicas", 1))

    def active_controller(self) -> int | None:
        state = self._look()
        return state.leader if state else None

    def refusals(self, node_id: int) -> list[str]:
        state = self._look()
        return list(refusals(node_id, state, self.min_in_sync)) if state else [SILENCE]

    def _look(self) -> State | None:
        pods = self.api.list("pods", f"strimzi.io/cluster={self.cluster},strimzi.io/broker-role=true")
        for pod in filter(ready, pods):
            host = f"{pod['metadata']['name']}.{self.cluster}-kafka-brokers.{self.api.namespace}.svc"
            try:
                return ask(pod["status"]["podIP"], _BROKER_PORT, host, self._context())
            except OSError as silent:
                print(f"{pod['metadata']['name']} does not answer: {silent}", flush=True)
        return None

    def _context(self) -> ssl.SSLContext | None:
        """None where nodes speak no TLS among each other; without a certificate where they ask for none."""
        if not self.security.has_tls:
            return None
        trusted, own = self._secret("cluster-ca-cert"), self._secret("cluster-operator-certs")
        cas = b"\n".join(value for name, value in sorted(trusted.items()) if name.endswith(".crt"))
        names = ("cluster-operator.crt", "cluster-operator.key") if self.security.verifies_clients else ()
        return client_context(cas, *(own[name] for name in names), rules=Rules.JVM)

    def _secret(self, name: str) -> dict[str, bytes]:
        found: Object = self.api.get("secrets", f"{self.cluster}-{name}") or {}
        return {key: base64.b64decode(value) for key, value in (found.get("data") or {}).items()}


def ask(address: str, port: int, host: str, context: ssl.SSLContext | None) -> State:
    """Without TLS where there is no context. Raises OSError when there is no answer."""
    # Only a double with real nodes needs the library.
    from kafka.protocol.admin import DescribeQuorumRequest, DescribeQuorumResponse
    from kafka.protocol.metadata import MetadataRequest, MetadataResponse

    with (
        socket.create_connection((address, port), _PATIENCE) as plain,
        context.wrap_socket(plain, server_hostname=host) if context else nullcontext(plain) as connection,
    ):
        metadata = _call(connection, MetadataRequest[4](topics=None, allow_auto_topic_creation=False), MetadataResponse)
        topic = DescribeQuorumRequest.TopicData
        log = topic(topic_name="__cluster_metadata", partitions=[topic.PartitionData(partition_index=0)])
        quorum = _call(connection, DescribeQuorumRequest[1](topics=[log]), DescribeQuorumResponse)
    if quorum.error_code or metadata.topics is None:
        raise ConnectionError(f"no answer but the error {quorum.error_code}")
    (raft,) = quorum.topics[0].partitions
    return State(
        raft.leader_id,
        {voter.replica_id: voter.last_caught_up_timestamp for voter in raft.current_voters},
        tuple(
            Partition(f"{topic.name}-{part.partition_index}", frozenset(part.replica_nodes), frozenset(part.isr_nodes))
            for topic in metadata.topics
            for part in topic.partitions
        ),
    )


def _call(connection: socket.socket, request: Any, response: Any) -> Any:
    request.with_header()
    connection.sendall(request.encode(header=True, framed=True))
    (size,) = struct.unpack(">i", _read(connection, 4))
    return response.decode(_read(connection, size), version=request.API_VERSION, header=True)


def _read(connection: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        more = connection.recv(size - len(found))
        if not more:
            raise ConnectionError("closed without an answer")
        found += more
    return found
