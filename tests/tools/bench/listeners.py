"""The listeners of a cluster in memory on the loopback interface, with real TLS: each pod has an address of its own, and presents its leaf there."""

from __future__ import annotations

import base64
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.listeners import AT_MOST

from ..cluster.tls import server_context
from ..support.memory_cluster import MemoryCluster

#: The listeners of a node, and whether each asks its clients for certificates.
PORTS = {9090: True, 9091: True, 9093: True, 9094: False}
_ANY = "0.0.0.0"


@dataclass
class Listeners:
    """The listeners of all nodes."""

    #: The settings of listeners by the address of their pod, and whether they ask clients for certificates.
    contexts: Mapping[tuple[str, bool], ssl.SSLContext]
    #: The ports on which this machine has the listeners, by the ports on which pods have them.
    ports: Mapping[int, int] = field(default_factory=dict)
    #: How many handshakes began.
    handshakes: int = 0

    def answer(self, connection: socket.socket, verifies: bool) -> None:
        self.handshakes += 1
        context = self.contexts[connection.getsockname()[0], verifies]
        # A handshake that it refuses is one of the errors.
        with suppress(OSError), connection, context.wrap_socket(connection, server_side=True) as tls:
            while tls.recv(1024):
                pass


def give_addresses(memory: MemoryCluster) -> dict[str, str]:
    """From here on each Kafka node has an address of the loopback interface. The addresses by the names of pods."""
    addresses = {}
    for number, name in enumerate(sorted(memory.kubelet.nodes), 1):
        addresses[name] = f"127.77.{number >> 8}.{number & 255}"
        pod = memory.api.find("pods", memory.namespace, name) or {}
        memory.kubelet._set_status(name, {**pod["status"], "podIP": addresses[name]})
    return addresses


@contextmanager
def listening(memory: MemoryCluster, addresses: Mapping[str, str]) -> Iterator[Listeners]:
    """addresses: by the names of pods."""
    listeners = Listeners(
        {
            (address, verifies): _context(memory, pod, verifies)
            for pod, address in addresses.items()
            for verifies in (True, False)
        }
    )
    opened = {port: socket.create_server((_ANY, 0), backlog=4 * AT_MOST) for port in PORTS}
    listeners.ports = {port: opened[port].getsockname()[1] for port in PORTS}
    with ThreadPoolExecutor(max_workers=len(PORTS) * AT_MOST) as pool:

        def accept(listener: socket.socket, verifies: bool) -> None:
            # Its end is an error.
            with suppress(OSError, RuntimeError):
                while True:
                    pool.submit(listeners.answer, listener.accept()[0], verifies)

        for port, verifies in PORTS.items():
            threading.Thread(target=accept, args=(opened[port], verifies), daemon=True).start()
        try:
            yield listeners
        finally:
            for listener in opened.values():
                listener.shutdown(socket.SHUT_RDWR)
                listener.close()


def _context(memory: MemoryCluster, pod: str, verifies: bool) -> ssl.SSLContext:
    def entry(secret: str, name: str) -> bytes:
        found = memory.api.stored("secrets", memory.namespace, secret) or {}
        return base64.b64decode(found["data"][name])

    trusted = entry(f"{memory.cluster}-cluster-ca-cert", "ca.crt") if verifies else b""
    return server_context(entry(pod, f"{pod}.crt"), entry(pod, f"{pod}.key"), trusted)
