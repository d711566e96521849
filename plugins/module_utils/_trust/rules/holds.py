# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "Evidence": rules that take no step. If the other rules have nothing to do, these say what holds the flow.
Unknown evidence holds it too (I5).

A flow waits for silent nodes if their answers could make a difference. A node may hang, or restart just now: its answer
is then unknown, and no reason to restart any node.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from ..evidence.parties import find_trust_doubts, pods_trusting_removed, presenters, unanswered
from ..evidence.stored import (
    missing_leaves_of,
    operator_leaves,
    pods_with_certificates,
    restarted_by_operator,
    why_not_ours,
)
from ..gates.verifiers import namesakes
from ..model.clients import Presenter
from ..model.decision import Condition, Decision, Step, Steps, Turn, Violation, Wait
from ..model.goals import Phase
from ..model.intent import Intent, Selection
from ..model.ledger import Ledger
from ..model.listeners import Unanswered
from ..model.names import ObjectNames, listed, named
from ..model.snapshot import Snapshot
from ..model.steps.nodes import AwaitAnswers, Reload, Resume, Roll, RollReason
from .due import find_first_ending, nears_operator_window
from .pause import leaves_before_restarts, nodes_of, resume_operators
from .prepare import is_refused
from .requests import describe_way_back, leaves_to_ask_for, leaves_to_await
from .situation import Situation


def await_pods(at: Situation) -> Turn:
    """Wait if there are no pods: states are kept, so a flow in flight does not come to its end."""
    if at.snapshot.nodes.pods or at.flow_in_flight is None or not at.allows(Phase.TRUST):
        return ()
    absent = Violation(
        Condition.EVIDENCE, at.snapshot.names.kafka,
        f"has no pod that verifies by the {at.snapshot.names.ca}, so nothing shows how far the flow "
        f"({at.flow_in_flight.goal.value}) has come.",
        "Find out why there is none; when there are pods again, run the flow again.",
    )  # fmt: skip
    return Wait(violations=(absent,))


def leaves_that_end_meanwhile(at: Situation) -> Iterator[Violation]:
    """Leaves that end while something holds a flow before its switch: the operator has no key to renew them with, and
    no issuer renews them.
    """
    if at.successor is None or not at.snapshot.ca.in_use_elsewhere:
        return
    ending = [
        leaf
        for leaf in at.snapshot.every_leaf
        if leaf.chain and nears_operator_window(leaf.chain[0], at.snapshot.window_of(leaf), at.snapshot.now)
    ]
    if first := find_first_ending(ending):
        leaf, own = first
        yield Violation(
            Condition.LEAVES_CAN_BE_RENEWED, at.snapshot.names.kafka,
            f"no issuer renews certificates as long as the flow is held: {leaf.secret} ends on "
            f"{own.not_after:%Y-%m-%d}, the first of {len(ending)}, and the operator, which can issue none, stands "
            "still before that.",
            f"See to what holds the flow{', or ' if (way_back := describe_way_back(at)) else ''}{way_back}.",
        )  # fmt: skip


def await_usable_leaves(at: Situation) -> Turn:
    """Wait if no process could use a stored leaf, or a leaf is missing, unless another leaf is on its way."""
    lacking = _find_secrets_to_name(at)
    held = tuple(unusable_leaves(at.snapshot, at.ledger, lacking, _describe_remedy_by_issuer(at)).values())
    if lacking and at.snapshot.ca.in_use_elsewhere and at.successor is None:
        held += at.gates.trust(at.snapshot, at.ledger, at.snapshot.ca.current)
    return Wait(violations=held)


def check_leaves_of_restarted(at: Situation, steps: Steps) -> Iterator[Violation]:
    """The leaves, missing or unusable for every process, of the pods that these steps restart or have read again: other
    pods would have restarted by then. If the operator has the key, it issues leaves of an earlier generation again
    before it restarts anything.
    """
    snapshot = at.snapshot
    uids = frozenset(uid for step in steps if isinstance(step, (Roll, Reload)) for uid in step.uids)
    pods = [pod for pod in snapshot.nodes.pods if pod.uid in uids]
    behind = {leaf.secret for leaf in snapshot.leaves.stored if leaf.generation != at.generation}
    read = {name for pod in pods for name in pod.leaves} - (set() if snapshot.ca.in_use_elsewhere else behind)
    lacking = {name for pod in pods for name in missing_leaves_of(pod, snapshot)}
    yield from unusable_leaves(snapshot, at.ledger, read | lacking, _describe_remedy_by_issuer(at)).values()


