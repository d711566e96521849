# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""What must be so before anything is written: each rule says what is wrong, on which object, and what helps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import check_authority_chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.journal import in_flight
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain, PreparedAuthority, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.target import resolve
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.violations import Violation

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


def _kafka(snapshot: Snapshot) -> str:
    return f"Kafka {snapshot.namespace}/{snapshot.cluster}"


def _certificate_secret(snapshot: Snapshot) -> str:
    return f"Secret {snapshot.namespace}/{snapshot.cluster}-cluster-ca-cert"


def _key_secret(snapshot: Snapshot) -> str:
    return f"Secret {snapshot.namespace}/{snapshot.cluster}-cluster-ca"


def _ledger_secret(snapshot: Snapshot) -> str:
    return f"Secret {snapshot.namespace}/{snapshot.cluster}-cluster-ca-trusted-certs"


def kafka_exists(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if snapshot.reconciliation.exists or intent.goal is Goal.CREATE:
        return
    neighbours = ", ".join(snapshot.reconciliation.neighbours)
    yield Violation(
        "cluster", _kafka(snapshot),
        f"does not exist; the Kafka clusters in this namespace are: {neighbours}." if neighbours
        else "does not exist, and no other Kafka cluster is seen in this namespace.",
        "Check the cluster's name and namespace; only the create flow works before the Kafka resource exists.",
    )  # fmt: skip


def not_paused_by_others(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if not snapshot.reconciliation.paused or snapshot.reconciliation.paused_by_us:
        return
    yield Violation(
        "operator", _kafka(snapshot), "is paused (strimzi.io/pause-reconciliation), and not by this collection.",
        "Find out who paused it and why, remove the annotation, then run the flow again.",
    )  # fmt: skip


def operator_is_working(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    state = snapshot.reconciliation
    if not state.exists or state.observed or state.paused or not is_starting(snapshot):
        return
    yield Violation(
        "operator", _kafka(snapshot), "has not been reconciled by a Cluster Operator in its present form.",
        "Check that the operator runs, watches this namespace and reports no error in the resource's status.",
    )  # fmt: skip


def authority_is_user_managed(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if not snapshot.reconciliation.generated or intent.goal in (Goal.UPGRADE, Goal.DOWNGRADE):
        return
    yield Violation(
        "ownership", _kafka(snapshot),
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
            "ledger", _ledger_secret(snapshot), problem,
            "Somebody edited the ledger; restore the entry, or delete the Secret to adopt the cluster anew.",
        )  # fmt: skip


def authority_secrets_are_usable(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    for problem in snapshot.ca.problems:
        yield Violation(
            "authority", _certificate_secret(snapshot), problem, "Correct the entry, then run the flow again."
        )
    lost = not snapshot.ca.current and snapshot.reconciliation.exists and (snapshot.pods or snapshot.leaves)
    if lost or (not snapshot.ca.current and intent.goal is not Goal.CREATE and snapshot.reconciliation.exists):
        yield Violation(
            "authority", _certificate_secret(snapshot), "holds no ca.crt although this cluster works with a CA.",
            "Restore the Secret from a backup; a new CA in its place would not be trusted by anybody.",
        )  # fmt: skip


def key_matches(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if not snapshot.ca.current:
        return
    # Half-way through a promotion the key is already that of the prepared CA.
    good = {snapshot.ca.current[0].public_key_sha256, *(a.key for a in snapshot.ca.prepared)}
    if snapshot.ca.key is None:
        yield Violation(
            "authority", _key_secret(snapshot), "holds no usable private key under ca.key.",
            "Put the private key of ca.crt there as PKCS#8 PEM.",
        )  # fmt: skip
    elif snapshot.ca.key not in good:
        yield Violation(
            "authority", _key_secret(snapshot),
            f"holds a ca.key that is not the key of ca.crt in {snapshot.cluster}-cluster-ca-cert "
            f"({snapshot.ca.current[0].subject}).",
            "Put the matching key or certificate there; the operator cannot issue anything as it is.",
        )  # fmt: skip


def chains_are_in_order(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    chains = {"ca.crt": snapshot.ca.current, **snapshot.ca.others}
    for key, chain in chains.items():
        yield from _chain_problems(f"{_certificate_secret(snapshot)}, {key}", chain)


def _chain_problems(subject: str, chain: Chain) -> Iterator[Violation]:
    if len(chain) < 2:
        return
    for problem in check_authority_chain(chain):
        yield Violation(
            "authority", subject, problem,
            "Put the issuing CA first and the root last, and unrelated CAs under keys of their own.",
        )  # fmt: skip


def authority_is_valid_now(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if snapshot.ca.current:
        yield from _date_problems(snapshot, _certificate_secret(snapshot), snapshot.ca.current)
    for authority in snapshot.ca.prepared:
        yield from _date_problems(
            snapshot, f"{_key_secret(snapshot)}, prepared CA", authority.chain, _remove_prepared(authority)
        )


def _remove_prepared(authority: PreparedAuthority) -> str:
    entry = authority.fingerprint
    return f"Nobody uses it yet: remove {entry}.crt and {entry}.key there, then run the flow again for a new one."


#: The CA in use is at its end: too late for a rotation.
_TOO_LATE = "Peers refuse each other already; this flow cannot help any more, use Strimzi's recovery procedure."


def _date_problems(
    snapshot: Snapshot, subject: str, chain: Chain, when_expired: str = _TOO_LATE
) -> Iterator[Violation]:
    for certificate in chain:
        if certificate.not_after <= snapshot.now:
            yield Violation(
                "validity", subject, f"{certificate.subject} expired on {certificate.not_after:%Y-%m-%d %H:%M} UTC.",
                when_expired,
            )  # fmt: skip
        elif certificate.not_before > snapshot.now:
            yield Violation(
                "validity", subject,
                f"{certificate.subject} is not valid before {certificate.not_before:%Y-%m-%d %H:%M} UTC.",
                "Wait until then, or check the clock of the machine that made it and of this one.",
            )  # fmt: skip


def names_are_distinct(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    supplied = (intent.supplied.chain,) if intent.supplied else ()
    chains = [snapshot.ca.current, *snapshot.ca.others.values(), *(a.chain for a in snapshot.ca.prepared), *supplied]
    seen: dict[bytes, Certificate] = {}
    for certificate in (chain[0] for chain in chains if chain):
        other = seen.setdefault(certificate.subject_der, certificate)
        if other.public_key_sha256 != certificate.public_key_sha256:
            yield Violation(
                "name", _certificate_secret(snapshot),
                f"two CAs with different keys have the same subject {certificate.subject} "
                f"({other.sha256[:16]} and {certificate.sha256[:16]}).",
                "Give each CA key a subject of its own; verifiers look issuers up by name.",
            )  # fmt: skip


def supplied_is_usable(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if intent.supplied is None:
        return
    subject, chain = "the supplied CA", intent.supplied.chain
    yield from _chain_problems(subject, chain)
    yield from _date_problems(snapshot, subject, chain, "Supply a CA that is valid now.")
    if not chain[0].is_ca:
        yield Violation(
            "authority", subject, f"{chain[0].subject} is not a CA certificate.", "Supply a CA certificate."
        )
    if intent.supplied.key != chain[0].public_key_sha256:
        yield Violation(
            "authority", subject, f"the private key is not the key of {chain[0].subject}.",
            "Supply the key that belongs to the first certificate.",
        )  # fmt: skip


def target_is_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if resolve(snapshot, intent, snapshot.ledger or Ledger()).unknown:
        current = snapshot.ca.current[0].sha256 if snapshot.ca.current else "none"
        yield Violation(
            "target", _kafka(snapshot), f"has no CA with the fingerprint {intent.replaces}, and never had.",
            f"The CA in use has the SHA-256 fingerprint {current}.",
        )  # fmt: skip


def generation_is_unambiguous(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if snapshot.ledger is None or not snapshot.ca.current:
        return
    current = snapshot.ca.current[0]
    for entry in snapshot.ledger.entries:
        if snapshot.ca.certificate_generation in entry.generations and entry.fingerprint != current.fingerprint:
            yield Violation(
                "authority", _certificate_secret(snapshot),
                f"has another ca.crt ({current.subject}) under generation {snapshot.ca.certificate_generation}, "
                f"which meant {entry.certificate.subject}.",
                "Whoever replaced ca.crt has to raise strimzi.io/ca-cert-generation with it; restore ca.crt or do so.",
            )  # fmt: skip


def cluster_is_settled(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A new rotation starts from a healthy cluster only; one in flight goes on."""
    starting = intent.goal in (Goal.RENEW, Goal.REPLACE_KEY, Goal.DOWNGRADE) and is_starting(snapshot)
    if not starting or not (
        intent.goal is Goal.DOWNGRADE or resolve(snapshot, intent, snapshot.ledger or Ledger()).wanted
    ):
        return
    for pod in snapshot.pods:
        if not pod.ready or pod.terminating:
            yield Violation(
                "availability", f"Pod {snapshot.namespace}/{pod.name}", "is not ready.",
                "Bring the cluster to health first; a flow in progress would go on, a new one does not start.",
            )  # fmt: skip


def ready_to_hand_back(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if intent.goal is not Goal.DOWNGRADE or snapshot.ledger is None or snapshot.reconciliation.generated:
        return
    unfinished = in_flight(snapshot.ledger)
    if (unfinished and unfinished.goal is not Goal.DOWNGRADE) or snapshot.ca.prepared or snapshot.ledger.removed:
        yield Violation(
            "hand-over", _ledger_secret(snapshot), "records a rotation that has not finished.",
            "Finish it by running its playbook again, then hand the cluster back.",
        )  # fmt: skip
    for entry in snapshot.ledger.entries:
        current = bool(snapshot.ca.current) and entry.fingerprint == snapshot.ca.current[0].fingerprint
        if not current or (snapshot.pods and entry.state is not TrustState.TRUSTED_IN_USE_ALL and unfinished is None):
            yield Violation(
                "hand-over", _ledger_secret(snapshot),
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
    target_is_known,
    generation_is_unambiguous,
    cluster_is_settled,
    ready_to_hand_back,
    secrets_have_room,
)
