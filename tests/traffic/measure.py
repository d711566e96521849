"""All flows in both ways under traffic, and the negative control: build/traffic.json."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from cryptography import x509

from ..api.running import Runner
from ..cluster.bed import ROOT
from ..cluster.kube import Object, wait_for
from ..kafka.tier import Tier, kafka_tier
from ..operator import clusters
from .clients import TOPIC, find_brokers
from .control import Controlled, run_control
from .fleet import Fleet, fleet
from .handshakes import Outcome
from .ledger import Ledger, Window
from .load import Load, handshake_load
from .trust import fingerprints

WAYS = ("cooperate", "takeover")
FLOWS = ("upgrade", "renew", "replace_key", "downgrade")
RESULT = ROOT / "build" / "traffic.json"
NODES = [f"demo-kafka-{number}" for number in range(3)]
_ADMINISTRATOR = "org.apache.kafka.tools.TopicCommand"
_SAFE = {
    "offsets.topic.replication.factor": "3", "transaction.state.log.replication.factor": "3",
    "transaction.state.log.min.isr": "2", "default.replication.factor": "3", "min.insync.replicas": "2",
    "auto.create.topics.enable": "false", "group.initial.rebalance.delay.ms": "0",
}  # fmt: skip


@dataclass
class Measured:
    """unexpected: handshakes that failed in a flow, in words. interrupted: those without a verdict, by flow."""

    flows: list[dict[str, Any]] = field(default_factory=list)
    negative_control_failures: int = 0
    negative_control: dict[str, Any] = field(default_factory=dict)
    unexpected: list[str] = field(default_factory=list)
    exits: dict[str, int] = field(default_factory=dict)

    def write(self, file: Path) -> None:
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(asdict(self), indent=2) + "\n")


def layout(cluster: str, namespace: str, **options: bool) -> list[Object]:
    """Three nodes whose records survive the restart of one, for clients that need no certificate."""
    made = clusters.dual_role(cluster, namespace, **options)
    for manifest in made:
        if manifest["kind"] == "Kafka":
            manifest["spec"]["kafka"] = {
                **manifest["spec"]["kafka"], "config": _SAFE,
                "authorization": {"type": "simple", "superUsers": ["ANONYMOUS"]},
            }  # fmt: skip
    return made


def measure(ways: tuple[str, ...] = WAYS, flows: tuple[str, ...] = FLOWS, file: Path = RESULT) -> Measured:
    """What has been measured is written after each way, so that a run that is cut short leaves something."""
    measured = Measured()
    for way in ways:
        with (
            kafka_tier(f"traffic-{way}", layout) as tier,
            tempfile.TemporaryDirectory() as folder,
            handshake_load(tier, NODES) as load,
        ):
            _measure_way(tier, Path(folder), load, way, flows, measured)
            measured.write(file)
            if way == ways[-1]:
                _control(run_control(tier, NODES[2], load), measured)
                measured.write(file)
    return measured


def _measure_way(tier: Tier, folder: Path, load: Load, way: str, flows: tuple[str, ...], measured: Measured) -> None:
    _make_topic(tier)
    ledger, restarted = Ledger(), dict[str, int]()
    with fleet(tier, find_brokers(tier, NODES, folder), folder, ledger) as clients:
        for flow in flows:
            before = tier.scene.node_uids(tier.cluster)
            with _window(ledger, flow, way):
                _run(tier, clients, flow, way)
            restarted[flow] = Runner(tier.scene).restarts_since(before)
            measured.unexpected += [f"{way} {flow}, in the end {one}" for one in load.unsettled()]
            print(_row(ledger, load, ledger.windows[-1]), flush=True)
        clients.stop_producers()
        _drain(ledger)
    for slot in clients.slots:
        measured.exits[f"{way} {slot.name}"] = slot.exits
    for window in ledger.windows:
        measured.flows.append({**_row(ledger, load, window), "restarted_nodes": restarted[window.name]})
        measured.unexpected += [*load.failed(*ledger.span(window))[:20], *ledger.failures(window)[:20]]


@contextmanager
def _window(ledger: Ledger, flow: str, way: str) -> Iterator[None]:
    ledger.begin(flow, way)
    try:
        yield
        time.sleep(5)
    finally:
        ledger.end()


def _run(tier: Tier, clients: Fleet, flow: str, way: str) -> None:
    """Which CA is meant is said, because a flow of the same kind may have finished a moment ago."""
    clients.forget_old_cas()
    variables = {"strimzi_way": way, "strimzi_evidence": "handshake", "strimzi_client_bundle": "true"}
    if flow in ("renew", "replace_key"):
        (variables["strimzi_replaces"],) = fingerprints([_issuer(tier)])
    process = Runner(tier.scene).start(flow, **variables)
    output, _nothing = process.communicate(timeout=900)
    if process.returncode:
        raise AssertionError(output[-4000:])


def _issuer(tier: Tier) -> x509.Certificate:
    return x509.load_pem_x509_certificate(tier.secret(f"{tier.cluster}-cluster-ca-cert")["ca.crt"])


def _make_topic(tier: Tier) -> None:
    arguments = ("--create", "--topic", TOPIC, "--partitions", "3", "--replication-factor", "3")
    done = tier.pods.administer(
        NODES[0], _ADMINISTRATOR, "--bootstrap-server", f"{tier.host(NODES[1])}:9091", *arguments
    )
    if done.code:
        raise AssertionError(done.output)


def _drain(ledger: Ledger) -> None:
    """What is not seen in a minute counts as lost."""
    try:
        wait_for(lambda: ledger.missing() == 0, "all records being read")
    except TimeoutError as late:
        print(late, flush=True)


def _row(ledger: Ledger, load: Load, window: Window) -> dict[str, Any]:
    figures, counts = ledger.figures(window), load.counts(*ledger.span(window))
    failed = counts[Outcome.FAILED] + len(ledger.failures(window))
    return {
        "name": window.name, "way": window.way, **asdict(figures),
        "longest_stall_s": round(figures.longest_stall_s, 1), "seconds": round(window.ended - window.began, 1),
        "handshakes": counts[Outcome.DONE] + counts[Outcome.FAILED], "failed_handshakes": failed,
        "interrupted_handshakes": counts[Outcome.INTERRUPTED],
        "kept_clients_started": ledger.started(window, True), "renewed_clients_started": ledger.started(window, False),
    }  # fmt: skip


def _control(found: Controlled, measured: Measured) -> None:
    measured.negative_control_failures = found.failures
    measured.negative_control = asdict(found)
