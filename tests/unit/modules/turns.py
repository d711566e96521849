# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each module where it is its turn: how to get there, what it is told, and what it has to write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...fakes.world import World
from . import stages
from .running import Ended, call

LEDGER, KEYS = "PATCH secrets/demo-cluster-ca-trusted-certs", "PATCH secrets/demo-cluster-ca"
LEAVES = [
    *(f"demo-kafka-{number}" for number in range(3)),
    *(f"demo-{name}-certs" for name in ("cluster-operator", "entity-topic-operator", "entity-user-operator")),
    *(f"demo-{name}-certs" for name in ("cruise-control", "kafka-exporter")),
]


@dataclass(frozen=True)
class Turn:
    """writes: in their order, the Lease apart. following: whose turn it is then."""

    module: str
    goal: str
    writes: list[str]
    following: str | None
    way: str = "cooperate"

    def __str__(self) -> str:
        return f"{self.module}-{self.goal}-{self.way}"

    def world(self) -> World:
        if self.goal == "create":
            return World()
        if self.goal in ("upgrade", "downgrade"):
            return stages.generated() if self.goal == "upgrade" else stages.managed()
        return stages.rotating(self.module, self.goal, self.way)

    def take(self, world: World, *, check: bool = False, **more: Any) -> Ended:
        # No time limit on "the same request" while a test asks for a second rotation of a new cluster.
        options = stages.options_for(self.module, self.goal, way=self.way, fresh_for_hours=0)
        return call(self.module, world, check=check, **{**options, **more})


TURNS = [
    Turn("strimzi_ca", "create", ["POST secrets", "POST secrets", KEYS, "POST secrets", LEDGER, KEYS, LEDGER], None),
    Turn("strimzi_ca", "replace_key", [KEYS, LEDGER], "strimzi_trusted_certs"),
    Turn("strimzi_ca", "renew", [KEYS, LEDGER], "strimzi_trusted_certs"),
    Turn("strimzi_ca", "upgrade", ["PATCH kafkas/demo", "POST secrets", LEDGER], None),
    Turn(
        "strimzi_trusted_certs", "replace_key", ["PATCH secrets/demo-cluster-ca-cert", "PATCH kafkas/demo", LEDGER],
        "strimzi_roll",
    ),
    Turn(
        "strimzi_roll", "replace_key",
        [
            *(f"PATCH pods/demo-kafka-{number}" for number in range(3)), "PATCH kafkas/demo",
            *(f"DELETE pods/demo-{name}" for name in ("cruise-control", "entity-operator", "kafka-exporter")), LEDGER,
        ],
        "strimzi_ca",
    ),
    Turn("strimzi_reconciliation", "renew", ["PATCH kafkas/demo"], "strimzi_ca", "takeover"),
    Turn(
        "strimzi_ee_cert", "renew", [*(f"PATCH secrets/{name}" for name in LEAVES), "PATCH kafkas/demo", KEYS], "strimzi_roll",
        "takeover",
    ),
]  # fmt: skip
