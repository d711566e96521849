"""The rules of a measurement; a measurement that breaks one shows that the collection, or the measuring code, is wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from .clients_control import PROMOTED, RETIRED
from .control import FOREIGN
from .flows import CLIENTS, CLUSTER, Flow, flows_of
from .measured import Measured
from .scenario import Layout, Scenario
from .targets import of_clients_ca, of_cluster_ca, parties

#: Handshakes of every flow on the average, by its CA: a measurement with fewer would show little. Users log in to fewer listeners, and nothing
#: restarts while they do.
HANDSHAKES = {CLUSTER: 1_000, CLIENTS: 200}
#: The mistakes that are made on purpose, with each CA.
CONTROLS = {CLUSTER: (FOREIGN,), CLIENTS: (PROMOTED, RETIRED)}
#: Three times what a restart takes: a client that waits longer does not just wait for a node.
STALL_S = 60.0
#: Seconds within which, at the very least, a client is made anew, of those that are made anew every second.
ANEW_S = 2.0


def broken_rules(
    measured: Measured, scenarios: Sequence[Scenario], flows: Sequence[Flow], controls: Collection[str]
) -> list[str]:
    """In words; empty when all is well."""
    wanted = {
        f"{scenario} {flow.name}": (scenario, flow)
        for scenario in scenarios
        for flow in flows_of(flows, scenario.variant)
    }
    about = {flow.ca for _scenario, flow in wanted.values()}
    return [
        *_traffic(measured, {name: flow for name, (_scenario, flow) in wanted.items()}),
        *_silent(measured, {name: taking_part(scenario.layout, flow) for name, (scenario, flow) in wanted.items()}),
        *_harm(measured),
        *_restarts(measured, {name: restarts(scenario, flow) for name, (scenario, flow) in wanted.items()}),
        *_controls(measured, sorted(name for ca in about for name in CONTROLS[ca] if name in controls)),
    ]


def taking_part(layout: Layout, flow: Flow) -> set[str]:
    return parties(of_clients_ca(layout) if flow.ca == CLIENTS else of_cluster_ca(layout))


def restarts(scenario: Scenario, flow: Flow) -> int:
    """The restarts of all nodes together that a flow takes; the clients CA is no business of controllers."""
    nodes = scenario.layout.brokers if flow.ca == CLIENTS else scenario.layout.nodes
    return flow.rolls(scenario.variant) * len(nodes)


def _named(row: dict[str, Any]) -> str:
    """The name of a row, as its scenario and its flow are named."""
    return f"{row['layout']} {row['variant']} {row['name']}"


def _traffic(measured: Measured, wanted: Mapping[str, Flow]) -> Iterator[str]:
    """Without it, no harm would mean nothing."""
    if (found := [_named(flow) for flow in measured.flows]) != list(wanted):
        yield f"measured were {found}, not {list(wanted)}"
    for flow in measured.flows:
        for what in ("sent", "handshakes"):
            if not flow[what]:
                yield f"{_named(flow)}: {what} is 0"
    for ca, each in HANDSHAKES.items():
        names = [name for name, flow in wanted.items() if flow.ca == ca]
        handshakes = sum(flow["handshakes"] for flow in measured.flows if _named(flow) in names)
        if handshakes < each * len(names):
            yield f"{ca} CA: only {handshakes} handshakes, {each * len(names)} are wanted"
        for flow in measured.flows:
            if ca == CLIENTS and _named(flow) in names and flow["renewed_clients_started"] < flow["seconds"] / ANEW_S:
                yield f"{_named(flow)}: clients were made anew {flow['renewed_clients_started']} times only"


def _silent(measured: Measured, wanted: Mapping[str, set[str]]) -> Iterator[str]:
    """A party that never succeeded has shown nothing, even where the others have shown much."""
    for flow in measured.flows:
        done = {party for party, handshakes in flow["handshakes_by_identity"].items() if handshakes}
        for party in sorted(wanted.get(_named(flow), set()) - done):
            yield f"{_named(flow)}: no handshake of {party} has succeeded"


def _harm(measured: Measured) -> Iterator[str]:
    for flow in measured.flows:
        # An idempotent producer that cannot tell what became of a batch when its leader went begins a new epoch (KIP-360),
        # and may write the batch twice: seen once, on a machine with many times its work.
        allowed = {"lost": 0, "duplicated": flow["restarts"], "failed_handshakes": 0, "refused_by_brokers": 0}
        for what, most in allowed.items():
            if flow.get(what, 0) > most:
                yield f"{_named(flow)}: {what} is {flow[what]}"
        if flow["longest_stall_s"] > STALL_S:
            yield f"{_named(flow)}: {flow['stalled_client']} stood still for {flow['longest_stall_s']} s"
    yield from measured.unexpected
    for client, times in measured.exits.items():
        if times:
            yield f"{client} has ended by itself {times} times"


def _restarts(measured: Measured, wanted: Mapping[str, int]) -> Iterator[str]:
    """With more or fewer, a key was not replaced in the way that is said to be measured."""
    for flow in measured.flows:
        if flow["restarts"] != wanted.get(_named(flow), flow["restarts"]):
            yield f"{_named(flow)}: {flow['restarts']} restarts, {wanted[_named(flow)]} are wanted"


def _controls(measured: Measured, wanted: list[str]) -> Iterator[str]:
    """Mistakes are noticed by all whom they concern, and only until they are put right."""
    if (found := sorted(control["name"] for control in measured.controls)) != wanted:
        yield f"negative controls were {found}, not {wanted}"
    for control in measured.controls:
        told = f"negative control, {control['name']}"
        if not control["failures"]:
            yield f"{told}: no handshake failed"
        yield from (f"{told}: not noticed by {flow}" for flow in control["unnoticed"])
        if control["afterwards"]:
            yield f"{told}: {control['afterwards']} handshakes failed afterwards"
        if not control["done_afterwards"]:
            yield f"{told}: no handshake succeeded afterwards"
