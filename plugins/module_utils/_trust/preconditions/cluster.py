# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions on the cluster before a flow writes anything: the operator, the ledger, permissions, and the labels of
objects.

The clock of the machine with this collection dates certificates. So it has to agree with the cluster's clock
(docs/calls.md, "Clocks").
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from ..._pki.building import BACKDATED
from ..evidence.stored import waiver_of
from ..ledger.journal import describe_stop, in_flight, is_starting, may_lead_flow
from ..ledger.target import resolve
from ..model.clients import CLOCK
from ..model.decision import Condition, Violation
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.ledger import UNUSED, Ledger, TrustState
from ..model.names import first_told, label_command, listed, named
from ..model.security import HOW_TO_KNOW
from ..model.snapshot import SECRET_LIMIT, Rebalance, Snapshot
from .absence import (
    AFTER_DELETION,
    absence_of_cluster,
    absence_of_operator,
    age_of_operator,
    deletion_of,
    is_too_old,
    name_is_taken,
)

#: The most that a flow adds to a Secret: two chains of certificates, and per pod lines with its UID and leaves.
_CHAIN_BYTES = 16 * 1024
_POD_BYTES = 256
#: The greatest difference between the clocks of two machines that run flows.
CLOCKS_DIFFER = timedelta(minutes=5)


#: The states of a CA that processes use or have used.
_USED = frozenset(TrustState) - UNUSED