def check_operator_restarts(at: Situation, steps: Steps) -> Iterator[Violation]:
    """The operator's own leaf, if the operator stands still because of it and these steps ask for a restart of nodes:
    it would restart none.
    """
    restarting = frozenset(
        uid for step in steps if isinstance(step, Roll) and step.reason not in _NOT_ASKED_FOR for uid in step.uids
    )
    needed = leaves_before_restarts(at)
    if not nodes_of(at.snapshot, restarting) or not needed or at.can_restart_directly:
        return
    snapshot = at.snapshot
    unusable = unusable_leaves(snapshot, at.ledger, needed, _describe_remedy_by_issuer(at))
    yield from unusable.values()
    if reissued := sorted(set(needed) - unusable.keys()):
        restarted = [pod.name for pod in snapshot.nodes.pods if pod.uid in restarting]
        way_back = f" Or {describe_way_back(at)}." if at.successor is not None and describe_way_back(at) else ""
        yield Violation(
            Condition.LEAVES_CAN_BE_RENEWED, snapshot.names.kafka,
            f"the Cluster Operator would issue {listed(reissued)} again, can issue none, and restarts no pod before "
            "others are there.",
            f"{_describe_other_restarts(at)} {listed(restarted)} yourself, one after the other.{way_back}",
        )  # fmt: skip


#: The operator makes these restarts by itself, or this collection makes them in place.
_NOT_ASKED_FOR = frozenset({RollReason.USE, RollReason.ENDED})


def unusable_leaves(
    snapshot: Snapshot, ledger: Ledger, named_secrets: Collection[str], by_issuer: str
) -> Mapping[str, Violation]:
    """The Secrets among ``named_secrets`` without a leaf, or with an unusable leaf, each with the violation.
    ``by_issuer`` is the end of a sentence about how an issuer replaces the leaf, if the operator can issue none.

    A process that started before goes on with its own leaf and shows no fault. But its next restart would bring it back
    with an untrusted leaf, or not at all.
    """
    names = snapshot.names
    unusable = {
        leaf.secret: Violation(
            Condition.LEAVES_ARE_OURS, names.secret(leaf.secret),
            f"contains no usable certificate of this cluster's CAs: {why}.",
            "Find the program or person that put it "
            f"there{by_issuer or ', then delete this Secret: the Cluster Operator issues the certificate again.'}",
        )
        for leaf in snapshot.leaves.stored
        if leaf.secret in named_secrets and (why := why_not_ours(leaf, ledger))
    }  # fmt: skip
    missing = {
        name: Violation(
            Condition.LEAVES_ARE_OURS, names.secret(name), "is missing, although something needs its certificate.",
            f"Find the program or person that deleted it{by_issuer}" if by_issuer else
            "The Cluster Operator issues it with its next reconcile; where it does not, have this leaf issued "
            "(state=issued).",
        )
        for name in sorted(snapshot.leaves.missing)
        if name in named_secrets
    }  # fmt: skip
    return {**unusable, **missing}


def _describe_remedy_by_issuer(at: Situation) -> str:
    """The end of a sentence about how an issuer replaces a leaf; empty if the operator can issue it."""
    if at.current is None or not at.snapshot.ca.in_use_elsewhere:
        return ""
    if at.successor is None:
        return f". Another certificate is put in its place when every node and client trusts {named(at.current)}."
    new = named(at.successor.entry.certificate)
    is_of_operator = not operator_leaves(at.snapshot).isdisjoint(at.lacking_leaves)
    if at.successor.introduction.link is not None and is_of_operator:
        return (
            ". The Cluster Operator restarts no pod before that is there. Restart the pods yourself, one after the "
            f"other: they start with certificates of {new}, and when all have, the next run puts one in the place of "
            f"the operator's own.{_describe_abort(at)}"
        )
    if at.successor.introduction.link is not None:
        return (
            f". A certificate of {new} is put in its place when every process and client accepts "
            f"that.{_describe_abort(at)}"
        )
    if not is_refused(at, at.successor.entry):
        return (
            f". A certificate of {new} is put in its place when the operator is switched to that "
            f"CA.{_describe_abort(at)}"
        )
    last = [pod.name for pod in at.pods_that_would_stay_away]
    if at.can_restart_directly or not leaves_before_restarts(at):
        way = f"{_describe_last(last, new)} when every other process and client trusts that CA."
    else:
        others = f"the {'other ' if last else ''}pods yourself, one after the other"
        way = (
            "The Cluster Operator restarts no pod before that is there, and no issuer signs it in this flow. "
            f"{_describe_other_restarts(at)} {others}. {_describe_last(last, new)}{'.' if last else ''}"
        ).rstrip()
    return f". {way}{_describe_abort(at)}"


