# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ECDSA keys of both curves, generated and supplied, and from one to the other."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeySpec
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.operator import certs
from ..tools.support.authorities import EC256, EC384, Authority, below, renewed, root
from ..tools.support.watched_cluster import CERTIFICATES, WatchedCluster, assert_only

pytestmark = pytest.mark.usefixtures("uptake")


def curve(cluster: WatchedCluster) -> int:
    return certs.load(cluster.secret(CERTIFICATES)["ca.crt"])[0].public_key().curve.key_size


@pytest.mark.parametrize(
    ("first", "second"),
    [pytest.param(EC256, EC384, marks=pytest.mark.long), (EC384, EC256)],
    ids=["P-256 to P-384", "P-384 to P-256"],
)
def test_generated(cluster: WatchedCluster, first: KeySpec, second: KeySpec) -> None:
    cluster.ca_key = first
    cluster.create()
    assert curve(cluster) == first.size
    created = cluster.current
    cluster.ca_key = second
    cluster.finish(Goal.RENEW)
    assert curve(cluster) == first.size, "a renewal keeps the key"
    assert_only(cluster, cluster.current, twins={created})
    cluster.finish(Goal.REPLACE_KEY)
    assert curve(cluster) == second.size
    assert cluster.paid == cluster.cost(Goal.RENEW) + cluster.cost(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)


@pytest.mark.parametrize(
    ("upper", "lower"),
    [(EC256, EC384), pytest.param(EC384, EC256, marks=pytest.mark.long)],
    ids=["P-384 below P-256", "P-256 below P-384"],
)
def test_supplied(cluster: WatchedCluster, upper: KeySpec, lower: KeySpec) -> None:
    corporate = root(key=upper)
    supplied: Authority = below(corporate, key=lower)
    cluster.create()
    cluster.finish(Goal.REPLACE_KEY, supplied)
    renewal = renewed(supplied)
    cluster.finish(Goal.RENEW, renewal)
    assert curve(cluster) == lower.size
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "unlinked") + cluster.cost(Goal.RENEW)
    assert_only(cluster, renewal.fingerprint, twins={supplied.fingerprint})
