# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key of the CA is kept elsewhere, and the CA has ended with the certificates of running nodes: its issuer signs nothing more under it, and renews it. The
recovery takes the renewed CA, has the issuer sign the next certificates under it, and restarts the nodes once.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import (
    CertManagerCertificates,
    CertManagerIssuer,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.operator import certs
from ..tools.support.authorities import Authority, renewed, root
from ..tools.support.cert_manager_certificates import MemoryCertificates
from ..tools.support.certificates import Entity
from ..tools.support.flows import START
from ..tools.support.killing import ForkingTransport
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.verification import refused_by_a_client, verifies
from ..tools.support.watched_cluster import CERTIFICATES, WatchedCluster, assert_only
from .cases import DAY, Layout, roles_apart, roles_together
from .test_ca_source import wants
from .test_ended_together import entries_of, presented_by
from .test_kept_elsewhere import ASKED, elsewhere, issuing_secrets, moved, office
from .test_recovering import LIFE, NODES, assert_healthy, lasting
from .test_renewed_by_issuer import ASKED as ASKED_OF_CERTIFICATES


def corporate(end: timedelta = timedelta(days=LIFE), *, outlives_rewriting: bool = False) -> Authority:
    return elsewhere(root("Corporate Root", end=START + end, outlives_rewriting=outlives_rewriting))


def let_end(cluster: WatchedCluster) -> None:
    """The operator is away until CA and certificates have ended; when it is back, it can issue nothing."""
    cluster.memory.operator_runs = False
    cluster.memory.seconds += (LIFE + 10) * DAY
    cluster.look_elsewhere()
    cluster.look_away()
    cluster.memory.operator_runs = True
    cluster.memory.settle(2)


def end_elsewhere(cluster: WatchedCluster, layout: Layout = roles_together) -> Authority:
    """The CA, which has ended with the certificates of all nodes, as its issuer has renewed it."""
    cluster.create(manifests=lasting(layout))
    first = corporate()
    moved(cluster, first)
    let_end(cluster)
    return elsewhere(renewed(first))


def decided(
    cluster: WatchedCluster, supplied: Authority | None = None, goal: Goal = Goal.RECOVER, **asked: object
) -> Decision:
    return cluster.run(goal, supplied, **{"external_issuer": ASKED, "in_one_call": True, **asked}).outcome.decision


def assert_untouched(cluster: WatchedCluster) -> None:
    assert (cluster.counts(), cluster.paused) == (dict.fromkeys(cluster.counts(), 0), False)


def clock(cluster: WatchedCluster) -> datetime:
    """Certificates begin a minute before they are made, as those of most issuers do."""
    return START + timedelta(seconds=cluster.memory.seconds) - timedelta(minutes=1)


def playbooks_in(decision: Decision) -> set[str]:
    told = " ".join((*map(str, decision.violations), *decision.waiting))
    return set(re.findall(r"(\w+) playbook|\((abort)\)", told))


@pytest.mark.parametrize("layout", [roles_together, roles_apart])
def test_the_renewed_certificate_brings_the_nodes_back(
    cluster: WatchedCluster, nodes: ReloadingNodes, layout: Layout
) -> None:
    """Without it every flow names the recovery with it. With it the first call requests the next certificates and ends, the next call goes on with these."""
    again, before = end_elsewhere(cluster, layout), cluster.current
    every = sorted(cluster.counts())
    for goal in (Goal.RECOVER, Goal.RENEW, Goal.RECONCILE, Goal.REPLACE_KEY):
        (held,) = decided(cluster, goal=goal).violations
        assert re.findall(r"(\w+) playbook", held.remedy) == ["recover"]
        assert "strimzi_certificate" in held.remedy
    assert cluster.writes == 0
    waiting = decided(cluster, again)
    assert (waiting.violations, waiting.done, playbooks_in(waiting)) == ((), False, set())
    assert_untouched(cluster)
    assert set(every) <= {name for _secret, name in office(cluster, again).requests()}
    assert decided(cluster).waiting == waiting.waiting
    assert cluster.writes == 0
    office(cluster, again).work()
    known: list[str] = []

    def check(pod: str) -> None:
        for chain in presented_by(cluster, pod) if nodes.signals else ():
            assert verifies(chain, cluster.secret(CERTIFICATES)["ca.crt"], jvm=False)
            assert refused_by_a_client(chain, entries_of(cluster)) == ""
            known.append(pod)

    nodes.after = check
    assert decided(cluster).done
    assert set(known) >= set(every)
    assert sorted(nodes.signals) == [(node, "TERM") for node in every]
    cluster.memory.settle(3)
    assert (cluster.counts(), cluster.ready, cluster.paused) == (dict.fromkeys(every, 1), True, False)
    assert_only(cluster, again.fingerprint, twins={before})
    assert issuing_secrets(cluster) == []
    for supplied in (None, again):
        assert decided(cluster, supplied).done
        assert cluster.writes == 0


#: The writes at which a short test kills the run, and those of the long tests, which are all of them together.
WRITES = [
    pytest.param(range(3, 1000, 18), id="every 18th from 3 on"),
    *(pytest.param(range(n, 1000, 6), id=f"every 6th from {n} on", marks=pytest.mark.long) for n in range(1, 7)),
]


@pytest.mark.parametrize("writes", WRITES)
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_killed_run_is_finished_by_the_next(
    cluster: WatchedCluster, nodes: ReloadingNodes, writes: range, after: bool
) -> None:
    """Whether it was killed before or after the issuer's answers; nodes restart once."""
    again = end_elsewhere(cluster)
    signing, usual = office(cluster, again), cluster.permitted

    def run() -> None:
        decided(cluster, again)
        signing.work()
        decided(cluster, again)

    def go_on() -> None:
        cluster.permitted = usual
        run()
        assert_healthy(cluster)
        assert sorted(nodes.signals) == [(node, "TERM") for node in NODES]
        assert (cluster.current, set(cluster.states)) == (again.fingerprint, {again.fingerprint})

    transport = cluster.permitted = ForkingTransport(cluster.memory.api, writes, after)
    assert transport.kill_copies(run, go_on)


def test_a_run_that_waits_for_the_issuer_goes_on_when_it_answers(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    """Within one call; the operator is not paused while the issuer is waited for."""
    again = end_elsewhere(cluster)
    signing, paused = office(cluster, again), list[bool]()

    def work() -> None:
        if signing.requests():
            paused.append(cluster.paused)
            signing.work()

    cluster.memory.neighbours.append(work)
    until = START + timedelta(seconds=cluster.memory.seconds + 600)
    assert decided(cluster, again, issuer_deadline=until).done
    assert set(paused) == {False}
    assert_healthy(cluster)


def test_a_source_with_the_renewed_ca_brings_the_nodes_back(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    again = end_elsewhere(cluster)
    wants(cluster, renewed(again))
    (held,) = decided(cluster, goal=Goal.RENEW).violations
    assert held.condition is Condition.LEAVES_IN_USE_ARE_VALID
    wants(cluster, again)
    assert len(decided(cluster).waiting) > 0
    assert_untouched(cluster)
    office(cluster, again).work()
    assert decided(cluster).done
    assert_healthy(cluster)
    assert cluster.current == again.fingerprint


def test_a_source_without_the_renewed_ca_is_to_get_it(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    cluster.create(manifests=lasting())
    first = corporate()
    moved(cluster, first)
    wants(cluster, first)
    let_end(cluster)
    for goal in (Goal.RECOVER, Goal.RENEW):
        told = decided(cluster, goal=goal)
        assert "put" in " ".join(one.remedy.lower() for one in told.violations)
        assert playbooks_in(told) <= {"recover", ("recover", "")}
    assert_untouched(cluster)


def test_a_renewal_that_stops_for_an_approval_is_continued_by_the_recovery_alone(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    cluster.create(manifests=lasting())
    first = corporate()
    moved(cluster, first)
    again = elsewhere(renewed(first))
    cluster.run(Goal.RENEW, again, external_issuer=ASKED, stop_after=Phase.PREPARE, last_phase=Phase.PREPARE)
    let_end(cluster)
    (held,) = decided(cluster).violations
    assert held.condition is Condition.NOT_STOPPED
    assert "strimzi_continue_stopped" in held.remedy
    assert_untouched(cluster)
    assert decided(cluster, continue_stopped=True).waiting
    office(cluster, again).work()
    assert decided(cluster, continue_stopped=True).done
    assert_healthy(cluster)
    assert cluster.current == again.fingerprint


def test_a_caller_that_stops_before_the_switch_comes_as_far_as_the_requests(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    """No node restarts before the renewed CA is in use."""
    again, before = end_elsewhere(cluster), cluster.current
    decided(cluster, again, last_phase=Phase.PREPARE)
    office(cluster, again).work()
    stopped = decided(cluster, last_phase=Phase.TRUST)
    assert (stopped.violations, cluster.current) == ((), before)
    assert stopped.pending, stopped
    assert_untouched(cluster)
    assert decided(cluster).done
    assert_healthy(cluster)


def test_another_ca_is_no_renewal_of_the_ca_that_has_ended(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    end_elsewhere(cluster)
    (held,) = decided(cluster, elsewhere(root("Another"))).violations
    assert held.condition is Condition.SUPPLIED_FITS_THE_GOAL
    assert "replace_key" not in str(held)
    assert_untouched(cluster)


def test_a_given_ca_is_ignored_where_no_ca_has_ended(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    cluster.create(manifests=lasting())
    first = corporate()
    moved(cluster, first)
    assert decided(cluster, elsewhere(renewed(first))).done
    assert (cluster.writes, cluster.current) == (0, first.fingerprint)


def test_the_plan_goes_to_the_end_when_the_answers_are_there(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    again = end_elsewhere(cluster)
    asked, work = cluster.intent(Goal.RECOVER, again, external_issuer=ASKED), cluster.work(again)
    planned = plan(work, inspect(work, asked), asked)
    assert planned.violations == ()
    assert "AskForLeaves" in [step.kind for step in planned.steps]
    decided(cluster, again)
    office(cluster, again).work()
    asked, work = cluster.intent(Goal.RECOVER, external_issuer=ASKED), cluster.work()
    planned = plan(work, inspect(work, asked), asked)
    assert sorted(name for step in planned.steps for name in step.nodes) == NODES
    assert (planned.violations, planned.waiting) == ((), ())
    assert [step.kind for step in planned.steps].count("Switch") == 1


def test_where_the_ca_alone_has_ended_the_recovery_takes_the_renewed_certificate_too(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    """Its certificates live longer than it does, and no node restarts."""
    cluster.create(manifests=lasting())
    first = corporate(timedelta(days=60))
    cluster.issuer = CertManagerCertificates(CertManagerIssuer("corporate"), validity=timedelta(days=LIFE))
    MemoryCertificates(cluster.memory.api, Entity(first.chain[0], first.keys[0]), clock=lambda: clock(cluster))
    cluster.finish(Goal.REPLACE_KEY, first, external_issuer=ASKED_OF_CERTIFICATES)
    cluster.look_away()
    cluster.memory.seconds += 61 * DAY
    (held,) = decided(cluster, external_issuer=ASKED_OF_CERTIFICATES).violations
    assert (held.condition, cluster.writes) == (Condition.SUPPLIED_FITS_THE_GOAL, 0)
    assert re.findall(r"(\w+) playbook", held.remedy) == ["renew"]
    again = elsewhere(renewed(first))
    assert decided(cluster, again, external_issuer=ASKED_OF_CERTIFICATES).done
    assert (cluster.current, nodes.signals) == (again.fingerprint, [])


def test_certificates_that_cert_manager_keeps_come_back_too(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    cluster.create(manifests=lasting())
    first = corporate()
    entity = Entity(first.chain[0], first.keys[0])
    manager = MemoryCertificates(cluster.memory.api, entity, clock=lambda: clock(cluster))
    cluster.issuer = CertManagerCertificates(CertManagerIssuer("corporate"), validity=timedelta(days=LIFE))
    asked: dict[str, Any] = {"external_issuer": ASKED_OF_CERTIFICATES}
    cluster.finish(Goal.REPLACE_KEY, first, **asked)
    let_end(cluster)
    assert cluster.memory.kubelet.ended(certs.now()) == NODES
    again = elsewhere(renewed(first))
    manager.authority = Entity(again.chain[0], again.keys[0])
    (held,) = decided(cluster, **asked).violations
    assert held.condition is Condition.SUPPLIED_FITS_THE_GOAL
    for _call in range(3):
        told = decided(cluster, again, **asked)
        print(told.waiting, [str(one) for one in told.violations])
    assert told.done
    assert_healthy(cluster)
    assert cluster.current == again.fingerprint
