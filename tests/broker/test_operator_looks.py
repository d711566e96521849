"""The operator double sees partitions and quorum as they are: what it restarts nodes by."""

from __future__ import annotations

import pytest

from ..tools.cluster.tls import client_context
from ..tools.operator.live import ask
from ..tools.operator.safety import State, refusals
from .clients import LIBRARY_READS_ITS_FILES, admin_of, eventually, nodes_are_back
from .nodes import NODES, KafkaNodes

pytestmark = pytest.mark.filterwarnings(LIBRARY_READS_ITS_FILES)


def look(kafka: KafkaNodes, node: int = 0) -> State:
    host, port = kafka.bootstrap[node].split(":")
    own = kafka.operator
    context = client_context(kafka.authority.certificate_pem, own.certificate_pem, own.key_pem)
    return ask("127.0.0.1", int(port), host, context)


def test_a_healthy_cluster_lets_every_node_go(kafka: KafkaNodes) -> None:
    found = look(kafka)
    assert found.leader in NODES
    assert set(found.caught_up) == set(NODES)
    (orders,) = [one for one in found.partitions if one.name == "orders-0"]
    assert (orders.replicas, orders.in_sync) == (frozenset(NODES), frozenset(NODES))
    assert [list(refusals(node, found, 2)) for node in NODES] == [[]] * 3


def test_while_a_node_is_down_no_other_may_go(kafka: KafkaNodes) -> None:
    kafka.stop(2)
    try:
        eventually(lambda: all(list(refusals(node, look(kafka), 2)) for node in (0, 1)))
        (orders,) = [one for one in look(kafka).partitions if one.name == "orders-0"]
        assert orders.in_sync == {0, 1}
    finally:
        kafka.start(2)
    with admin_of(kafka) as admin:
        eventually(lambda: nodes_are_back(admin))
    assert [list(refusals(node, look(kafka), 2)) for node in NODES] == [[]] * 3
