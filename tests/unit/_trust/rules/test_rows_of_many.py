# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Violations that say the same of every node of a large cluster are one row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Violation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.folding import fold_violations
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import Unanswered
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    Rebalance,
    Reconciliation,
    Snapshot,
    UnlabelledSecret,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.cluster import (
    cluster_is_settled,
    no_rebalance_is_running,
    pods_are_labelled,
    pods_are_owned,
    secrets_are_labelled,
    secrets_can_be_written,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.holds import does_not_answer

from ..authorities import NEW
from ..builders import cluster
from ..nodes import a_leaf, a_pod, leaves, pods, uid_of
from .asking import RECONCILE, holds, situation

MANY = tuple(f"demo-nodes-{number}" for number in range(200))
Precondition = Callable[[Snapshot, object], Iterable[Violation]]


def silent(_snapshot: Snapshot, _intent: object) -> Iterator[Violation]:
    names = cluster().names
    yield from (does_not_answer(Unanswered(name, uid_of(name), "", "port 9090: no answer"), names) for name in MANY)


def held(snapshot: Snapshot, _intent: object) -> Iterable[Violation]:
    return holds(situation(snapshot, RECONCILE))


@pytest.mark.parametrize(
    ("violations", "snapshot"),
    [
        pytest.param(silent, cluster(), id="do not answer"),
        pytest.param(pods_are_labelled, cluster(unlabelled_pods=dict.fromkeys(MANY, ("a=b",))), id="have lost a label"),
        pytest.param(pods_are_owned, cluster(foreign_pods=dict.fromkeys(MANY, Component.KAFKA)), id="have no owner"),
        pytest.param(
            cluster_is_settled, cluster(pods=tuple(a_pod(name, terminating=True) for name in MANY)), id="are leaving"
        ),
        pytest.param(
            no_rebalance_is_running,
            cluster(
                reconciliation=Reconciliation(
                    rebalances=tuple(Rebalance(name, f"KafkaRebalance kafka/{name}") for name in MANY)
                )
            ),
            id="rebalances",
        ),
        pytest.param(secrets_can_be_written, cluster(immutable_secrets=MANY), id="immutable Secrets"),
        pytest.param(
            secrets_are_labelled,
            cluster(unlabelled_secrets=dict.fromkeys(MANY, UnlabelledSecret(("a=b",), "by which it is found"))),
            id="Secrets without a label",
        ),
        pytest.param(
            held, cluster(pods=pods(None, names=MANY), leaves=leaves(names=MANY)), id="without an annotation"
        ),
        pytest.param(
            held,
            cluster(pods=tuple(a_pod(name, 8, presents_stored=None) for name in MANY), leaves=leaves(names=MANY)),
            id="of an unknown generation",
        ),
        pytest.param(
            held,
            cluster(pods=pods(names=MANY), leaves=tuple(a_leaf(name, NEW) for name in MANY)),
            id="with leaves of a stranger",
        ),
    ],
)  # fmt: skip
def test_what_is_said_of_every_node_is_one_row(violations: Precondition, snapshot: Snapshot) -> None:
    found = [violation.as_result() for violation in violations(snapshot, RECONCILE)]
    assert len(found) == len(MANY)
    assert [len(others) for _first, others in fold_violations(found)] == [len(MANY) - 1]
