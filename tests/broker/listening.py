"""The certificates that a node's listeners present and the CAs that they trust, seen from outside by the collection's own handshakes."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone

from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import (
    Inquiry,
    ListenerObservation,
    make_probe,
    make_untrusted_probe,
    observe_listener,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.tls import Deadline
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import load_key

from ..unit._handshake.listeners import SocketStream
from .certificates import Issued
from .nodes import CONTROL_PLANE, REPLICATION, KafkaNodes
from .stores import pod_of

VERIFYING = (CONTROL_PLANE, REPLICATION)


def certificate_of(issued: Issued) -> Certificate:
    return parse_certificates(issued.certificate_pem)[0]


class Doors:
    """``open_port`` on processes instead of pods. opened: the doors that a client went through, in order."""

    def __init__(self, nodes: KafkaNodes) -> None:
        self._ports: Mapping[tuple[str, int], int] = {
            (pod_of(node), at): port for (node, at), port in nodes.ports.items()
        }
        self.opened: list[tuple[str, int]] = []

    @contextmanager
    def __call__(self, pod: str, port: int, *, timeout: float) -> Iterator[SocketStream]:
        self.opened.append((pod, port))
        with socket.create_connection(("127.0.0.1", self._ports[pod, port]), timeout) as connection:
            yield SocketStream(connection)


def inquiry_about(authorities: Sequence[Issued]) -> Inquiry:
    now = datetime.now(timezone.utc)
    certificates = [certificate_of(one) for one in authorities]
    probes = {
        one.fingerprint: make_probe(one, load_key(issued.key_pem), now=now)
        for one, issued in zip(certificates, authorities, strict=True)
    }
    return Inquiry(certificates, probes, certificates, make_untrusted_probe(now=now))


def look(nodes: KafkaNodes, node: int, port: int, inquiry: Inquiry) -> ListenerObservation:
    doors = Doors(nodes)
    return observe_listener(
        lambda timeout: doors(pod_of(node), port, timeout=timeout), inquiry, deadline=Deadline.after(20)
    )
