"""Flows under traffic, and the negative control."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..api.running import Runner
from ..cluster.kube import Object, wait_for
from ..cluster.scene import Scene
from ..kafka.tier import Tier, kafka_cluster, kafka_scene
from ..operator import clusters
from .clients import TOPIC, find_brokers
from .control import Controlled, run_control
from .fleet import fleet
from .flows import CREATE, Flow
from .handshakes import Outcome
from .ledger import Ledger, Window
from .load import Load, handshake_load
from .measured import Measured
from .trust import in_use

NODES = [f"demo-kafka-{number}" for number in range(3)]
_ADMINISTRATOR = "org.apache.kafka.tools.TopicCommand"
_SAFE = {
    "offsets.topic.replication.factor": "3", "transaction.state.log.replication.factor": "3",
    "transaction.state.log.min.isr": "2", "default.replication.factor": "3", "min.insync.replicas": "2",
    "auto.create.topics.enable": "false", "group.initial.rebalance.delay.ms": "0",
}  # fmt: skip


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


def measure(ways: tuple[str, ...], flows: tuple[Flow, ...], file: Path) -> Measured:
    """What has been measured is written after each way, so that a run that is cut short leaves something."""
    measured = Measured()
    for way in ways:
        with (
            kafka_scene(f"traffic-{way}") as scene,
            tempfile.TemporaryDirectory() as folder,
        ):
            _run(scene, way, CREATE)
            tier = kafka_cluster(scene, layout, generated=False)
            with handshake_load(tier, NODES) as load:
                _measure_way(tier, Path(folder), load, way, flows, measured)
                measured.write(file)
                if way == ways[-1]:
                    _control(run_control(tier, NODES[2], load), measured)
                    measured.write(file)
    return measured


def _measure_way(tier: Tier, folder: Path, load: Load, way: str, flows: tuple[Flow, ...], measured: Measured) -> None:
    _make_topic(tier)
    ledger = Ledger()
    with fleet(tier, find_brokers(tier, NODES, folder), folder, ledger) as clients:
        for flow in flows:
            with _window(ledger, flow.name, way):
                clients.forget_old_cas()
                _run(tier.scene, way, flow, **({"strimzi_replaces": _ca_in_use(tier)} if flow.aimed else {}))
            measured.unexpected += [f"{way} {flow.name}, in the end {one}" for one in load.unsettled()]
            print(f"{way} {flow.name}: {time.monotonic() - ledger.windows[-1].began:.0f} s", flush=True)
        clients.stop_producers()
        _drain(ledger)
    for slot in clients.slots:
        measured.exits[f"{way} {slot.name}"] = slot.exits
    for window in ledger.windows:
        measured.flows.append(_row(ledger, load, window))
        measured.unexpected += [*load.failed(*ledger.span(window))[:20], *ledger.failures(window)[:20]]


@contextmanager
def _window(ledger: Ledger, flow: str, way: str) -> Iterator[None]:
    ledger.begin(flow, way)
    try:
        yield
        time.sleep(5)
    finally:
        ledger.end()


def _run(scene: Scene, way: str, flow: Flow, **aim: str) -> None:
    variables = {"strimzi_way": way, "strimzi_evidence": "handshake", "strimzi_client_bundle": "true"}
    Runner(scene, variables=variables, patience=900).flow(flow.name, **aim).check()


def _ca_in_use(tier: Tier) -> str:
    (fingerprint,) = in_use(tier).fingerprints
    return fingerprint


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
        "restarts": load.restarts(*ledger.span(window)), "interrupted_handshakes": counts[Outcome.INTERRUPTED],
        "kept_clients_started": ledger.started(window, True), "renewed_clients_started": ledger.started(window, False),
    }  # fmt: skip


def _control(found: Controlled, measured: Measured) -> None:
    measured.negative_control_failures = found.failures
    measured.negative_control = asdict(found)
