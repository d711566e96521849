# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The violations that hold a flow which is not at its end and has nothing to do; unknown evidence holds it too (I5).

A flow waits for silent nodes where their answers could make a difference. A node may hang, or restart just now: its
answer is then unknown, and no reason to restart any node.

Sentences about what running processes still hold, where a flow only waits for their next restart, and about CAs of the
source that wait for the user while other work goes on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from ..._pki.certificates import Chain
from ..evidence.parties import describe_trust_doubts, pods_trusting_removed, presenters, unanswered
from ..evidence.stored import presenting_pods, why_not_ours
from ..gates.clients import namesakes
from ..gates.validation import verifying_parties
from ..ledger.target import wish_of
from ..model.decision import Condition, Decision, Violation
from ..model.goals import Goal, Phase
from ..model.intent import Intent, Selection
from ..model.ledger import TRUSTED_STATES, Ledger, LedgerEntry, TrustState
from ..model.names import ObjectNames, named
from ..model.nodes import Unanswered
from ..model.snapshot import Component, Snapshot
from ..model.steps.base import Step, Steps
from ..model.steps.nodes import AwaitAnswers, Reload, Resume, Roll, RollReason
from .due import find_first_ending, nears_operator_window
from .pause import is_patient, latest_restart, restarted_by_operator, resume_operators
from .requests import leaves_to_ask_for, leaves_to_await
from .situation import Situation
from .switch import with_clients_in_need


def list_holds(at: Situation) -> tuple[Violation, ...]:
    """The violations of closed gates that no step could open, and that are in the way of the phases the caller asks for."""
    retirement = _retirement(at) if at.allows(Phase.RETIRE) else ()
    held = (
        *_nobody_there(at), *_unknown_evidence(at), *_unusable_leaves(at), *_unserved(at), *_closed_trust_gates(at), *_held_switch(at), *retirement,
    )  # fmt: skip
    return (*held, *_ending_meanwhile(at)) if held else ()


def _nobody_there(at: Situation) -> Iterator[Violation]:
    """Without pods states are kept, so a flow that was begun does not come to its end."""
    if at.snapshot.nodes.pods or at.begun is None or not at.allows(Phase.TRUST):
        return
    yield Violation(
        Condition.EVIDENCE, at.snapshot.names.kafka,
        f"has no pod that verifies by the {at.snapshot.names.ca}, so nothing shows how far the flow ({at.begun.goal.value}) has come.",
        "Find out why there is none; when there are pods again, run the flow again.",
    )  # fmt: skip


def _ending_meanwhile(at: Situation) -> Iterator[Violation]:
    """Leaves that end while something holds a flow before its switch: the operator has no key to renew them with, and no issuer does."""
    if at.successor is None or not at.snapshot.ca.in_use_elsewhere:
        return
    ending = [
        leaf
        for leaf in at.snapshot.every_leaf
        if leaf.chain and nears_operator_window(leaf.chain[0], at.snapshot.window_of(leaf), at.snapshot.now)
    ]
    if first := find_first_ending(ending):
        secret, end = first
        yield Violation(
            Condition.LEAVES_CAN_BE_RENEWED, at.snapshot.names.kafka,
            f"no issuer renews certificates as long as the flow is held: {secret} ends on {end:%Y-%m-%d}, the first of {len(ending)}, and "
            "the operator, which can issue none, stands still before that.",
            "See to what holds the flow, or undo it (abort).",
        )  # fmt: skip


def describe_holds_of_retire(at: Situation) -> tuple[str, ...]:
    """Sentences that say what the phase retire waits for, where the caller stops before it."""
    return () if at.allows(Phase.RETIRE) else tuple(f"the phase retire waits: {one}" for one in _retirement(at))


def _retirement(at: Situation) -> tuple[Violation, ...]:
    """The violations that keep a CA trusted which is to leave."""
    return (*_closed_removal_gates(at), *_held_retirement(at))


def _unusable_leaves(at: Situation) -> Iterator[Violation]:
    """Stored leaves that no process could use, and leaves that are missing, unless others are on their way."""
    told = _to_be_told(at)
    yield from unusable_leaves(at.snapshot, at.ledger, told, _by_issuer(at))
    if told and at.snapshot.ca.in_use_elsewhere and at.successor is None:
        yield from at.gates.trust(at.snapshot, at.ledger, at.snapshot.ca.current)