def cluster_exists(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """With a wrong name a flow would make a CA beside the real CA."""
    if not snapshot.reconciliation.exists and not (intent.goal is Goal.CREATE and intent.parameters.before_kafka):
        yield absence_of_cluster(snapshot.names.kafka, snapshot.reconciliation.neighbours)


_REPLACE_DELETED = (
    "A deletion cannot be taken back: find the program or person that deleted it, keep a copy, let the deletion come "
    "to its end, create it again from the copy, then run the flow again."
)


def nothing_is_in_deletion(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A deletion is final, and takes with it each later write to the object."""
    for subject, finalizers in snapshot.objects.in_deletion.items():
        yield deletion_of(subject, finalizers, AFTER_DELETION if subject == snapshot.names.kafka else _REPLACE_DELETED)


def operator_is_there(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Every flow hands work to the operator: it copies trust into the bundle, restarts nodes and confirms a pause."""
    if not snapshot.reconciliation.operator.absence or _is_being_created(snapshot, intent):
        return
    yield absence_of_operator(snapshot.names.kafka, snapshot.names.namespace, snapshot.reconciliation.operator.absence)


#: The known releases of Strimzi (docs/operator.md, "Releases"), the oldest first.
KNOWN_VERSIONS = ("0.51", "1.0", "1.1", "1.2")


def operator_is_new_enough(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The operator has a known version, or a later version: a later version holds no flow
    (``describe_unknown_operator``).
    """
    version = snapshot.reconciliation.operator.version
    if is_too_old(version):
        yield age_of_operator(snapshot.names.kafka, version)


def _is_being_created(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether the cluster gets its first CA. An earlier operator would have left its trust bundle, a status that says
    Ready, or a ledger with a CA that processes have used.
    """
    is_new = snapshot.bundle is None and not snapshot.nodes.pods and not snapshot.reconciliation.operator.is_ready
    was_used = any(entry.state in _USED for entry in snapshot.ledger_or_empty.entries)
    return intent.goal is Goal.CREATE and is_new and not was_used and is_starting(snapshot)


#: The remedy if a flow on the other CA has paused the operator.
END_OF_A_FLOW = "Wait until that flow ends. If its run was killed, run the same playbook again: it ends the pause."


def not_paused_by_others(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    pause = snapshot.reconciliation.pause
    if not pause.is_foreign:
        return
    if pause.holder:
        yield Violation(
            Condition.NOT_PAUSED_BY_OTHERS, snapshot.names.kafka, f"is paused by {pause.holder}.",
            END_OF_A_FLOW,
        )  # fmt: skip
        return
    yield Violation(
        Condition.NOT_PAUSED_BY_OTHERS, snapshot.names.kafka,
        "is paused (strimzi.io/pause-reconciliation), and not by this collection.",
        "Find the program or person that paused it, and the reason, remove the annotation, then run the flow again.",
    )  # fmt: skip


def operator_is_working(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A flow starts after the operator's reconcile of the present Kafka resource. After a pause it waits for the next
    reconcile.
    """
    if not _is_unseen(snapshot, intent) or snapshot.reconciliation.pause.is_ending:
        return
    yield Violation(
        Condition.OPERATOR_IS_WORKING, snapshot.names.kafka,
        "has not been reconciled by a Cluster Operator in its present form.",
        "Check that the operator runs, watches this namespace and reports no error in the resource's status.",
    )  # fmt: skip


def awaits_reconcile(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether a flow is about to start while the operator has yet to end its reconcile after a pause: the Kafka
    resource has changed meanwhile.
    """
    return snapshot.reconciliation.pause.is_ending and _is_unseen(snapshot, intent)


def _is_unseen(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether a flow is about to start on a Kafka resource that the operator has not reconciled in its present form."""
    state = snapshot.reconciliation
    unseen = state.exists and not state.operator.has_observed and not state.pause.is_set
    return unseen and is_starting(snapshot) and not _is_being_created(snapshot, intent)


def security_is_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The security between processes decides which of them verify certificates, and which ports a call may ask."""
    if snapshot.security.problem and snapshot.nodes.pods:
        yield Violation(
            Condition.SECURITY_IS_KNOWN, snapshot.names.kafka, snapshot.security.problem, HOW_TO_KNOW,
        )  # fmt: skip


def describe_security(snapshot: Snapshot) -> str:
    """Sentences about processes without verification on both sides, with the consequences for flows; empty if all
    verify each other, or if it is unknown.
    """
    security, kafka = snapshot.security, snapshot.names.kafka
    if snapshot.users is not None or security.shows_trust or security.problem:
        return ""
    if security.has_tls:
        return (
            f"{kafka} has processes that do not verify each other as clients (status.clusterSecurity), so its nodes do "
            "not show which CAs they trust. A process counts as trusting a CA, or as having forgotten it, once it has "
            "started since."
        )
    return (
        f"{kafka} has processes without TLS among each other (status.clusterSecurity): none of them verifies by the "
        f"{snapshot.names.ca}, and nodes present its certificates on listeners for clients alone. No process restarts "
        "for trust."
    )


def authority_is_not_foreign(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Two writers of the same Secrets would undo each other's work."""
    if not snapshot.reconciliation.foreign_type:
        return
    yield Violation(
        Condition.AUTHORITY_IS_NOT_FOREIGN, snapshot.names.kafka,
        f"has {snapshot.names.specification}.type {snapshot.reconciliation.foreign_type}, with which the operator "
        f"itself writes the Secrets of the {snapshot.names.ca}, as this collection would.",
        "Renew or replace it as Strimzi says for that type; flows are about a CA of the type strimzi.io, which it "
        "also has without the field.",
    )  # fmt: skip


def authority_is_user_managed(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    state = snapshot.reconciliation
    if not state.generated or state.foreign_type or intent.goal in (Goal.UPGRADE, Goal.DOWNGRADE):
        return
    yield Violation(
        Condition.AUTHORITY_IS_USER_MANAGED, snapshot.names.kafka,
        f"has a {snapshot.names.ca} that the operator generates "
        f"({snapshot.names.specification}.generateCertificateAuthority).",
        "Adopt it first with the upgrade playbook; that changes no certificate.",
    )  # fmt: skip


def no_left_over_trigger(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    message, remedy = (
        "is left over: the operator would act on it as soon as it manages the CA again.",
        "Remove this annotation, then run the flow again.",
    )
    if snapshot.reconciliation.generated:
        message, remedy = (
            "is set: the Cluster Operator is about to renew or replace its CA by itself.",
            "Let it come to its end, or remove this annotation, then run the flow again.",
        )
    for trigger in snapshot.ca.defects.triggers:
        yield Violation(Condition.NO_LEFT_OVER_TRIGGER, trigger, message, remedy)


def ledger_is_ours(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    for problem in snapshot.ledger_or_empty.problems:
        yield Violation(
            Condition.LEDGER_IS_OURS, snapshot.names.ledger, problem,
            f"The ledger has been edited; restore the entry, or delete {snapshot.names.ledger} to adopt the cluster "
            "again.",
        )  # fmt: skip


def ledger_is_of_the_past(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """No time of the ledger is in the future. If a flow ended in the future, it would count as fresh until then, and
    nothing would be done. If a CA was published in the future, the time for clients would begin only then.
    """
    latest = snapshot.now + CLOCKS_DIFFER
    for what, time in _times_in_ledger(snapshot.ledger_or_empty):
        if time > latest:
            yield Violation(
                Condition.LEDGER_IS_OF_THE_PAST, snapshot.names.ledger,
                f"says that {what} at {time:%Y-%m-%dT%H:%M:%SZ}, and it is {snapshot.now:%Y-%m-%dT%H:%M:%SZ}.",
                "Set the clock of this machine right, or correct the time in the ledger if the clock of an earlier "
                "run was wrong.",
            )  # fmt: skip


def _times_in_ledger(ledger: Ledger) -> Iterator[tuple[str, datetime]]:
    """The times by which flows decide, each with its event."""
    times: list[tuple[str, datetime | None]] = []
    if journal := ledger.journal:
        flow = f"a flow ({journal.goal.value})"
        times = [
            (f"{flow} began", journal.started_at),
            (f"{flow} ended", journal.finished_at),
            (f"clients could read the CA of {flow} as ca.crt", journal.read_since),
        ]
    for entry in ledger.entries:
        about = named(entry.certificate)
        times += [
            (f"{about} was published", entry.published_at),
            (f"the earlier certificate of {about} left the places that clients read", entry.cleared_at),
        ]
    return ((what, time) for what, time in times if time is not None)


def target_is_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if resolve(snapshot, intent, snapshot.ledger_or_empty).is_unknown:
        yield Violation(
            Condition.TARGET_IS_KNOWN, snapshot.names.kafka,
            f"has no CA with the fingerprint {intent.parameters.replaces}, and never had.",
            f"The CA in use has the SHA-256 fingerprint {snapshot.ca.current[0].sha256}.",
        )  # fmt: skip


def not_stopped(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Another rotation would have to finish the stopped rotation first."""
    journal = in_flight(snapshot.ledger)
    if (
        intent.goal not in (Goal.RENEW, Goal.REPLACE_KEY)
        or journal is None
        or journal.options.stop is None
        or may_lead_flow(intent, journal)
    ):
        return
    yield Violation(
        Condition.NOT_STOPPED, snapshot.names.kafka, *describe_stop(journal, journal.options.stop, snapshot.names.ca)
    )


#: The request for the restart of a node, and the way to take it back, as parts of sentences.
_ASKED_HERE = (
    "a call of this collection, which works or was killed, has requested it: strimzi.io/manual-rolling-update",
    "take the requests of a killed call back (strimzi_roll with a reason and pods: [])",
)
_ASKED_ELSEWHERE = (
    "strimzi.io/manual-rolling-update, delete-pod-and-pvc",
    "remove the annotation from the pod or its StrimziPodSet",
)


def cluster_is_settled(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A flow that issues leaves, or restarts nodes, starts from a healthy cluster only: each process has to take
    something up, and a restart beside an absent pod takes two away. A flow in flight goes on.
    """
    for pod in snapshot.nodes.pods:
        if pod.terminating:
            where = f" on worker {pod.worker}" if pod.worker else ""
            yield Violation(
                Condition.CLUSTER_IS_SETTLED, snapshot.names.pod(pod.name), f"is being terminated{where}.",
                "Wait for its end and for the pod in its place; a flow in progress would go on, a new flow does not "
                "start. If it does not end because its worker is lost, check that the worker is really off, then "
                "delete the pod.",
                command=f"kubectl delete pod {pod.name} --namespace {snapshot.names.namespace} --grace-period=0 "
                "--force",
            )  # fmt: skip
        elif not pod.ready:
            yield Violation(
                Condition.CLUSTER_IS_SETTLED, snapshot.names.pod(pod.name), "is not ready.",
                "Bring the cluster to health first; a flow in progress would go on, a new flow does not start.",
            )  # fmt: skip
        elif pod.awaits_restart:
            cause, way_out = _ASKED_HERE if pod.asked_here else _ASKED_ELSEWHERE
            yield Violation(
                Condition.CLUSTER_IS_SETTLED, snapshot.names.pod(pod.name),
                f"is about to be restarted by the operator ({cause}).",
                f"Wait until the operator has restarted it, or {way_out}; a flow in progress would go on, a new flow "
                "does not start.",
            )  # fmt: skip


def no_rebalance_is_running(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """No rebalance is running. While replicas move, they are out of sync: the restart of a node waits for them, for
    hours, or takes a partition away. A flow without restarts of nodes, and a flow in flight, go on.
    """
    for rebalance in snapshot.reconciliation.rebalances:
        if waiver_of(rebalance.label, snapshot) is None:
            doubt = rebalance.doubt
            message, remedy, command = (
                _unknown_rebalance(doubt) if doubt else _running_rebalance(rebalance, snapshot.names.namespace)
            )
            yield Violation(
                Condition.NO_REBALANCE_IS_RUNNING, rebalance.label, message,
                f"{remedy} If the restarts cannot wait, give a waiver for it.", command=command,
            )  # fmt: skip


def _running_rebalance(rebalance: Rebalance, namespace: str) -> tuple[str, str, str]:
    return (
        "is in the state Rebalancing: Cruise Control is moving partitions.",
        "Wait for its end, or stop it.",
        f"kubectl annotate kafkarebalance {rebalance.name} --namespace {namespace} strimzi.io/rebalance=stop",
    )


def _unknown_rebalance(doubt: str) -> tuple[str, str, str]:
    return (
        f"may be moving partitions: {doubt}.",
        'Let the run list KafkaRebalance resources, as the Role "looking" of docs/rbac.yml does.',
        "",
    )


def secrets_can_be_written(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """No Secret of a flow is immutable. The API would refuse the first write into such a Secret, perhaps in the middle
    of a pause.
    """
    for name in snapshot.objects.immutable_secrets:
        yield Violation(
            Condition.SECRETS_CAN_BE_WRITTEN, snapshot.names.secret(name),
            "is immutable: its data cannot be changed, and the field cannot be taken back.",
            "Put it again in one go, without the field, if the person who set it agrees, then run the flow again.",
            command=f"kubectl get secret {name} --namespace {snapshot.names.namespace} --output yaml | sed "
            "'/^immutable: true$/d' | kubectl replace --force --filename -",
        )  # fmt: skip


def secrets_have_room(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    growth = 2 * _CHAIN_BYTES + _POD_BYTES * len(snapshot.nodes.pods)
    for name, size in snapshot.objects.sizes.items():
        if size + growth > SECRET_LIMIT:
            yield Violation(
                Condition.SECRETS_HAVE_ROOM, snapshot.names.secret(name),
                f"contains {size} bytes; a flow may add {growth}, and Kubernetes allows {SECRET_LIMIT}.",
                f"Move entries that do not belong to the {snapshot.names.ca} elsewhere.",
            )  # fmt: skip


#: The least difference to the API server's clock for a warning: clocks under a time service differ by far less, and an
#: answer takes less.
NOTABLE = timedelta(minutes=1)
#: The largest difference for a write: half of the time by which certificates are dated back. If the clock of a node is
#: behind the API server's by as much as this machine's is ahead, the node still finds them valid.
LARGEST = BACKDATED / 2

_UNCOMPARED = "was compared with no other: the API server's answers have no field Date"
_HOW_TO_COMPARE = (
    "Have the proxy before the API server let that field through, or reach the API server without the proxy. Where a "
    f"time service (NTP) sets the clock of that machine, give a waiver for {CLOCK}."
)
_REMEDY = (
    "Have a time service (NTP) set the clock of that machine, or run this where the clock is right, then run the flow "
    "again."
)


def clocks_agree(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """If a clock is ahead, certificates from it begin in the future. If a clock is behind, it takes ended certificates
    for valid.
    """
    if (wrong := wrong_clock(snapshot)) is not None:
        yield wrong


def wrong_clock(snapshot: Snapshot) -> Violation | None:
    """The violation if the clock is too far from the API server's, or may be."""
    clock = snapshot.clock
    if clock.ahead is None:
        if waiver_of(CLOCK, snapshot) is not None:
            return None
        message, remedy = f"{_UNCOMPARED}, and certificates are dated by it.", _HOW_TO_COMPARE
    elif abs(clock.ahead) > LARGEST:
        message, remedy = f"is {_difference(clock.ahead)} the API server's, and certificates are dated by it.", _REMEDY
    else:
        return None
    return Violation(Condition.CLOCKS_AGREE, f"the clock of {clock.machine}", message, remedy)


def describe_clock_doubt(snapshot: Snapshot) -> tuple[str, ...]:
    """A warning about the clock, as a sentence, if it holds no flow; empty if it agrees with the API server's."""
    clock = snapshot.clock
    if clock.ahead is None:
        waived = waiver_of(CLOCK, snapshot) is not None
        return (f"The clock of {clock.machine} {_UNCOMPARED}; a waiver lets the run go on.",) if waived else ()
    if not NOTABLE < abs(clock.ahead) <= LARGEST:
        return ()
    return (
        f"The clock of {clock.machine} is {_difference(clock.ahead)} the API server's: certificates are dated by it, "
        f"and from {_seconds(LARGEST)} on nothing is written. {_REMEDY}",
    )


def describe_unknown_operator(snapshot: Snapshot) -> tuple[str, ...]:
    """A warning about an operator of another version, as a sentence; empty if its version is known, or if the resource
    does not say it.

    Another version holds no flow. A version is no evidence about trust, and no gate rests on it. Before its next step,
    each flow reads back what the operator has done, in the bundle, the Secrets and the pods. If the result is not as
    expected, the flow is held. A refusal would hold every scheduled renewal after an upgrade of the operator, until CAs
    end.
    """
    version = snapshot.reconciliation.operator.version
    if not version or any(version == release or version.startswith(f"{release}.") for release in KNOWN_VERSIONS):
        return ()
    if is_too_old(version):
        # A precondition holds each flow, and says why.
        return ()
    return (
        f"{snapshot.names.kafka} is run by Strimzi {version}, and this collection knows {listed(KNOWN_VERSIONS)}. Look "
        "for a release of the collection that knows it; until then try a flow in a test cluster, and compare its "
        "restarts with its plan.",
    )


def _difference(ahead: timedelta) -> str:
    return f"{_seconds(abs(ahead))} {'ahead of' if ahead > timedelta(0) else 'behind'}"


def _seconds(length: timedelta) -> str:
    return f"{round(length.total_seconds())} s"


def pods_are_labelled(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The operator would not restart such a pod, and a roll would count it as gone while it runs on."""
    for pod, lost in sorted(snapshot.nodes.unlabelled_pods.items()):
        yield Violation(
            Condition.PODS_ARE_LABELLED, snapshot.names.pod(pod),
            f"runs without the {_labels(lost)} by which it is found.",
            "Find the program or person that changed this, then put back what it was.",
            command=label_command("pod", pod, snapshot.names.namespace, lost),
        )  # fmt: skip


def pods_are_owned(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Any pod may have labels. This collection signs nothing for such a pod, and does not restart it. Its certificate
    and its trust are unknown.
    """
    for pod, component in sorted(snapshot.nodes.foreign_pods.items()):
        yield Violation(
            Condition.PODS_ARE_OWNED, snapshot.names.pod(pod),
            f"has the labels or the name of a pod of the component {component.value}, and no "
            f"{component.facts.workload.value} of the cluster is its owner.",
            "Where it is a process of the cluster that has lost its owner, let the Cluster Operator reconcile, or "
            "delete the pod: its owner makes it again. Where another program made it, take the label away.",
            command=f"kubectl label pod {pod} --namespace {snapshot.names.namespace} strimzi.io/cluster-",
        )  # fmt: skip


def names_are_free(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """No other owner has an object of this name. The API would refuse to create it, perhaps in the middle of a flow,
    and its content says nothing about the cluster.
    """
    yield from map(name_is_taken, snapshot.objects.taken_names)


def secrets_are_labelled(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The operator would make another Secret in its place, or stand still; and another program may have
    made the ledger.
    """
    for name, unlabelled in sorted(snapshot.objects.unlabelled_secrets.items()):
        if unlabelled.holds:
            yield Violation(
                Condition.SECRETS_ARE_LABELLED, snapshot.names.secret(name),
                f"lacks the {_labels(unlabelled.lost)}, {unlabelled.purpose}.",
                "Where it is the Secret of this cluster, put back what it had, then run the flow again.",
                command=unlabelled.command(name, snapshot.names.namespace),
            )  # fmt: skip


def unlabelled_and_read(snapshot: Snapshot) -> tuple[str, ...]:
    """The Secrets without labels, as sentences with their remedy, if no flow waits for the labels."""
    own = {
        (snapshot.names.namespace, name): unlabelled
        for name, unlabelled in snapshot.objects.unlabelled_secrets.items()
        if not unlabelled.holds
    }
    sentences = (
        f"Secret {namespace}/{name} lacks the {_labels(unlabelled.lost)}, {unlabelled.purpose}. It was read all the "
        f"same. To put back what it had: {unlabelled.command(name, namespace)}"
        for (namespace, name), unlabelled in sorted({**own, **snapshot.objects.unlabelled_of_users}.items())
    )
    return tuple(first_told(sentences, "Secret", "a run names the next when these have their labels again"))


def _labels(lost: tuple[str, ...]) -> str:
    return f"{'label' if len(lost) == 1 else 'labels'} {' and '.join(lost)}"
