# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Three nodes and two components, replaced by hand at a given second."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.roll import carry_out_roll
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll, RollReason

from .._strimzi.bench import Bench, conditions, kafka, pod

NODES = ("demo-kafka-0", "demo-kafka-1", "demo-kafka-2")
CONTROL, OPERATOR = "demo-cruise-control-a", "demo-entity-operator-b"
OTHERS = {CONTROL: "cruise-control", OPERATOR: "entity-operator"}
ALL = (*NODES, *OTHERS)
MANUAL = "manual-rolling-update"


def roll_of(uids: Iterable[str], reason: RollReason = RollReason.TRUST) -> Roll:
    return Roll(reason=reason, uids=frozenset(uids), authority=None, phase=Phase.TRUST)


class Stand(Bench):
    def __init__(self) -> None:
        super().__init__()
        self.create("kafkas", kafka({"conditions": conditions("Ready")}))
        for name in ALL:
            self.create("pods", pod(name, OTHERS.get(name, "kafka")))

    @property
    def uids(self) -> dict[str, str]:
        return {one["metadata"]["name"]: one["metadata"]["uid"] for one in self.api.all("pods", "kafka")}

    def recreate(self, name: str, new: str | None = None, *, ready: bool = True) -> None:
        self.remove("pods", name)
        self.create("pods", pod(new or name, OTHERS.get(name, "kafka"), ready=ready))

    def recreate_at(self, seconds: float, name: str, new: str | None = None) -> None:
        self.at(seconds, lambda: self.recreate(name, new))

    def deployments(self) -> None:
        """From now on a deleted pod of a component comes back under another name."""
        self.api.listeners.append(self._redeploy)

    def _redeploy(self, change: Any) -> None:
        if (change.plural, change.verb) == ("pods", "delete") and change.name in OTHERS:
            self.create("pods", pod(f"{change.name}-new", OTHERS[change.name]))

    def roll(self, names: Iterable[str], reason: RollReason = RollReason.TRUST, **options: Any) -> list[Action]:
        uids = self.uids
        return self.carry_out_roll(roll_of((uids[name] for name in names), reason), **options)

    def carry_out_roll(self, step: Roll, **options: Any) -> list[Action]:
        work = self.work(**options)
        carry_out_roll(step, self.observe(), work)
        return work.actions

    def asked(self) -> set[str]:
        """Pods that the operator is asked to restart."""
        return {name for name in self.uids if self.annotation("pods", name, MANUAL) == "true"}
