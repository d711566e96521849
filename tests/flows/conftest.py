# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fast keys for the operator double, put back after each test."""

from __future__ import annotations

from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge
from ansible_collections.trustops.strimzi.tests.fakes.flows import START
from ansible_collections.trustops.strimzi.tests.fakes.reloads import ReloadingNodes
from ansible_collections.trustops.strimzi.tests.operator import certs

from ..unit._pki.hierarchy import YEAR
from .authorities import Authority, root
from .scene import Scene


@pytest.fixture(autouse=True)
def _fast_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("new_ca_key", "new_leaf_key"):
        monkeypatch.setattr(certs, name, lambda: ec.generate_private_key(ec.SECP256R1()))


@pytest.fixture
def scene(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Its operator has the same time as everybody. Its bridge is that of ``EVERY_BRIDGE``, or the default."""
    made = Scene(getattr(request, "param", Bridge.AUTO))
    begin = START.replace(microsecond=0)
    monkeypatch.setattr(certs, "now", lambda: begin + timedelta(seconds=made.world.seconds))
    return made


@pytest.fixture
def lasting(scene: Scene) -> Authority:
    """A CA that outlives many leaves, as one that is brought from elsewhere does."""
    return root(end=START + 10 * YEAR)


@pytest.fixture
def nodes(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> ReloadingNodes:
    """The scene's, which can be asked and told."""
    scene.nodes = ReloadingNodes(scene.world)
    scene.nodes.replace_requests(monkeypatch)
    return scene.nodes
