# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The next CA has the name of the one that it replaces, and another key: as cert-manager makes its own CA again (docs/design.md, "CAs of one
name")."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import validate_path
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.support.authorities import root
from ..tools.support.flows import START
from ..tools.support.restarts import cost_of
from ..tools.support.watched_cluster import CERTIFICATES, WatchedCluster, assert_only
from .cases import Case
from .test_clients_that_never_read_again import assert_presented, assert_served, presented
from .test_kept_elsewhere import ASKED, elsewhere, moved, office, run

V0 = "CN=cluster-ca v0,O=io.strimzi"


@pytest.mark.usefixtures("uptake")
def test_keys_that_are_here_are_told_apart_by_probes(cluster: WatchedCluster) -> None:
    """It costs what every replacement costs, and clients of both CAs are served."""
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    flow.supplied, old = root("cluster-ca v0"), cluster.secret(CERTIFICATES)["ca.crt"]
    flow.finish()
    assert cluster.paid == flow.cost
    assert_only(cluster, flow.supplied.fingerprint)
    assert_presented(cluster, [(V0, V0)] * 3)
    assert_served(cluster, old)
    assert_served(cluster, cluster.secret(CERTIFICATES)["ca.crt"])
    cluster.run(Goal.RECONCILE)
    assert (cluster.writes, cluster.ready) == (0, True)


@pytest.mark.usefixtures("nodes")
def test_openssl_counts_no_link_between_two_of_one_name(cluster: WatchedCluster) -> None:
    """So a replacement in a hurry, which renews nothing first, leads on its clients of a CA that allows none below it; Go counts."""
    flow = Case(Goal.REPLACE_KEY, "at once", path_length=0).begin(cluster)
    flow.supplied, old = root("cluster-ca v0"), cluster.secret(CERTIFICATES)["ca.crt"]
    flow.finish()
    assert cluster.paid == flow.cost
    assert_served(cluster, old)
    (known,), at = parse_certificates(old), START + timedelta(seconds=cluster.memory.seconds)
    for chain in map(parse_certificates, presented(cluster).values()):
        assert [one for one in Verifier if validate_path(chain, (known,), at=at, verifier=one).valid] == [
            Verifier.JVM,
            Verifier.OPENSSL,
        ]


@pytest.mark.usefixtures("nodes")
@pytest.mark.parametrize("until", [Phase.TRUST, Phase.USE], ids=lambda phase: phase.value)
def test_a_replacement_by_a_ca_of_the_same_name_is_undone(cluster: WatchedCluster, until: Phase) -> None:
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    flow.supplied, old = root("cluster-ca v0"), cluster.current
    flow.run(last_phase=until)
    cluster.finish(Goal.ABORT)
    assert_only(cluster, old)


@pytest.mark.usefixtures("uptake")
def test_keys_that_are_elsewhere_are_told_apart_by_what_nodes_read_at_their_start(cluster: WatchedCluster) -> None:
    """A listener tells one name for both. It could not show that it has read again and refuses the old one, so nodes restart for that."""
    cluster.create()
    moved(cluster, elsewhere(root("Corporate Root")))
    supplied = elsewhere(root("Corporate Root"))
    waiting = run(cluster, Goal.REPLACE_KEY, supplied).outcome.decision
    assert (waiting.violations, waiting.done) == ((), False)
    office(cluster, supplied).work()
    cluster.finish(Goal.REPLACE_KEY, supplied, external_issuer=ASKED)
    assert cluster.paid == cost_of(Goal.REPLACE_KEY, "unlinked", reload=False)
    assert_only(cluster, supplied.fingerprint)


@pytest.mark.usefixtures("nodes")
def test_where_a_probe_tells_one_of_the_two(cluster: WatchedCluster) -> None:
    """The key of the old one is here, and that of the next one elsewhere."""
    cluster.create()
    supplied = elsewhere(root("cluster-ca v0", path_length=0))
    asked = run(cluster, Goal.REPLACE_KEY, supplied).outcome.decision
    assert (asked.violations, asked.done) == ((), False)
    office(cluster, supplied).work()
    cluster.finish(Goal.REPLACE_KEY, supplied, external_issuer=ASKED)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)
    assert_only(cluster, supplied.fingerprint)


@pytest.mark.usefixtures("nodes")
def test_a_ca_without_a_key_identifier_is_not_taken(cluster: WatchedCluster) -> None:
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    flow.supplied = root("cluster-ca v0", identifier=None)
    (violation,) = flow.run().outcome.decision.violations
    assert violation.condition is Condition.KEYS_ARE_TOLD_APART
    assert cluster.writes == 0
