# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Kafka resource: the operator's work, pauses and rebalances (docs/operator.md, "Pause", "Kafka resource")."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.kafka import (
    FoundNodes,
    condition,
    is_generated,
    is_observed,
    note_absent_operator,
    read_operator_status,
    read_pause,
    read_reconciliation,
    renewal_window,
    running_rebalances,
    user_pause,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import ReissuePause
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    OperatorStatus,
    Rebalance,
    Reconciliation,
)

from ..bench import SCOPE, Bench, conditions, kafka

PAUSE = {"strimzi.io/pause-reconciliation": "true"}
OURS = {**PAUSE, "trustops.strimzi/paused-by": "me"}


def test_no_resource_is_neither_generated_nor_ready() -> None:
    assert read_reconciliation(None, SCOPE) == Reconciliation(
        exists=False, operator=OperatorStatus(has_observed=False, is_ready=False)
    )


@pytest.mark.parametrize(
    ("spec", "generated"),
    [
        ({}, True),
        ({"clusterCa": None}, True),
        ({"clusterCa": {"validityDays": 30}}, True),
        ({"clusterCa": {"generateCertificateAuthority": True}}, True),
        ({"clusterCa": {"generateCertificateAuthority": False}}, False),
        ({"clientsCa": {"generateCertificateAuthority": False}}, True),
    ],
)
def test_the_operator_generates_unless_told_otherwise(spec: dict[str, Any], generated: bool) -> None:
    assert is_generated(kafka(**spec), SCOPE) is generated


def test_each_ca_has_its_own_part_of_the_specification() -> None:
    resource = kafka(clientsCa={"generateCertificateAuthority": False, "renewalDays": 7})
    clients = SCOPE.of(CaKind.CLIENTS)
    assert (is_generated(resource, SCOPE), is_generated(resource, clients)) == (True, False)
    assert renewal_window(resource, clients) == timedelta(days=7)


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ({}, ""),
        ({"clientsCa": {"type": "strimzi.io"}}, ""),
        ({"clientsCa": {"type": None}}, ""),
        ({"clientsCa": {"type": "cert-manager.io"}}, "cert-manager.io"),
        ({"clientsCa": {"type": "vault.example.com"}}, "vault.example.com"),
        ({"clusterCa": {"type": "cert-manager.io"}}, ""),
    ],
)
def test_a_clients_ca_of_another_type_is_foreign(spec: dict[str, Any], kind: str) -> None:
    assert read_reconciliation(kafka(**spec), SCOPE.of(CaKind.CLIENTS)).foreign_type == kind


@pytest.mark.parametrize(
    ("status", "generation", "observed"),
    [
        (None, 1, False),
        ({}, 1, False),
        ({"observedGeneration": 1}, 1, True),
        ({"observedGeneration": 1}, 2, False),
        ({"observedGeneration": 3}, 2, False),
    ],
)
def test_observed_means_the_present_generation(status: dict[str, Any] | None, generation: int, observed: bool) -> None:
    resource = kafka(status)
    resource["metadata"]["generation"] = generation
    assert is_observed(resource) is observed


NODES = frozenset({"demo-nodes-0", "demo-nodes-1"})
SEEN = {"conditions": conditions("Ready"), "observedGeneration": 2}
NO_STATUS = "its status has no condition, which an operator sets as soon as it sees the resource"
RUNS, IDLE, UNOWNED = (
    FoundNodes(NODES, True, NODES, NODES),
    FoundNodes(NODES, True, NODES, frozenset()),
    FoundNodes(NODES, False, frozenset(), frozenset()),
)
ONE_RUNS = FoundNodes(NODES, True, NODES, frozenset({"demo-nodes-1"}))
NEW = FoundNodes(frozenset(), False, frozenset(), frozenset())
GONE = "none of its 2 nodes has a pod, which an operator makes again within seconds"
FAILED = {**SEEN, "conditions": conditions("NotReady")}
FIRST = {"conditions": [{**conditions("NotReady")[0], "reason": "Creating"}], "observedGeneration": 2}


