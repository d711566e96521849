"""How often each flow restarts a node is known before it is measured."""

from __future__ import annotations

import pytest

from .flows import FLOWS
from .scenario import LAYOUTS, VARIANTS, Variant
from .targets import parties


@pytest.mark.parametrize(
    ("name", "rolls"),
    [
        ("replace_key", {"supplied": 3, "restart": 2, "reload": 1, "when-restarted": 0, "cert-manager": 1, "vault": 2}),
        ("return", {"cert-manager": 2, "vault": 1}),
        ("renew", {"restart": 1, "reload": 0, "when-restarted": 0}),
        ("renew_leaves", {"restart": 1, "reload": 0, "when-restarted": 0}),
        ("reconcile", {"when-restarted": 1}),
        ("downgrade", dict.fromkeys(("restart", "reload", "when-restarted"), 0)),
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
    assert {one for them in found.values() for one in them} <= parties(LAYOUTS[0])
