# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals as brokers log them: what clients do not say."""

from __future__ import annotations

from collections.abc import Sequence

from ...kafka.tier import Tier

#: By a port-forward: this collection, which tries on purpose what is to be refused.
_FORWARDED = "127.0.0.1"


class Refusals:
    """Of these brokers, from now on. Of one that restarts, those since its start."""

    def __init__(self, tier: Tier, brokers: Sequence[str]) -> None:
        self.tier, self.brokers = tier, brokers
        self._before = self._counts()

    def count(self) -> int:
        now = self._counts()
        return sum(number - self._before.get(process, 0) for process, number in now.items())

    def _counts(self) -> dict[str, int]:
        """By the UIDs of pods."""
        uids = self.tier.cluster.node_uids(self.tier.name)
        return {uids[broker]: sum(peer != _FORWARDED for peer in self.tier.refusals(broker)) for broker in self.brokers}
