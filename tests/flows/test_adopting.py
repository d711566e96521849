# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Taking over the CA of a cluster that runs already: it keeps what it has, byte for byte."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.authorities import SHAPES, Authority, below, root
from ..tools.support.restarts import Cost
from ..tools.support.watched_cluster import (
    CERTIFICATES,
    IN_USE,
    KEYS,
    UNUSED,
    WatchedCluster,
    assert_only,
    expired_name,
)

pytestmark = pytest.mark.usefixtures("uptake")
EVERY_SHAPE = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


def adopt(cluster: WatchedCluster, restarts: int = 0) -> None:
    """restarts: more than adopting takes as a rule."""
    before = cluster.secret(CERTIFICATES), cluster.secret(KEYS)
    cluster.look_away()
    cluster.finish(Goal.UPGRADE)
    assert cluster.paid == cluster.cost(Goal.UPGRADE) + Cost(restarts)
    assert (cluster.secret(CERTIFICATES), cluster.secret(KEYS)) == before
    assert cluster.issued_by_operator == []


def test_a_ca_that_the_operator_generated(cluster: WatchedCluster) -> None:
    cluster.deploy(generated=True)
    adopt(cluster)
    assert cluster.states == {cluster.current: IN_USE}
    assert cluster.kafka["spec"]["clusterCa"] == {"generateCertificateAuthority": False}


@EVERY_SHAPE
def test_a_ca_that_a_user_made(cluster: WatchedCluster, shape: Callable[[], Authority]) -> None:
    own = shape()
    cluster.store(own, cert="4", key="2")
    cluster.deploy()
    adopt(cluster)
    assert_only(cluster, own.fingerprint)


def an_unrelated_root(own: Authority) -> tuple[str, Authority]:
    return "partner.crt", root("Partner Root")


def an_unrelated_chain(own: Authority) -> tuple[str, Authority]:
    return "partner.crt", below(root("Partner Root"), "Partner CA")


def a_sibling(own: Authority) -> tuple[str, Authority]:
    return "next.crt", below(Authority(own.chain[1:], own.keys[1:]), "Kafka CA 7")


def the_root_above(own: Authority) -> tuple[str, Authority]:
    """Both validate the leaves as nodes present them; the generation tells which one is meant."""
    return "root.crt", Authority(own.chain[1:], own.keys[1:])


def a_retired_one(own: Authority) -> tuple[str, Authority]:
    old = root("Kafka CA 0")
    return expired_name(old), old


ADDITIONAL = [an_unrelated_root, an_unrelated_chain, a_sibling, the_root_above, a_retired_one]


@pytest.mark.parametrize("additional", ADDITIONAL)
def test_further_cas_stay_trusted_after_one_roll(
    cluster: WatchedCluster, additional: Callable[[Authority], tuple[str, Authority]]
) -> None:
    """Whether the running processes know them cannot be told from outside: one roll makes it so."""
    own = below(root())
    key, other = additional(own)
    cluster.store(own, {key: other.pem})
    cluster.deploy()
    adopt(cluster, restarts=1)
    assert cluster.states == {own.fingerprint: IN_USE, other.fingerprint: UNUSED}
    assert cluster.trusted == {own.fingerprint, other.fingerprint}


@pytest.mark.parametrize("additional", ADDITIONAL)
def test_further_cas_outlive_a_replacement(
    cluster: WatchedCluster, additional: Callable[[Authority], tuple[str, Authority]]
) -> None:
    own = below(root())
    key, other = additional(own)
    cluster.store(own, {key: other.pem})
    cluster.deploy()
    adopt(cluster, restarts=1)
    cluster.look_away()
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)
    assert cluster.states == {cluster.current: IN_USE, other.fingerprint: UNUSED}
    assert cluster.trusted == {cluster.current, other.fingerprint}
    assert cluster.secret(CERTIFICATES)[key] == other.pem


def test_the_ca_in_use_under_a_second_key_leaves_with_it(cluster: WatchedCluster) -> None:
    own = root()
    cluster.store(own, {"corporate.crt": own.pem})
    cluster.deploy()
    adopt(cluster)
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)
    assert "corporate.crt" not in cluster.secret(CERTIFICATES)
