"""How often each flow restarts a node is known before it is measured."""

from __future__ import annotations

import pytest

from .flows import FLOWS
from .scenario import VARIANTS


@pytest.mark.parametrize(
    ("name", "rolls"),
    [
        ("replace_key", {"supplied": 3, "restart": 2, "reload": 1, "when-restarted": 0}),
        ("renew", {"restart": 1, "reload": 0, "when-restarted": 0}),
        ("renew_leaves", {"restart": 1, "reload": 0, "when-restarted": 0}),
        ("reconcile", {"when-restarted": 1}),
        ("downgrade", dict.fromkeys(("restart", "reload", "when-restarted"), 0)),
    ],
)
def test_restarts_that_a_flow_takes(name: str, rolls: dict[str, int]) -> None:
    (flow,) = [one for one in FLOWS if one.name == name]
    assert {variant.name: flow.rolls(variant) for variant in VARIANTS if flow.belongs_to(variant)} == rolls