def check_leaves_of_restarted(at: Situation, steps: Steps) -> Iterator[Violation]:
    """The leaves, missing or such that no process could use them, of the pods which these steps restart or have read
    again: other pods would have restarted by then. Where the operator has the key, it issues leaves of an earlier
    generation anew before it restarts anything.
    """
    snapshot = at.snapshot
    uids = frozenset(uid for step in steps if isinstance(step, (Roll, Reload)) for uid in step.uids)
    pods = [pod for pod in snapshot.nodes.pods if pod.uid in uids]
    behind = {leaf.secret for leaf in snapshot.leaves.stored if leaf.generation != at.generation}
    read = {name for pod in pods for name in pod.leaves} - (set() if snapshot.ca.in_use_elsewhere else behind)
    # A node has its leaf in a Secret of its own name.
    lacking = {
        name for name, component in snapshot.leaves.missing.items()
        for pod in pods if component is pod.component and (component is not Component.KAFKA or name == pod.name)
    }  # fmt: skip
    yield from unusable_leaves(snapshot, at.ledger, read | lacking, _by_issuer(at))


def unusable_leaves(snapshot: Snapshot, ledger: Ledger, told: Collection[str], by_issuer: str) -> Iterator[Violation]:
    """Name the Secrets among ``told`` that are missing, or hold a leaf that no process could use. by_issuer: the end of
    a sentence that says how an issuer replaces the leaf, where the operator can issue none.

    A process that started before goes on with its own leaf and shows no fault, but its next restart would bring it back
    with an untrusted leaf, or not at all.
    """
    names = snapshot.names
    for leaf in snapshot.leaves.stored:
        if leaf.secret in told and (why := why_not_ours(leaf, ledger)):
            yield Violation(
                Condition.LEAVES_ARE_OURS, names.secret(leaf.secret),
                f"holds no usable certificate of this cluster's CAs under {leaf.key}: {why}.",
                f"Find out who put it there{by_issuer or ', then delete this Secret: the Cluster Operator issues the certificate anew.'}",
            )  # fmt: skip
    for name in sorted(snapshot.leaves.missing):
        if name in told:
            yield Violation(
                Condition.LEAVES_ARE_OURS, names.secret(name), "is missing, although something needs its certificate.",
                f"Find out who deleted it{by_issuer}" if by_issuer else
                "The Cluster Operator issues it with its next reconcile; where it does not, have this leaf issued (state=issued).",
            )  # fmt: skip


def _by_issuer(at: Situation) -> str:
    """The end of a sentence that says how an issuer replaces a leaf; empty where the operator can issue it."""
    if at.current is None or not at.snapshot.ca.in_use_elsewhere:
        return ""
    if at.successor is None:
        return f". Another one is put in its place when every node and client trusts {named(at.current)}."
    return f", and undo the flow (abort): another certificate of {named(at.current)} is asked for then, and the run after its arrival puts it in its place."


def _to_be_told(at: Situation) -> frozenset[str]:
    """The Secrets of this call that hold a leaf which no process could use, or no leaf, and for which no other leaf is on its way."""
    found = {leaf.secret: leaf.component for leaf in at.snapshot.leaves.stored if why_not_ours(leaf, at.ledger)}
    awaited, concern = _awaited(at), at.intent.issuing.missing or Selection()
    found = {name: one for name, one in found.items() if name not in awaited or at.successor is not None}
    missing = {name: one for name, one in at.snapshot.leaves.missing.items() if name not in awaited}
    return frozenset(name for name, component in {**found, **missing}.items() if concern.has(name, component))


def _covered(at: Situation) -> frozenset[str]:
    """The Secrets that another violation names already, or whose next leaf is on its way: no second violation names the pods that have read them."""
    return _to_be_told(at).union(_awaited(at) if at.successor is None else ())


def _awaited(at: Situation) -> Collection[str]:
    """The Secrets for which leaves are requested, as long as any of these has not come back."""
    asked = leaves_to_ask_for(at)
    return asked.secrets if asked and leaves_to_await(at) else ()


def _unserved(at: Situation) -> Iterator[Violation]:
    """The presenters outside the cluster that get no certificate of any issuer."""
    if not at.snapshot.ca.in_use_elsewhere:
        return
    yield from namesakes(at.snapshot)
    for one in at.snapshot.presenters:
        if one.secret in at.intent.met.taken:
            yield Violation(
                Condition.PRESENTERS_CAN_BE_ISSUED_TO, one.name,
                f"gets no certificate: there is a Secret {one.secret} in its namespace that is not the user's, because it lacks the labels "
                f"strimzi.io/kind=KafkaUser and strimzi.io/cluster={at.snapshot.names.cluster}.",
                "Move that Secret out of the way, or give the user another name; nothing of it was changed. If it is the user's after all, give it these "
                f"labels{_by_command(at, one.secret)}.",
            )  # fmt: skip


def _by_command(at: Situation, secret: str) -> str:
    found = at.snapshot.objects.unlabelled_secrets.get(secret)
    return f": {found.command(secret, at.snapshot.names.namespace)}" if found is not None else ""


