"""The ways to replace a CA's key that are measured beside each other. The first is what the others are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..bench.measurement import Measurement, Wanted
from .replacement import Replacement


@dataclass(frozen=True)
class Variant:
    name: str
    #: Restarts of each node that it should take.
    rolls: int
    #: Its time as a share of the time of the first variant.
    of_first: float = 1.0
    #: The variables of the playbook.
    variables: dict[str, str] = field(default_factory=dict)
    #: Whether the new CA is brought from elsewhere, below a root of its own, so that no link certificate introduces it.
    supplied: bool = False


_RESTART, _RELOAD = {"strimzi_spread": "restart"}, {"strimzi_spread": "reload"}
VARIANTS = (
    Variant("plain", rolls=3, supplied=True, variables=_RESTART),
    Variant("restart", rolls=2, of_first=0.8, variables=_RESTART),
    Variant("reload", rolls=1, of_first=0.4, variables=_RELOAD),
    Variant("reload-direct", rolls=1, of_first=0.4, variables={**_RELOAD, "strimzi_pod_access": "direct"}),
    Variant("when-restarted", rolls=0, of_first=0.2, variables={"strimzi_retire": "when_restarted"}),
)
#: The operator replaces the key of a CA of its own like this; the order of its steps is not safe (docs/operator.md).
OPERATOR = Variant("operator", rolls=3)
#: The flow may take so many times as long as all restarts together.
_OVERHEAD = 1.5


def judge(variant: Variant, taken: Replacement, first: Replacement) -> Iterator[Measurement]:
    """first: the replacement by the first variant, in the same run."""
    name = f"replace-{variant.name}"
    yield Measurement(f"{name}-restarts-per-node", taken.restarts_per_node, Wanted.AT_MOST, variant.rolls)
    if taken.restarts:
        yield Measurement(f"{name}-vs-restarts", taken.seconds / taken.restarting, Wanted.AT_MOST, _OVERHEAD)
    if taken is not first:
        yield Measurement(f"{name}-vs-{first.way}", taken.seconds / first.seconds, Wanted.AT_MOST, variant.of_first)
