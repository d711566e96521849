# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters that have seen something: left-overs among the CAs, an expired root, a replacement that stopped half-way."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import run
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.goals import operator_has_finished

from ..tools.support.authorities import Authority, below, root
from ..tools.support.engines import without
from ..tools.support.flows import START
from ..tools.support.golden import GoldenFiles
from ..tools.support.memory_api import Change
from ..tools.support.watched_cluster import (
    CERTIFICATES,
    IN_USE,
    KEYS,
    UNUSED,
    WatchedCluster,
    assert_only,
    fingerprints,
)

pytestmark = pytest.mark.usefixtures("uptake")
BEFORE = START - timedelta(hours=1)


def expired() -> Authority:
    """The operator removes nothing from user-managed Secrets, so that it stays for ever (docs/operator.md,
    "User-managed CA").
    """
    return root("Kafka CA 0", end=BEFORE)


def no_ca() -> Authority:
    """The self-signed certificate of a server, pinned."""
    return root("partner.example.com", ca=False)


@pytest.mark.parametrize("left_over", [expired, no_ca])
def test_a_ca_that_can_issue_no_leaf_holds_no_flow(cluster: WatchedCluster, left_over: Callable[[], Authority]) -> None:
    own, other = root(), left_over()
    cluster.store(own, {"other.crt": other.pem})
    cluster.deploy()
    cluster.look_away()
    cluster.finish(Goal.UPGRADE)
    assert cluster.rolls == {1}
    cluster.look_away()
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)
    assert cluster.states == {cluster.current: IN_USE, other.fingerprint: "UNTRUSTED"}
    assert own.fingerprint not in cluster.trusted
    assert cluster.secret(CERTIFICATES)["other.crt"] == other.pem


def test_an_intermediate_survives_its_root_and_is_replaced(cluster: WatchedCluster) -> None:
    """Its own certificate is the anchor; the operator leaves the dates of the root alone too (docs/operator.md,
    "User-managed CA"). OpenSSL goes on to the root, which has ended before all of this.
    """
    cluster.checker.unserved = "an OpenSSL client"
    own, new = below(root(end=BEFORE)), below(root("Next Root"), "Kafka CA 2")
    cluster.store(own)
    cluster.deploy()
    cluster.finish(Goal.UPGRADE)
    cluster.look_away()
    cluster.finish(Goal.REPLACE_KEY, new)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "unlinked")
    assert_only(cluster, new.fingerprint)


class OperatorDies(BaseException):
    """Its process is gone: nothing catches this."""


def replaces_until(cluster: WatchedCluster, starts: int) -> None:
    """The operator replaces its CA and ends with the start of so many pods."""
    left = iter(range(starts - 1))

    def end(change: Change) -> None:
        if (change.plural, change.verb) == ("pods", "create") and next(left, None) is None:
            raise OperatorDies

    cluster.change("secrets", KEYS, {"metadata": {"annotations": {"strimzi.io/force-replace": "true"}}})
    cluster.memory.api.listeners.append(end)
    with pytest.raises(OperatorDies):
        cluster.memory.step()
    cluster.memory.api.listeners.remove(end)
    while cluster.memory.quiet_round():
        pass


@pytest.mark.parametrize("starts", [1, 4, 6])
def test_a_replacement_of_the_operator_is_waited_for(cluster: WatchedCluster, starts: int) -> None:
    """Interrupted in its first roll, between the rolls, in its second. Taken over then, the old CA would stay for good."""
    cluster.deploy(generated=True)
    old = cluster.current
    replaces_until(cluster, starts)
    assert_held(cluster)
    cluster.memory.settle(3)
    cluster.look_away()
    cluster.finish(Goal.UPGRADE)
    assert cluster.paid == cluster.cost(Goal.UPGRADE)
    assert cluster.current != old
    assert cluster.states == {cluster.current: IN_USE}
    assert old not in {fingerprint for pem in cluster.secret(CERTIFICATES).values() for fingerprint in found_in(pem)}


@pytest.mark.parametrize(("secret", "trigger"), [(KEYS, "force-replace"), (CERTIFICATES, "force-renew")])
def test_a_flow_waits_for_the_next_act_of_the_operator(cluster: WatchedCluster, secret: str, trigger: str) -> None:
    """At no point between two of its reconciles the CA can be taken over, until the operator is quiet."""
    cluster.deploy(generated=True)
    cluster.change("secrets", secret, {"metadata": {"annotations": {f"strimzi.io/{trigger}": "true"}}})
    assert_held(cluster, Condition.NO_LEFT_OVER_TRIGGER)
    cluster.memory.step()
    if trigger == "force-replace":
        assert_held(cluster)
    cluster.memory.settle(2)
    cluster.look_away()
    cluster.finish(Goal.UPGRADE)
    assert cluster.paid == cluster.cost(Goal.UPGRADE)
    assert cluster.states == {cluster.current: IN_USE}


def test_a_replacement_that_begins_at_the_moment_of_the_adoption_stays_the_operators(
    cluster: WatchedCluster, golden: GoldenFiles
) -> None:
    """It has read that it manages the CA, and writes the CA Secrets before it sees that it no longer does."""
    cluster.deploy(generated=True)
    cluster.look_elsewhere()
    old, work = cluster.current, cluster.work(transport=Crossed(cluster))
    with pytest.raises(StepError) as refused:
        run(work, Intent(Goal.UPGRADE), lambda: None)
    golden.compare_said("flows", refused.value)
    assert work.left_behind.unadopted_ca == ""
    assert cluster.kafka["spec"]["clusterCa"]["generateCertificateAuthority"] is True
    cluster.memory.settle(3)
    cluster.finish(Goal.UPGRADE)
    assert cluster.states == {cluster.current: IN_USE}
    assert old not in {fingerprint for pem in cluster.secret(CERTIFICATES).values() for fingerprint in found_in(pem)}


class Crossed:
    """An API in which the operator begins to replace its CA just before the first change of the Kafka resource's specification."""

    def __init__(self, cluster: WatchedCluster) -> None:
        self.stream, self._cluster, self._done = cluster.permitted.stream, cluster, False

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        body = deepcopy(arguments.get("body")) or {}
        if method == "PATCH" and "/kafkas/" in path and "spec" in body and not self._done:
            self._done = True
            self._cluster.change("secrets", KEYS, {"metadata": {"annotations": {"strimzi.io/force-replace": "true"}}})
            self._cluster.memory.step()
            # Its status comes later.
            del body["metadata"]["resourceVersion"]
            arguments["body"] = body
        return self._cluster.permitted.request(method, path, **arguments)


def test_without_waiting_for_it_the_old_ca_stays_for_good(cluster: WatchedCluster) -> None:
    """And every node restarts for it."""
    cluster.engine = without(operator_has_finished)
    cluster.deploy(generated=True)
    old = cluster.current
    replaces_until(cluster, 6)
    cluster.finish(Goal.UPGRADE)
    assert cluster.states == {cluster.current: IN_USE, old: UNUSED}


def assert_held(cluster: WatchedCluster, by: Condition = Condition.OPERATOR_HAS_FINISHED) -> None:
    before = cluster.kafka["spec"]
    decision = cluster.run(Goal.UPGRADE).outcome.decision
    assert [violation.condition for violation in decision.violations] == [by]
    assert (cluster.writes, cluster.kafka["spec"]) == (0, before)


def found_in(pem: bytes) -> list[str]:
    return fingerprints(pem) if pem.startswith(b"-----BEGIN CERTIFICATE") else []
