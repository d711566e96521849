# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real nodes without TLS among each other, and nodes that do not verify each other as clients: what handshakes show,
and what a reload reaches.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import Trust
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.direct import FETCH_TIMEOUT
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.safety import voters_caught_up

from ..tools.operator.security import ONE_WAY, PLAIN, Security
from .certificates import authority
from .clients import LIBRARY_READS_ITS_FILES, admin_of, eventually
from .listening import certificate_of, inquiry_about, look
from .nodes import COMBINED, CONTROL_PLANE, REPLICATION, USER, KafkaNodes
from .reloading import all_up, reload, settings_of
from .stores import pod_of

ROLES = {0: "controller", 1: COMBINED, 2: "broker"}
SECONDS = 30.0
pytestmark = pytest.mark.filterwarnings(LIBRARY_READS_ITS_FILES)
#: Lines in the log of a node about a handshake on a port without TLS.
STACK_TRACES = ("InvalidReceiveException", "InvalidRequestException")


@pytest.fixture(scope="module", params=[ONE_WAY, PLAIN], ids=str)
def nodes(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaNodes]:
    security: Security = request.param
    with KafkaNodes(tmp_path_factory.mktemp("security"), ROLES, security=security) as started:
        try:
            all_up(started)
        except AssertionError as problem:
            raise AssertionError(f"{problem}\n{started.log()}") from None
        yield started


def asked_ports(nodes: KafkaNodes, which: int) -> list[int]:
    """The ports that the collection asks: those with TLS (``ClusterSecurity.may_ask``)."""
    return [port for port in nodes.listeners(which) if port == USER or nodes.security.has_tls]


def presented(nodes: KafkaNodes, which: int, port: int) -> str:
    chain = look(nodes, which, port, inquiry_about([])).presented
    assert chain is not None
    return chain[0].fingerprint


def test_kafka_takes_each_client_for_a_superuser(nodes: KafkaNodes) -> None:
    """``User:ANONYMOUS`` is one: a client that may not see a topic would be refused."""
    with admin_of(nodes) as admin:
        assert voters_caught_up(admin.quorum(), FETCH_TIMEOUT) == set(nodes.having("controller"))
        assert {one.node_id for one in admin.brokers()} == set(nodes.having("broker"))
        assert isinstance(admin.topics(), tuple)


@pytest.mark.parametrize("which", ROLES, ids=["controller", "combined", "broker"])
def test_a_reload_reaches_the_leaf_of_each_listener_with_tls(nodes: KafkaNodes, which: int) -> None:
    """The request goes in plain, or by TLS without a certificate, and each node of any role takes it."""
    issued, settings = nodes.stores.issue(which, nodes.authority), settings_of(nodes, which)
    ports = asked_ports(nodes, which)
    assert bool(ports) is bool(settings.leaf)
    if not ports:
        return
    wanted = certificate_of(issued).fingerprint
    assert {presented(nodes, which, port) for port in ports} != {wanted}
    door = REPLICATION if which in nodes.having("broker") else CONTROL_PLANE
    assert reload(nodes, which, [*settings.trust, *settings.leaf])[0] == (pod_of(which), door)
    eventually(lambda: {presented(nodes, which, port) for port in ports} == {wanted}, SECONDS)


@pytest.mark.parametrize("which", ROLES, ids=["controller", "combined", "broker"])
def test_no_handshake_shows_which_cas_a_node_trusts(nodes: KafkaNodes, which: int) -> None:
    """A listener that asks for no certificate accepts each probe: the answer says nothing, and must not be taken for
    trust.
    """
    inquiry = inquiry_about([nodes.authority, authority("cluster-ca v1")])
    for port in asked_ports(nodes, which):
        seen = look(nodes, which, port, inquiry)
        assert seen.presented is not None
        assert (seen.trusts, seen.distrusts) == (frozenset(), frozenset())
        assert {verdict.trust for verdict in seen.verdicts.values()} <= {Trust.UNKNOWN}


def test_the_looks_and_requests_leave_no_stack_trace(nodes: KafkaNodes) -> None:
    """After all others. A handshake on a port without TLS does leave one, which is why it is not asked."""
    logs = [(nodes.folder / f"{which}.log") for which in ROLES]
    assert not [word for log in logs for word in STACK_TRACES if word in log.read_text()]
    if nodes.security == PLAIN:
        look(nodes, 1, REPLICATION, inquiry_about([]))
        eventually(lambda: STACK_TRACES[0] in logs[1].read_text(), SECONDS)
