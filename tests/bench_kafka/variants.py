"""The ways to replace a CA's key that are measured beside each other. The first is what the others are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..bench.measurement import Measurement, Wanted
from .replacement import Replacement


@dataclass(frozen=True)
class Variant:
    """variables: of the playbook. rolls: restarts of each node that it should take. of_first: its share of the first's time."""

    name: str
    rolls: int
    of_first: float = 1.0
    variables: dict[str, str] = field(default_factory=dict)


_PLAIN = {"strimzi_bridge": "never", "strimzi_spread": "restart"}
_ONE_ROLL = {"strimzi_bridge": "always", "strimzi_spread": "reload"}
VARIANTS = (
    Variant("plain", rolls=3, variables={"strimzi_way": "cooperate", **_PLAIN}),
    Variant("takeover", rolls=3, of_first=1.2, variables={"strimzi_way": "takeover", **_PLAIN}),
    Variant("bridge", rolls=2, of_first=0.8, variables={"strimzi_bridge": "always", "strimzi_spread": "restart"}),
    Variant("reload", rolls=1, of_first=0.4, variables=_ONE_ROLL),
    Variant("reload-direct", rolls=1, of_first=0.4, variables={**_ONE_ROLL, "strimzi_pod_access": "direct"}),
)
#: What the operator does by itself with a CA of its own; the order of its steps is not safe (operator-facts.md).
OPERATOR = Variant("operator", rolls=3)
#: Of the time of all restarts: what the flow may take in all.
_OVERHEAD = 1.5


def judge(variant: Variant, taken: Replacement, first: Replacement) -> Iterator[Measurement]:
    """first: the replacement by the first variant, in the same run."""
    name = f"replace-{variant.name}"
    yield Measurement(f"{name}-restarts-per-node", taken.restarts_per_node, Wanted.AT_MOST, variant.rolls)
    yield Measurement(f"{name}-vs-restarts", taken.seconds / taken.restarting, Wanted.AT_MOST, _OVERHEAD)
    if taken is not first:
        yield Measurement(f"{name}-vs-{first.way}", taken.seconds / first.seconds, Wanted.AT_MOST, variant.of_first)
