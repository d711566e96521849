# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A settled cluster for the engine to work on."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from ...tools.operator import certs
from ...tools.support.watched_cluster import WatchedCluster


@pytest.fixture
def fast_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys that are made at once."""
    for name in ("new_ca_key", "new_leaf_key"):
        monkeypatch.setattr(certs, name, lambda: ec.generate_private_key(ec.SECP256R1()))


@pytest.fixture
def cluster(fast_operator: None) -> WatchedCluster:
    """A cluster with a single CA, used by all."""
    made = WatchedCluster()
    made.create()
    return made
