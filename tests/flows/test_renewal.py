# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A supplied CA is renewed: the same key in another certificate, whichever issuer signed it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.authorities import SHAPES, Authority, below, renewed, root, under
from ..tools.support.watched_cluster import CERTIFICATES, WatchedCluster, assert_only

EVERY_SHAPE = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
pytestmark = pytest.mark.usefixtures("uptake")


@EVERY_SHAPE
def test_by_a_supplied_certificate(cluster: WatchedCluster, shape: Callable[[], Authority]) -> None:
    old = shape()
    cluster.create(old)
    new = renewed(old)
    cluster.finish(Goal.RENEW, new)
    assert cluster.paid == cluster.cost(Goal.RENEW)
    assert cluster.secret(CERTIFICATES)["ca.crt"] == new.pem
    assert_only(cluster, new.fingerprint, twins={old.fingerprint})


def test_an_intermediate_moves_below_another_root_with_its_key(cluster: WatchedCluster) -> None:
    """The certificates presented with the leaf do not matter where the CA itself is the anchor."""
    old = below(root("Corporate Root 1"))
    cluster.create(old)
    new = under(root("Corporate Root 2"), old)
    cluster.finish(Goal.RENEW, new)
    assert cluster.paid == cluster.cost(Goal.RENEW)
    assert_only(cluster, new.fingerprint, twins={old.fingerprint})


def test_a_supplied_root_by_its_own_key(cluster: WatchedCluster) -> None:
    old = root()
    cluster.create(old)
    cluster.finish(Goal.RENEW)
    assert cluster.paid == cluster.cost(Goal.RENEW)
    assert cluster.current != old.fingerprint
    assert_only(cluster, cluster.current, twins={old.fingerprint})


def _trusted(cluster: WatchedCluster) -> int:
    """How many CAs the operator trusts."""
    return sum(entry.endswith(".crt") for entry in cluster.secret(CERTIFICATES))


@pytest.mark.parametrize("identifier", [b"its own", None], ids=["its own", "none"])
def test_the_key_identifier_of_a_renewed_ca_stays(
    cluster: WatchedCluster, identifier: bytes | None, uptake: bool
) -> None:
    """JVMs and OpenSSL that know the one certificate look for the identifier that leaves of the other name."""
    old = root(identifier=identifier)
    cluster.create(old)
    # Leaves of a CA without one name its serial number, which the renewed one has not: until nodes present other leaves, clients
    # need both certificates.
    cluster.checker.unserved = "" if identifier else "a JVM"
    cluster.finish(Goal.RENEW)
    held = uptake and identifier is None
    assert cluster.paid == replace(cluster.cost(Goal.RENEW), pauses=1 if held else cluster.cost(Goal.RENEW).pauses)
    (new,) = parse_certificates(cluster.secret(CERTIFICATES)["ca.crt"])
    assert new.subject_key_identifier == identifier
    if held:
        # Raft clients go on presenting leaves with that serial number, and a node that restarts would refuse them without the old certificate.
        assert _trusted(cluster) == 2
        for node in ("demo-kafka-0", "demo-kafka-1"):
            cluster.restart(node)
        cluster.finish(Goal.RECONCILE)
    assert _trusted(cluster) == 1
    assert_only(cluster, new.fingerprint, twins={old.fingerprint})


@pytest.mark.parametrize("shape", ["intermediate", "two levels"])
def test_an_intermediate_cannot_renew_itself(cluster: WatchedCluster, shape: str) -> None:
    old = SHAPES[shape]()
    cluster.create(old)
    (held,) = cluster.run(Goal.RENEW).outcome.decision.violations
    assert (held.condition, cluster.writes) == (Condition.SUPPLIED_FITS_THE_GOAL, 0)
    assert_only(cluster, old.fingerprint)