def _describe_last(pods: Sequence[str], authority: str) -> str:
    """A sentence without its end about the pods without a certificate to start with: they restart with a certificate of
    this CA. Empty if there are none. If two such nodes restarted, each would refuse the other from then on.
    """
    if len(pods) > 1:
        return (
            f"Restart these together; they are away until the next run has stored certificates of {authority} for "
            f"them: {listed(pods)}"
        )
    return f"{pods[0]} restarts last, with a certificate of {authority} that a run stores for it" if pods else ""


def _describe_other_restarts(at: Situation) -> str:
    """The beginning of a sentence about pods that the operator does not restart. This collection asks Kafka about them
    with the operator's own leaf.
    """
    if operator_leaves(at.snapshot).isdisjoint(at.lacking_leaves):
        return "Have the run restart the nodes (strategy=direct), or restart"
    return "Restart"


def _describe_abort(at: Situation) -> str:
    """A sentence about the way back, with a space before it; empty if the source of CAs shows that no issuer signs by
    the CA in use any more.
    """
    way_back = describe_way_back(at)
    return (
        f" Or {way_back}: the abort requests another certificate, and the run after its arrival puts it in its place."
        if way_back
        else ""
    )


def _find_secrets_to_name(at: Situation) -> frozenset[str]:
    """The Secrets of this call with an unusable leaf, or no leaf, if no other leaf is on its way."""
    unusable = {leaf.secret: leaf.component for leaf in at.snapshot.leaves.stored if why_not_ours(leaf, at.ledger)}
    awaited, concern = _find_awaited_secrets(at), at.intent.issuing.missing_leaves or Selection()
    unusable = {
        name: component for name, component in unusable.items() if name not in awaited or at.successor is not None
    }
    missing = {name: component for name, component in at.snapshot.leaves.missing.items() if name not in awaited}
    return frozenset(name for name, component in {**unusable, **missing}.items() if concern.has(name, component))


def _find_awaited_secrets(at: Situation) -> Collection[str]:
    """The Secrets with requested leaves, as long as any of these has not come back."""
    wanted = leaves_to_ask_for(at)
    return wanted.secrets if wanted and leaves_to_await(at) else ()


def await_free_names(at: Situation) -> Turn:
    """Wait if a presenter outside the cluster gets no certificate of any issuer, because another object has the name of
    its Secret, or because the presenter has the name of a process of the cluster.
    """
    if not at.snapshot.ca.in_use_elsewhere:
        return ()
    taken = (presenter for presenter in at.snapshot.presenters if presenter.secret in at.intent.obstacles.taken_names)
    return Wait(violations=(*namesakes(at.snapshot), *(_name_is_taken(at, presenter) for presenter in taken)))


def _name_is_taken(at: Situation, presenter: Presenter) -> Violation:
    return Violation(
        Condition.PRESENTERS_CAN_BE_ISSUED_TO, presenter.name,
        f"gets no certificate: there is a Secret {presenter.secret} in its namespace that is not the user's, because "
        f"it lacks the labels strimzi.io/kind=KafkaUser and strimzi.io/cluster={at.snapshot.names.cluster}.",
        "Give the user another name, or move that Secret out of the way; nothing of it was "
        f"changed.{_describe_remedy_by_command(at, presenter)}",
    )  # fmt: skip


def _describe_remedy_by_command(at: Situation, presenter: Presenter) -> str:
    """A sentence about a Secret that may be the user's, with a space before it; empty if the Secret contains another
    user's certificate.
    """
    home = presenter.user.namespace if presenter.user is not None else ""
    unlabelled = at.snapshot.objects.unlabelled_of_users.get((home, presenter.secret))
    if unlabelled is None:
        return ""
    return f" If it is the user's after all, give it these labels: {unlabelled.command(presenter.secret, home)}."


def await_evidence(at: Situation) -> Turn:
    """Wait if the certificate or the trust of a party is unknown (I5)."""
    return Wait(violations=tuple(_unknown_evidence(at)))


