"""Clients as processes on the machine, with the names of the brokers in a hosts file of their own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from ...broker.jars import find_jars, java_command
from ...kafka.tier import Tier
from ..cluster.bed import ROOT
from .listeners import Listener
from .trust import Trusted

_MOUNTED = 'mount --bind "$1" /etc/hosts && shift && exec "$@"'
#: A client logs one of these when TLS fails; it logs a connection that ends while its broker does in other words.
_FAILURE = re.compile(r"SSL handshake failed(?!: Disconnected)|failed authentication due to|SslAuthenticationException")
READY = ("producer_send_success", "partitions_assigned")
#: The names of the error of a partition that has fewer replicas in sync than producers ask for: a producer logs the code
#: of each answer before it tries again, and a broker the exception.
_SHORTAGE = re.compile(r"NOT_ENOUGH_REPLICAS|NotEnoughReplicas")
_RECORDS = ("record_data", "producer_send_success")
_VERBS = {"producer": "produce", "consumer": "consume"}
_ANEW = Path(__file__).parent / "Anew.java"


@dataclass(frozen=True)
class Brokers:
    bootstrap: str
    #: A file like /etc/hosts.
    hosts: Path
    #: The topic to which the clients of one ledger produce, and from which they consume.
    topic: str


def find_brokers(tier: Tier, nodes: Iterable[str], folder: Path, listener: Listener, topic: str) -> Brokers:
    names, namespace = {}, tier.cluster.namespace
    for node in nodes:
        service = listener.service(node)
        found = tier.cluster.kube.request("GET", f"/api/v1/namespaces/{namespace}/services/{service}").body
        names[f"{service}.{namespace}.svc"] = found["spec"]["clusterIP"]
    hosts = folder / "hosts"
    hosts.write_text("127.0.0.1 localhost\n" + "".join(f"{address} {name}\n" for name, address in names.items()))
    return Brokers(",".join(f"{name}:{listener.port}" for name in names), hosts, topic)


@dataclass(frozen=True)
class Kind:
    #: Jvm or rdkafka.
    library: str
    #: Producer or consumer.
    role: str

    def command(
        self, brokers: Brokers, name: str, instance: int, trusted: Trusted, folder: Path, login: Path | None = None
    ) -> list[str]:
        """name is the consumer group too, and instance the beginning of a producer's values. login: a file with the key and the certificates
        (PEM) that the client presents, and reads once.
        """
        if self.library == "rdkafka":
            file = folder / f"{name}-{instance}.pem"
            file.write_bytes(trusted.pem)
            return self._rdkafka(brokers, name, instance, file, login)
        properties = folder / f"{name}-{instance}.properties"
        properties.write_text(_properties(trusted, folder / f"{name}-{instance}", self.role, login))
        common = ["--bootstrap-server", brokers.bootstrap, "--topic", brokers.topic]
        common += ["--command-config", str(properties)]
        if self.role == "producer":
            tool = ["VerifiableProducer", "--throughput", "20", "--acks", "-1", "--value-prefix", str(instance)]
        else:
            tool = ["VerifiableConsumer", "--group-id", name, "--verbose", "--reset-policy", "earliest"]
            tool += ["--session-timeout", "10000"]
        # A producer warns of each answer that has it try again.
        java = [*java_command(find_jars()), "-Dlog4j2.level=WARN"]
        return [*java, f"org.apache.kafka.tools.{tool[0]}", *tool[1:], *common]

    def command_anew(
        self, brokers: Brokers, name: str, instance: int, trusted: Trusted, folder: Path, login: Path
    ) -> list[str]:
        """A process that makes its client anew every second, each time with what the file ``login`` contains then."""
        file = folder / f"{name}-{instance}.pem"
        file.write_bytes(trusted.pem)
        if self.library == "rdkafka":
            return [*self._rdkafka(brokers, name, instance, file, login), "--anew"]
        mark = str(instance) if self.role == "producer" else name
        return [
            *java_command(find_jars()),
            str(_ANEW),
            _VERBS[self.role],
            brokers.bootstrap,
            brokers.topic,
            mark,
            str(file),
            str(login),
        ]

    def _rdkafka(self, brokers: Brokers, name: str, instance: int, trusted: Path, login: Path | None) -> list[str]:
        mark = str(instance) if self.role == "producer" else name
        command = [
            sys.executable,
            "-m",
            "tests.tools.traffic.rdkafka",
            _VERBS[self.role],
            brokers.bootstrap,
            brokers.topic,
        ]
        return [*command, mark, str(trusted), *(["--login", str(login)] if login else [])]


LIBRARIES = ("jvm", "rdkafka")


@dataclass(frozen=True)
class Demand:
    """The load on the nodes, whatever flow runs."""

    #: Handshakes a second.
    rate: float
    #: The libraries of the clients that produce and consume.
    libraries: tuple[str, ...] = LIBRARIES
    #: Whether there are clients that are not kept.
    renews: bool = True

    @property
    def clients(self) -> tuple[tuple[Kind, bool], ...]:
        """For each library and role a client that is kept, and one that is not."""
        return tuple(
            (Kind(library, role), kept)
            for library in self.libraries
            for kept in ((True, False) if self.renews else (True,))
            for role in ("producer", "consumer")
        )


def _properties(trusted: Trusted, stem: Path, role: str, login: Path | None) -> str:
    """PKCS#12 where that is published, PEM where there is only the CA."""
    lines = ["security.protocol=SSL", "reconnect.backoff.max.ms=1000", "request.timeout.ms=10000"]
    if trusted.pkcs12:
        store = stem.with_suffix(".p12")
        store.write_bytes(trusted.pkcs12)
        lines += ["ssl.truststore.type=PKCS12", f"ssl.truststore.password={trusted.password}"]
    else:
        store = stem.with_suffix(".pem")
        store.write_bytes(trusted.pem)
        lines += ["ssl.truststore.type=PEM"]
    lines += [f"ssl.truststore.location={store}"]
    if login:
        lines += ["ssl.keystore.type=PEM", f"ssl.keystore.location={login}"]
    if role == "producer":
        lines += ["enable.idempotence=true", "delivery.timeout.ms=300000", "linger.ms=0", "retries=2147483647"]
        # A producer stays with a partition until it has written a batch to it, a minute at this rate: each record is a
        # batch, so that records go to all partitions.
        lines += ["batch.size=1"]
    return "\n".join(lines) + "\n"


