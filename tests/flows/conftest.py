# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fast keys for the operator double, put back after each test."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import Remembered
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation

from ..tools.operator import certs
from ..tools.support.authorities import Authority, root
from ..tools.support.certificates import YEAR
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.flows import START
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import WatchedCluster

_Cluster = TypeVar("_Cluster", bound=WatchedCluster)


@pytest.fixture(autouse=True)
def _fast_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("new_ca_key", "new_leaf_key"):
        monkeypatch.setattr(certs, name, lambda: ec.generate_private_key(ec.SECP256R1()))


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> WatchedCluster:
    return in_time(WatchedCluster(), monkeypatch)


@pytest.fixture
def clients_cluster(monkeypatch: pytest.MonkeyPatch) -> ClientsCluster:
    return in_time(ClientsCluster(), monkeypatch)


def in_time(cluster: _Cluster, patch: pytest.MonkeyPatch) -> _Cluster:
    """Its operators have the same time as all other processes."""
    begin = START.replace(microsecond=0)
    patch.setattr(certs, "now", lambda: begin + timedelta(seconds=cluster.memory.seconds))
    return cluster


@pytest.fixture
def lasting(cluster: WatchedCluster) -> Authority:
    """A CA that outlives many leaves, as one that is brought from elsewhere does."""
    return root(end=START + 10 * YEAR)


@pytest.fixture
def nodes(cluster: WatchedCluster, monkeypatch: pytest.MonkeyPatch) -> ReloadingNodes:
    """The cluster's, which can be asked and told."""
    cluster.nodes = ReloadingNodes(cluster.memory)
    cluster.nodes.replace_requests(monkeypatch)
    return cluster.nodes


@pytest.fixture(params=[True, pytest.param(False, marks=pytest.mark.long)], ids=["reload", "restart"])
def uptake(request: pytest.FixtureRequest) -> bool:
    """Once with nodes that can be told to read again, and once with nodes that can only be restarted."""
    if request.param:
        request.getfixturevalue("nodes")
    return bool(request.param)


@pytest.fixture
def looking_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """At each look, what a call remembers of users' Secrets makes no difference."""
    observe = Work.observe

    def twice(work: Work) -> Observation:
        found, fresh = observe(work), observe(replace(work, user_secrets=Remembered()))
        assert found.snapshot == fresh.snapshot
        return found

    monkeypatch.setattr(Work, "observe", twice)
