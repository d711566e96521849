"""KRaft nodes on localhost with Strimzi's listeners and superusers, combined or with one role each."""

from __future__ import annotations

import base64
import ctypes
import signal
import subprocess
import uuid
from collections.abc import Mapping
from pathlib import Path

from ..tools.cluster.ports import free_ports
from ..tools.cluster.versions import KAFKA
from ..tools.operator.security import MUTUAL, Security
from .certificates import authority, leaf
from .jars import find_jars, java_command
from .stores import Stores

COMBINED = "broker,controller"
NODES = (0, 1, 2)
CONTROL_PLANE, REPLICATION, USER = 9090, 9091, 9093
#: Listeners of a role by the port that they have in Strimzi, and which of them verify clients by the cluster CA.
_NAMES = {CONTROL_PLANE: "CONTROLPLANE-9090", REPLICATION: "REPLICATION-9091", USER: "TLS-9093"}
_OF_ROLE = {"controller": (CONTROL_PLANE,), "broker": (REPLICATION, USER)}
_PR_SET_PDEATHSIG = 1
#: By whether listeners between nodes verify clients.
_SUPERUSERS = {True: "User:CN=demo-kafka,O=io.strimzi;User:CN=cluster-operator,O=io.strimzi", False: "User:ANONYMOUS"}


def _die_with_parent() -> None:
    """In the child: the kernel kills it when the test run dies, even by SIGKILL."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class KafkaNodes:
    """``with`` starts all of them and ends all of them."""

    def __init__(
        self,
        folder: Path,
        roles: Mapping[int, str] | None = None,
        *,
        version: str = KAFKA,
        security: Security = MUTUAL,
    ) -> None:
        """roles: by node, as in ``process.roles``; three combined nodes unless told otherwise. version: of Kafka.
        security: what nodes speak among each other.
        """
        self.folder, self.version, self.security = folder, version, security
        self.roles = dict(roles or dict.fromkeys(NODES, COMBINED))
        self.authority = authority()
        self.operator = leaf("cluster-operator", self.authority)
        self.stores = Stores(folder / "stores")
        ports = [(node, port) for node in self.roles for port in self.listeners(node)]
        self.ports = dict(zip(ports, free_ports(len(ports)), strict=True))
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._java = [*java_command(find_jars(version), "256m"), "-Dlog4j2.level=INFO"]

    @property
    def bootstrap(self) -> list[str]:
        return [f"localhost:{self.ports[node, REPLICATION]}" for node in self.having("broker")]

    def having(self, role: str) -> list[int]:
        return [node for node, roles in self.roles.items() if role in roles.split(",")]

    def listeners(self, node: int) -> list[int]:
        """By the ports that they have in Strimzi."""
        return [port for role, ports in _OF_ROLE.items() if node in self.having(role) for port in ports]

    def __enter__(self) -> KafkaNodes:
        try:
            self._format()
            for node in self.roles:
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

    def assert_running(self) -> None:
        """Fails if a node has ended by itself."""
        ended = {node: process.poll() for node, process in self._processes.items() if process.poll() is not None}
        assert not ended, f"nodes have ended, by exit code: {ended}"

    def log(self) -> str:
        """The end of what each node says: for the message of a test that waited in vain."""
        return "\n".join((self.folder / f"{node}.log").read_text()[-2000:] for node in self.roles)

    def _format(self) -> None:
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        self.stores.trust(self.authority)
        for node in self.roles:
            self.stores.issue(node, self.authority)
            self._properties(node).write_text(self.server_config(node))
        command = [*self._java, "kafka.tools.StorageTool", "format", f"--cluster-id={cluster}", "--config"]
        running = [
            subprocess.Popen([*command, str(self._properties(node))], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            for node in self.roles
        ]
        said = [process.communicate()[0] for process in running]
        assert all(process.returncode == 0 for process in running), said

    def _protocol(self, port: int) -> str:
        return "SSL" if port == USER or self.security.has_tls else "PLAINTEXT"

    def _properties(self, node: int) -> Path:
        return self.folder / f"{node}.properties"

    def server_config(self, node: int) -> str:
        """As Strimzi has it in a ConfigMap for each node."""
        own = {port: f"{_NAMES[port]}://127.0.0.1:{self.ports[node, port]}" for port in self.listeners(node)}
        voters = (f"{one}@localhost:{self.ports[one, CONTROL_PLANE]}" for one in self.having("controller"))
        settings = {
            "process.roles": self.roles[node],
            "node.id": node,
            "controller.quorum.voters": ",".join(voters),
            "listeners": ",".join(own.values()),
            "listener.security.protocol.map": ",".join(f"{_NAMES[port]}:{self._protocol(port)}" for port in _NAMES),
            "controller.listener.names": _NAMES[CONTROL_PLANE],
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": _SUPERUSERS[self.security.verifies_clients],
            "log.dirs": self.folder / f"data-{node}",
            "min.insync.replicas": 2,
            "offsets.topic.replication.factor": 3,
        }
        if node in self.having("broker"):
            advertised = (own[port].replace("127.0.0.1", "localhost") for port in _OF_ROLE["broker"])
            settings["advertised.listeners"] = ",".join(advertised)
            settings["inter.broker.listener.name"] = _NAMES[REPLICATION]
        # A broker is a client of the control plane, and needs its stores as well.
        tls = {
            _NAMES[port]: port != USER
            for port in (CONTROL_PLANE, *self.listeners(node))
            if self._protocol(port) == "SSL"
        }
        settings |= self.stores.settings(node, tls, asks=self.security.verifies_clients)
        return "".join(f"{key}={value}\n" for key, value in settings.items())
