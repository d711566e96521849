"""Three combined KRaft nodes on localhost that speak mTLS only, with Strimzi's listeners and superusers."""

from __future__ import annotations

import base64
import ctypes
import os
import signal
import socket
import subprocess
import uuid
from pathlib import Path

from .certificates import Issued, authority, leaf
from .jars import find_jars, find_java

NODES = (0, 1, 2)
_PR_SET_PDEATHSIG = 1
#: Small and quick to start; three of them share one machine with the test.
_JVM = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dlog4j2.level=INFO")
_SUPERUSERS = "User:CN=demo-kafka,O=io.strimzi;User:CN=cluster-operator,O=io.strimzi"


def _die_with_parent() -> None:
    """In the child: the kernel kills it when the test run dies, even by SIGKILL."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _free_ports(count: int) -> list[int]:
    """All held at once, so that no two are the same."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _port in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class KafkaNodes:
    """``with`` starts all of them and ends all of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.authority = authority()
        self.operator = leaf("cluster-operator", self.authority)
        self._controllers, self._brokers = _free_ports(len(NODES)), _free_ports(len(NODES))
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._java = [find_java(), *_JVM, "-cp", f"{find_jars()}/*"]

    @property
    def bootstrap(self) -> list[str]:
        return [f"localhost:{port}" for port in self._brokers]

    def __enter__(self) -> KafkaNodes:
        try:
            self._format()
            for node in NODES:
                self.start(node)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        for process in self._processes.values():
            process.kill()
        for process in self._processes.values():
            process.wait()

    def start(self, node: int) -> None:
        """Returns at once: that it serves shows in what it says of itself."""
        with (self.folder / f"{node}.log").open("ab") as log:
            self._processes[node] = subprocess.Popen(
                [*self._java, "kafka.Kafka", str(self._properties(node))],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, preexec_fn=_die_with_parent,
            )  # fmt: skip

    def stop(self, node: int) -> None:
        """As Kubernetes does: SIGTERM, and the node hands over what it leads."""
        process = self._processes.pop(node)
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def log(self) -> str:
        """The end of what each node says: for the message of a test that waited in vain."""
        return "\n".join((self.folder / f"{node}.log").read_text()[-2000:] for node in NODES)

    def _format(self) -> None:
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        for node in NODES:
            self._write(node, leaf("demo-kafka", self.authority))
        command = [*self._java, "kafka.tools.StorageTool", "format", f"--cluster-id={cluster}", "--config"]
        running = [
            subprocess.Popen([*command, str(self._properties(node))], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            for node in NODES
        ]
        said = [process.communicate()[0] for process in running]
        assert all(process.returncode == 0 for process in running), said

    def _properties(self, node: int) -> Path:
        return self.folder / f"{node}.properties"

    def _write(self, node: int, identity: Issued) -> None:
        store, trust = self.folder / f"{node}.pem", self.folder / f"{node}.ca.pem"
        with open(os.open(store, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            file.write(identity.key_pem + identity.certificate_pem)
        trust.write_bytes(self.authority.certificate_pem)
        settings = {
            "process.roles": "broker,controller",
            "node.id": node,
            "controller.quorum.voters": ",".join(f"{i}@localhost:{self._controllers[i]}" for i in NODES),
            "listeners": f"CONTROLPLANE-9090://127.0.0.1:{self._controllers[node]},"
            f"REPLICATION-9091://127.0.0.1:{self._brokers[node]}",
            "advertised.listeners": f"REPLICATION-9091://localhost:{self._brokers[node]}",
            "listener.security.protocol.map": "CONTROLPLANE-9090:SSL,REPLICATION-9091:SSL",
            "controller.listener.names": "CONTROLPLANE-9090",
            "inter.broker.listener.name": "REPLICATION-9091",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": store,
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": trust,
            "ssl.client.auth": "required",
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": _SUPERUSERS,
            "log.dirs": self.folder / f"data-{node}",
            "min.insync.replicas": 2,
            "offsets.topic.replication.factor": 3,
        }
        self._properties(node).write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
