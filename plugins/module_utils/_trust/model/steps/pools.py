# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Steps about node pools."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..snapshot import Snapshot
from .base import StandIn, Step


@dataclass(frozen=True, kw_only=True)
class SetReplicas(Step):
    """Ask for so many nodes of a pool. before: how many were asked for."""

    pool: str
    before: int
    replicas: int

    def sentence(self) -> str:
        return f"scale node pool {self.pool} from {self.before} to {self.replicas} replicas"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        replicas = {**snapshot.pools.replicas, self.pool: self.replicas}
        return replace(snapshot, pools=replace(snapshot.pools, replicas=replicas))
