# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program prunes what earlier calls of a flow have written: the call that goes on says what is lost, and restarts each node once at most."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from ...tools.operator.user_operator import UserOperatorDouble
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.other_hands import ARGO_CD, Pruner
from ...tools.support.users import kafka_user
from . import stages
from .mistakes import CERTIFICATES, KEYS, is_paused
from .running import Ended, call

Object = dict[str, Any]


class Owner:
    """Has the Secret as it was before the flow, and puts it back when its turn comes."""

    def __init__(self, memory: MemoryCluster, name: str, every: int = 1) -> None:
        """It lets so many turns pass, the turn in which it writes included."""
        self._memory, self._name, self._every, self._turns = memory, name, every, 0
        known = stages.managed().api.find("secrets", "kafka", name)
        assert known is not None
        self._known = known
        self.done = 0
        memory.neighbours.append(self.look)

    def look(self) -> None:
        now = self._memory.api.find("secrets", "kafka", self._name)
        self._turns += 1
        if now is None or now["data"] == self._known["data"] or self._turns % self._every:
            return
        self.done += 1
        marks = {**self._known["metadata"].get("annotations", {}), "argocd.argoproj.io/tracking-id": str(self.done)}
        body = {**copy.deepcopy(now), "data": self._known["data"]}
        body["metadata"] |= {"annotations": marks}
        del body["metadata"]["resourceVersion"]
        answer = self._memory.api.request(
            "PUT", f"/api/v1/namespaces/kafka/secrets/{self._name}", body=body, query={"fieldManager": ARGO_CD}
        )
        assert answer.status == 200


@pytest.mark.parametrize("stage", [stages.prepared, stages.issued, stages.taken_up, stages.switched])
@pytest.mark.parametrize("name", [CERTIFICATES, KEYS])
def test_entries_of_earlier_calls_are_named_with_the_program(stage: Callable[[], MemoryCluster], name: str) -> None:
    memory = stage()
    owner, before = Owner(memory, name), memory.restarts()
    stored = memory.api.find("secrets", "kafka", name) or {}
    ended = call("strimzi_trusted_certs", memory, state="retired")
    more = {node: count - before[node] for node, count in memory.restarts().items()}
    assert max(more.values()) <= 1
    assert is_paused(memory) == ("left paused" in ended.result["msg"] if ended.failed else False)
    told = ended.result["msg"] if ended.failed else " ".join(ended.warnings)
    assert owner.done
    assert f"Secret kafka/{name}" in told
    assert ARGO_CD in told
    assert [entry for entry in stored["data"] if entry in told]


ELSEWHERE = {**stages.PREPARED, "certificate": stages.ELSEWHERE.certificate.pem.decode()}


@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "at the next sync"])
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("secrets demo-issuing-kafka: data <node>.requested", ELSEWHERE),
        ("secrets demo-issuing-kafka-keys: data <node>.key", ELSEWHERE),
        ("secrets demo-issuing-kafka: metadata labels strimzi.io/cluster", ELSEWHERE),
        ("secrets demo-cluster-ca-bundle: data ca.crt", {**stages.PREPARED, "client_bundle": True}),
        (
            "secrets demo-cluster-ca-backup-1: data secrets.json.gz",
            {"state": "replaced", "fresh_for_hours": 0, "backup": True, **stages.FAST},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_requests_bundles_and_backups_are_pruned(kind: str, options: Object, at_once: bool) -> None:
    memory = stages.managed()
    other = Pruner(memory, kind, at_once)
    ended = call("strimzi_ca", memory, **options)
    told = " ".join([ended.result.get("msg") or "", *ended.warnings])
    assert other.removed or not at_once
    if other.removed:
        assert any(entry.path[-1] in told and f"Secret kafka/{entry.name}" in told for entry in other.removed), told
        assert ARGO_CD in told
    assert max(memory.restarts().values()) <= 1


@pytest.mark.parametrize("every", range(1, 6))
def test_no_call_leaves_the_operator_paused_for_restarts_beyond_its_plan(every: int) -> None:
    """The owner may come in the middle of a switch: the switch comes to its end, then the call stops."""
    memory = stages.managed()
    Owner(memory, CERTIFICATES, every)
    call("strimzi_ca", memory, **stages.PREPARED)
    ended = call("strimzi_trusted_certs", memory, state="retired")
    gates = {one["gate"] for one in ended.result.get("violations", ())}
    assert not (is_paused(memory) and "restarts_are_planned" in gates)


def replace_clients_ca(memory: MemoryCluster, **options: Any) -> Ended:
    return call(
        "strimzi_ca",
        memory,
        ca="clients",
        state="replaced",
        fresh_for_hours=0,
        client_grace=0,
        **stages.FAST,
        **options,
    )


@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "at the next sync"])
def test_the_audit_trail_is_pruned(at_once: bool) -> None:
    """Each entry is written once, so the loss is read where the next entry is appended."""
    memory = stages.managed()
    other = Pruner(memory, "configmaps demo-cluster-ca-audit: data <entry>", at_once)
    ended = call("strimzi_ca", memory, state="replaced", fresh_for_hours=0, audit=True, **stages.FAST)
    told = " ".join([ended.result.get("msg") or "", *ended.warnings])
    assert other.removed
    assert "ConfigMap kafka/demo-cluster-ca-audit: Entr" in told
    assert ARGO_CD in told


def test_the_pause_of_a_user_is_taken_away(golden: GoldenFiles) -> None:
    memory = stages.managed()
    memory.neighbours.append(UserOperatorDouble(memory.api, memory.namespace, memory.cluster).reconcile)
    memory.apply(kafka_user("orders"))
    memory.settle(2)
    stages.done(memory, "strimzi_ca", ca="clients", state="adopted")
    other = Pruner(memory, "kafkausers orders: metadata annotations strimzi.io/pause-reconciliation", at_once=True)
    ended = replace_clients_ca(memory, user_batch=1)
    golden.compare_said("calls", "\n".join([ended.result.get("msg") or "", *ended.warnings]))
    assert other.removed
