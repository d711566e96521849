"""A cluster in memory for benchmarks: three listeners, RSA keys of the sizes that Strimzi uses, a ledger."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import NO_WISHES, Wishes

from ..operator import certs, clusters
from ..support.flows import START, run_flow, work_on
from ..support.intents import an_intent
from ..support.memory_cluster import MemoryCluster

#: Keys of the sizes that Strimzi uses, and no records.
RSA_WISHES = NO_WISHES.changed(backs_up=False, audits=False)


def cluster_of(pods: int) -> tuple[MemoryCluster, Work]:
    """A cluster with this many Kafka nodes and nothing left to do."""
    memory = MemoryCluster()
    return memory, fill(memory, clusters.dual_role(memory.cluster, memory.namespace, replicas=pods), RSA_WISHES)


def fill(memory: MemoryCluster, manifests: Sequence[dict[str, Any]], wishes: Wishes) -> Work:
    """Brings an empty cluster to what these manifests ask for, with a CA as wished, and nothing left to do."""
    _hurry_operator()
    work = work_on(memory, wishes=wishes)
    _create(work)
    memory.apply(*manifests)
    memory.settle()
    _create(work)
    return work


def _create(work: Work) -> None:
    outcome = run_flow(work, an_intent(Goal.CREATE, before_kafka=True)).outcome
    if not outcome.decision.done:
        raise RuntimeError(f"the cluster was not created: {[str(held) for held in outcome.decision.violations]}")


def _hurry_operator() -> None:
    """The double's leaves are only scenery: let them all have one key, and read the CA's key once."""
    leaf_key = certs._rsa(2048)
    certs.new_leaf_key = lambda: leaf_key
    certs.load_key = cache(certs.load_key)
    certs.now = lambda: START.replace(microsecond=0)
