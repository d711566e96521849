# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests here are about what modules say and write, not about how long primes take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NoReturn

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import connect, trust_module
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import module as composition
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing import caller_certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending import requests
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.response_time import ResponseTime
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import generate_key
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import admin
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster import listeners as listener_looks

from ...tools.operator import certs
from ...tools.support.flows import work_on
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.reloads import ReloadingNodes
from .blocked import BLOCKED
from .fast_clock import FastClock
from .key_supply import KeySupply

for helper in ("mistakes", "running", "stages"):
    pytest.register_assert_rewrite(f"{__package__}.{helper}")


cached_key = cache(generate_key)


@pytest.fixture(autouse=True)
def fast_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """EC keys for the operator double; the RSA keys of leaves are made once for all tests."""
    KeySupply.begin_test()
    monkeypatch.setattr(requests, "generate_keys", KeySupply.generate)
    monkeypatch.setattr(caller_certificate, "generate_key", cached_key)
    for name in ("new_ca_key", "new_leaf_key"):
        monkeypatch.setattr(certs, name, lambda: ec.generate_private_key(ec.SECP256R1()))


@pytest.fixture(autouse=True)
def use_fast_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    FastClock.begin_test()
    monkeypatch.setattr(composition, "SystemClock", FastClock)
    monkeypatch.setattr(trust_module, "SystemClock", FastClock)


@pytest.fixture(autouse=True)
def answer_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The API server here is memory. On a busy machine it answers late, and messages with limits would grow with that."""
    monkeypatch.setattr(ResponseTime, "note", lambda _response_time, _seconds: None)


@pytest.fixture(autouse=True)
def block_ways_to_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no way to the nodes, whatever this machine is connected to."""

    def no_way(options: Mapping[str, Any], namespace: str) -> NoReturn:
        raise BLOCKED

    monkeypatch.setattr(connect, "port_opener_for", no_way)


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Callable[[MemoryCluster], ReloadingNodes]:
    """From here on the nodes of this cluster can be asked what they trust, and told to read it again."""

    def attach(memory: MemoryCluster) -> ReloadingNodes:
        nodes = ReloadingNodes(memory)
        nodes.replace_requests(monkeypatch)
        work = nodes.attach(work_on(memory))
        monkeypatch.setattr(admin, "missing_library", lambda *_for: None)
        monkeypatch.setattr(listener_looks, "look_at", lambda observation, _opener, **_how: nodes.answers(observation))
        monkeypatch.setattr(connect, "port_opener_for", lambda *_options: work.nodes and work.nodes.open_ports())
        return nodes

    return attach
