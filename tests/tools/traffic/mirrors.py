# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m tests.tools.traffic.mirrors``: two clusters that MirrorMaker 2 mirrors to each other, under traffic, while ``rotate_fleet`` replaces
the keys of both CAs; as JSON. Exit code 1 where records are lost, TLS fails, or a cluster uses its next CA too early.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.exceptions import InvalidSignature

from ...broker.jars import find_jars_of, java_command
from ...kafka.tier import PATIENCE, Tier, bed_cluster_of_nodes, kafka_cluster
from ..cluster.bed import ROOT
from ..cluster.bed_cluster import BedCluster
from ..cluster.commands import run_command
from ..cluster.kube import wait_for
from ..cluster.versions import KAFKA
from ..operator import clusters
from .clients import Brokers, Kind, Process, find_brokers
from .fleet import TrustingFleet, TrustingSlot
from .ledger import Ledger, Window, longest_gap
from .listeners import PUBLIC
from .scenario import Layout
from .traffic import create_topic
from .trust import anchors, in_use

#: The names of the two clusters, of which each mirrors the other.
NAMES = ("east", "west")
_TOPIC = "traffic"
_POOL = "{}-nodes"
_POM = Path(__file__).parent / "mirror.pom.xml"
#: Seconds between two looks of Strimzi's operator at the Secrets that a KafkaMirrorMaker2 trusts: its reconcile, shortened from 120 s.
_RECONCILE = 30.0
#: Seconds that ``rotate_fleet`` gives clients which read Secrets by themselves, as MirrorMaker 2: a reconcile, and its restart.
_GRACE = 120


@dataclass(frozen=True)
class Direction:
    """The mirroring of one cluster to the other."""

    #: The name of the cluster that the records are produced to.
    source: str
    #: The name of the cluster that they are consumed from.
    target: str
    #: The reports of the producer and of the consumer.
    ledger: Ledger = field(default_factory=Ledger)

    @property
    def topic(self) -> str:
        """The topic of the target, as MirrorMaker 2 names it."""
        return f"{self.source}.{_TOPIC}"


@dataclass(frozen=True)
class Figures:
    """The figures of one direction over one flow."""

    source: str
    target: str
    #: Seconds from the flow's begin to its end.
    seconds: float
    #: Records that the producer got acknowledged.
    sent: int
    #: Acknowledged records that the consumer of the other cluster has not read.
    lost: int
    #: Acknowledged records that it has read from more than one place: MirrorMaker 2 sends a record again that it has not noted before it ended.
    repeated: int
    #: The longest time in which the consumer of the other cluster got no record, in seconds.
    longest_gap_s: float


@dataclass
class Order:
    """When each cluster came to trust its next CA, and to present a certificate of it. A CA is its public key here: a link certificate is of the next CA."""

    #: The CA in use before the flow, by cluster.
    before: Mapping[str, str]
    #: Seconds of a monotonic clock, by cluster.
    trusted: dict[str, float] = field(default_factory=dict)
    used: dict[str, float] = field(default_factory=dict)
    removed: dict[str, float] = field(default_factory=dict)

    def record(self, at: float, cluster: str, published: frozenset[str], signer: str) -> None:
        """published: the CAs in the certificate Secret. signer: the CA that has signed the certificate which clients see; empty where it is not published."""
        old = self.before[cluster]
        if published - {old}:
            self.trusted.setdefault(cluster, at)
        if signer in published - {old}:
            self.used.setdefault(cluster, at)
        if cluster in self.trusted and old not in published:
            self.removed.setdefault(cluster, at)

    def broken(self) -> list[str]:
        """In words; empty where no cluster went ahead of another."""
        moments = (("trusts", self.trusted), ("uses", self.used), ("alone has", self.removed))
        missing = [
            f"{name} never {what} its next CA" for what, found in moments for name in self.before if name not in found
        ]
        if missing:
            return missing
        trusted, used = max(self.trusted.values()), max(self.used.values())
        return [
            *(
                f"{name} used its next CA before every cluster trusted its own"
                for name, at in self.used.items()
                if at < trusted
            ),
            *(
                f"{name} removed its old CA before every cluster used the next"
                for name, at in self.removed.items()
                if at < used
            ),
        ]


def _key(certificate: x509.Certificate) -> str:
    return x509.SubjectKeyIdentifier.from_public_key(certificate.public_key()).digest.hex()


def _signer(presented: x509.Certificate, published: Iterable[x509.Certificate]) -> str:
    for authority in published:
        with suppress(ValueError, InvalidSignature):
            presented.verify_directly_issued_by(authority)
            return _key(authority)
    return ""


