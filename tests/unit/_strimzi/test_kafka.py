# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Kafka resource tells about the operator's work (docs/operator.md, "Pause", "Kafka resource"); doubt counts as "not yet"."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.kafka import (
    condition,
    is_generated,
    is_observed,
    note_absent_operator,
    read_reconciliation,
    renewal_window,
    user_pause,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import ReissuePause
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Reconciliation

from .bench import SCOPE, conditions, kafka

PAUSE = {"strimzi.io/pause-reconciliation": "true"}
OURS = {**PAUSE, "trustops.strimzi/paused-by": "me"}


def test_no_resource_is_neither_generated_nor_ready() -> None:
    assert read_reconciliation(None, SCOPE) == Reconciliation(
        exists=False, generated=False, observed=False, ready=False
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
def test_a_ca_that_strimzi_has_from_somebody_else(spec: dict[str, Any], kind: str) -> None:
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


NODES = ("demo-nodes-0", "demo-nodes-1")
SEEN = {"conditions": conditions("Ready"), "observedGeneration": 2}


@pytest.mark.parametrize(
    ("status", "pods", "absent"),
    [
        (None, NODES, "its status has no condition, which an operator sets as soon as it sees the resource"),
        ({"clusterId": "x"}, NODES, "its status has no condition, which an operator sets as soon as it sees the resource"),
        ({"conditions": conditions("NotReady")}, (), ""),
        ({**SEEN, "observedGeneration": 3}, NODES, "its status is about generation 3 of a resource that has come to generation 2"),
        ({**SEEN, "observedGeneration": 1}, NODES, ""),
        (SEEN, NODES[:1], ""),
        (SEEN, (), "none of its 2 nodes has a pod, and its status says nothing of that"),
        ({**SEEN, "conditions": conditions("NotReady")}, (), ""),
        ({**SEEN, "conditions": conditions("ReconciliationPaused")}, NODES[:1], ""),
    ],
)  # fmt: skip
def test_what_shows_that_no_operator_works_on_it(status: Any, pods: tuple[str, ...], absent: str) -> None:
    resource = kafka(status)
    resource["metadata"]["generation"] = 2
    assert note_absent_operator(read_reconciliation(resource, SCOPE), resource, NODES, pods).absent == absent


def test_the_pod_of_a_single_node_may_just_be_made_anew() -> None:
    resource = kafka({"conditions": conditions("Ready")})
    assert note_absent_operator(read_reconciliation(resource, SCOPE), resource, NODES[:1], ()).absent == ""
    assert note_absent_operator(read_reconciliation(None, SCOPE), None).absent == ""


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
    assert read_reconciliation(kafka({"conditions": found}), SCOPE).ready is holds


@pytest.mark.parametrize(
    ("annotations", "confirmed", "expected"),
    [
        ({}, False, (False, False, False)),
        ({}, True, (False, False, False)),
        (PAUSE, False, (True, False, False)),
        (PAUSE, True, (True, False, True)),
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
    found = read_reconciliation(kafka(status, annotations), SCOPE)
    assert (found.paused, found.paused_by_us, found.pause_effective) == expected


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


def test_and_of_a_cluster_that_is_not_there_yet() -> None:
    assert renewal_window(None, SCOPE) == timedelta(days=30)


@pytest.mark.parametrize(
    ("annotations", "confirmed", "expected"),
    [
        ({}, False, ReissuePause.NONE),
        ({}, True, ReissuePause.ENDED),
        ({"trustops.strimzi/paused-for-clients-ca-by": "me"}, False, ReissuePause.NONE),
        ({"strimzi.io/pause-reconciliation": "false"}, False, ReissuePause.NONE),
        (PAUSE, True, ReissuePause.FOREIGN),
        ({**PAUSE, "trustops.strimzi/paused-for-clients-ca-by": "me"}, False, ReissuePause.ASKED),
        ({**PAUSE, "trustops.strimzi/paused-for-clients-ca-by": "me"}, True, ReissuePause.OURS),
    ],
)
def test_who_has_paused_a_user(annotations: dict[str, str], confirmed: bool, expected: ReissuePause) -> None:
    said = {"conditions": conditions("ReconciliationPaused") if confirmed else []}
    assert user_pause({"metadata": {"annotations": annotations}, "status": said}) is expected
