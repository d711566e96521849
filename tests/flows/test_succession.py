# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA takes the place of another: between roots and intermediates, below the same root and below another one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.authorities import Authority, below, root
from ..tools.support.watched_cluster import WatchedCluster, assert_only

pytestmark = pytest.mark.usefixtures("uptake")
Pair = tuple[Authority, Authority]


def same_root() -> Pair:
    corporate = root()
    return below(corporate, "Kafka CA 1"), below(corporate, "Kafka CA 2")


def another_root() -> Pair:
    return below(root("Corporate Root 1"), "Kafka CA 1"), below(root("Corporate Root 2"), "Kafka CA 2")


def one_level_further_down() -> Pair:
    first = below(root(), "Corporate Issuing CA")
    return first, below(first, "Kafka CA 1")


def one_level_further_up() -> Pair:
    second, first = one_level_further_down()
    return first, second


def below_the_root_in_use() -> Pair:
    first = root()
    return first, below(first)


def the_root_above() -> Pair:
    first, second = below_the_root_in_use()
    return second, first


SUCCESSIONS = [
    same_root,
    another_root,
    one_level_further_down,
    one_level_further_up,
    below_the_root_in_use,
    the_root_above,
]
#: The CA in use has certified the next one's key, or can: it certifies roots, and no intermediate CAs of another root.
LINKED = (one_level_further_down, below_the_root_in_use, the_root_above)


@pytest.mark.parametrize("succession", SUCCESSIONS)
def test_the_old_one_is_gone(cluster: WatchedCluster, succession: Callable[[], Pair]) -> None:
    """Only the issuing CA itself is an anchor (docs/operator.md, "User-managed CA"): kinship above it matters to no process."""
    old, new = succession()
    cluster.create(old)
    cluster.finish(Goal.REPLACE_KEY, new)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "" if succession in LINKED else "unlinked")
    assert_only(cluster, new.fingerprint)


def test_a_generated_root_gives_way_to_an_intermediate_and_returns(cluster: WatchedCluster) -> None:
    cluster.create()
    first = cluster.current
    corporate = below(root())
    cluster.finish(Goal.REPLACE_KEY, corporate, replaces=first)
    assert_only(cluster, corporate.fingerprint)
    cluster.finish(Goal.REPLACE_KEY, replaces=corporate.fingerprint)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "unlinked") + cluster.cost(Goal.REPLACE_KEY)
    assert cluster.current not in (first, corporate.fingerprint)
    assert_only(cluster, cluster.current)
    assert cluster.issuers() == {"CN=cluster-ca v2,O=io.strimzi"}


def test_a_ca_that_was_replaced_can_come_back(cluster: WatchedCluster) -> None:
    old, new = another_root()
    cluster.create(old)
    cluster.finish(Goal.REPLACE_KEY, new, replaces=old.fingerprint)
    cluster.finish(Goal.REPLACE_KEY, old, replaces=new.fingerprint)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "unlinked") + cluster.cost(Goal.REPLACE_KEY, "unlinked")
    assert_only(cluster, old.fingerprint)
