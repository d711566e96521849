# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Running nodes of every role read new trust and new leaves, and what stands in the way is told apart."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KafkaUnavailable, ReloadImpossible
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import Inquiry
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import Partition

from .certificates import Issued, authority, leaf
from .clients import LIBRARY_READS_ITS_FILES, admin_of, create_topic, eventually
from .listening import VERIFYING, certificate_of, inquiry_about, look
from .nodes import COMBINED, CONTROL_PLANE, REPLICATION, KafkaNodes
from .reloading import all_up, reload, settings_of
from .stores import pod_of

#: Three voters, so that at least one separate controller is not the active one.
ROLES = {0: "controller", 1: "controller", 2: COMBINED, 3: "broker"}
#: Within which a listener follows; it takes a fraction of one, where the machine has nothing else to do.
SECONDS = 30.0
pytestmark = pytest.mark.filterwarnings(LIBRARY_READS_ITS_FILES)
EVERY_NODE = pytest.mark.parametrize("which", ROLES, ids=["controller 0", "controller 1", "combined", "broker"])
BROKERS = pytest.mark.parametrize("which", [2, 3], ids=["combined", "broker"])
CONTROLLERS = pytest.mark.parametrize("which", [0, 1])


@pytest.fixture(scope="module")
def nodes(kafka_version: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaNodes]:
    with KafkaNodes(tmp_path_factory.mktemp("roles"), ROLES, version=kafka_version) as started:
        try:
            all_up(started)
        except AssertionError as problem:
            raise AssertionError(f"{problem}\n{started.log()}") from None
        yield started


@pytest.fixture(scope="module")
def another() -> Issued:
    return authority("cluster-ca v1")


def trusts(nodes: KafkaNodes, which: int, inquiry: Inquiry, *authorities: Issued) -> bool:
    """Every listener that verifies: these and no others. What changes while it is asked is not known yet."""
    wanted = {certificate_of(one).fingerprint for one in authorities}
    others = {one.fingerprint for one in inquiry.authorities} - wanted
    seen = [look(nodes, which, port, inquiry) for port in nodes.listeners(which) if port in VERIFYING]
    return bool(seen) and all(one.trusts == wanted and one.distrusts == others for one in seen)


def presented(nodes: KafkaNodes, which: int, port: int) -> str:
    chain = look(nodes, which, port, inquiry_about([])).presented
    assert chain is not None
    return chain[0].fingerprint


def presents(nodes: KafkaNodes, which: int, issued: Issued) -> bool:
    wanted = certificate_of(issued).fingerprint
    return {presented(nodes, which, port) for port in nodes.listeners(which)} == {wanted}


@pytest.mark.every_kafka
@EVERY_NODE
def test_a_ca_is_trusted_on_every_listener_and_then_no_longer(nodes: KafkaNodes, another: Issued, which: int) -> None:
    inquiry, settings = inquiry_about([nodes.authority, another]), settings_of(nodes, which).trust
    try:
        nodes.stores.trust(nodes.authority, another)
        assert trusts(nodes, which, inquiry, nodes.authority), "before it is told to, it reads nothing"
        reload(nodes, which, settings)
        eventually(lambda: trusts(nodes, which, inquiry, nodes.authority, another), SECONDS)
    finally:
        nodes.stores.trust(nodes.authority)
        reload(nodes, which, settings)
    eventually(lambda: trusts(nodes, which, inquiry, nodes.authority), SECONDS)


@pytest.mark.every_kafka
@EVERY_NODE
def test_every_listener_presents_the_new_leaf(nodes: KafkaNodes, which: int) -> None:
    issued = nodes.stores.issue(which, nodes.authority)
    assert not presents(nodes, which, issued)
    reload(nodes, which, settings_of(nodes, which).leaf)
    eventually(lambda: presents(nodes, which, issued), SECONDS)
    reload(nodes, which, settings_of(nodes, which).leaf)
    # Once more changes nothing; a busy node may be a moment without an answer.
    eventually(lambda: presents(nodes, which, issued), SECONDS)


