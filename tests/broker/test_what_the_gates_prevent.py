# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reloads done by hand in the wrong order: real nodes part from each other, and the gates would not have let it happen.

With separate controllers, where a broker is nothing but a client of the control plane (docs/operator.md, "Where the reload ends").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta, timezone

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import ReloadImpossible
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import cross_certify
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import load_key
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import removal_gate, trust_gate

from .certificates import Issued, authority, leaf
from .clients import LIBRARY_READS_ITS_FILES, admin_of, eventually
from .gate_evidence import ledger_of, seen, snapshot_of
from .listening import certificate_of, inquiry_about, look
from .nodes import CONTROL_PLANE, KafkaNodes
from .reloading import all_up, reload, settings_of
from .stores import pod_of

CONTROLLERS, BROKER = (0, 1, 2), 3
#: The broker first: what it is told it forwards to a controller.
ROLES = {BROKER: "broker", **dict.fromkeys(CONTROLLERS, "controller")}
PODS = {f"pod {pod_of(node)}" for node in ROLES}
#: A Raft client logs this when either side does not accept the certificate of the other; it hears late that its own was refused.
REFUSED = r"\[RaftManager id={}] Connection to node (\d) .* failed authentication due to: "
pytestmark = [pytest.mark.long, pytest.mark.filterwarnings(LIBRARY_READS_ITS_FILES)]


@pytest.fixture
def nodes(kafka_version: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaNodes]:
    """Each test leaves them beyond repair."""
    with KafkaNodes(tmp_path_factory.mktemp("apart"), ROLES, version=kafka_version) as started:
        try:
            all_up(started)
        except AssertionError as problem:
            raise AssertionError(f"{problem}\n{started.log()}") from None
        yield started


@pytest.fixture(scope="module")
def another() -> Issued:
    return authority("cluster-ca v1")


def trust(nodes: KafkaNodes, which: Iterable[int], *authorities: Issued, told_by: Issued) -> None:
    """On the listeners of these nodes, by reload. told_by: who issues the identity that tells them."""
    nodes.stores.trust(*authorities)
    for node in which:
        reload(nodes, node, settings_of(nodes, node).trust, identity=leaf("cluster-operator", told_by))
    wanted, asked = {certificate_of(one).fingerprint for one in authorities}, set(map(pod_of, which))
    eventually(lambda: all(one.accepts == wanted for one in seen(nodes, *authorities) if one.pod in asked), 30)


def active_controller(nodes: KafkaNodes) -> int:
    with admin_of(nodes) as admin:
        found = admin.quorum().leader
    assert found in CONTROLLERS
    return found


def said(nodes: KafkaNodes, node: int) -> str:
    return (nodes.folder / f"{node}.log").read_text()


def parted_from(nodes: KafkaNodes, node: int) -> set[int]:
    """The controllers that the Raft client of this node could not authenticate with."""
    return {int(found) for found in re.findall(REFUSED.format(node), said(nodes, node))}


def dial_again(nodes: KafkaNodes, *controllers: int) -> None:
    """Open connections outlive a reload; those to a node that starts again do not."""
    for node in controllers:
        nodes.stop(node)
    for node in controllers:
        nodes.start(node)


def issuer_presented(nodes: KafkaNodes, node: int) -> str:
    presented = look(nodes, node, CONTROL_PLANE, inquiry_about([])).presented
    return presented[0].issuer if presented else ""


def linked(new: Issued, old: Issued) -> Chain:
    issuer, begin = certificate_of(old), datetime.now(timezone.utc) - timedelta(hours=1)
    key = load_key(old.key_pem)
    return (cross_certify(certificate_of(new), issuer, key, not_before=begin, validity=timedelta(days=1)), issuer)


def test_a_plain_leaf_of_a_new_ca_before_raft_clients_can_validate_it(nodes: KafkaNodes, another: Issued) -> None:
    """All listeners trust the new CA by then, which makes it look safe."""
    old, both = nodes.authority, (nodes.authority, another)
    trust(nodes, ROLES, *both, told_by=old)
    snapshot, books = snapshot_of(nodes, *both), ledger_of(nodes, *both)
    assert {one.subject for one in trust_gate(snapshot, books, (certificate_of(another),))} == PODS
    assert trust_gate(snapshot, books, linked(another, old)) == ()

    for node in CONTROLLERS:
        nodes.stores.issue(node, another)
        reload(nodes, node, settings_of(nodes, node).leaf, trusted=both)
    eventually(lambda: {issuer_presented(nodes, node) for node in CONTROLLERS} == {certificate_of(another).subject}, 30)
    dial_again(nodes, *CONTROLLERS)
    eventually(lambda: parted_from(nodes, BROKER) != set(), 60)
    eventually(lambda: "PKIX path building failed" in said(nodes, BROKER), 60)


def test_a_ca_that_leaves_while_nodes_present_its_leaves(nodes: KafkaNodes, another: Issued) -> None:
    old, both = nodes.authority, (nodes.authority, another)
    trust(nodes, ROLES, *both, told_by=old)
    held = removal_gate(snapshot_of(nodes, *both), ledger_of(nodes, *both), certificate_of(old).fingerprint)
    assert {one.subject for one in held} >= PODS

    trust(nodes, CONTROLLERS, another, told_by=another)
    with pytest.raises(ReloadImpossible, match="certification path"):
        # Between brokers Kafka itself sees that they would part; between controllers it does not.
        trust(nodes, [BROKER], another, told_by=another)
    parted = active_controller(nodes)
    dial_again(nodes, parted)
    # It does not accept the others' leaves, as a client and as a server.
    eventually(lambda: parted_from(nodes, parted) != set(), 60)
    eventually(lambda: any(parted in parted_from(nodes, other) for other in ROLES if other != parted), 60)
