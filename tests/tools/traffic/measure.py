"""Flows under traffic, and the negative controls."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...kafka.aged_leaves import age_leaves
from ...kafka.tier import bed_cluster_of_nodes, kafka_cluster
from .clients import Demand
from .clients_ca import clients_traffic
from .cluster_ca import cluster_traffic
from .flows import CLIENTS, CLUSTER, CREATE, Flow, flows_of
from .handshakes import Outcome
from .ledger import Ledger, Window
from .measured import Measured
from .scenario import Scenario
from .traffic import Traffic, play

#: Work on the nodes between two flows belongs to neither; nothing may fail in it either.
_BETWEEN = "between"
#: Things fail here on purpose.
_CONTROL = "control"
_TRAFFIC = {CLUSTER: cluster_traffic, CLIENTS: clients_traffic}


def measure(
    scenarios: Sequence[Scenario], flows: tuple[Flow, ...], controls: Collection[str], demand: Demand, file: Path
) -> Measured:
    """Runs the flows of each scenario under this load, and with the last one about a CA these negative controls of it.

    It writes what it has measured of each CA with each scenario, so that a run that is cut short leaves something.
    """
    measured = Measured()
    last = {flow.ca: scenario for scenario in scenarios for flow in flows_of(flows, scenario.variant)}
    for scenario in scenarios:
        with (
            bed_cluster_of_nodes("traffic") as cluster,
            scenario.variant.outside(cluster) as outside,
            tempfile.TemporaryDirectory() as folder,
        ):
            play(cluster, CREATE.playbook, **scenario.variables).check()
            tier = kafka_cluster(cluster, scenario.layout.manifests, generated=False, components=True)
            chosen = flows_of(flows, scenario.variant)
            for ca, begin in _TRAFFIC.items():
                if about := [flow for flow in chosen if flow.ca == ca]:
                    own = Path(folder, ca)
                    own.mkdir()
                    with begin(tier, scenario, outside, demand, own) as traffic, _written(measured, file):
                        _measure_flows(traffic, about, measured, controls if scenario == last[ca] else ())
    return measured


@contextmanager
def _written(measured: Measured, file: Path) -> Iterator[None]:
    """Writes the file in the end, also when something fails."""
    try:
        yield
    finally:
        measured.write(file)


def _measure_flows(traffic: Traffic, flows: list[Flow], measured: Measured, controls: Collection[str]) -> None:
    scenario, ledger = traffic.scenario, traffic.ledger
    for flow in flows:
        if flow.ages:
            with _window(ledger, _BETWEEN):
                age_leaves(traffic.tier, list(scenario.layout.nodes))
        with _window(ledger, flow.name):
            traffic.run(flow)
        for complaint in (*traffic.load.unsettled(flow.unled(scenario)), *traffic.complaints(flow)):
            measured.unexpected.append(f"{scenario} {flow.name}, in the end {complaint}")
        _say_so(traffic, flow)
    for name, times in traffic.clients.exits.items():
        measured.exits[f"{scenario} {name}"] = times
    ledger.begin(_CONTROL)
    try:
        measured.controls += [asdict(control) for control in traffic.control(controls)]
    finally:
        ledger.end()
        traffic.finish()
        measured.unexpected += ledger.unreadable[:20]
        _tell(traffic, flows, measured)


def _say_so(traffic: Traffic, flow: Flow) -> None:
    """Prints as much as is known when a flow has ended: losses are known when all is read."""
    window = traffic.ledger.windows[-1]
    failed = [*traffic.load.failed(window.began), *traffic.ledger.failures(window)]
    told = f"{window.ended - window.began:.0f} s, {traffic.load.restarts(window.began, window.ended)} restarts"
    print(
        f"{traffic.scenario} {flow.name}: {told}, {len(failed)} handshakes failed", *failed[:5], sep="\n  ", flush=True
    )


def _tell(traffic: Traffic, flows: list[Flow], measured: Measured) -> None:
    ledger, load = traffic.ledger, traffic.load
    foreseen = {flow.name: flow.foreseen(traffic.scenario) for flow in flows}
    for window in ledger.windows:
        if window.name == _CONTROL:
            continue
        unforeseen = load.failed(*ledger.span(window), but=foreseen.get(window.name, ()))
        if window.name != _BETWEEN:
            measured.flows.append(_row(traffic, window, len(unforeseen)))
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


def _row(traffic: Traffic, window: Window, unforeseen: int) -> dict[str, Any]:
    ledger, load = traffic.ledger, traffic.load
    figures, counts = ledger.figures(window), load.counts(*ledger.span(window))
    return {
        "name": window.name, **traffic.scenario.row, **asdict(figures),
        "longest_stall_s": round(figures.longest_stall_s, 1), "seconds": round(window.ended - window.began, 1),
        "handshakes": counts[Outcome.DONE] + counts[Outcome.FAILED], "failed_handshakes": unforeseen + len(ledger.failures(window)),
        "foreseen_failures": counts[Outcome.FAILED] - unforeseen,
        "restarts": load.restarts(*ledger.span(window)), "interrupted_handshakes": counts[Outcome.INTERRUPTED],
        "kept_clients_started": ledger.started(window, True), "renewed_clients_started": ledger.started(window, False),
        "handshakes_by_identity": dict(sorted(load.done_by_party(*ledger.span(window)).items())),
        **traffic.figures(window),
    }  # fmt: skip
