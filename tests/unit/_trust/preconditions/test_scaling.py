# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The preconditions of scaling a node pool."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.pools import Scaling
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.goals import (
    nothing_is_begun,
    pool_is_known,
    pools_are_of_a_size,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import check

from ....tools.support.intents import changed_intent
from ..authorities import NEW, OLD
from ..builders import changed, cluster, prepared, secrets
from ..ledgers import a_journal, entry, ledger
from ..requested import elsewhere
from ..rules.asking import RECONCILE
from .refusals import Refusal

pools = {"nodes": 3, "others": 1}


def scaling(replicas: int = 4, pool: str = "nodes") -> Intent:
    return changed_intent(RECONCILE, scaling=Scaling(pool, replicas))


SETTLED = changed(cluster(), pools=pools)
BOOKS = ledger(entry(OLD, generations={0}), journal=a_journal())
BEGUN = changed(elsewhere(cluster(ledger=BOOKS), OLD), pools=pools)
WAITS = changed(elsewhere(cluster(ca=secrets(OLD, prepared=(prepared(NEW),))), OLD), pools=pools)
_MIDDLE = (
    "Kafka kafka/demo: is in the middle of a flow that changes its CA, whose key is kept elsewhere. "
    "Finish it with the reconcile playbook, then scale."
)
CASES = [
    pytest.param(
        Refusal(
            pool_is_known,
            snapshot,
            scaling(pool="broker"),
            (f"Kafka kafka/demo: has no node pool broker. Its node pools are: {known}.",),
        ),
        id=f"unknown, {known}",
    )
    for snapshot, known in ((SETTLED, "nodes, others"), (cluster(), "none"))
] + [
    pytest.param(Refusal(nothing_is_begun, BEGUN, scaling(), (_MIDDLE,)), id="a flow is in flight"),
    pytest.param(
        Refusal(
            pools_are_of_a_size,
            changed(SETTLED, pools={"nodes": 1000, "others": 1001}),
            RECONCILE,
            (
                "KafkaNodePool kafka/others: asks for 1001 nodes, and certificates are made ready for at most 1000 of a pool. Correct its spec.replicas.",
            ),
        ),
        id="more nodes than there are",
    ),
    pytest.param(Refusal(nothing_is_begun, WAITS, scaling(), (_MIDDLE,)), id="a CA waits"),
]


@pytest.mark.parametrize(
    ("snapshot", "intent"),
    [
        pytest.param(SETTLED, scaling(), id="the operator issues"),
        pytest.param(changed(cluster(ledger=BOOKS), pools=pools), scaling(), id="the operator issues, in a flow"),
        pytest.param(changed(elsewhere(cluster(), OLD), pools=pools), scaling(), id="no flow"),
        pytest.param(BEGUN, scaling(2), id="fewer nodes need no certificate"),
        pytest.param(BEGUN, scaling(3), id="it has this size"),
        pytest.param(BEGUN, RECONCILE, id="nothing is scaled"),
    ],
)
def test_scaling_is_not_held_where_no_certificate_for_new_nodes_is_missing(snapshot: Snapshot, intent: Intent) -> None:
    assert check(snapshot, intent) == ()
