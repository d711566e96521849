# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The security between the processes of a cluster (docs/operator.md, "Security between processes")."""

from __future__ import annotations

import pytest

from .operated_cluster import CLUSTER, OperatedCluster
from .releases import STRIMZI_1_2, STRIMZI_1_3, Release
from .security import MUTUAL, ONE_WAY, PLAIN, Security

NEXT = STRIMZI_1_3


def started(cluster: OperatedCluster, security: Security, release: Release = NEXT) -> OperatedCluster:
    cluster.memory.use_release(release)
    cluster.start(generated=True, security=security)
    return cluster


def reported(cluster: OperatedCluster) -> object:
    return cluster.existing("kafkas", CLUSTER)["status"].get("clusterSecurity")


@pytest.mark.parametrize("security", [MUTUAL, ONE_WAY, PLAIN], ids=str)
def test_the_status_says_it_from_the_first_reconcile_on(cluster: OperatedCluster, security: Security) -> None:
    found = started(cluster, security)
    assert found.is_ready()
    assert reported(found) == security.status


@pytest.mark.parametrize("security", [ONE_WAY, PLAIN], ids=str)
def test_secrets_and_annotations_are_made_as_ever(cluster: OperatedCluster, security: Security) -> None:
    found, usual = started(cluster, security), OperatedCluster(cluster.now)
    started(usual, MUTUAL)
    assert set(found.versions("secrets")) == set(usual.versions("secrets"))
    assert found.uids().keys() == usual.uids().keys()
    for ours, theirs in zip(found.pods(), usual.pods(), strict=True):
        assert ours["metadata"]["annotations"].keys() == theirs["metadata"]["annotations"].keys()


@pytest.mark.parametrize("security", [ONE_WAY, PLAIN], ids=str)
def test_release_1_2_knows_no_annotation(cluster: OperatedCluster, security: Security) -> None:
    assert reported(started(cluster, security, STRIMZI_1_2)) == MUTUAL.status


@pytest.mark.parametrize("after", [ONE_WAY, MUTUAL], ids=str)
def test_another_annotation_than_the_status_fails_the_reconcile(cluster: OperatedCluster, after: Security) -> None:
    found = started(cluster, PLAIN)
    found.annotate("kafkas", CLUSTER, internal_cluster_security=None if after == MUTUAL else after.annotation)
    found.step()
    assert (found.condition()["type"], found.condition()["reason"]) == ("NotReady", "InvalidResourceException")
    assert reported(found) == PLAIN.status


def test_authentication_needs_encryption(cluster: OperatedCluster) -> None:
    found = started(cluster, Security(encryption="none"))
    assert (found.condition()["type"], found.condition()["reason"]) == ("NotReady", "InvalidResourceException")
    assert reported(found) is None
