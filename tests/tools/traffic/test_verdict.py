"""A measurement counts when there was traffic, the control showed failures, and the flows none; else it says why not."""

from __future__ import annotations

from typing import Any

import pytest

from .clients_control import PROMOTED, RETIRED
from .control import FOREIGN
from .flows import CLIENTS, CLUSTER, CREATE, FLOWS, Flow, flows_named, flows_of
from .measured import Measured
from .scenario import Scenario, scenarios
from .verdict import HANDSHAKES, STALL_S, broken_rules, restarts, taking_part

CHOSEN = flows_named(["replace_key"])
ASKED = scenarios(["dual-role", "separate"], ["restart"], 1)


ENOUGH = HANDSHAKES[CLUSTER]
ALL = (FOREIGN, PROMOTED, RETIRED)
USERS = flows_named(["clients-upgrade", "clients-replace_key"])


def parties_of(scenario: Scenario, flow: Flow) -> dict[str, dict[str, int]]:
    return {"handshakes_by_identity": dict.fromkeys(taking_part(scenario.layout, flow), 1)}


def control(name: str, **others: Any) -> dict[str, Any]:
    return {"name": name, "failures": 20, "unnoticed": [], "afterwards": 0, "done_afterwards": 300, **others}


def row(scenario: Scenario, flow: Flow) -> dict[str, Any]:
    """All is well."""
    return {
        **scenario.row, "name": flow.name, "sent": 500, "lost": 0, "duplicated": 0, "handshakes": HANDSHAKES[flow.ca],
        "failed_handshakes": 0, "longest_stall_s": STALL_S, "stalled_client": "jvm-producer-kept", "seconds": 30.0,
        "renewed_clients_started": 15, **parties_of(scenario, flow), "restarts": restarts(scenario, flow),
    }  # fmt: skip


def measured(flow: dict[str, Any] | None = None, foreign: dict[str, Any] | None = None, **others: Any) -> Measured:
    """All is well, but for what is given; of flows, in the last one."""
    rows = [row(scenario, flow) for scenario in ASKED for flow in CHOSEN]
    rows[-1].update(flow or {})
    given: dict[str, Any] = {"exits": {"jvm-producer-kept": 0}, **others}
    return Measured(flows=rows, controls=[control(FOREIGN, **(foreign or {}))], **given)


def measured_users(flow: dict[str, Any] | None = None, retired: dict[str, Any] | None = None) -> Measured:
    rows = [{**row(scenario, flow), "refused_by_brokers": 0} for scenario in ASKED for flow in USERS]
    rows[-1].update(flow or {})
    return Measured(flows=rows, controls=[control(PROMOTED), control(RETIRED, **(retired or {}))])


def test_a_good_measurement_breaks_no_rule() -> None:
    assert broken_rules(measured(), ASKED, CHOSEN, ALL) == []
    assert broken_rules(measured({"duplicated": 12}), ASKED, CHOSEN, ALL) == []


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
            measured({"handshakes": ENOUGH - 1}),
            f"cluster CA: only {4 * ENOUGH - 1} handshakes, {4 * ENOUGH} are wanted",
        ),
        (measured(unexpected=["a to b: bad certificate"]), "a to b: bad certificate"),
        (measured(exits={"jvm-producer-kept": 2}), "jvm-producer-kept has ended by itself 2 times"),
        (measured(foreign={"failures": 0}), f"negative control, {FOREIGN}: no handshake failed"),
        (
            measured(foreign={"unnoticed": ["kafka-exporter"]}),
            f"negative control, {FOREIGN}: not noticed by kafka-exporter",
        ),
        (measured(foreign={"afterwards": 1}), f"negative control, {FOREIGN}: 1 handshakes failed afterwards"),
        (measured(foreign={"done_afterwards": 0}), f"negative control, {FOREIGN}: no handshake succeeded afterwards"),
    ],
)
def test_each_rule_is_told_alone(found: Measured, rule: str) -> None:
    assert broken_rules(found, ASKED, CHOSEN, ALL) == [rule]


def test_a_flow_without_handshakes_is_named_even_where_the_others_have_enough() -> None:
    found = measured({"handshakes": 0})
    found.flows[0]["handshakes"] = 4 * ENOUGH
    assert broken_rules(found, ASKED, CHOSEN, ALL) == [f"{LAST}: handshakes is 0"]


def test_flows_about_the_clients_ca_are_measured_by_the_same_rules() -> None:
    assert broken_rules(measured_users(), ASKED, USERS, ALL) == []