class Mirror:
    """MirrorMaker 2 in both directions. As Strimzi's operator does it, a process starts again when a Secret that it trusts has changed."""

    def __init__(self, tiers: Mapping[str, Tier], brokers: Mapping[str, Brokers], hosts: Path, folder: Path) -> None:
        self.tiers, self.brokers, self.hosts, self.folder = tiers, brokers, hosts, folder
        #: Seconds of a monotonic clock.
        self.starts: list[float] = []
        #: The lines of its log that say that TLS has failed, or that it has ended.
        self.failures: list[str] = []
        self._end = threading.Event()
        self._watch = threading.Thread(target=self._follow, daemon=True)

    def start(self) -> None:
        self._trusted = self._read()
        self._begin()
        self._watch.start()

    def stop(self) -> None:
        self._end.set()
        self._watch.join()
        self._process.stop()

    def _follow(self) -> None:
        while not self._end.wait(_RECONCILE):
            read = self._read()
            ended = self._process.ended()
            if ended:
                self.failures.append(f"MirrorMaker 2 has ended by itself: {self._process.last[-5:]}")
            if ended or read != self._trusted:
                self._process.stop()
                self._trusted = read
                self._begin()

    def _read(self) -> dict[str, bytes]:
        """By cluster: the CAs of all ``*.crt`` of its CA certificate Secret, as ``trustedCertificates`` with a pattern has them."""
        secrets = {name: tier.secret(f"{name}-cluster-ca-cert") for name, tier in self.tiers.items()}
        return {
            name: b"".join(files[file] for file in sorted(files) if file.endswith(".crt"))
            for name, files in secrets.items()
        }

    def _begin(self) -> None:
        properties = self.folder / f"mirror-{len(self.starts)}.properties"
        properties.write_text("\n".join(self._properties()) + "\n")
        command = java_command(_find_jars(), "384m")
        self._process = Process(
            [*command, "org.apache.kafka.connect.mirror.MirrorMaker", str(properties)], self.hosts, self._hear
        )
        self.starts.append(time.monotonic())

    def _properties(self) -> Iterator[str]:
        yield f"clusters = {', '.join(NAMES)}"
        for name in NAMES:
            store = self.folder / f"mirror-{len(self.starts)}-{name}.pem"
            store.write_bytes(self._trusted[name])
            yield f"{name}.bootstrap.servers = {self.brokers[name].bootstrap}"
            yield f"{name}.security.protocol = SSL"
            yield f"{name}.ssl.truststore.type = PEM"
            yield f"{name}.ssl.truststore.location = {store}"
        for source, target in (NAMES, NAMES[::-1]):
            yield f"{source}->{target}.enabled = true"
            yield f"{source}->{target}.topics = {_TOPIC}"
        for kind in (
            "",
            "checkpoints.topic.",
            "heartbeats.topic.",
            "offset-syncs.topic.",
            "offset.storage.",
            "status.storage.",
            "config.storage.",
        ):
            yield f"{kind}replication.factor = 1"
        yield "dedicated.mode.enable.internal.rest = false"
        yield "offset.flush.interval.ms = 5000"

    def _hear(self, event: dict[str, Any]) -> None:
        if event.get("name") == "tls_failure":
            self.failures.append(str(event["message"]))


def _find_jars() -> Path:
    """Raises MissingTool."""
    return find_jars_of("mirror", _POM, f"MirrorMaker {KAFKA} for the traffic between clusters")


def _layout(name: str) -> Layout:
    """A cluster of one node."""
    return Layout(name, clusters.combined(_POOL.format(name), 1), name)


def _node(name: str) -> str:
    return f"{name}-{_POOL.format(name)}-0"


@dataclass(frozen=True)
class Playing:
    """Playbooks over both clusters."""

    cluster: BedCluster
    folder: Path

    def play(self, playbook: str, **variables: object) -> None:
        """Raises RuntimeError where it fails."""
        given = {"ansible_python_interpreter": sys.executable, "strimzi_hosts": "kafka_clusters", **variables}
        command = [
            "ansible-playbook",
            "-i",
            str(self.cluster.write_inventory(self.folder)),
            f"playbooks/{playbook}.yml",
            "-e",
            json.dumps(given),
        ]
        done = subprocess.run(
            command, cwd=ROOT, env=dict(os.environ), text=True, capture_output=True, timeout=2 * PATIENCE, check=False
        )
        print(done.stdout, flush=True)
        if done.returncode:
            raise RuntimeError(done.stdout[-4000:] + done.stderr[-1000:])


@contextmanager
def mirrored(
    tiers: Mapping[str, Tier], folder: Path, directions: tuple[Direction, ...]
) -> Iterator[tuple[Mirror, list[TrustingFleet]]]:
    """A producer in each cluster, MirrorMaker 2, and in each cluster a consumer of what was produced in the other."""
    hosts, brokers = folder / "hosts", dict[str, Brokers]()
    for name, tier in tiers.items():
        (folder / name).mkdir()
        found = find_brokers(tier, [_node(name)], folder / name, PUBLIC, _TOPIC)
        brokers[name] = Brokers(found.bootstrap, hosts, _TOPIC)
    hosts.write_text("".join((folder / name / "hosts").read_text() for name in tiers))
    slots: dict[str, list[TrustingSlot]] = {name: [] for name in tiers}
    for way in directions:
        source, target = brokers[way.source], brokers[way.target]
        slots[way.source].append(TrustingSlot(Kind("jvm", "producer"), True, source, folder, way.ledger))
        mirrored = Brokers(target.bootstrap, hosts, way.topic)
        slots[way.target].append(TrustingSlot(Kind("jvm", "consumer"), True, mirrored, folder, way.ledger))
    with ExitStack() as stack:
        mirror = Mirror(tiers, brokers, hosts, folder)
        fleets = [TrustingFleet(tiers[name], own) for name, own in slots.items()]
        for fleet in fleets:
            stack.callback(fleet.stop)
            fleet.start()
        mirror.start()
        stack.callback(mirror.stop)
        yield mirror, fleets


