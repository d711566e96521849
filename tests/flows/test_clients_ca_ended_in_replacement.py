# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flow on the clients CA was interrupted anywhere, and the CA that it began with has ended with the certificates of
users: the recovery leads to users that every broker accepts, or asks a person for what only a person can bring.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase

from ..tools.operator import certs
from ..tools.support.authorities import Authority, root
from ..tools.support.certificates import YEAR
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.flows import START
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.verification import verifies
from ..tools.support.watched_cluster import IN_USE
from .cases import DAY, Object, roles_together
from .test_ended_in_replacement import (
    Story,
    abort,
    abort_after_the_switch,
    assert_each_leads_on,
    next_elsewhere,
    next_here,
    parts_of,
    second_root,
)
from .test_recovering import LIFE
from .test_users_issued_elsewhere import elsewhere, moved, ready, requests_left, users_of


@pytest.fixture
def cluster(clients_cluster: ClientsCluster) -> ClientsCluster:
    return clients_cluster


def short_lived() -> list[Object]:
    """The cluster CA and its certificates live on."""
    *others, kafka = roles_together()
    kafka["spec"]["clusterCa"] |= {"validityDays": 3650}
    kafka["spec"]["clientsCa"] = {"validityDays": LIFE, "renewalDays": 20}
    return [*others, kafka]


def begin(cluster: ClientsCluster) -> None:
    cluster.validity = 10 * YEAR
    cluster.begin(manifests=short_lived())
    cluster.validity = None


def begin_elsewhere(cluster: ClientsCluster) -> Authority:
    begin(cluster)
    first = elsewhere(root("First", end=START + timedelta(days=LIFE)))
    moved(cluster, first)
    return first


def let_end(cluster: ClientsCluster) -> None:
    """The User Operator is away until CA and certificates have ended."""
    cluster.users_run = False
    cluster.memory.seconds += (LIFE + 10) * DAY
    cluster.look_elsewhere()
    cluster.programs.look_away()
    cluster.look_away()
    cluster.users_run = True
    cluster.memory.settle(2)


def assert_served(cluster: ClientsCluster, leaves_another: bool) -> None:
    cluster.memory.settle(3)
    brokers = [process for process in cluster.memory.kubelet.processes.values() if process.users]
    assert brokers
    for user, content in users_of(cluster).items():
        assert ready(cluster, user), user
        assert certs.load(content["user.crt"])[0].not_valid_after_utc > certs.now()
        assert {verifies(content["user.crt"], broker.users) for broker in brokers} == {True}
    assert (cluster.ready, cluster.paused, requests_left(cluster)) == (True, False, [])
    assert cluster.states[cluster.current] == IN_USE
    assert len(cluster.states) <= 1 + leaves_another
    assert certs.load(cluster.secret("demo-clients-ca-cert")["ca.crt"])[0].not_valid_after_utc > certs.now()
    assert cluster.rolls == {0}


def story_of(cluster: ClientsCluster, kept: list[Authority], run: Callable[[], object]) -> Story:
    return Story(
        cluster, kept, run, lambda: let_end(cluster), lambda leaves_another: assert_served(cluster, leaves_another)
    )


def from_here_to_here(cluster: ClientsCluster) -> Story:
    begin(cluster)
    return story_of(cluster, [], lambda: next_here(cluster))


def from_here_to_elsewhere(cluster: ClientsCluster) -> Story:
    begin(cluster)
    second = second_root()
    return story_of(cluster, [second], lambda: next_elsewhere(cluster, second))


def from_elsewhere_to_here(cluster: ClientsCluster) -> Story:
    first = begin_elsewhere(cluster)
    return story_of(cluster, [first], lambda: next_here(cluster))


def from_elsewhere_to_elsewhere(cluster: ClientsCluster) -> Story:
    first, second = begin_elsewhere(cluster), second_root()
    return story_of(cluster, [first, second], lambda: next_elsewhere(cluster, second))


def next_ca_ends_too(cluster: ClientsCluster) -> Story:
    first, second = begin_elsewhere(cluster), elsewhere(root("Second", end=START + timedelta(days=LIFE + 1)))
    return story_of(cluster, [first, second], lambda: next_elsewhere(cluster, second))


def undone_before_the_switch(cluster: ClientsCluster) -> Story:
    first, second = begin_elsewhere(cluster), second_root()
    next_elsewhere(cluster, second, Phase.TRUST)
    return story_of(cluster, [first, second], lambda: abort(cluster))


def undone_here_after_the_switch(cluster: ClientsCluster) -> Story:
    first = begin_elsewhere(cluster)
    next_here(cluster, Phase.USE)
    return story_of(cluster, [first], lambda: abort_after_the_switch(cluster, first))


#: Each with the first of the writes at which the short tests interrupt it, and what the person may have to bring.
STORIES = [
    (from_here_to_here, 2, set()),
    (from_here_to_elsewhere, 2, {"answers"}),
    (from_elsewhere_to_here, 2, {"answers", "renewed CA", "renewed issuer"}),
    (from_elsewhere_to_elsewhere, 2, {"answers", "renewed CA", "renewed issuer"}),
    (next_ca_ends_too, 2, {"answers", "renewed CA", "renewed issuer", "no next CA"}),
    (undone_before_the_switch, 2, {"answers", "renewed CA", "renewed issuer"}),
    (undone_here_after_the_switch, 2, {"answers", "renewed CA", "renewed issuer"}),
]


@pytest.mark.parametrize(("story", "numbers", "brought"), list(parts_of(STORIES)))
def test_a_recovery_leads_on_from_wherever_the_flow_was_interrupted(
    cluster: ClientsCluster,
    nodes: ReloadingNodes,
    story: Callable[[ClientsCluster], Story],
    numbers: range,
    brought: set[str],
) -> None:
    assert_each_leads_on(story(cluster), numbers, brought)