@pytest.mark.parametrize(
    ("status", "nodes", "absent"),
    [
        (None, RUNS, NO_STATUS),
        ({"clusterId": "x"}, RUNS, NO_STATUS),
        ({**SEEN, "observedGeneration": 3}, RUNS, "its status is about generation 3 of a resource that has come to generation 2"),
        ({**SEEN, "observedGeneration": 1}, RUNS, ""),
        (SEEN, ONE_RUNS, ""),
        ({**SEEN, "conditions": conditions("ReconciliationPaused")}, ONE_RUNS, ""),
        (SEEN, IDLE, GONE),
        (FAILED, IDLE, GONE),
        ({**SEEN, "conditions": conditions("ReconciliationPaused")}, IDLE, GONE),
        (FIRST, IDLE, ""),
        (SEEN, FoundNodes(NODES, True, frozenset({"demo-nodes-0"}), frozenset()), "its only node has no pod, which an operator makes again within seconds"),
        (SEEN, FoundNodes(NODES, True, frozenset(), frozenset()), ""),
        (SEEN, UNOWNED, "its status says Ready, and no StrimziPodSet belongs to it, and none of its 2 nodes has a pod"),
        (SEEN, FoundNodes(NODES, False, frozenset(), NODES), "its status says Ready, and no StrimziPodSet belongs to it"),
        (SEEN, NEW, "its status says Ready, and no StrimziPodSet belongs to it"),
        (FAILED, NEW, ""),
        (FIRST, UNOWNED, ""),
        (SEEN, None, ""),
    ],
)  # fmt: skip
def test_the_resource_and_its_nodes_show_that_no_operator_works_on_the_resource(
    status: Any, nodes: FoundNodes | None, absent: str
) -> None:
    resource = kafka(status)
    resource["metadata"]["generation"] = 2
    assert note_absent_operator(read_operator_status(resource), resource, nodes).absence == absent


@pytest.mark.parametrize("kind", ["NotReady", "ReconciliationPaused"])
@pytest.mark.parametrize(
    ("said", "is_absent"),
    [
        ("2026-01-01T11:58:59Z", True),
        ("2026-01-01T11:59:00Z", False),
        ("2026-01-01T12:00:30Z", False),
        (None, False),
    ],
)
def test_a_status_that_is_older_than_its_resource_is_of_another_resource(
    kind: str, said: str | None, is_absent: bool
) -> None:
    """An operator that fails before it makes a StrimziPodSet has said so since; its clock may be a minute behind."""
    resource = kafka({"conditions": [{**conditions(kind)[0], "lastTransitionTime": said}], "observedGeneration": 1})
    resource["metadata"] |= {"generation": 1, "creationTimestamp": "2026-01-01T12:00:00Z"}
    assert bool(note_absent_operator(read_operator_status(resource), resource, NEW).absence) is is_absent


def test_a_resource_that_does_not_exist_shows_nothing() -> None:
    assert note_absent_operator(read_operator_status(None), None).absence == ""


def test_no_generation_is_not_observed() -> None:
    assert is_observed(kafka({})) is False


@pytest.mark.parametrize(
    ("found", "holds"),
    [
        ([], False),
        (None, False),
        ([{"type": "Ready", "status": "False"}], False),
        ([{"type": "NotReady", "status": "True"}], False),
        ([{"type": "Warning", "status": "True"}, {"type": "Ready", "status": "True"}], True),
    ],
)
def test_condition(found: Any, holds: bool) -> None:
    assert condition(kafka({"conditions": found}), "Ready") is holds
    assert read_operator_status(kafka({"conditions": found})).is_ready is holds


@pytest.mark.parametrize(
    ("annotations", "confirmed", "expected"),
    [
        ({}, False, (False, False, False)),
        ({}, True, (False, False, False)),
        (PAUSE, False, (True, False, False)),
        (PAUSE, True, (True, False, True)),
        ({"strimzi.io/pause-reconciliation": "TRUE"}, True, (True, False, True)),
        (OURS, False, (True, True, False)),
        (OURS, True, (True, True, True)),
        ({**PAUSE, "trustops.strimzi/paused-for": "storage team"}, True, (True, False, True)),
        ({"trustops.strimzi/paused-by": "me"}, True, (False, False, False)),
        ({**OURS, "strimzi.io/pause-reconciliation": "false"}, True, (False, False, False)),
    ],
)
def test_pause(annotations: dict[str, str], confirmed: bool, expected: tuple[bool, bool, bool]) -> None:
    """Set, by us, and in force are three things: the operator may still work while the annotation is there."""
    status = {"conditions": conditions("ReconciliationPaused") if confirmed else []}
    found = read_pause(kafka(status, annotations), SCOPE)
    assert (found.is_set, found.is_ours, found.is_confirmed) == expected


