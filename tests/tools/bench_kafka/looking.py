"""The cost of asking the running nodes, beside a look at what is stored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from ...api.running import Runner
from ...kafka.tier import Tier
from ..bench.pairs import alternate

ROUNDS = 9


def middle(values: Iterable[float]) -> float:
    """The mean without the smallest and the largest: modules round to tenths, so that a median would as well."""
    return fmean(sorted(values)[1:-1])


@dataclass(frozen=True)
class Looks:
    """Seconds of one look, by handshakes and without them, and what the handshakes add."""

    pods: int
    listeners: int
    handshake: float
    annotations: float
    added: float

    @property
    def added_per_pod(self) -> float:
        return self.added / self.pods


def looks(tier: Tier) -> Looks:
    """Measures seconds as the module counts them: without the start of Ansible, which takes longer and is the same for both."""
    runner = Runner(tier.cluster)
    pairs = alternate(partial(_look, runner, "handshake"), partial(_look, runner, "annotations"), ROUNDS)
    found = runner.module("strimzi_ca_info", evidence="handshake")["listeners"]
    silent = [f"{listener['pod']}:{listener['port']}: {listener['why']}" for listener in found if listener["why"]]
    if silent or not found:
        raise RuntimeError(f"not every listener answered, or none was asked: {silent}")
    return Looks(
        len({listener["pod"] for listener in found}), len(found),
        middle(asked for asked, _stored in pairs), middle(stored for _asked, stored in pairs),
        middle(asked - stored for asked, stored in pairs),
    )  # fmt: skip


def _look(runner: Runner, evidence: str) -> float:
    found = runner.module("strimzi_ca_info", evidence=evidence)
    if found["evidence"]["source"] != evidence:
        raise RuntimeError(f"the look did not rest on {evidence}: {found['evidence']['why']}")
    return float(found["seconds"])