@dataclass
class Process:
    """A client from its start to its end; ``report`` hears every event it prints."""

    command: list[str]
    hosts: Path
    report: Callable[[dict[str, Any]], None]
    ready: threading.Event = field(default_factory=threading.Event)
    last: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._process = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", _MOUNTED, "sh", str(self.hosts), *self.command], cwd=ROOT, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        listen(self._process, self._hear)

    def ended(self) -> bool:
        return self._process.poll() is not None

    def stop(self, seconds: float = 30) -> None:
        """Asks the client to end; it waits for the records that it has sent."""
        if not self.ended():
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)

    def _hear(self, line: str) -> None:
        event = parse(line)
        if event.get("name") in READY:
            self.ready.set()
        if event.get("name") not in _RECORDS:
            self.last = [*self.last[-20:], line.rstrip()]
        self.report(event)


def listen(process: subprocess.Popen[str], hear: Callable[[str], None]) -> None:
    """Every line of both streams: libraries write their log in the middle of an event where both go the same way."""
    for stream in (process.stdout, process.stderr):
        threading.Thread(target=_read, args=(stream, hear), daemon=True).start()


def _read(stream: IO[str], hear: Callable[[str], None]) -> None:
    for line in stream:
        hear(line)


def parse(line: str) -> dict[str, Any]:
    """An event, or a line of a log, which matters when it says that TLS has failed, or that replicas are missing.

    An event that cannot be read any more, as when a log was written into it, must not be missed.
    """
    try:
        event = json.loads(line)
    except ValueError:
        event = None
    if isinstance(event, dict) and event.get("name") != "producer_send_error":
        return event
    if event is None and any(f'"{name}"' in line for name in _RECORDS):
        return {"name": "unreadable", "message": line.strip()}
    if is_short_of_replicas(line):
        return {"name": "not_enough_replicas", "message": line.strip()}
    return {"name": "tls_failure", "message": line.strip()} if _FAILURE.search(line) else {}


def is_short_of_replicas(line: str) -> bool:
    """Whether this line of a log says that a partition has too few replicas in sync for a record."""
    return bool(_SHORTAGE.search(line))
