# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""What must be so before anything is written: each rule says what is wrong, on which object, and what helps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.authority_preconditions import (
    authority_is_valid_now,
    authority_secrets_are_usable,
    bridge_can_be_made,
    chains_are_in_order,
    generation_is_unambiguous,
    key_matches,
    names_are_distinct,
    operator_could_renew,
    supplied_fits_the_goal,
    supplied_is_usable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.journal import in_flight
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.leaf_renewal import (
    due_leaves,
    ending_leaves,
    ends_with_its_authority,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.objects import kafka, ledger_secret
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.target import resolve
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.violations import Violation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.waivers import waivers_hold

Precondition = Callable[[Snapshot, Intent], Iterable[Violation]]

#: A Secret is limited to 1 MiB; what a flow adds at most: two chains of certificates and a UID line per pod.
SECRET_LIMIT = 1024 * 1024
_CHAIN_BYTES = 16 * 1024
_POD_BYTES = 64


def check(snapshot: Snapshot, intent: Intent) -> tuple[Violation, ...]:
    """All preconditions that do not hold, in the order in which a person would fix them."""
    return tuple(violation for rule in PRECONDITIONS for violation in rule(snapshot, intent))


def is_starting(snapshot: Snapshot) -> bool:
    """Nothing of ours is under way yet: the time to be strict about the cluster's health."""
    return not in_flight(snapshot.ledger) and not snapshot.ca.prepared and not snapshot.reconciliation.paused_by_us


def kafka_exists(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if snapshot.reconciliation.exists or intent.goal is Goal.CREATE:
        return
    neighbours = ", ".join(snapshot.reconciliation.neighbours)
    yield Violation(
        "cluster", kafka(snapshot),
        f"does not exist; the Kafka clusters in this namespace are: {neighbours}." if neighbours
        else "does not exist, and no other Kafka cluster is seen in this namespace.",
        "Check the cluster's name and namespace; only the create flow works before the Kafka resource exists.",
    )  # fmt: skip


def not_paused_by_others(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if not snapshot.reconciliation.paused or snapshot.reconciliation.paused_by_us:
        return
    yield Violation(
        "operator", kafka(snapshot), "is paused (strimzi.io/pause-reconciliation), and not by this collection.",
        "Find out who paused it and why, remove the annotation, then run the flow again.",
    )  # fmt: skip


def operator_is_working(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    state = snapshot.reconciliation
    if not state.exists or state.observed or state.paused or not is_starting(snapshot):
        return
    yield Violation(
        "operator", kafka(snapshot), "has not been reconciled by a Cluster Operator in its present form.",
        "Check that the operator runs, watches this namespace and reports no error in the resource's status.",
    )  # fmt: skip


def authority_is_user_managed(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if not snapshot.reconciliation.generated or intent.goal in (Goal.UPGRADE, Goal.DOWNGRADE):
        return
    yield Violation(
        "ownership", kafka(snapshot),
        "has a cluster CA that the operator generates (spec.clusterCa.generateCertificateAuthority).",
        "Adopt it first with the upgrade playbook; that changes no certificate.",
    )  # fmt: skip


def no_left_over_trigger(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    for trigger in snapshot.ca.triggers:
        yield Violation(
            "trigger", trigger,
            "is left over: it would start another renewal as soon as the operator manages the CA again.",
            "Remove this annotation, then run the flow again.",
        )  # fmt: skip


def ledger_is_ours(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    for problem in snapshot.ledger.problems if snapshot.ledger else ():
        yield Violation(
            "ledger", ledger_secret(snapshot), problem,
            "Somebody edited the ledger; restore the entry, or delete the Secret to adopt the cluster anew.",
        )  # fmt: skip


def target_is_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if resolve(snapshot, intent, snapshot.ledger or Ledger()).unknown:
        current = snapshot.ca.current[0].sha256 if snapshot.ca.current else "none"
        yield Violation(
            "target", kafka(snapshot), f"has no CA with the fingerprint {intent.replaces}, and never had.",
            f"The CA in use has the SHA-256 fingerprint {current}.",
        )  # fmt: skip


def cluster_is_settled(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A new rotation starts from a healthy cluster only; one in flight goes on."""
    if not is_starting(snapshot) or not _starts_something(snapshot, intent):
        return
    for pod in snapshot.pods:
        if not pod.ready or pod.terminating:
            yield Violation(
                "availability", f"Pod {snapshot.namespace}/{pod.name}", "is not ready.",
                "Bring the cluster to health first; a flow in progress would go on, a new one does not start.",
            )  # fmt: skip


def _starts_something(snapshot: Snapshot, intent: Intent) -> bool:
    ledger = snapshot.ledger or Ledger()
    if intent.goal is Goal.RENEW_LEAVES:
        return bool(due_leaves(snapshot, intent, ledger))
    rotating = intent.goal in (Goal.RENEW, Goal.REPLACE_KEY) and resolve(snapshot, intent, ledger).wanted
    return intent.goal is Goal.DOWNGRADE or rotating


def leaves_can_be_renewed(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Under the same CA a leaf cannot outlive it."""
    if in_flight(snapshot.ledger):
        return
    for leaf in ending_leaves(snapshot, intent):
        if leaf.chain and ends_with_its_authority(leaf.chain[0], snapshot.ca.current[0]):
            yield Violation(
                "expiry", f"Secret {snapshot.namespace}/{leaf.secret}",
                f"holds a certificate that ends on {leaf.chain[0].not_after:%Y-%m-%d}, as its CA does.",
                "Renew the CA with the renew playbook; that renews the certificates as well.",
            )  # fmt: skip


def ready_to_hand_back(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if intent.goal is not Goal.DOWNGRADE or snapshot.ledger is None or snapshot.reconciliation.generated:
        return
    unfinished = in_flight(snapshot.ledger)
    removing = any(removed.awaiting for removed in snapshot.ledger.removed)
    if (unfinished and unfinished.goal is not Goal.DOWNGRADE) or snapshot.ca.prepared or removing:
        yield Violation(
            "hand-over", ledger_secret(snapshot), "records a rotation that has not finished.",
            "Finish it by running its playbook again, then hand the cluster back.",
        )  # fmt: skip
    for entry in snapshot.ledger.entries:
        current = bool(snapshot.ca.current) and entry.fingerprint == snapshot.ca.current[0].fingerprint
        if not current or (snapshot.pods and entry.state is not TrustState.TRUSTED_IN_USE_ALL and unfinished is None):
            yield Violation(
                "hand-over", ledger_secret(snapshot),
                f"holds {entry.certificate.subject} as {entry.state.value}; only the CA in use may be left.",
                "Run the reconcile playbook, remove what is not needed, then hand the cluster back.",
            )  # fmt: skip


def secrets_have_room(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    growth = 2 * _CHAIN_BYTES + _POD_BYTES * len(snapshot.pods)
    for name, size in snapshot.sizes.items():
        if size + growth > SECRET_LIMIT and is_starting(snapshot):
            yield Violation(
                "size", f"Secret {snapshot.namespace}/{name}",
                f"holds {size} bytes; a flow may add {growth}, and Kubernetes allows {SECRET_LIMIT}.",
                "Move entries that do not belong to the cluster CA elsewhere.",
            )  # fmt: skip


PRECONDITIONS: tuple[Precondition, ...] = (
    kafka_exists,
    not_paused_by_others,
    operator_is_working,
    authority_is_user_managed,
    no_left_over_trigger,
    ledger_is_ours,
    authority_secrets_are_usable,
    key_matches,
    chains_are_in_order,
    authority_is_valid_now,
    names_are_distinct,
    supplied_is_usable,
    supplied_fits_the_goal,
    bridge_can_be_made,
    target_is_known,
    generation_is_unambiguous,
    cluster_is_settled,
    leaves_can_be_renewed,
    operator_could_renew,
    ready_to_hand_back,
    secrets_have_room,
    waivers_hold,
)