@pytest.mark.every_kafka
@CONTROLLERS
def test_a_controller_is_asked_itself_and_then_the_one_that_is_active(nodes: KafkaNodes, which: int) -> None:
    with admin_of(nodes) as admin:
        active = admin.quorum().leader
    assert active is not None
    doors = dict.fromkeys([(pod_of(which), CONTROL_PLANE), (pod_of(active), CONTROL_PLANE)])
    assert reload(nodes, which, settings_of(nodes, which).trust) == list(doors)


@pytest.mark.every_kafka
def test_the_admin_client_reads_the_quorum_the_brokers_and_the_topics(nodes: KafkaNodes) -> None:
    brokers = frozenset(nodes.having("broker"))
    with admin_of(nodes) as admin:
        create_topic(admin, "read", sorted(brokers))
        (topic,) = (one for one in admin.topics() if one.partitions[0].topic == "read")
        found = admin.quorum()
    expected = Partition("read", 0, brokers, brokers, preferred=min(brokers))
    assert (topic.partitions, topic.min_insync_replicas) == ((expected,), 2)
    assert {voter.node_id for voter in found.voters} == set(nodes.having("controller"))


@BROKERS
def test_a_broker_is_asked_on_its_own_port(nodes: KafkaNodes, which: int) -> None:
    assert reload(nodes, which, settings_of(nodes, which).trust) == [(pod_of(which), REPLICATION)]


@pytest.mark.every_kafka
@EVERY_NODE
def test_a_client_that_may_not_reload_is_refused_for_good(nodes: KafkaNodes, which: int) -> None:
    client = leaf("client", nodes.authority)
    with pytest.raises(
        ReloadImpossible, match=rf"node {pod_of(which)} .*ClusterAuthorizationFailedError \(31\)"
    ) as caught:
        reload(nodes, which, settings_of(nodes, which).trust, identity=client)
    assert "spread=restart" in caught.value.remedy


@EVERY_NODE
def test_a_client_that_is_not_trusted_gets_an_alert(nodes: KafkaNodes, another: Issued, which: int) -> None:
    with pytest.raises(KafkaUnavailable, match=f"Kafka node {pod_of(which)} .*refuses the client"):
        reload(nodes, which, settings_of(nodes, which).trust, identity=leaf("cluster-operator", another))


@EVERY_NODE
def test_a_leaf_that_cannot_be_used_never_takes_the_place_of_one_that_can(nodes: KafkaNodes, which: int) -> None:
    """A broker says so; a controller only writes it to its log."""
    good = nodes.stores.issue(which, nodes.authority)
    settings = settings_of(nodes, which).leaf
    reload(nodes, which, settings)
    eventually(lambda: presents(nodes, which, good), SECONDS)
    other = leaf("demo-kafka", nodes.authority)
    try:
        nodes.stores.put(which, other.certificate_pem, good.key_pem)
        if which in nodes.having("broker"):
            with pytest.raises(ReloadImpossible) as caught:
                reload(nodes, which, settings)
            assert "-----" not in str(caught.value)
        else:
            reload(nodes, which, settings)
            time.sleep(2)
        assert presents(nodes, which, good)
    finally:
        nodes.stores.put(which, good.certificate_pem, good.key_pem)
    reload(nodes, which, settings)
    assert presents(nodes, which, good)


@pytest.mark.parametrize("which", [1, 3], ids=["controller 1", "broker"])
def test_a_node_that_is_away_is_unavailable(nodes: KafkaNodes, which: int) -> None:
    """A controller too, though the active one would take the request."""
    nodes.stop(which)
    try:
        with pytest.raises(KafkaUnavailable, match=f"Kafka node {pod_of(which)} .*Connection refused"):
            reload(nodes, which, settings_of(nodes, which).trust)
    finally:
        nodes.start(which)
        all_up(nodes)
