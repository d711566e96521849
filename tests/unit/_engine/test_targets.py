# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether what a task asks for is so: told by the cluster as it is, not by what a call has done."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import (
    are_issued,
    is_absent,
    is_scaled,
    is_switched,
    is_trusted,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Selection
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.nodes import Scaling
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component, Snapshot

from ...support.certificates import Entity
from .._trust.builders import (
    NEW,
    OLD,
    PODS,
    THIRD,
    a_leaf,
    chain_of,
    changed,
    cluster,
    entry,
    leaves,
    ledger,
    name_of,
    others,
    prepared,
    secrets,
)

EVERYTHING = Selection()
OWN = a_leaf("demo-cluster-operator-certs", component=Component.CLUSTER_OPERATOR)


@pytest.mark.parametrize(
    ("waiting", "switched"),
    [((), True), ((OLD,), True), ((NEW,), False), ((OLD, NEW), False)],
    ids=["none", "the one in use", "another", "both"],
)
def test_the_operator_is_switched_when_no_other_ca_is_prepared(waiting: tuple[Entity, ...], switched: bool) -> None:
    assert is_switched(cluster(ca=secrets(prepared=tuple(map(prepared, waiting))))) is switched


@pytest.mark.parametrize(
    ("snapshot", "absent"),
    [
        (cluster(), True),
        (cluster(ledger=None), True),
        (cluster(ledger=ledger(entry(OLD), entry(NEW, TrustState.PHASE_OUT))), False),
        (cluster(ca=secrets(others=others(NEW))), False),
        (cluster(ca=secrets(NEW)), False),
    ],
    ids=["nowhere", "nowhere, without a ledger", "in the ledger", "among the trusted", "in use"],
)
def test_a_ca_is_absent_when_nobody_reads_it_and_no_book_has_it(snapshot: Snapshot, absent: bool) -> None:
    assert is_absent(name_of(NEW))(snapshot) is absent


@pytest.mark.parametrize(
    ("snapshot", "trusted"),
    [
        (cluster(), False),
        (cluster(ledger=ledger(entry(OLD), entry(NEW, TrustState.UNTRUSTED))), False),
        (cluster(ledger=ledger(entry(OLD), entry(NEW, TrustState.UNTRUSTED)), pods=()), True),
        (cluster(ledger=ledger(entry(OLD), entry(NEW, TrustState.TRUSTED_UNUSED))), True),
        (cluster(ledger=ledger(entry(NEW, TrustState.TRUSTED_UNUSED), entry(THIRD, TrustState.UNTRUSTED))), False),
    ],
    ids=["unknown", "not yet", "nobody runs", "unused", "another one is not"],
)
def test_everything_is_trusted_when_no_ca_of_the_books_is_not(snapshot: Snapshot, trusted: bool) -> None:
    assert is_trusted((chain_of(NEW),))(snapshot) is trusted


def test_without_a_ca_of_ones_own_those_of_the_books_are_enough() -> None:
    assert is_trusted(())(cluster())
    assert is_trusted(())(cluster(ledger=None))


MISSING = {PODS[0]: Component.KAFKA, "demo-kafka-exporter-certs": Component.KAFKA_EXPORTER}


@pytest.mark.parametrize(
    ("wanted", "issued"),
    [
        (EVERYTHING, False),
        (Selection(components=frozenset({Component.KAFKA})), False),
        (Selection(components=frozenset({Component.CRUISE_CONTROL})), True),
        (Selection(secrets=frozenset({PODS[0]})), False),
        (Selection(secrets=frozenset({PODS[1]})), True),
        (Selection(frozenset({Component.CRUISE_CONTROL}), frozenset({PODS[0]})), True),
    ],
)
def test_a_missing_leaf_counts_where_it_is_asked_for(wanted: Selection, issued: bool) -> None:
    assert are_issued(wanted)(cluster(missing=MISSING)) is issued


BOTH = ledger(entry(OLD), entry(NEW, TrustState.TRUSTED_UNUSED))
PREPARED = secrets(prepared=(prepared(NEW),))


@pytest.mark.parametrize(
    ("snapshot", "issued"),
    [
        (cluster(), True),
        (cluster(ledger=None, leaves=leaves(NEW)), True),
        (cluster(ledger=BOTH, leaves=leaves(NEW)), False),
        (cluster(ledger=BOTH, ca=PREPARED), False),
        (cluster(ledger=BOTH, ca=PREPARED, leaves=(*leaves(NEW)[1:], a_leaf())), False),
        (cluster(ledger=BOTH, ca=PREPARED, leaves=(*leaves(NEW), OWN)), True),
        (cluster(ledger=BOTH, ca=PREPARED, leaves=(*leaves(NEW), a_leaf("broken", chain=None))), True),
    ],
    ids=[
        "of the CA in use", "never adopted", "of another than the one in use", "before a switch", "one is left",
        "all but the operator's own", "all that can be read",
    ],
)  # fmt: skip
def test_leaves_are_of_the_ca_that_is_used_from_now_on(snapshot: Snapshot, issued: bool) -> None:
    assert are_issued(EVERYTHING)(snapshot) is issued


@pytest.mark.parametrize(
    ("pools", "scaled"), [({"nodes": 4}, True), ({"nodes": 3}, False), ({"others": 4}, False), ({}, False)]
)
def test_a_pool_is_scaled_when_it_is_asked_for_so_many_nodes(pools: dict[str, int], scaled: bool) -> None:
    assert is_scaled(Scaling("nodes", 4))(changed(cluster(), pools=pools)) is scaled