def _unknown_evidence(at: Situation) -> Iterator[Violation]:
    names, silent = at.snapshot.names, unanswered(at.snapshot)
    yield from (does_not_answer(node, names) for node in silent)
    told, covered = {node.pod for node in silent}, _covered(at)
    for pod, seen in zip(presenting_pods(at.snapshot), at.presented_by_pods, strict=True):
        if seen.authorities is None and seen.party not in told and covered.isdisjoint(pod.leaves):
            yield Violation(
                Condition.EVIDENCE, names.pod(seen.party), f"it cannot be told what it presents: {seen.why}.",
                "Find out who removed or changed this; restarting the pod through the operator renews its annotations.",
            )  # fmt: skip
    # Outside of a flow no CA of theirs leaves: an adoption changes no certificate, and what is at rest stays as it is.
    for one in presenters(at.snapshot) if at.begun is not None else ():
        if one.authorities is None:
            yield Violation(
                Condition.EVIDENCE, one.name, f"it cannot be told of which CA the certificate is that it presents: {one.why}.",
                one.remedy,
            )  # fmt: skip
    for why in describe_trust_doubts(at.snapshot, at.ledger):
        yield Violation(
            Condition.EVIDENCE, names.kafka, f"it cannot be told whom a node trusts: {why}.",
            "Find out why this node does not answer as it should, then run the flow again.",
        )  # fmt: skip
    for removed in at.ledger.removed:
        if removed.fingerprint not in at.returned and pods_trusting_removed(removed, at.snapshot):
            yield Violation(
                Condition.REMOVAL, names.kafka,
                f"some nodes may still trust the removed CA {removed.certificate.subject} "
                f"({removed.certificate.sha256[:16]}).",
                "Show the cluster to see what each of them answers; restart those that accept it, then run the flow again.",
            )  # fmt: skip


def _closed_trust_gates(at: Situation) -> Iterator[Violation]:
    for entry in at.ledger.entries if at.snapshot.nodes.pods else ():
        if _is_untrusted(at, entry):
            yield from at.gates.trust(at.snapshot, at.ledger, _first_form(at, entry))


def _closed_removal_gates(at: Situation) -> Iterator[Violation]:
    for entry in at.ledger.entries if at.snapshot.nodes.pods else ():
        leaves = entry.state is TrustState.PHASE_OUT or entry.fingerprint == at.intent.trust.leaving
        if leaves and not _is_untrusted(at, entry):
            yield from at.gates.removal(at.snapshot, at.ledger, entry.fingerprint)
    for returned in sorted(at.returned):
        yield from at.gates.removal(at.snapshot, at.ledger, returned)


def _is_untrusted(at: Situation, entry: LedgerEntry) -> bool:
    return entry.state is TrustState.UNTRUSTED and not _has_arrived(at, entry)


def _first_form(at: Situation, entry: LedgerEntry) -> Chain:
    successor = at.successor
    return successor.introduction.form if successor is not None and successor.entry == entry else entry.chain


def _held_switch(at: Situation) -> Iterator[Violation]:
    """The gates before the switch, where every process is ready for the next CA: outside clients close them, or
    something that has changed since.
    """
    successor = at.successor
    if successor is None or successor.entry.state not in TRUSTED_STATES or is_patient(at):
        return
    closed = at.gates.trust(at.snapshot, at.ledger, successor.introduction.form)
    if closed or leaves_to_await(at):
        # Without its leaves the CA is not used yet, and no party has to know it without its link certificate.
        yield from closed
        return
    yield from at.gates.trust(with_clients_in_need(at.snapshot, successor), at.ledger, successor.entry.chain)


def _held_retirement(at: Situation) -> Iterator[Violation]:
    """Parties outside the cluster that still present certificates of the CA which is being replaced."""
    replaced = at.ledger.find(at.begun.replaces) if at.begun else None
    if replaced is None or at.successor is not None:
        return
    for one in presenters(at.snapshot):
        if replaced.fingerprint in (one.authorities or ()):
            why = "; ".join(filter(None, (one.why, one.hindered)))
            yield Violation(
                Condition.REMOVAL, one.name, f"may present a certificate of {named(replaced.certificate)}: {why}.", one.remedy,
            )  # fmt: skip


def _has_arrived(at: Situation, entry: LedgerEntry) -> bool:
    """Whether every verifier has this CA, and no leaf will be issued from it here. Such a CA does not hold a flow: if
    it has expired, or is no CA, its gate would never open.
    """
    issuing = (at.snapshot.ca.current, *(prepared.chain for prepared in at.snapshot.ca.prepared))
    if any(chain[:1] == entry.chain[:1] for chain in issuing):
        return False
    return all(entry.certificate in party.anchors for party in verifying_parties(at.snapshot, at.ledger))


