# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The processes that present, that verify and that can show what they trust, by the security between processes
(``ClusterSecurity``).
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.parties import (
    find_trust_doubts,
    pods_trusting_removed,
    present_pods,
    surely_trusted_by,
    unanswered,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import (
    has_listeners_alone,
    presenting_pods,
    verifying,
    why_trust_is_unknown,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import GATES
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.verifiers import verifying_parties
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.update import update_ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import FormerLeaf, RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.security import MUTUAL_TLS, ClusterSecurity
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ..authorities import NEW, OLD
from ..builders import answering, cluster, secrets
from ..ledgers import a_journal, entry, ledger
from ..nodes import PODS, a_leaf, a_pod, leaves, pods, uids_of
from ..of_users import users

ONE_WAY, PLAIN = ClusterSecurity(verifies_clients=False), ClusterSecurity(False, False)
UNKNOWN = ClusterSecurity(problem="is not known.")
EACH = pytest.mark.parametrize("security", [MUTUAL_TLS, ONE_WAY, PLAIN], ids=["mutual", "one-way", "plain"])
#: The CA before the one in use was removed while all pods ran.
REMOVED = RemovedEntry(OLD.certificate, uids_of())


def after_removal(security: ClusterSecurity, **fields: object) -> Snapshot:
    known = replace(
        ledger(entry(NEW, awaited_pods=frozenset()), removed_cas=(REMOVED,)), journal=fields.pop("journal", None)
    )
    return cluster(security=security, ca=secrets(NEW), ledger=known, leaves=leaves(NEW), **fields)


@pytest.mark.parametrize(
    ("security", "serving", "client"),
    [(MUTUAL_TLS, True, True), (ONE_WAY, True, False), (PLAIN, False, False)],
)
def test_who_presents(security: ClusterSecurity, serving: bool, client: bool) -> None:
    assert (security.presents(serves=True), security.presents(serves=False)) == (serving, client)


@pytest.mark.parametrize(
    ("security", "may_ask", "shows"),
    [(MUTUAL_TLS, True, True), (ONE_WAY, True, False), (PLAIN, False, False), (UNKNOWN, False, False)],
)
def test_what_a_look_may_ask_and_what_it_shows(security: ClusterSecurity, may_ask: bool, shows: bool) -> None:
    assert (security.may_ask, security.shows_trust) == (may_ask, shows)


@EACH
def test_no_process_verifies_without_tls(security: ClusterSecurity) -> None:
    seen = cluster(security=security)
    names = [f"pod {pod}" for pod in PODS]
    assert [party.name for party in verifying_parties(seen, seen.ledger_or_empty)] == (
        [*names, "the Cluster Operator"] if security.has_tls else []
    )
    assert bool(verifying(seen)) is bool(seen.uids - seen.reached_whole) is security.has_tls
    assert has_listeners_alone(seen) is not security.has_tls


@EACH
def test_listeners_for_users_verify_in_each_combination(security: ClusterSecurity) -> None:
    seen = cluster(security=security, users=users(), pods=pods_of_users())
    assert verifying(seen) == seen.nodes.pods
    assert seen.shows_trust
    assert not has_listeners_alone(seen)


def pods_of_users() -> tuple[object, ...]:
    return tuple(replace(pod, verifies_only=True) for pod in pods())


@EACH
def test_a_listener_that_asks_for_no_certificate_leaves_trust_to_what_a_pod_has_read(security: ClusterSecurity) -> None:
    """It has answered, and says nothing about CAs: that is unknown only where it would have said it."""
    seen = answering(cluster(security=security))
    known = seen.ledger_or_empty
    shown = [surely_trusted_by(pod, seen, known) for pod in seen.nodes.pods]
    assert shown == [() if security == MUTUAL_TLS else (OLD.certificate,)] * 3
    assert bool(find_trust_doubts(seen, known)) is (security == MUTUAL_TLS)
    assert bool(why_trust_is_unknown(OLD.certificate, seen)) is not security.shows_trust
    assert unanswered(seen) == ()


@EACH
def test_a_removed_ca_is_forgotten_by_answers_by_a_restart_or_at_once(security: ClusterSecurity) -> None:
    refusing = answering(
        after_removal(security), accepting={NEW.certificate.fingerprint}, refusing={OLD.certificate.fingerprint}
    )
    assert pods_trusting_removed(REMOVED, refusing) == (uids_of() if security == ONE_WAY else frozenset())
    found = update_ledger(refusing, Intent(Goal.RECONCILE), GATES)[0]
    left = {MUTUAL_TLS: (frozenset(), uids_of()), ONE_WAY: (uids_of(), frozenset()), PLAIN: None}[security]
    assert [(one.awaited_pods, one.lingering_pods) for one in found.removed_cas] == ([left] if left else [])


def test_a_patient_flow_leaves_it_to_the_next_restart_of_each_node() -> None:
    journal = a_journal(goal=Goal.REPLACE_KEY, retire=Retire.WHEN_RESTARTED, successor=NEW.certificate.fingerprint)
    seen = answering(after_removal(ONE_WAY, journal=journal))
    (left,) = update_ledger(seen, Intent(Goal.RECONCILE), GATES)[0].removed_cas
    assert (left.awaited_pods, left.lingering_pods) == (frozenset(), uids_of())


@EACH
def test_nothing_in_a_node_but_its_listeners_holds_a_leaf_without_tls(security: ClusterSecurity) -> None:
    former = FormerLeaf(a_leaf(issuer=OLD).chain[0], uids_of(PODS[0]))  # type: ignore[index]
    seen = cluster(security=security, ledger=ledger(entry(OLD), former_leaves=(former,)), leaves=leaves(OLD))
    other = replace(seen, leaves=replace(seen.leaves, stored=leaves(NEW)))
    found = update_ledger(answering(other), Intent(Goal.RECONCILE), GATES)[0]
    assert [one.lingering_pods for one in found.former_leaves] == ([uids_of(PODS[0])] if security.has_tls else [])


def test_a_pod_that_presents_nothing_counts_for_what_is_stored() -> None:
    silent = a_pod(presents_stored=False, generation=None, presents_nothing=True)
    seen = cluster(pods=(silent,), leaves=leaves(NEW), ledger=ledger(entry(OLD), entry(NEW)))
    ((presented),) = present_pods(seen, seen.ledger_or_empty)
    assert (presented.authorities, presenting_pods(seen)) == (frozenset({NEW.certificate.fingerprint}), ())
    assert unanswered(seen.with_nodes(listeners=())) == (), "no run asks it"