CLIENTS_LAST, FEW = "separate restart clients-replace_key", HANDSHAKES[CLIENTS]


@pytest.mark.parametrize(
    ("found", "rule"),
    [
        (measured_users({"lost": 1}), f"{CLIENTS_LAST}: lost is 1"),
        (measured_users({"failed_handshakes": 1}), f"{CLIENTS_LAST}: failed_handshakes is 1"),
        (measured_users({"refused_by_brokers": 1}), f"{CLIENTS_LAST}: refused_by_brokers is 1"),
        (measured_users({"restarts": 12}), f"{CLIENTS_LAST}: 12 restarts, 6 are wanted"),
        (measured_users({"renewed_clients_started": 14}), f"{CLIENTS_LAST}: clients were made anew 14 times only"),
        (
            measured_users({"handshakes": FEW - 1}),
            f"clients CA: only {4 * FEW - 1} handshakes, {4 * FEW} are wanted",
        ),
        (measured_users(retired={"failures": 0}), f"negative control, {RETIRED}: no handshake failed"),
    ],
)
def test_each_rule_for_users_is_told_alone(found: Measured, rule: str) -> None:
    assert broken_rules(found, ASKED, USERS, ALL) == [rule]


def test_both_mistakes_with_the_clients_ca_have_to_be_made() -> None:
    found = measured_users()
    found.controls.pop()
    assert broken_rules(found, ASKED, USERS, ALL) == [f"negative controls were {[PROMOTED]}, not {[PROMOTED, RETIRED]}"]


def test_a_mistake_that_was_not_asked_for_is_not_missed() -> None:
    found = measured_users()
    found.controls.pop()
    assert broken_rules(found, ASKED, USERS, [FOREIGN, PROMOTED]) == []


@pytest.mark.parametrize("party", sorted(taking_part(ASKED[-1].layout, CHOSEN[-1])))
def test_who_has_not_succeeded_is_named(party: str) -> None:
    """Whether it is in the row with nothing, or not in it."""
    found = measured()
    found.flows[-1]["handshakes_by_identity"] = {
        **parties_of(ASKED[-1], CHOSEN[-1])["handshakes_by_identity"],
        party: 0,
    }
    assert broken_rules(found, ASKED, CHOSEN, ALL) == [f"{LAST}: no handshake of {party} has succeeded"]
    del found.flows[-1]["handshakes_by_identity"][party]
    assert broken_rules(found, ASKED, CHOSEN, ALL) == [f"{LAST}: no handshake of {party} has succeeded"]


def test_a_flow_that_was_not_measured_is_missed() -> None:
    (first, *_others) = broken_rules(measured(), ASKED, FLOWS, ALL)
    assert "dual-role restart downgrade" in first


@pytest.mark.parametrize("other", [{"layout": "dual-role"}, {"variant": "reload"}])
def test_a_scenario_stands_for_no_other(other: dict[str, str]) -> None:
    (first, *_others) = broken_rules(measured(other), ASKED, CHOSEN, ALL)
    assert first.startswith("measured were ")


@pytest.mark.parametrize(
    ("layout", "variant", "taken"),
    [("dual-role", "restart", 6), ("dual-role", "reload", 3), ("separate", "supplied", 18), ("separate", "reload", 6)],
)
def test_a_new_key_takes_the_restarts_of_its_variant(layout: str, variant: str, taken: int) -> None:
    (asked,) = scenarios([layout], [variant], 1)
    found = measured()
    found.flows = [row(asked, flow) for flow in CHOSEN]
    assert [flow["restarts"] for flow in found.flows] == [0, taken]
    assert broken_rules(found, [asked], CHOSEN, ALL) == []


def test_a_control_that_was_not_run_is_missed() -> None:
    found = Measured(flows=measured().flows)
    assert broken_rules(found, ASKED, CHOSEN, ALL) == [f"negative controls were [], not {[FOREIGN]}"]


@pytest.mark.parametrize("names", [[], ["create"], ["upgrade", "renew"], ["create", "renew"]])
def test_every_choice_of_flows_begins_with_create(names: list[str]) -> None:
    assert flows_named(names) == (CREATE, *(Flow(n, aimed=n == "renew") for n in names if n != "create"))


def test_all_of_them_make_thousands_of_handshakes() -> None:
    assert sum(HANDSHAKES[flow.ca] for flow in flows_of(FLOWS, ASKED[0].variant)) >= 5_000
