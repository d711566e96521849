# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The step about leaves that their issuer renews by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..names import listed
from ..snapshot import Snapshot
from .base import StandIn, Step


@dataclass(frozen=True, kw_only=True)
class CorrectOrders(Step):
    """Have the issuer renew what is wanted for the leaves of these Secrets. asked: the reference of the issuer."""

    secrets: tuple[str, ...]
    asked: str

    def sentence(self) -> str:
        return f"correct what {self.asked} is to renew for {listed(self.secrets)}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        """Only the orders change: a later run sees what the issuer makes of them."""
        leaves = snapshot.leaves
        corrected = {name: replace(one, differs="") for name, one in leaves.standing.items() if name in self.secrets}
        return replace(snapshot, leaves=replace(leaves, standing={**leaves.standing, **corrected}))
