# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions of single goals: undo a flow, adopt a CA, hand it back to the operator, apply options about CAs and
link certificates, scale a node pool, and waive a client.

A waiver is the only way past an unseen outside client, a running rebalance, a clock without a comparison, and a CA from
elsewhere that breaks the key policy. Each waiver names one of them, ends, and gives a reason. A process of the cluster
itself always counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..._pki.building import DistinguishedName, authority_generation
from ..._pki.certificates import Certificate
from ..._pki.usability import chain_defects
from ..._pki.verifiers import JVM, named_verifiers
from ..ledger.journal import Obstacle, in_flight, obstacle_to_undoing
from ..ledger.target import resolve, rotation_of
from ..model.clients import LONGEST_WAIVER, Waiver
from ..model.decision import Condition, Violation
from ..model.goals import ROTATIONS, Goal
from ..model.intent import Intent
from ..model.ledger import Ledger, TrustState
from ..model.names import FLOW_NAMES, counted, listed, named
from ..model.pools import MOST_NODES
from ..model.snapshot import Pod, Snapshot
from ..rules.retire import foresee_operator_renewal
from .authority import SUPPLIED


def flow_can_be_undone(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The violation is reported once nothing is half done: a pause of the flow ends first."""
    begun, names = in_flight(snapshot.ledger), snapshot.names
    if intent.goal is not Goal.ABORT or begun is None or begun.is_abort:
        return
    obstacle = obstacle_to_undoing(snapshot, begun, snapshot.ledger_or_empty)
    if obstacle is None or snapshot.reconciliation.pause.is_ours:
        return
    subject, message, remedy = {
        Obstacle.FIRST: (
            names.ledger, "records a flow that makes the first CA: there is none to go back to.",
            "Finish it with the create playbook.",
        ),
        Obstacle.LEFT: (
            names.certificate_secret, "no longer contains the CA that was replaced: processes are about to forget it.",
            "Finish the flow with the reconcile playbook. To have that CA back, supply its certificate and key to the "
            "replace_key playbook.",
        ),
        Obstacle.KEY: (
            names.key_secret, f"contains no key of the CA that was replaced, {begun.replaces}.",
            f"Put it there as {begun.replaces}.key; or finish the flow with the reconcile playbook.",
        ),
        Obstacle.ENDED: (
            names.certificate_secret,
            f"contains the CA that was replaced, {begun.replaces}, which has ended: clients of OpenSSL and Go would "
            "refuse the nodes, and an issuer that keeps its key signs nothing more under it.",
            "Finish the flow with the reconcile playbook.",
        ),
    }[obstacle]  # fmt: skip
    yield Violation(Condition.FLOW_CAN_BE_UNDONE, subject, message, remedy)


def operator_has_finished(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The operator renews or replaces its CA in several rolls (docs/operator.md, "Sequences"), and removes the old CA
    last. If the CA were adopted before that, the old CA would look like a CA to be trusted, and would stay for good.
    The operator may renew a CA as soon as it is handed back: the ledger has to go all the same.
    """
    if not snapshot.reconciliation.generated or intent.goal is Goal.DOWNGRADE:
        return
    seen = "; ".join(_remaining_work(snapshot))
    if seen:
        yield Violation(
            Condition.OPERATOR_HAS_FINISHED, snapshot.names.kafka,
            f"has a CA that the Cluster Operator is renewing or replacing by itself: {seen}.",
            "Let it come to its end, for which it may restart every node up to three times, then run the flow again; "
            "where nothing moves, look at the operator's log.",
        )  # fmt: skip


#: The goals that adopt a CA, or go on with its name.
_KEEPING = (Goal.CREATE, Goal.UPGRADE, Goal.RECONCILE, Goal.RENEW)


def current_is_usable(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A CA that a person has put into the Secrets keeps to the rule for a supplied CA, as far as Kafka and the
    operator verify by it. A replacement is the way out.
    """
    if intent.goal not in _KEEPING or (snapshot.ledger is not None and intent.goal is not Goal.RENEW):
        return
    for certificate, defect in chain_defects(snapshot.ca.current):
        if defect.verifiers & JVM:
            name = certificate.subject or f"the CA without a name ({certificate.sha256[:16]})"
            yield Violation(
                Condition.CURRENT_IS_USABLE, f"{snapshot.names.certificate_secret}, ca.crt",
                f"{name} {defect.cause}, which {named_verifiers(defect.verifiers)} refuse.",
                f"Put a CA there {defect.wanted}; or replace it (replace_key).",
            )  # fmt: skip


def _remaining_work(snapshot: Snapshot) -> Iterator[str]:
    """The work that a rotation by the operator has left, as parts of a sentence. The operator takes a pod without an
    annotation for current, and would do nothing about it. Without pods the operator takes no old CA out.
    """
    ca = snapshot.ca
    if distrusting := [pod for pod in snapshot.nodes.pods if pod.key_generation not in (None, ca.key_generation)]:
        yield f"{_describe_waiting(distrusting)} to trust the new key"
    elif behind := [pod for pod in snapshot.nodes.pods if pod.generation not in (None, ca.certificate_generation)]:
        yield f"{_describe_waiting(behind)} to use the new certificate"
    for entry in ca.retired if snapshot.nodes.pods else ():
        yield f"{named(ca.other_entries[entry][0])} has still to leave ({entry})"


def _describe_waiting(pods: Iterable[Pod]) -> str:
    names = sorted(pod.name for pod in pods)
    return f"{counted(len(names), 'pod')} ({listed(names)}) still {'has' if len(names) == 1 else 'have'} to restart"


_REPLACE_FIRST = "Run the replace_key playbook without a certificate, then hand the cluster back."


def operator_could_renew(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The operator renews under its own name and number, whatever name the CA has, and drops the old certificate with
    the same write (docs/operator.md, "Generated CA"). If leaves name another issuer, or the issuer by another key
    identifier, they are then worthless before the first pod has restarted.
    """
    if not _hands_back(snapshot, intent) or not snapshot.ca.current:
        return
    current = snapshot.ca.current[0]
    number = authority_generation(current)
    if number is not None:
        # A lower key generation is raised first (``raise_key_generation``).
        number = max(number, snapshot.ca.key_generation)
    subject, renewed = current.subject, DistinguishedName(f"{snapshot.names.common_name} v{number}")
    if snapshot.ca.is_kept_elsewhere(current):
        yield Violation(
            Condition.OPERATOR_COULD_RENEW, snapshot.names.certificate_secret,
            f"contains the CA {subject}, whose key is kept elsewhere: the operator could issue nothing.",
            _REPLACE_FIRST,
        )  # fmt: skip
    elif subject != renewed.text:
        yield Violation(
            Condition.OPERATOR_COULD_RENEW, snapshot.names.certificate_secret,
            f"contains the CA {subject}, which the operator would renew under another name and so break every "
            "connection.",
            _REPLACE_FIRST,
        )  # fmt: skip
    elif current.subject_der != renewed.der:
        yield Violation(
            Condition.OPERATOR_COULD_RENEW, snapshot.names.certificate_secret,
            f"contains the CA {subject}, whose name the operator would write with other types of strings and so break "
            "connections of Go programs.", _REPLACE_FIRST,
        )  # fmt: skip
    elif current.identifier_in_leaves != current.usual_key_identifier:
        yield Violation(
            Condition.OPERATOR_COULD_RENEW, snapshot.names.certificate_secret,
            f"contains the CA {subject} with a subject key identifier of its own, which the operator would renew with "
            "the usual one and so break connections of JVMs and OpenSSL.",
            _REPLACE_FIRST,
        )  # fmt: skip


def operator_keeps_authority(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The operator renews a CA of its own in its time for renewal, with restarts, or makes a new key without a check of
    the trust in it: the caller has to want that.
    """
    if intent.parameters.operator_may_renew or not _hands_back(snapshot, intent):
        return
    if foretold := foresee_operator_renewal(snapshot):
        yield Violation(
            Condition.OPERATOR_KEEPS_AUTHORITY, snapshot.names.certificate_secret, foretold,
            "Run the renew playbook, which restarts nothing where nodes can read again without a restart, then hand "
            "the CA back; or leave it to the operator with operator_may_renew (strimzi_operator_may_renew).",
        )  # fmt: skip


def _hands_back(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether the operator is to get the CA."""
    return (
        intent.goal is Goal.DOWNGRADE
        and not intent.parameters.keeps_authority
        and not snapshot.reconciliation.generated
    )


def ready_to_hand_back(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if intent.goal is not Goal.DOWNGRADE or snapshot.ledger is None or snapshot.reconciliation.generated:
        return
    unfinished = in_flight(snapshot.ledger)
    removing = any(removed.awaited_pods for removed in snapshot.ledger.removed_cas)
    if unfinished or snapshot.ca.prepared or removing:
        yield Violation(
            Condition.READY_TO_HAND_BACK, snapshot.names.ledger, "records a rotation that has not finished.",
            "Finish it by running its playbook again, then hand the cluster back.",
        )  # fmt: skip
    for entry in snapshot.ledger.entries:
        current = bool(snapshot.ca.current) and entry.fingerprint == snapshot.ca.current[0].fingerprint
        presented = any(not pod.verifies_only for pod in snapshot.nodes.pods)
        if not current or (presented and entry.state is not TrustState.TRUSTED_IN_USE_ALL and unfinished is None):
            yield Violation(
                Condition.READY_TO_HAND_BACK, snapshot.names.ledger,
                f"contains {entry.certificate.subject}, which is {entry.state.meaning}; only the CA in use may be "
                "left.",
                "Run the reconcile playbook, remove CAs that are not needed, then hand the cluster back.",
            )  # fmt: skip


def authority_is_as_asked(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A supplied certificate keeps its form, and so does a CA that an earlier call has made."""
    ledger = snapshot.ledger_or_empty
    target = resolve(snapshot, intent, ledger)
    if intent.goal not in ROTATIONS or target.is_unknown:
        return
    if intent.new_ca.supplied is not None:
        remedy = "Leave {option} out, which is about a CA that is made here, or supply a CA that has it."
        if target.needs_new_ca:
            yield from _check_differences(SUPPLIED, intent.new_ca.supplied.chain[0], intent, remedy)
        return
    # If a first CA differs, it is drift. Drift holds no call.
    if target.needs_new_ca or intent.goal is Goal.CREATE:
        return
    prepared = _find_waiting(snapshot, intent, ledger)
    made = prepared or _earlier_successor(intent, ledger)
    if made is None:
        return
    is_ended = prepared is None and in_flight(ledger) is None
    again = "have it done again, with fresh_for_hours=0" if is_ended else "undo the flow (abort) and begin it again"
    yield from _check_differences(
        f"the CA {named(made)}", made, intent, f"Leave {{option}} out, or {again}.",
        f", and an earlier call has made it ({FLOW_NAMES[intent.goal]})", life=is_ended,
    )  # fmt: skip


def _find_waiting(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Certificate | None:
    """The CA before its enrolment in the ledger, if the flow that prepared it has the goal of this call. No journal
    says so yet: the ledger has at most the journal of the flow before.
    """
    waiting = (
        authority.chain[0]
        for authority in snapshot.ca.prepared
        if authority.chain and ledger.find(authority.chain[0].fingerprint) is None
    )
    keys = {certificate.public_key_sha256 for certificate in snapshot.ca.in_use}
    is_renewal = intent.goal is Goal.RENEW
    return next((certificate for certificate in waiting if (certificate.public_key_sha256 in keys) is is_renewal), None)


def _earlier_successor(intent: Intent, ledger: Ledger) -> Certificate | None:
    """The CA by which an earlier call has fulfilled this call: the successor in the flow in flight, or in the last
    flow. None if there is none, or if it is the answer to another call.
    """
    journal = ledger.journal
    if journal is None or journal.goal is not intent.goal or journal.is_abort:
        return None
    successor = ledger.find(journal.successor)
    return successor.certificate if successor else None


def _check_differences(
    subject: str, made: Certificate, intent: Intent, remedy: str, why: str = "", *, life: bool = False
) -> Iterator[Violation]:
    """The violations if a CA was made another way than the caller wants now. With ``life``, the validity counts as
    well; without, the caller may mean the validity of new leaves alone.
    """
    wishes: dict[str, str | int | None] = {
        "key_type": intent.new_ca.key_type.value if intent.new_ca.key_type else None,
        "path_length": intent.new_ca.path_length,
    }  # fmt: skip
    facts: dict[str, str | int | None] = {"key_type": made.key_name, "path_length": made.path_length}
    if life:
        wishes["validity_days"] = intent.new_ca.validity.days if intent.new_ca.validity else None
        facts["validity_days"] = (made.not_after - made.not_before).days
    for option, wanted in wishes.items():
        if wanted not in (None, facts[option]):
            has = "no path length" if facts[option] is None else f"{option}={facts[option]}"
            yield Violation(
                Condition.AUTHORITY_IS_AS_ASKED, subject, f"has {has}{why}; the task asks for {wanted}.",
                remedy.format(option=option),
            )  # fmt: skip


def link_until_is_ahead(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Nodes would lead no client on until a past time. It is often a date with the wrong year."""
    until, ledger = intent.pace.link_until, snapshot.ledger_or_empty
    if until is None or until > snapshot.now or not snapshot.sends_chains:
        return
    if resolve(snapshot, intent, ledger).needs_new_ca and rotation_of(snapshot, intent, ledger) is Goal.REPLACE_KEY:
        yield Violation(
            Condition.LINK_UNTIL_IS_AHEAD, "link_until",
            f"{until:%Y-%m-%d %H:%M:%S} UTC is over, so nodes would not lead on clients that know only the CA which is "
            "to be replaced.",
            "Give a later time, or none: nodes lead them on until that CA ends.",
        )  # fmt: skip


def pool_is_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if intent.parameters.scaling is None or intent.parameters.scaling.pool in snapshot.pools.replicas:
        return
    yield Violation(
        Condition.POOL_IS_KNOWN, snapshot.names.kafka, f"has no node pool {intent.parameters.scaling.pool}.",
        f"Its node pools are: {', '.join(sorted(snapshot.pools.replicas)) or 'none'}.",
    )  # fmt: skip


def pools_are_of_a_size(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Each wanted node costs a request for a certificate."""
    for pool, replicas in sorted(snapshot.pools.replicas.items()):
        if replicas > MOST_NODES:
            yield Violation(
                Condition.POOLS_ARE_OF_A_SIZE, f"KafkaNodePool {snapshot.names.namespace}/{pool}",
                f"asks for {replicas} nodes, and certificates are made ready for at most {MOST_NODES} of a pool.",
                "Correct its spec.replicas.",
            )  # fmt: skip


def nothing_is_begun(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A flow would request certificates of a CA on its way out."""
    scaling = intent.parameters.scaling
    if scaling is None or not snapshot.ca.in_use_elsewhere:
        return
    begun = in_flight(snapshot.ledger)
    grows = scaling.replicas > snapshot.pools.replicas.get(scaling.pool, scaling.replicas)
    if grows and (begun or snapshot.ca.prepared):
        yield Violation(
            Condition.NOTHING_IS_BEGUN, snapshot.names.kafka,
            "is in the middle of a flow that changes its CA, whose key is kept elsewhere.",
            "Finish it with the reconcile playbook, then scale.",
        )  # fmt: skip


def waivers_are_valid(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A precondition on waivers: each given waiver names no part of the cluster, has a reason, and ends neither before
    now nor too late.
    """
    for waiver in snapshot.outside_clients.waivers:
        for message, remedy in _problems(waiver, snapshot):
            yield Violation(Condition.WAIVERS_ARE_VALID, f"the waiver for {waiver.client}", message, remedy)


def _problems(waiver: Waiver, snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    ended, latest = waiver.until <= snapshot.now, snapshot.now + LONGEST_WAIVER
    if _is_of_the_cluster(waiver.client, snapshot):
        yield (
            "names a part of the cluster; only clients outside of it can be waived.",
            "Take it out; a restart brings the missing CAs to a process of the cluster.",
        )
    if not waiver.reason.strip():
        yield "has no reason.", "Give the name of the person who decided it, and why, for the audit."
    if ended:
        yield (
            f"ended on {waiver.until:%Y-%m-%d %H:%M} UTC.",
            "Bring the client to trust the new CA and take the waiver out, or decide again until when it is valid.",
        )
    if waiver.until > latest:
        yield (
            f"ends on {waiver.until:%Y-%m-%d %H:%M} UTC, more than {LONGEST_WAIVER.days} days from now.",
            f"Give a time until {latest:%Y-%m-%d %H:%M} UTC at most.",
        )


def _is_of_the_cluster(client: str, snapshot: Snapshot) -> bool:
    pods = {pod.name for pod in snapshot.nodes.pods}
    names = {f"{snapshot.names.namespace}/{pod}" for pod in pods} | pods
    # Kubernetes has no capital letters in names of pods and namespaces.
    return client == "the Cluster Operator" or client in names or client.lower() in {f"pod {name}" for name in names}