class Watching:
    """Looks each second at how far each cluster has come."""

    def __init__(self, tiers: Mapping[str, Tier], order: Order) -> None:
        self._tiers, self.order, self._end = tiers, order, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._look()
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._end.wait(1):
            try:
                self._look()
            except Exception as problem:  # a node may be restarting: the next look will do
                print(f"not seen: {problem!r}", flush=True)

    def _look(self) -> None:
        for name, tier in self._tiers.items():
            # The certificate first: the CA that has signed it was published before it.
            presented = tier.shake_hands(_node(name), PUBLIC.port).chain[0]
            published = _published(tier)
            self.order.record(time.monotonic(), name, frozenset(map(_key, published)), _signer(presented, published))


def _published(tier: Tier) -> list[x509.Certificate]:
    """The first certificate of each file, as Strimzi's components read them."""
    return x509.load_pem_x509_certificates(anchors(tier.secret(f"{tier.name}-cluster-ca-cert")))


def measure() -> dict[str, Any]:
    directions = Direction(*NAMES), Direction(*NAMES[::-1])
    with bed_cluster_of_nodes("mirrors") as cluster, tempfile.TemporaryDirectory() as scratch:
        folder, playing = Path(scratch), Playing(cluster, Path(scratch))
        tiers = {name: kafka_cluster(cluster, _layout(name).manifests, generated=True, name=name) for name in NAMES}
        playing.play("upgrade", strimzi_client_grace=0)
        for way in directions:
            create_topic(tiers[way.source], _node(way.source), _TOPIC, replicas=1)
            create_topic(tiers[way.target], _node(way.target), way.topic, replicas=1)
        with mirrored(tiers, folder, directions) as (mirror, fleets):
            wait_for(lambda: all(way.ledger.seen for way in directions), "records in both clusters", 180)
            before = {name: _key(x509.load_pem_x509_certificate(in_use(tier).pem)) for name, tier in tiers.items()}
            uids = {name: cluster.node_uids(name) for name in NAMES}
            watching = Watching(tiers, Order(before))
            windows = [way.ledger.begin("rotate_fleet") for way in directions]
            begun = len(mirror.starts)
            playing.play("rotate_fleet", strimzi_client_grace=_GRACE)
            # The mirror has to go on with the last change too.
            time.sleep(2 * _RECONCILE)
            for way in directions:
                way.ledger.end()
            watching.stop()
            for fleet in fleets:
                fleet.stop_producers()
            wait_for(lambda: all(way.ledger.missing() == 0 for way in directions), "all records being read")
            restarted = sum(cluster.node_uids(name) != uids[name] for name in NAMES)
            return _found(directions, windows, mirror, begun, watching.order, restarted)


def _found(
    directions: tuple[Direction, ...], windows: list[Window], mirror: Mirror, begun: int, order: Order, restarted: int
) -> dict[str, Any]:
    rows = []
    for way, window in zip(directions, windows, strict=True):
        found, consumer = way.ledger.figures(window), "jvm-consumer-kept"
        gap = longest_gap(way.ledger.beats[consumer], window.began, window.ended)
        seconds = window.ended - window.began
        rows.append(
            Figures(way.source, way.target, round(seconds, 1), found.sent, found.lost, found.duplicated, round(gap, 1))
        )
    moments = {
        what: {name: round(at - windows[0].began, 1) for name, at in times.items()}
        for what, times in (("trusted_s", order.trusted), ("used_s", order.used), ("removed_s", order.removed))
    }
    refused = [
        f"{way.source} to {way.target}: {line}"
        for way, window in zip(directions, windows, strict=True)
        for line in way.ledger.failures(window)
    ]
    return {
        "directions": [asdict(row) for row in rows], **moments, "mirror_starts": len(mirror.starts) - begun, "nodes_restarted": restarted,
        "broken": [*order.broken(), *refused, *mirror.failures, *(f"{row.lost} records of {row.source} lost" for row in rows if row.lost)],
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.traffic.mirrors", description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "mirrors.json", help="default: %(default)s")
    arguments = parser.parse_args()
    found = measure()
    arguments.output.parent.mkdir(exist_ok=True)
    arguments.output.write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found, indent=2))
    return 1 if found["broken"] else 0


if __name__ == "__main__":
    run_command(main)