def _unknown_evidence(at: Situation) -> Iterator[Violation]:
    names, silent = at.snapshot.names, unanswered(at.snapshot)
    yield from (does_not_answer(node, names) for node in silent)
    silent_pods = {node.pod for node in silent}
    # Another violation names these Secrets, or their next leaf is on its way: no second violation names the pods that
    # have read them.
    covered = _find_secrets_to_name(at).union(_find_awaited_secrets(at) if at.successor is None else ())
    for pod, seen in zip(pods_with_certificates(at.snapshot), at.pod_presentations, strict=True):
        if seen.authorities is None and seen.party not in silent_pods and covered.isdisjoint(pod.leaves):
            yield Violation(
                Condition.EVIDENCE, names.pod(seen.party),
                f"the run cannot tell which certificate it presents: {seen.evidence}.",
                "Find the program or person that removed or changed this; restarting the pod through the operator "
                "renews its annotations.",
            )  # fmt: skip
    # Outside of a flow no CA of theirs leaves: an adoption changes no certificate, and a cluster at rest stays as it
    # is.
    for presenter in presenters(at.snapshot) if at.flow_in_flight is not None else ():
        if presenter.authorities is None:
            yield Violation(
                Condition.EVIDENCE, presenter.name,
                f"the run cannot tell which CA has issued the certificate that it presents: {presenter.evidence}.",
                presenter.remedy,
            )  # fmt: skip
    for name, why in find_trust_doubts(at.snapshot, at.ledger):
        yield Violation(
            Condition.EVIDENCE, names.pod(name), f"the run cannot tell which CAs it trusts: {why}.",
            "Find out why this node does not answer as it should, then run the flow again.",
        )  # fmt: skip
    for removed in at.ledger.removed_cas:
        if not removed.is_back and pods_trusting_removed(removed, at.snapshot):
            yield Violation(
                Condition.REMOVAL, names.kafka,
                f"some nodes may still trust the removed CA {named(removed.certificate)}.",
                "strimzi_ca_info shows what each of them answers; restart the pods that accept it, then run the flow "
                "again.",
            )  # fmt: skip


def await_needed_answers(decision: Decision, assumed: Decision, snapshot: Snapshot, intent: Intent) -> Decision:
    """The decision about a cluster with silent nodes.

    The decision ``decision`` has gates closed to all that is unknown; ``assumed`` takes the stored evidence for the
    answers of these nodes. Their answers do not matter if both decisions take the same steps, and these restart no pod
    and reload none of these nodes. A call waits once for each of them. Then their silence holds the flow, and a pause
    of ours ends as it does with closed gates.
    """
    if decision.done and assumed.done:
        return replace(decision, pending=assumed.pending)
    silent = unanswered(snapshot)
    if (decision.steps, decision.done) == (assumed.steps, assumed.done) and not any(
        _depends_on_answers(step, snapshot, silent) for step in decision.steps
    ):
        return decision
    left = tuple(node for node in silent if node.uid not in intent.obstacles.silent_nodes)
    if left:
        phase = next((step.phase for step in (*assumed.steps, *decision.steps)), Phase.USE)
        # A record of evidence may be of a phase after the last phase of the call. Then the call waits in a phase that
        # it enters.
        phase = min(phase, intent.extent.last_phase or phase, key=lambda one: one.position)
        return Decision(steps=(AwaitAnswers(nodes=left, phase=phase),))
    if snapshot.reconciliation.pause.is_ours:
        return decision
    return Decision(
        steps=resume_operators(snapshot), violations=tuple(does_not_answer(node, snapshot.names) for node in silent)
    )


def does_not_answer(node: Unanswered, names: ObjectNames) -> Violation:
    where = f" on worker {node.worker}" if node.worker else ""
    return Violation(
        Condition.EVIDENCE, names.pod(node.pod), f"does not answer{where}: {node.reason}.",
        "Look at it and its log. When it answers, or another process has taken its place, run the flow again. "
        "evidence=annotations goes by what is stored and asks no node.",
        command=f"kubectl describe pod {node.pod} --namespace {names.namespace}; "
        f"kubectl logs {node.pod} --namespace {names.namespace}",
    )  # fmt: skip


def _depends_on_answers(step: Step, snapshot: Snapshot, silent: Sequence[Unanswered]) -> bool:
    """Whether pods restart because of this step, or the step makes any of these nodes reload. If the operator restarts
    pods by itself, the flow only waits. But when a pause ends, the operator restarts pods that have not shown that they
    took everything up. Nodes with ended certificates restart whatever others answer.
    """
    if isinstance(step, Resume):
        return bool(restarted_by_operator(snapshot))
    if isinstance(step, Reload):
        return any(node.uid in step.uids for node in silent)
    return isinstance(step, Roll) and step.reason not in (RollReason.USE, RollReason.ENDED)
