"""A measurement counts when there was traffic, the control showed failures, and the flows none; else it says why not."""

from __future__ import annotations

from typing import Any

import pytest

from .flows import CREATE, FLOWS, Flow, flows_named, flows_of
from .measured import Measured
from .scenario import Scenario, scenarios
from .targets import parties
from .verdict import HANDSHAKES, STALL_S, broken_rules

CHOSEN = flows_named(["replace_key"])
ASKED = scenarios(["dual-role", "separate"], ["restart"], 1)


def everybody(scenario: Scenario) -> dict[str, dict[str, int]]:
    return {"handshakes_by_identity": dict.fromkeys(parties(scenario.layout), 1)}


def restarts(scenario: Scenario, flow: Flow) -> int:
    return flow.rolls(scenario.variant) * len(scenario.layout.nodes)


def measured(flow: dict[str, Any] | None = None, control: dict[str, Any] | None = None, **others: Any) -> Measured:
    """All is well, but for what is given; of flows, in the last one."""
    good: dict[str, Any] = {"sent": 500, "lost": 0, "duplicated": 0, "handshakes": HANDSHAKES, "failed_handshakes": 0}
    good |= {"longest_stall_s": STALL_S, "stalled_client": "jvm-producer-kept"}
    rows = [
        {**scenario.row, "name": one.name, **good, **everybody(scenario), "restarts": restarts(scenario, one)}
        for scenario in ASKED
        for one in CHOSEN
    ]
    rows[-1].update(flow or {})
    quiet = {"component_failures": 3, "afterwards": 0, "done_afterwards": 300, **(control or {})}
    given: dict[str, Any] = {"negative_control_failures": 20, "exits": {"jvm-producer-kept": 0}, **others}
    return Measured(flows=rows, negative_control=quiet, **given)


def test_a_good_measurement_breaks_no_rule() -> None:
    assert broken_rules(measured(), ASKED, CHOSEN) == []
    assert broken_rules(measured({"duplicated": 12}), ASKED, CHOSEN) == []


LAST = "separate restart replace_key"


@pytest.mark.parametrize(
    ("found", "rule"),
    [
        (measured({"lost": 2}), f"{LAST}: lost is 2"),
        (measured({"duplicated": 13}), f"{LAST}: duplicated is 13"),
        (measured({"failed_handshakes": 3}), f"{LAST}: failed_handshakes is 3"),
        (measured({"longest_stall_s": STALL_S + 1}), f"{LAST}: jvm-producer-kept stood still for {STALL_S + 1} s"),
        (measured({"restarts": 11}), f"{LAST}: 11 restarts, 12 are wanted"),
        (measured({"restarts": 13}), f"{LAST}: 13 restarts, 12 are wanted"),
        (measured({"sent": 0}), f"{LAST}: sent is 0"),
        (
            measured({"handshakes": HANDSHAKES - 1}),
            f"only {4 * HANDSHAKES - 1} handshakes, {4 * HANDSHAKES} are wanted",
        ),
        (measured(unexpected=["a to b: bad certificate"]), "a to b: bad certificate"),
        (measured(exits={"jvm-producer-kept": 2}), "jvm-producer-kept has ended by itself 2 times"),
        (measured(negative_control_failures=0), "negative control: no handshake failed"),
        (measured(control={"component_failures": 0}), "negative control: no handshake of a component failed"),
        (measured(control={"afterwards": 1}), "negative control: 1 handshakes failed afterwards"),
        (measured(control={"done_afterwards": 0}), "negative control: no handshake succeeded afterwards"),
    ],
)
def test_each_rule_is_told_alone(found: Measured, rule: str) -> None:
    assert broken_rules(found, ASKED, CHOSEN) == [rule]


def test_a_flow_without_handshakes_is_named_even_where_the_others_have_enough() -> None:
    found = measured({"handshakes": 0})
    found.flows[0]["handshakes"] = 4 * HANDSHAKES
    assert broken_rules(found, ASKED, CHOSEN) == [f"{LAST}: handshakes is 0"]


@pytest.mark.parametrize("party", sorted(parties(ASKED[-1].layout)))
def test_who_has_not_succeeded_is_named(party: str) -> None:
    """Whether it is in the row with nothing, or not in it."""
    found = measured()
    found.flows[-1]["handshakes_by_identity"] = {**everybody(ASKED[-1])["handshakes_by_identity"], party: 0}
    assert broken_rules(found, ASKED, CHOSEN) == [f"{LAST}: no handshake of {party} has succeeded"]
    del found.flows[-1]["handshakes_by_identity"][party]
    assert broken_rules(found, ASKED, CHOSEN) == [f"{LAST}: no handshake of {party} has succeeded"]


def test_a_flow_that_was_not_measured_is_missed() -> None:
    (first, *_others) = broken_rules(measured(), ASKED, FLOWS)
    assert "dual-role restart downgrade" in first


@pytest.mark.parametrize("other", [{"layout": "dual-role"}, {"variant": "reload"}])
def test_a_scenario_stands_for_no_other(other: dict[str, str]) -> None:
    (first, *_others) = broken_rules(measured(other), ASKED, CHOSEN)
    assert first.startswith("measured were ")


@pytest.mark.parametrize(
    ("layout", "variant", "restarts"),
    [("dual-role", "restart", 6), ("dual-role", "reload", 3), ("separate", "supplied", 18), ("separate", "reload", 6)],
)
def test_a_new_key_takes_the_restarts_of_its_variant(layout: str, variant: str, restarts: int) -> None:
    (asked,) = scenarios([layout], [variant], 1)
    found = measured()
    found.flows = [{**row, **asked.row, **everybody(asked), "restarts": restarts} for row in found.flows[:2]]
    found.flows[0]["restarts"] = 0
    assert broken_rules(found, [asked], CHOSEN) == []


def test_a_control_that_was_not_run_is_missed() -> None:
    found = Measured(flows=measured().flows)
    assert all(rule.startswith("negative control") for rule in broken_rules(found, ASKED, CHOSEN))
    assert broken_rules(found, ASKED, CHOSEN) != []


@pytest.mark.parametrize("names", [[], ["create"], ["upgrade", "renew"], ["create", "renew"]])
def test_every_choice_of_flows_begins_with_create(names: list[str]) -> None:
    assert flows_named(names) == (CREATE, *(Flow(n, aimed=n == "renew") for n in names if n != "create"))


def test_all_of_them_make_thousands_of_handshakes() -> None:
    assert HANDSHAKES * len(flows_of(FLOWS, ASKED[0].variant)) >= 5_000
