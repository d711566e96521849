# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA that the caller brings: a root, or an intermediate with everything above it in one chain."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.authorities import SHAPES, Authority
from ..tools.support.watched_cluster import CERTIFICATES, WatchedCluster, assert_only

pytestmark = pytest.mark.usefixtures("uptake")
EVERY_SHAPE = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


@EVERY_SHAPE
def test_a_cluster_is_created_with_it(cluster: WatchedCluster, shape: Callable[[], Authority]) -> None:
    supplied = shape()
    cluster.create(supplied)
    assert cluster.rolls == {0}
    assert cluster.secret(CERTIFICATES)["ca.crt"] == supplied.pem
    assert_only(cluster, supplied.fingerprint)


@EVERY_SHAPE
def test_a_supplied_ca_takes_the_place_of_a_generated_root(
    cluster: WatchedCluster, shape: Callable[[], Authority]
) -> None:
    cluster.create()
    supplied = shape()
    cluster.finish(Goal.REPLACE_KEY, supplied)
    rooted = shape is SHAPES["root"]
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "" if rooted else "unlinked")
    assert cluster.secret(CERTIFICATES)["ca.crt"] == supplied.pem
    assert_only(cluster, supplied.fingerprint)
