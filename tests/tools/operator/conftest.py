# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small keys and a clock that the test sets: what is tested is what the double decides, not how long primes take."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from . import certs
from .operated_cluster import OperatedCluster


@dataclass
class Clock:
    moment: datetime = datetime(2026, 6, 1, 12, 0, tzinfo=timezone.utc)

    def now(self) -> datetime:
        return self.moment

    def pass_days(self, days: float) -> None:
        self.moment += timedelta(days=days)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(certs, "now", found.now)
    for maker in ("new_ca_key", "new_leaf_key"):
        monkeypatch.setattr(certs, maker, lambda: ec.generate_private_key(ec.SECP256R1()))
    return found


@pytest.fixture
def cluster(clock: Clock) -> OperatedCluster:
    """Nothing in it yet."""
    return OperatedCluster(clock.now)


@pytest.fixture
def generated(cluster: OperatedCluster) -> OperatedCluster:
    """A running cluster whose CAs the operator made."""
    cluster.start(generated=True)
    return cluster


@pytest.fixture
def managed(cluster: OperatedCluster) -> OperatedCluster:
    """A running cluster whose cluster CA is the user's."""
    cluster.bring("cluster", cluster.ca("first"))
    cluster.start(generated=False)
    return cluster
