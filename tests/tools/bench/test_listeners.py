"""Nodes of a cluster in memory that answer real handshakes, each with its own leaf."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import SystemClock
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..operator import certs, clusters
from ..support.flows import WISHES
from ..support.intents import an_intent
from ..support.memory_cluster import MemoryCluster
from .cluster import fill
from .listeners import PORTS, give_addresses, listening
from .one_call import asking

NODES = 2


def test_a_look_hears_every_listener(monkeypatch: pytest.MonkeyPatch) -> None:
    # A benchmark replaces these functions for good; they are put back after the test.
    for name in ("new_leaf_key", "load_key", "now"):
        monkeypatch.setattr(certs, name, getattr(certs, name))
    memory = MemoryCluster()
    work = fill(memory, clusters.dual_role(memory.cluster, memory.namespace, replicas=NODES), WISHES)
    with listening(memory, give_addresses(memory)) as listeners:
        live = Work(work.client, work.scope, SystemClock(), work.settings, True, work.wishes)
        snapshot = inspect(asking(live, listeners.ports), an_intent(Goal.RECONCILE)).observation.snapshot
        seen = snapshot.nodes.listeners or ()
        # An untrusted certificate for each, and one of the CA for each that verifies by it.
        assert listeners.handshakes == NODES * (len(PORTS) + 2)
    assert len(seen) == NODES * len(PORTS)
    assert {one.presents[0] if one.presents else None for one in seen} == {
        snapshot.leaves.certificates[pod] for pod in memory.kubelet.nodes
    }
    current = snapshot.ca.current[0].fingerprint
    assert [one.accepts for one in seen if one.verifies] == [{current}] * NODES * 2
