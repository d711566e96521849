# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A GitOps tool that prunes what it does not know removes entries, labels and annotations that this collection has written: the call says which
object, which entry, both states and the program, and restarts no node more often than its plan said.
"""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.other_hands import ARGO_CD, Pruner, entries_written
from ..tools.support.watched_cluster import WatchedCluster
from .cases import CASES, Case
from .test_other_hands import call

_REPLACE, _UNLINKED = Case(Goal.REPLACE_KEY), Case(Goal.REPLACE_KEY, "unlinked")
_UPGRADE, _RENEW, _TWO = (
    Case(Goal.UPGRADE),
    Case(Goal.RENEW),
    Case(Goal.REPLACE_KEY, "renewed first", path_length=0),
)
_LEDGER, _KEYS, _CERTIFICATES = (
    "secrets demo-cluster-ca-trusted-certs: data <ca>.",
    "secrets demo-cluster-ca: data ",
    "secrets demo-cluster-ca-cert: data ",
)
_GENERATION = "metadata annotations strimzi.io/cluster-ca-cert-generation"
#: Every kind of entry, label and annotation that flows on a running cluster write, with a flow that writes it.
KINDS: dict[str, Case] = {
    **dict.fromkeys(
        (f"{_LEDGER}{end}" for end in ("crt", "state", "pods", "leaves", "published", "lingering", "generations")),
        _REPLACE,
    ),
    f"{_LEDGER}removed": _UNLINKED,
    f"{_LEDGER}leaf": _RENEW,
    f"{_LEDGER}cleared": _TWO,
    "secrets demo-cluster-ca-trusted-certs: metadata annotations trustops.strimzi/journal": _REPLACE,
    "secrets demo-cluster-ca-trusted-certs: metadata annotations trustops.strimzi/replaced": _TWO,
    "secrets demo-cluster-ca-trusted-certs: metadata labels strimzi.io/cluster": _UPGRADE,
    "secrets demo-cluster-ca-trusted-certs: metadata labels strimzi.io/kind": _UPGRADE,
    **dict.fromkeys((f"{_KEYS}{entry}" for entry in ("<ca>.crt", "<ca>.key", "<ca>.link.crt", "ca.key")), _REPLACE),
    "secrets demo-cluster-ca: metadata annotations strimzi.io/ca-key-generation": _REPLACE,
    "secrets demo-cluster-ca: metadata annotations trustops.strimzi/to-replace": _TWO,
    "secrets demo-cluster-ca: metadata annotations trustops.strimzi/beginning": _REPLACE,
    **dict.fromkeys((f"{_CERTIFICATES}{entry}" for entry in ("<ca>.crt", "ca.crt")), _REPLACE),
    f"{_CERTIFICATES}ca-<end>.crt": _RENEW,
    "secrets demo-cluster-ca-cert: metadata annotations strimzi.io/ca-cert-generation": _REPLACE,
    "secrets demo-trustbundle: data cluster-ca.crt": _RENEW,
    "secrets <node>: data <node>.crt": _REPLACE,
    "secrets <node>: data <node>.key": _REPLACE,
    f"secrets <node>: {_GENERATION}": _REPLACE,
    "secrets <component>: data <leaf>.crt": _REPLACE,
    "secrets <component>: data <leaf>.key": _REPLACE,
    f"secrets <component>: {_GENERATION}": _REPLACE,
    f"pods <node>: {_GENERATION}": _REPLACE,
    "pods <node>: metadata annotations strimzi.io/cluster-ca-key-generation": _REPLACE,
    "pods <node>: metadata annotations strimzi.io/server-cert-hash": _RENEW,
    "pods <node>: metadata annotations strimzi.io/revision": _RENEW,
    "pods <node>: metadata annotations strimzi.io/manual-rolling-update": _UNLINKED,
    "pods <pod>: metadata annotations strimzi.io/cluster-ca-key-generation": _REPLACE,
    "kafkas demo: metadata annotations strimzi.io/pause-reconciliation": _REPLACE,
    "kafkas demo: metadata annotations trustops.strimzi/paused-by": _REPLACE,
}
#: Where it was carried out before another program removes it.
_REQUEST = "kafkas demo: metadata annotations trustops.strimzi/reconcile-request"


@pytest.mark.usefixtures("nodes")
@pytest.mark.parametrize(
    "case", [*CASES[:1], *(pytest.param(one, marks=pytest.mark.long) for one in CASES[1:])], ids=str
)
def test_the_table_has_every_kind_of_entry(cluster: WatchedCluster, case: Case) -> None:
    flow, seen = case.begin(cluster), set[str]()
    cluster.memory.api.listeners.append(
        lambda change: seen.update(entry.kind for entry in entries_written(change) if entry.path[0] != "spec")
    )
    result = flow.finish()
    assert result.warnings == []
    missing = seen - KINDS.keys() - {_REQUEST}
    assert missing == set()


@pytest.mark.usefixtures("nodes")
@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "at the next sync"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.each_once
def test_the_call_names_what_is_pruned_and_the_program(cluster: WatchedCluster, kind: str, at_once: bool) -> None:
    flow = KINDS[kind].begin(cluster)
    cluster.look_elsewhere()
    other = Pruner(cluster.memory, kind, at_once)
    told = call(flow)
    assert other.removed or not at_once
    assert not told.asked - told.planned
    # The operator restarts a node whose pod has lost what it compares.
    by_operator = other.done if kind.startswith("pods <node>") else 0
    most = {node: max(1, told.planned[node]) + by_operator for node in cluster.counts()}
    assert [node for node, count in cluster.counts().items() if count > most[node]] == []
    ended = " ".join(map(str, told.decision.violations)) or " ".join(told.warnings)
    assert told.decision.done or told.decision.violations
    if other.removed and not (told.decision.done and at_once is False):
        assert any(entry.path[-1] in ended and entry.name in ended for entry in other.removed), ended
        assert ARGO_CD in ended
    assert not cluster.paused or told.pause_left or "trustops.strimzi/paused-by=put-back" in ended
