# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A link certificate beside clients of OpenSSL that read the CA from a Secret: the path length of the old CA decides."""

from __future__ import annotations

import base64

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.clients import (
    NO_OUTSIDE_OPTIONS,
    OutsideOptions,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import NamedSecret
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.restarts import Cost
from ..tools.support.watched_cluster import CERTIFICATES, WatchedCluster
from .test_link import without_exporter

NAMED = OutsideOptions((NamedSecret("kafka", "app"),))


def begin(cluster: WatchedCluster, path_length: int) -> None:
    """All nodes are JVMs; the Secret contains the CA in use."""
    cluster.path_length = path_length
    cluster.create(manifests=without_exporter())
    client_reads(cluster, cluster.secret(CERTIFICATES)["ca.crt"])
    cluster.outside = NAMED


def client_reads(cluster: WatchedCluster, trusted: bytes) -> None:
    cluster.memory.apply({
        "kind": "Secret", "metadata": {"name": "app"}, "data": {"ca.crt": base64.b64encode(trusted).decode()}
    })  # fmt: skip


def client_reads_all(cluster: WatchedCluster) -> None:
    """Every trusted CA in one entry, as an administrator makes it."""
    cluster.put("app", ca_crt=b"".join(v for k, v in cluster.secret(CERTIFICATES).items() if k.endswith(".crt")))


def held(cluster: WatchedCluster) -> set[tuple[Condition, str]]:
    decision = cluster.run(Goal.REPLACE_KEY).outcome.decision
    assert not decision.done
    return {(violation.condition, violation.subject) for violation in decision.violations}


def test_where_they_accept_it_they_are_asked_for_nothing_until_the_switch(cluster: WatchedCluster) -> None:
    begin(cluster, 1)
    assert held(cluster) == {(Condition.TRUST, "Secret kafka/app")}
    assert cluster.paid == Cost(1)
    assert cluster.issuers() == {"CN=cluster-ca v1,O=io.strimzi"}
    client_reads_all(cluster)
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)


def test_where_they_would_refuse_it_they_have_to_know_the_new_ca_before_it_is_used(cluster: WatchedCluster) -> None:
    begin(cluster, 0)
    assert held(cluster) == {(Condition.TRUST, "Secret kafka/app")}
    assert cluster.paid == Cost(1, pauses=2)
    client_reads_all(cluster)
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "renewed first")


def test_a_client_that_has_read_the_renewed_ca_in_use_accepts_the_link(cluster: WatchedCluster) -> None:
    """Its owner brings the renewed certificate, and nothing of the next CA."""
    begin(cluster, 0)
    assert held(cluster) == {(Condition.TRUST, "Secret kafka/app")}
    cluster.put("app", ca_crt=cluster.secret(CERTIFICATES)["ca.crt"])
    cluster.run(Goal.REPLACE_KEY)
    assert cluster.paid == Cost(2, pauses=2)
    assert cluster.issuers() == {"CN=cluster-ca v1,O=io.strimzi"}


def test_outside_clients_that_are_not_named_are_not_known(cluster: WatchedCluster) -> None:
    """The negative control: it is the Secret that keeps the link from being used."""
    begin(cluster, 0)
    cluster.outside = NO_OUTSIDE_OPTIONS
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "renewed first")
