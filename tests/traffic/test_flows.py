"""How often each flow restarts a node is known before it is measured."""

from __future__ import annotations

import pytest

from .flows import FLOWS, flows_named
from .scenario import LAYOUTS, VARIANTS, Variant
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
    (flow,) = [one for one in FLOWS if one.name == name]
    assert {variant.name: flow.rolls(variant) for variant in VARIANTS if flow.belongs_to(variant)} == rolls


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: str(variant.name))
def test_only_without_a_link_certificate_something_is_foreseen_to_fail(variant: Variant) -> None:
    found = {flow.name: flow.foreseen(variant) for flow in FLOWS if flow.belongs_to(variant)}
    unlinked = {"supplied": {"replace_key"}, "cert-manager": {"return"}, "vault": {"replace_key"}}
    assert {name for name, them in found.items() if them} == unlinked.get(variant.name, set())
    assert {one for them in found.values() for one in them} <= parties(of_cluster_ca(LAYOUTS[0]))


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