def wait_where_it_matters(found: Decision, assumed: Decision, snapshot: Snapshot, intent: Intent) -> Decision:
    """The decision about a cluster of which nodes have not answered.

    found: with gates closed to what is unknown. assumed: as if these nodes had answered what is stored. Where both do the same, and that
    restarts nothing and tells these nodes nothing, it does not matter what they would say. A call waits once for each of them; then their
    silence holds the flow, when a pause of ours is ended as it is with closed gates.
    """
    if found.done and assumed.done:
        return replace(found, pending=assumed.pending)
    silent = unanswered(snapshot)
    if (found.steps, found.done) == (assumed.steps, assumed.done) and not any(
        _depends_on_answers(step, snapshot, silent) for step in found.steps
    ):
        return found
    left = tuple(node for node in silent if node.uid not in intent.met.unanswered)
    if left:
        phase = next((step.phase for step in (*assumed.steps, *found.steps)), Phase.USE)
        return Decision(steps=(AwaitAnswers(nodes=left, phase=phase),))
    if snapshot.reconciliation.paused_by_us:
        return found
    return Decision(
        steps=resume_operators(snapshot), violations=tuple(does_not_answer(node, snapshot.names) for node in silent)
    )


def does_not_answer(node: Unanswered, names: ObjectNames) -> Violation:
    where = f" on worker {node.worker}" if node.worker else ""
    return Violation(
        Condition.EVIDENCE, names.pod(node.pod), f"does not answer{where}: {node.why}.",
        f"Look at it: kubectl describe pod {node.pod} --namespace {names.namespace}, and kubectl logs {node.pod} --namespace {names.namespace}. "
        "When it answers, or another process has taken its place, run the flow again. evidence=annotations goes by what is stored and asks no node.",
    )  # fmt: skip


def _depends_on_answers(step: Step, snapshot: Snapshot, silent: Sequence[Unanswered]) -> bool:
    """Whether pods restart because of this step, or the step makes any of these nodes reload. For pods that the
    operator restarts by itself the flow only waits; but when a pause ends, the operator restarts pods that have not
    shown that they took everything up.
    """
    if isinstance(step, Resume):
        return bool(restarted_by_operator(snapshot))
    if isinstance(step, Reload):
        return any(node.uid in step.uids for node in silent)
    return isinstance(step, Roll) and step.reason is not RollReason.USE


def describe_held_authorities(at: Situation) -> tuple[str, ...]:
    """Sentences that say which CA is held, by which pods and until when."""
    journal = at.begun
    if journal is None or not is_patient(at):
        return ()
    replaced, latest = at.ledger.find(journal.replaces), latest_restart(at, journal)
    uids = frozenset(uid for held in at.ledger.held for uid in held.holders)
    pods = ", ".join(sorted(pod.name for pod in at.snapshot.nodes.pods if pod.uid in uids))
    if replaced is None or not pods:
        return ()
    until = f", on {latest:%Y-%m-%d} at the latest" if latest is not None else ""
    return (f"{named(replaced.certificate)} stays trusted until these have restarted for any reason{until}: {pods}",)


def describe_rest_of_replacement(at: Situation) -> tuple[str, ...]:
    """A sentence where the last renewal was the first part of a replacement, and the call that would go on with that was killed."""
    journal = at.ledger.journal
    renewed = at.ledger.find(journal.successor) if journal is not None and journal.to_replace else None
    if journal is None or renewed is None or at.leads_to_replacement or at.intent.goal is Goal.ABORT:
        return ()
    return (
        f"{named(renewed.certificate)} was renewed so that its key can be replaced, as asked for on {journal.started_at:%Y-%m-%d at %H:%M} UTC. The "
        "replacement is still to come: strimzi_ca with state=replaced, or the playbook replace_key, goes on with it.",
    )


def describe_roots_to_confirm(at: Situation) -> tuple[str, ...]:
    """Sentences that say what a person has to compare, and what then to do."""
    wish = wish_of(at.snapshot, at.intent, at.ledger)
    if wish is None:
        return ()
    return tuple(
        f"{wish.source.name} holds a CA that this cluster does not trust: {one.subject}, SHA-256 {one.sha256}, valid from "
        f"{one.not_before:%Y-%m-%d %H:%M} to {one.not_after:%Y-%m-%d %H:%M} UTC. Nothing is done about it until a person has compared this "
        f"fingerprint with that of the CA that is meant and runs again with it in confirm_roots (strimzi_confirm_roots={one.sha256})."
        for one in wish.unconfirmed
    )
