"""What has to be so in a measurement; one that breaks a rule shows that the collection, or what measures it, is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .flows import Flow, flows_of
from .measured import Measured
from .scenario import Scenario
from .targets import parties

#: Of every flow on the average: a measurement with fewer would show little.
HANDSHAKES = 1_000
#: Three times what a restart takes: who waits longer does not just wait for a node.
STALL_S = 60.0


def broken_rules(measured: Measured, scenarios: Sequence[Scenario], flows: Sequence[Flow]) -> list[str]:
    """In words; empty when all is well."""
    measured_flows = [(scenario, flow) for scenario in scenarios for flow in flows_of(flows, scenario.variant)]
    wanted = [f"{scenario} {flow.name}" for scenario, flow in measured_flows]
    allowed = {
        f"{scenario} {flow.name}": flow.rolls(scenario.variant) * len(scenario.layout.nodes)
        for scenario, flow in measured_flows
    }
    taking_part = {f"{scenario} {flow.name}": parties(scenario.layout) for scenario, flow in measured_flows}
    return [
        *_traffic(measured, wanted),
        *_silent(measured, taking_part),
        *_harm(measured),
        *_restarts(measured, allowed),
        *_control(measured),
    ]


def _named(row: dict[str, Any]) -> str:
    """As its scenario and its flow are."""
    return f"{row['layout']} {row['variant']} {row['name']}"


def _traffic(measured: Measured, wanted: list[str]) -> Iterator[str]:
    """Without it, no harm would mean nothing."""
    if (found := [_named(flow) for flow in measured.flows]) != wanted:
        yield f"measured were {found}, not {wanted}"
    for flow in measured.flows:
        for what in ("sent", "handshakes"):
            if not flow[what]:
                yield f"{_named(flow)}: {what} is 0"
    if (handshakes := sum(flow["handshakes"] for flow in measured.flows)) < HANDSHAKES * len(wanted):
        yield f"only {handshakes} handshakes, {HANDSHAKES * len(wanted)} are wanted"


def _silent(measured: Measured, wanted: Mapping[str, set[str]]) -> Iterator[str]:
    """Who never succeeded has shown nothing, even where the others have shown much."""
    for flow in measured.flows:
        done = {party for party, handshakes in flow["handshakes_by_identity"].items() if handshakes}
        for party in sorted(wanted.get(_named(flow), set()) - done):
            yield f"{_named(flow)}: no handshake of {party} has succeeded"


def _harm(measured: Measured) -> Iterator[str]:
    for flow in measured.flows:
        # An idempotent producer that cannot tell what became of a batch when its leader went begins a new epoch (KIP-360),
        # and may write the batch twice: seen once, on a machine with many times its work.
        allowed = {"lost": 0, "duplicated": flow["restarts"], "failed_handshakes": 0}
        for what, most in allowed.items():
            if flow[what] > most:
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


def _control(measured: Measured) -> Iterator[str]:
    """Leaves that nobody trusts are noticed, and only until they are gone."""
    control = measured.negative_control
    if not measured.negative_control_failures:
        yield "negative control: no handshake failed"
    if not control.get("component_failures"):
        yield "negative control: no handshake of a component failed"
    if control.get("afterwards") != 0:
        yield f"negative control: {control.get('afterwards')} handshakes failed afterwards"
    if not control.get("done_afterwards"):
        yield "negative control: no handshake succeeded afterwards"
