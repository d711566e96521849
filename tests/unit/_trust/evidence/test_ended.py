# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods with ended certificates: which pods every party refuses, and what the ledger awaits of nodes that restart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.parties import (
    leaf_shown_by,
    presenting_ended,
    refused_everywhere,
    serves_no_client,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.update import note_restarts_to_come
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.security import ClusterSecurity
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import CaUsers, Snapshot

from ....tools.support.certificates import DAY, NOW, YEAR
from ....tools.support.certificates import leaf as issue_leaf
from ..authorities import BELOW_ENDED, ENDING, NEW, OLD, names_of, stored_chain
from ..builders import answering, changed, cluster, others, secrets
from ..ledgers import UNUSED, entry, ledger
from ..nodes import PODS, a_leaf, a_pod, leaves, pods, uid_of, uids_of

EXPORTER = "demo-kafka-exporter"
ENDED = (issue_leaf(OLD, begin=NOW - YEAR, end=NOW - DAY), OLD.certificate)
#: The leaf ends in the next second.
LAST = (issue_leaf(OLD, begin=NOW - YEAR, end=NOW + timedelta(seconds=1)), OLD.certificate)


def presenting(chains: dict[str, Chain], **fields: Any) -> Snapshot:
    """Every node has answered; these nodes present these chains, and the others the stored ones."""
    seen = answering(cluster(ledger=ledger(entry(OLD, generations=(0,)))), accepting=[OLD.certificate.fingerprint])
    listeners = (replace(one, presents=chains.get(one.pod, one.presents)) for one in seen.nodes.listeners or ())
    return changed(seen, **{"listeners": tuple(listeners), **fields})


def with_exporter(snapshot: Snapshot, chain: Chain | None, *, presents_stored: bool | None = True) -> Snapshot:
    """With a component that no handshake reaches, and its stored leaf, which it presents if ``presents_stored`` says so."""
    own = {"component": Component.KAFKA_EXPORTER}
    pod = a_pod(EXPORTER, leaves=(EXPORTER,), presents_stored=presents_stored, **own)
    stored = a_leaf(EXPORTER, chain=chain, **own)
    return changed(snapshot, pods=(*snapshot.nodes.pods, pod), leaves=(*snapshot.leaves.stored, stored))


@pytest.mark.parametrize(
    ("chain", "has_ended"),
    [(ENDED, True), (ENDING, True), (LAST, False), (BELOW_ENDED, False), (stored_chain(OLD), False)],
)
def test_a_node_presents_an_ended_certificate_from_its_last_second_on(chain: Chain, has_ended: bool) -> None:
    seen = presenting({PODS[1]: chain})
    assert dict(presenting_ended(seen)) == ({uid_of(PODS[1]): chain[0].not_after} if has_ended else {})


@pytest.mark.parametrize(
    ("chain", "presents_stored", "refused"),
    [
        (ENDED, True, True),
        (ENDED, False, False),
        (ENDED, None, False),
        (BELOW_ENDED, True, False),
        (stored_chain(OLD), True, False),
        (None, True, False),
    ],
)
def test_a_component_is_refused_if_the_leaf_that_it_has_read_has_ended(
    chain: Chain | None, presents_stored: bool | None, refused: bool
) -> None:
    seen = with_exporter(presenting({PODS[0]: ENDED}), chain, presents_stored=presents_stored)
    assert refused_everywhere(seen) == uids_of(PODS[0], *[EXPORTER] * refused)


@pytest.mark.parametrize(
    "fields", [{"security": ClusterSecurity(False, False)}, {"users": CaUsers()}], ids=["without TLS", "of users"]
)
def test_no_pod_is_refused_by_certificates_that_it_does_not_present(fields: dict[str, Any]) -> None:
    seen = with_exporter(presenting(dict.fromkeys(PODS, ENDED)), ENDED)
    assert refused_everywhere(seen) == uids_of(*PODS, EXPORTER)
    assert refused_everywhere(changed(seen, **fields)) == frozenset()


@pytest.mark.parametrize(
    ("nodes", "of_exporter", "serves"),
    [(PODS, LAST, False), (PODS, ENDED, False), (PODS[:2], ENDED, True), ((), ENDED, True), ((), LAST, True)],
)
def test_no_client_is_served_if_all_nodes_are_refused(nodes: Iterable[str], of_exporter: Chain, serves: bool) -> None:
    """Components serve no client of Kafka."""
    seen = with_exporter(presenting(dict.fromkeys(nodes, ENDED)), of_exporter)
    assert serves_no_client(seen) is not serves


def test_a_cluster_without_nodes_has_no_refused_ones() -> None:
    assert not serves_no_client(with_exporter(cluster(pods=(), leaves=()), ENDED))


@pytest.mark.parametrize(
    ("ended", "shown", "before", "after"),
    [
        pytest.param(PODS[:1], (OLD, NEW), PODS, PODS[1:], id="one node"),
        pytest.param(PODS, (OLD, NEW), PODS, (), id="all nodes"),
        pytest.param(PODS[:1], (OLD, NEW), PODS[1:], PODS[1:], id="a node that has read it"),
        pytest.param((), (OLD, NEW), PODS, PODS, id="no node"),
        pytest.param(PODS[:1], (OLD,), PODS, PODS, id="the CA is not in the bundle"),
        pytest.param(PODS[:1], (OLD, NEW), None, None, id="the CA was not seen in the bundle"),
    ],
)
def test_a_node_that_restarts_for_its_ended_certificate_reads_each_ca_of_the_bundle(
    ended: Iterable[str], shown: Iterable[Any], before: Iterable[str] | None, after: Iterable[str] | None
) -> None:
    awaited = None if before is None else uids_of(*before) if before else frozenset[str]()
    kept = entry(OLD, generations=(0,), awaited_pods=()), entry(NEW, UNUSED, awaited_pods=awaited)
    ca = secrets(OLD, other_entries=others(*[one for one in shown if one is not OLD]))
    seen = presenting(dict.fromkeys(ended, ENDED), ca=ca, bundle=names_of(*shown), ledger=ledger(*kept))
    first, second = note_restarts_to_come(seen, ledger(*kept)).entries
    assert first == kept[0]
    assert second == replace(kept[1], awaited_pods=None if after is None else uids_of(*after) if after else frozenset())


@pytest.mark.parametrize(
    ("presented", "leaf"),
    [
        ((ENDED,), ENDED[0]),
        ((ENDED, ENDED), ENDED[0]),
        ((ENDED, LAST), None),
        ((ENDED, None), None),
        ((ENDED, ()), None),
    ],
)
def test_a_node_shows_a_leaf_if_all_of_its_listeners_present_it(presented: Any, leaf: Any) -> None:
    seen = presenting({})
    first, *rest = seen.nodes.listeners or ()
    listeners = (replace(first, port=9091 + number, presents=chain) for number, chain in enumerate(presented))
    assert leaf_shown_by(seen.nodes.pods[0], changed(seen, listeners=(*listeners, *rest))) == leaf


def test_a_pod_that_no_handshake_reaches_shows_no_leaf() -> None:
    assert leaf_shown_by(pods()[0], cluster(leaves=leaves())) is None
