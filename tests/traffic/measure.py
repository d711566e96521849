"""Flows under traffic, and the negative control."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..api.running import Runner
from ..cluster.bed_cluster import BedCluster
from ..cluster.kube import wait_for
from ..kafka.aged_leaves import age_leaves
from ..kafka.tier import PATIENCE, Tier, bed_cluster_of_nodes, kafka_cluster
from ..support.outside_authority import Outside
from .clients import TOPIC, find_brokers
from .control import Controlled, run_control
from .fleet import Fleet, fleet
from .flows import CREATE, Flow, flows_of
from .handshakes import Outcome
from .ledger import Ledger, Window
from .load import Load, handshake_load
from .measured import Measured
from .scenario import REPLICATION, Layout, Scenario
from .trust import issuing

#: What is done to the nodes between two flows belongs to neither; nothing may fail in it either.
_BETWEEN = "between"
_ADMINISTRATOR = "org.apache.kafka.tools.TopicCommand"


def measure(scenarios: Sequence[Scenario], flows: tuple[Flow, ...], rate: float, file: Path) -> Measured:
    """Runs the flows of each scenario under ``rate`` handshakes a second.

    It writes what it has measured after each scenario, so that a run that is cut short leaves something.
    """
    measured = Measured()
    for scenario in scenarios:
        with (
            bed_cluster_of_nodes("traffic") as cluster,
            scenario.variant.outside(cluster) as outside,
            tempfile.TemporaryDirectory() as folder,
        ):
            _run(cluster, scenario, CREATE)
            tier = kafka_cluster(cluster, scenario.layout.manifests, generated=False, components=True)
            with handshake_load(tier, scenario.layout, rate) as load:
                _measure_flows(tier, Path(folder), load, scenario, flows, outside, measured)
                measured.write(file)
                if scenario == scenarios[-1]:
                    _control(run_control(tier, scenario.layout.brokers[-1], load), measured)
                    measured.write(file)
    return measured


def _measure_flows(
    tier: Tier, folder: Path, load: Load, scenario: Scenario, flows: tuple[Flow, ...], outside: Outside, measured: Measured
) -> None:  # fmt: skip
    _make_topic(tier, scenario.layout)
    ledger, chosen = Ledger(), flows_of(flows, scenario.variant)
    with fleet(tier, find_brokers(tier, scenario.layout.brokers, folder), folder, ledger) as clients:
        for flow in chosen:
            if flow.ages:
                with _window(ledger, _BETWEEN):
                    age_leaves(tier, list(scenario.layout.nodes))
            with _window(ledger, flow.name):
                clients.forget_old_cas()
                if flow.restarts:
                    _restart_nodes(tier, scenario.layout)
                _run_flow(tier, scenario, flow, outside, clients)
            measured.unexpected += [f"{scenario} {flow.name}, in the end {one}" for one in load.unsettled()]
            measured.unexpected += [f"{scenario} {flow.name}, in the end {one}" for one in _refused(tier, scenario)]
            print(f"{scenario} {flow.name}: {time.monotonic() - ledger.windows[-1].began:.0f} s", flush=True)
        clients.stop_producers()
        _drain(ledger)
    for slot in clients.slots:
        measured.exits[f"{scenario} {slot.name}"] = slot.exits
    measured.unexpected += ledger.unreadable[:20]
    foreseen = {flow.name: flow.foreseen(scenario.variant) for flow in chosen}
    for window in ledger.windows:
        unforeseen = load.failed(*ledger.span(window), but=foreseen.get(window.name, ()))
        if window.name != _BETWEEN:
            measured.flows.append(_row(ledger, load, scenario, window, len(unforeseen)))
        measured.unexpected += [*unforeseen[:20], *ledger.failures(window)[:20]]
        measured.unexpected += ledger.lost(window)[:20]


@contextmanager
def _window(ledger: Ledger, flow: str) -> Iterator[None]:
    ledger.begin(flow)
    try:
        yield
        time.sleep(5)
    finally:
        ledger.end()


def _run_flow(tier: Tier, scenario: Scenario, flow: Flow, outside: Outside, clients: Fleet) -> None:
    """A link certificate is all that clients have which learn of the new CA no sooner than when the old one is to leave."""
    aim: dict[str, object] = {**flow.variables, **({"strimzi_replaces": issuing(tier)} if flow.aimed else {})}
    if flow.rekeys:
        aim.update(outside.issuer if flow.returns else outside.moving)
    if flow.rekeys and flow.links(scenario.variant):
        clients.wait_with(scenario.accept_links)
        _run(tier.cluster, scenario, flow, strimzi_until_phase="use", **aim)
        clients.wait_no_longer()
    _run(tier.cluster, scenario, flow, **aim)


def _run(cluster: BedCluster, scenario: Scenario, flow: Flow, **aim: object) -> None:
    Runner(cluster, variables=scenario.variables, patience=PATIENCE).flow(flow.playbook, **aim).check()


def _restart_nodes(tier: Tier, layout: Layout) -> None:
    """One after the other, by the operator."""
    before = tier.cluster.node_uids(tier.name)
    for node in layout.nodes:
        tier.ask_for_roll(node)
    tier.await_restarts(before)


def _refused(tier: Tier, scenario: Scenario) -> Iterator[str]:
    """What nodes themselves say of each other since their last start: their Raft clients do not trust what Secrets say."""
    nodes = {tier.pods.address(node): node for node in scenario.layout.nodes}
    for node in scenario.layout.nodes:
        yield from (f"{node} has refused {nodes[peer]}" for peer in sorted(tier.refused_peers(node) & nodes.keys()))


def _make_topic(tier: Tier, layout: Layout) -> None:
    asked, reached, *_others = layout.brokers
    arguments = ("--create", "--topic", TOPIC, "--partitions", "3", "--replication-factor", "3")
    bootstrap = f"{tier.host(reached)}:{REPLICATION}"
    done = tier.pods.administer(asked, _ADMINISTRATOR, "--bootstrap-server", bootstrap, *arguments)
    if done.code:
        raise AssertionError(done.output)


def _drain(ledger: Ledger) -> None:
    """What is not seen in a minute counts as lost."""
    try:
        wait_for(lambda: ledger.missing() == 0, "all records being read")
    except TimeoutError as late:
        print(late, flush=True)


def _row(ledger: Ledger, load: Load, scenario: Scenario, window: Window, unforeseen: int) -> dict[str, Any]:
    figures, counts = ledger.figures(window), load.counts(*ledger.span(window))
    return {
        "name": window.name, **scenario.row, **asdict(figures),
        "longest_stall_s": round(figures.longest_stall_s, 1), "seconds": round(window.ended - window.began, 1),
        "handshakes": counts[Outcome.DONE] + counts[Outcome.FAILED], "failed_handshakes": unforeseen + len(ledger.failures(window)),
        "foreseen_failures": counts[Outcome.FAILED] - unforeseen,
        "restarts": load.restarts(*ledger.span(window)), "interrupted_handshakes": counts[Outcome.INTERRUPTED],
        "kept_clients_started": ledger.started(window, True), "renewed_clients_started": ledger.started(window, False),
        "handshakes_by_identity": dict(sorted(load.done_by_party(*ledger.span(window)).items())),
    }  # fmt: skip


def _control(found: Controlled, measured: Measured) -> None:
    measured.negative_control_failures = found.failures
    measured.negative_control = asdict(found)
