"""How often each flow restarts a node is known before it is measured."""

from __future__ import annotations

import pytest

from .flows import FLOWS, flows_named
from .scenario import LAYOUTS, VARIANTS, Scenario, Variant
from .targets import of_cluster_ca, parties


@pytest.mark.parametrize(
    ("name", "rolls"),
    [
        ("replace_key", {"supplied": 3, "restart": 2, "reload": 1, "when-restarted": 0, "cert-manager": 1, "vault": 2}),
        ("return", {"cert-manager": 2, "vault": 1}),
        ("renew", {"restart": 1, "reload": 0, "when-restarted": 0}),
        ("renew_leaves", {"restart": 1, "reload": 0, "when-restarted": 0}),
        ("reconcile", {"when-restarted": 1}),
        ("downgrade", dict.fromkeys(("restart", "reload", "when-restarted"), 0)),
        ("clients-replace_key", {"restart": 2, "reload": 0, "when-restarted": 0}),
        ("clients-batches", {"restart": 2, "reload": 0, "when-restarted": 0}),
        ("clients-abort", {"restart": 2, "reload": 0, "when-restarted": 0}),
        ("clients-renew", dict.fromkeys(("restart", "reload", "when-restarted"), 0)),
        ("clients-downgrade", dict.fromkeys(("restart", "reload", "when-restarted"), 0)),
    ],
)
def test_restarts_that_a_flow_takes(name: str, rolls: dict[str, int]) -> None:
    (flow,) = [flow for flow in FLOWS if flow.name == name]
    assert {variant.name: flow.rolls(variant) for variant in VARIANTS if flow.belongs_to(variant)} == rolls


KEPT = {f"ca.crt-{library}-kept" for library in ("openssl", "go", "jvm")}
UNLED = {"supplied": {"replace_key"}, "cert-manager": {"replace_key", "return"}, "vault": {"replace_key"}}


def foreseen(variant: Variant, path_length: int = 1) -> dict[str, frozenset[str]]:
    scenario = Scenario(LAYOUTS[0], variant, path_length)
    found = {flow.name: flow.foreseen(scenario) for flow in FLOWS if flow.belongs_to(variant)}
    return {name: parties for name, parties in found.items() if parties}


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: str(variant.name))
def test_handshakes_that_are_foreseen_to_fail(variant: Variant) -> None:
    found = foreseen(variant)
    assert found.keys() == UNLED.get(variant.name, set())
    assert {party for them in found.values() for party in them} <= parties(of_cluster_ca(LAYOUTS[0]))


@pytest.mark.parametrize(
    ("variant", "flow", "whole"), [("supplied", "replace_key", True), ("cert-manager", "replace_key", False), ("cert-manager", "return", True)]
)  # fmt: skip
def test_a_link_that_ends_with_the_switch_leads_all_but_those_that_never_read_again(
    variant: str, flow: str, whole: bool
) -> None:
    (found,) = [known for known in VARIANTS if known.name == variant]
    readers = {party for party in foreseen(found)[flow] if party.startswith("ca.crt-")}
    assert readers == (
        {f"{kept.removesuffix('kept')}{when}" for kept in KEPT for when in ("anew", "late", "kept")} if whole else KEPT
    )


@pytest.mark.parametrize("name", ["restart", "reload", "when-restarted"])
def test_a_ca_that_allows_none_below_it_leads_no_client_on_that_counts(name: str) -> None:
    (found,) = [known for known in VARIANTS if known.name == name]
    assert foreseen(found, 0) == {"replace_key": KEPT - {"ca.crt-jvm-kept"}}


@pytest.mark.parametrize(
    ("variant", "path_length", "expected"),
    [("reload", 1, {"jvm", "rdkafka"}), ("reload", 0, {"jvm"}), ("supplied", 1, set()), ("cert-manager", 1, {"jvm", "rdkafka"})],
)  # fmt: skip
def test_libraries_whose_clients_need_not_read_again(variant: str, path_length: int, expected: set[str]) -> None:
    (found,) = [known for known in VARIANTS if known.name == variant]
    (flow,) = flows_named(["replace_key"])[1:]
    assert flow.keepers(Scenario(LAYOUTS[0], found, path_length)) == expected


@pytest.mark.parametrize("name", ["clients-upgrade", "clients-batches", "clients-abort"])
def test_flows_about_the_clients_ca_need_no_other_before_them(name: str) -> None:
    assert [flow.name for flow in flows_named([name])] == [name]
    assert [flow.name for flow in flows_named([name, "renew"])] == ["create", name, "renew"]


def test_a_flow_is_the_playbook_of_its_name_or_of_another() -> None:
    played = {flow.name: flow.playbook for flow in FLOWS if flow.playbook != flow.name}
    about_clients = {f"clients-{name}": name for name in ("upgrade", "renew", "replace_key", "abort", "downgrade")}
    assert played == {"return": "replace_key", "clients-batches": "replace_key", **about_clients}


def test_users_are_served_in_batches_where_that_is_measured() -> None:
    (batches,) = flows_named(["clients-batches"])
    assert batches.variables == {"strimzi_user_batch": "1"}