@pytest.mark.parametrize(
    ("spec", "days"),
    [
        ({}, 30),
        ({"clusterCa": None}, 30),
        ({"clusterCa": {}}, 30),
        ({"clusterCa": {"renewalDays": 7}}, 7),
        ({"clusterCa": {"renewalDays": 36500}}, 36500),
        ({"clusterCa": {"renewalDays": 2**63 - 1}}, 36500),
        ({"clusterCa": {"renewalDays": -1}}, 30),
        ({"clusterCa": {"renewalDays": True}}, 30),
        ({"clusterCa": {"renewalDays": "7"}}, 30),
    ],
)
def test_how_long_before_its_end_a_leaf_is_renewed(spec: dict[str, Any], days: int) -> None:
    assert renewal_window(kafka(**spec), SCOPE) == timedelta(days=days)


def test_the_renewal_window_of_a_cluster_that_is_not_there_yet() -> None:
    assert renewal_window(None, SCOPE) == timedelta(days=30)


@pytest.mark.parametrize(
    ("annotations", "confirmed", "expected"),
    [
        ({}, False, ReissuePause.NONE),
        ({}, True, ReissuePause.ENDED),
        ({"trustops.strimzi/paused-for-clients-ca-by": "me"}, False, ReissuePause.NONE),
        ({"strimzi.io/pause-reconciliation": "false"}, False, ReissuePause.NONE),
        (PAUSE, True, ReissuePause.FOREIGN),
        ({"strimzi.io/pause-reconciliation": "True"}, True, ReissuePause.FOREIGN),
        ({**PAUSE, "trustops.strimzi/paused-for-clients-ca-by": "me"}, False, ReissuePause.ASKED),
        ({**PAUSE, "trustops.strimzi/paused-for-clients-ca-by": "me"}, True, ReissuePause.OURS),
    ],
)
def test_the_kind_of_a_pause_of_a_user(annotations: dict[str, str], confirmed: bool, expected: ReissuePause) -> None:
    said = {"conditions": conditions("ReconciliationPaused") if confirmed else []}
    assert user_pause({"metadata": {"annotations": annotations}, "status": said}) is expected


US, PERSON, RESTORER = "trustops.strimzi", "kubectl-annotate", "velero"
CLIENTS_MARK = "trustops.strimzi/paused-for-clients-ca-by"


@pytest.mark.parametrize(
    ("pauser", "marker", "is_ours"),
    [
        (US, US, True), (PERSON, US, False), (RESTORER, RESTORER, True), (PERSON, PERSON, True), ("", US, True), ("", "", True),
    ],
)  # fmt: skip
def test_a_pause_is_of_the_writer_of_its_mark(pauser: str, marker: str, is_ours: bool) -> None:
    """A person ends a pause of this collection and leaves the mark, and another pauses the resource later."""
    marks = ("trustops.strimzi/paused-by", CLIENTS_MARK)
    resource = kafka(annotations={**PAUSE, **dict.fromkeys(marks, "me")})
    owned = {name: {f"f:{mark}": {} for mark in marks} for name in (marker,) if name}
    if pauser:
        owned[pauser] = {**owned.get(pauser, {}), "f:strimzi.io/pause-reconciliation": {}}
    resource["metadata"]["managedFields"] = [
        {"manager": name, "fieldsV1": {"f:metadata": {"f:annotations": fields}}} for name, fields in owned.items()
    ]
    found = read_pause(resource, SCOPE)
    assert (found.is_set, found.is_ours, bool(found.holder)) == (True, is_ours, is_ours)
    assert user_pause(resource) is (ReissuePause.ASKED if is_ours else ReissuePause.FOREIGN)


def rebalance(name: str, state: str, status: str = "True", cluster: str = "demo") -> dict[str, Any]:
    metadata = {"name": name, "labels": {"strimzi.io/cluster": cluster}}
    conditions = [{"type": state, "status": status}]
    return {
        "apiVersion": "kafka.strimzi.io/v1",
        "kind": "KafkaRebalance",
        "metadata": metadata,
        "status": {"conditions": conditions},
    }


def test_a_rebalance_that_moves_partitions_is_seen() -> None:
    bench = Bench()
    for name, state, status, cluster in (
        ("moving", "Rebalancing", "True", "demo"),
        ("moved", "Rebalancing", "False", "demo"),
        ("planned", "ProposalReady", "True", "demo"),
        ("of-another", "Rebalancing", "True", "other"),
    ):
        bench.create("kafkarebalances", rebalance(name, state, status, cluster))
    assert running_rebalances(bench.client(), SCOPE, kafka(cruiseControl={})) == (
        Rebalance("moving", "KafkaRebalance kafka/moving"),
    )
    bench.api.requests.clear()
    assert running_rebalances(bench.client(), SCOPE, kafka()) == ()
    assert bench.api.requests == []
