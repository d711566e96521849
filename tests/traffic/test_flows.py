"""How often each flow restarts a node is known before it is measured."""

from __future__ import annotations

import pytest

from .flows import FLOWS
from .scenario import VARIANTS


@pytest.mark.parametrize(
    ("name", "rolls"),
    [
        ("replace_key", {"plain": 3, "bridge": 2, "reload": 1}),
        ("renew_leaves", {"plain": 1, "bridge": 1, "reload": 0}),
        ("downgrade", dict.fromkeys(("plain", "bridge", "reload"))),
    ],
)
def test_restarts_that_a_flow_takes(name: str, rolls: dict[str, int | None]) -> None:
    (flow,) = [one for one in FLOWS if one.name == name]
    assert {variant.name: flow.rolls(variant) for variant in VARIANTS} == rolls
