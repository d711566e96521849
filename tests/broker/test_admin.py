# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real Kafka nodes answer the admin client, and the safety checks judge their answers."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KafkaUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import (
    Broker,
    KafkaPythonAdmin,
    Partition,
    serving_ids,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.direct import (
    FETCH_TIMEOUT,
    absence_violations,
    lag_violations,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.safety import (
    availability_violations,
    quorum_violations,
    voters_caught_up,
)

from .certificates import authority, leaf
from .clients import LIBRARY_READS_ITS_FILES, admin_of, eventually, node, nodes_are_back
from .nodes import NODES, KafkaNodes

pytestmark = pytest.mark.filterwarnings(LIBRARY_READS_ITS_FILES)


@pytest.fixture
def admin(kafka: KafkaNodes) -> Iterator[KafkaPythonAdmin]:
    with admin_of(kafka) as one:
        yield one


def test_the_quorum_of_a_healthy_cluster(admin: KafkaPythonAdmin) -> None:
    found = admin.quorum()
    assert found.leader in NODES
    assert {voter.node_id for voter in found.voters} == set(NODES)
    assert voters_caught_up(found, FETCH_TIMEOUT) == set(NODES)
    assert not any(quorum_violations(node(one), found, FETCH_TIMEOUT) for one in NODES)


def test_the_brokers_of_a_healthy_cluster(admin: KafkaPythonAdmin) -> None:
    assert set(admin.brokers()) == {Broker(one, fenced=False) for one in NODES}


def test_the_topics_with_what_is_in_force_for_each(admin: KafkaPythonAdmin) -> None:
    """``orders`` has its minimum from the brokers' configuration, ``single`` from its own."""
    found = {topic.partitions[0].topic: topic for topic in admin.topics()}
    replicas = frozenset(NODES)
    assert found["orders"].partitions == (
        Partition("orders", 0, replicas, replicas, preferred=found["orders"].partitions[0].preferred),
    )
    assert found["orders"].min_insync_replicas == 2
    assert found["single"].partitions == (Partition("single", 0, frozenset({0}), frozenset({0}), preferred=0),)
    assert found["single"].min_insync_replicas == 1
    assert not any(availability_violations(node(one), found.values()) for one in NODES)


def test_a_node_that_stops_changes_both_checks_and_its_return_changes_them_back(
    kafka: KafkaNodes, admin: KafkaPythonAdmin
) -> None:
    # The leader of the quorum goes, so that the client loses it too and an election takes place.
    gone = admin.quorum().leader
    assert gone is not None
    others = [one for one in NODES if one != gone]
    kafka.stop(gone)
    try:
        eventually(lambda: bool(quorum_violations(node(others[0]), admin.quorum(), FETCH_TIMEOUT)))
        eventually(lambda: admin.quorum().leader in others)
        eventually(lambda: bool(availability_violations(node(others[0]), admin.topics())))
        _refuses_all_but(gone, others, admin)
    finally:
        kafka.start(gone)
    eventually(lambda: nodes_are_back(admin))
    quorum, topics = admin.quorum(), admin.topics()
    for one in NODES:
        assert not quorum_violations(node(one), quorum, FETCH_TIMEOUT)
        assert not availability_violations(node(one), topics)


@pytest.mark.every_kafka
def test_an_election_makes_the_preferred_broker_the_leader(kafka: KafkaNodes, admin: KafkaPythonAdmin) -> None:
    def orders() -> Partition:
        (found,) = (one for topic in admin.topics() for one in topic.partitions if one.topic == "orders")
        return found

    preferred = orders().preferred
    assert preferred is not None
    kafka.stop(preferred)
    try:
        eventually(lambda: not orders().is_led_by_preferred)
        # The broker is not in sync, so it does not lead.
        admin.elect_preferred_leaders([orders()])
        assert not orders().is_led_by_preferred
    finally:
        kafka.start(preferred)
    eventually(lambda: nodes_are_back(admin))
    # Kafka looks for such partitions every five minutes.
    assert not orders().is_led_by_preferred
    admin.elect_preferred_leaders([orders()])
    eventually(lambda: orders().is_led_by_preferred, 5)


def _refuses_all_but(gone: int, others: list[int], admin: KafkaPythonAdmin) -> None:
    eventually(lambda: voters_caught_up(admin.quorum(), FETCH_TIMEOUT) == set(others))
    quorum, brokers, topics = admin.quorum(), admin.brokers(), admin.topics()
    for one in others:
        (refusal,) = quorum_violations(node(one), quorum, FETCH_TIMEOUT)
        assert f"behind: {gone}" in refusal.message
        refusals = availability_violations(node(one), topics)
        assert any(re.search(r"orders-0 \D*2 in-sync", refusal.message) for refusal in refusals)
    assert not quorum_violations(node(gone), quorum, FETCH_TIMEOUT)
    assert not [r for r in availability_violations(node(gone), topics) if "orders" in r.message]
    assert lag_violations(node(gone), quorum, FETCH_TIMEOUT)
    assert "registered, or fenced" in absence_violations(node(gone), serving_ids(brokers), topics)[0].message


def test_nodes_of_another_ca_are_not_believed_and_no_thread_stays_behind(kafka: KafkaNodes) -> None:
    before = threading.active_count()
    with (
        admin_of(kafka, trusted=authority("another CA")) as stranger,
        pytest.raises(KafkaUnavailable, match="is not trusted"),
    ):
        stranger.quorum()
    assert threading.active_count() == before


def test_an_identity_of_another_ca_is_not_let_in(kafka: KafkaNodes) -> None:
    with (
        admin_of(kafka, identity=leaf("cluster-operator", authority("another CA"))) as stranger,
        pytest.raises(KafkaUnavailable, match="does not answer"),
    ):
        stranger.quorum()


def test_a_client_that_is_no_superuser_gets_an_error_and_no_empty_answer(kafka: KafkaNodes) -> None:
    with admin_of(kafka, identity=leaf("client", kafka.authority)) as client:
        with pytest.raises(KafkaUnavailable, match="ClusterAuthorizationFailed"):
            client.quorum()
        with pytest.raises(KafkaUnavailable, match="superuser"):
            client.topics()
