# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""When a change takes effect: in a pause of the operator, after the operator's verdict on it, and on running nodes or
at their next restart (docs/operator.md, "Reload", "No restart").

A channel beyond the reload (``model/channels.py``) presents the leaf of its process's start, so a replaced CA stays
trusted until each node has restarted once. If a function says why something is not possible, it gives the reason as a
sentence, and an empty text if nothing is in the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from hashlib import sha256

from ..._pki.certificates import Certificate
from ..evidence.parties import leaves_of, refused_everywhere
from ..evidence.stored import (
    operator_leaves,
    pods_with_certificates,
    restarted_by_operator,
    waiver_of,
    why_trust_is_unknown,
)
from ..model.clients import Presenter, ReissuePause, Renewal
from ..model.components import Component
from ..model.decision import Condition, Decision, Step, Steps, Turn, Violation, Wait
from ..model.goals import Goal, Phase, Retire, retire_text
from ..model.intent import Intent, Spread
from ..model.ledger import FormerLeaf, Journal, Ledger
from ..model.names import counted, named
from ..model.snapshot import SECRET_LIMIT, FailedReconcile, Snapshot
from ..model.steps.leaves import PauseReissue, ResumeReissue
from ..model.steps.nodes import AwaitVerdict, Pause, Resume
from .due import is_kept_by_user_operator, nears_window_from, needed_by_operator
from .requests import awaited_leaves, doubt_about_domain, secrets_without_leaf
from .situation import Situation


def pause_first(at: Situation, *steps: Step) -> Steps:
    """These steps if the operator is paused by this collection; else the step that pauses it."""
    if at.is_paused or not steps:
        return steps
    avoidable = next((step.avoidable_restart for step in steps if step.avoidable_restart), "")
    return (Pause(phase=steps[0].phase, purpose=steps[0].sentence(), avoidable_restart=avoidable),)


def pause_reissue(at: Situation) -> Steps:
    """Pause the issue of certificates outside the cluster before a switch, if they are to be issued after it some at a
    time, or by this collection, or if none may be issued during it. Without the pause their issuer could issue each of
    them under the next CA at any moment after the switch. Pause also before a switch back: for a paused user, no
    certificate of the given-up CA is on its way any more.
    """
    because = _why_all_users_paused(at) or _why_paused_before_switch_back(at)
    if at.intent.pace.user_batch is None and not because:
        return ()
    paused = (ReissuePause.OURS, ReissuePause.FOREIGN)
    free = tuple(
        presenter.name
        for presenter in at.snapshot.presenters
        if presenter.renewal is Renewal.ISSUED and presenter.pause not in paused
    )
    return (PauseReissue(names=free, because=because),) if free else ()


def _why_paused_before_switch_back(at: Situation) -> str:
    """Why users are paused before a switch back, as a sentence; empty if the switch leads forward. If a user has kept a
    certificate of the old CA all along, nothing shows that it waits for another certificate.
    """
    if at.current is None or at.current.fingerprint != at.ledger.undone_ca:
        return ""
    return (
        f"The User Operator may be about to store a certificate of {named(at.current)}. It does not do so for a user "
        "that it has reported as paused."
    )


def _why_all_users_paused(at: Situation) -> str:
    """Why no user may be issued a certificate during and right after the switch, as a sentence; empty if they may."""
    if at.successor is not None and at.successor.prepared.key_is_elsewhere:
        return (
            f"The key of {named(at.successor.entry.certificate)} is kept elsewhere, so the User Operator could issue "
            "none, and each user would be not ready until its certificate is written."
        )
    return _why_paused(at.snapshot)


def _why_paused(snapshot: Snapshot) -> str:
    return snapshot.users.pause_reissue if snapshot.users is not None else ""


def resume_reissue(at: Situation) -> Steps:
    """End a pause of the issue of certificates if no switch follows now."""
    return _resume_reissue(at.snapshot)


def resume_operators(snapshot: Snapshot) -> Steps:
    """The steps that end the pauses of this collection, if nothing else may be done. The operator stays paused if it
    would act on half-done work. It also stays paused in a cluster in deletion, or without an operator: a later operator
    would see half-done work.
    """
    state = snapshot.reconciliation
    if state.operator.absence or snapshot.names.kafka in snapshot.objects.in_deletion:
        return ()
    ends = state.pause.has_left_mark or (state.pause.is_ours and not finds_work(snapshot))
    return (*((Resume(phase=Phase.USE),) if ends else ()), *_resume_reissue(snapshot))


def finds_work(snapshot: Snapshot) -> bool:
    """Whether the operator, let on now, would issue or restart something, or change the trust, because of the stored
    Secrets (docs/operator.md, "Re-issue", "Trust bundle"). It sees to its own CA in any case. If no listener is to
    verify by the CA any more, only the operator can bring that to the nodes: it restarts them for it anyway.
    """
    ca = snapshot.ca
    if snapshot.reconciliation.generated:
        return False
    if not _key_matches(snapshot) or any(
        leaf.generation != ca.certificate_generation for leaf in snapshot.leaves.stored
    ):
        return True
    changes_trust = snapshot.bundle not in (None, ca.projected)
    if snapshot.users is not None and not snapshot.has_verifiers:
        return False
    return changes_trust or bool(restarted_by_operator(snapshot))


def _resume_reissue(snapshot: Snapshot) -> Steps:
    """End the pauses of presenters with a certificate of the CA in use, or none, and of presenters that no flow waits
    for. The others wait for their turn: the issuer does not serve all at once. In the middle of a switch, presenters
    that the issuer must not see stay paused: the run that goes on with the switch ends the pause.
    """
    if _why_paused(snapshot) and not _key_matches(snapshot):
        return ()
    paused = tuple(
        presenter.name
        for presenter in snapshot.presenters
        if presenter.pause.is_ours and _may_go_on(presenter, snapshot)
    )
    return (ResumeReissue(names=paused),) if paused else ()


def _may_go_on(presenter: Presenter, snapshot: Snapshot) -> bool:
    """Whether its issuer may see it now. If the key of the CA is kept elsewhere, the issuer could issue it nothing
    before this collection has.
    """
    if snapshot.ca.in_use_elsewhere and not is_kept_by_user_operator(presenter.secret, snapshot):
        return False
    if not presenter.is_outdated or presenter.authorities == frozenset():
        return True
    return waiver_of(presenter.name, snapshot) is not None and not snapshot.ca.in_use_elsewhere


def _key_matches(snapshot: Snapshot) -> bool:
    return not snapshot.ca.current or snapshot.ca.key == snapshot.ca.current[0].public_key_sha256


#: The longest time from the end of a flow to the operator's first word on it: the period of its reconciles (2 minutes
#: by default) and the time that a reconcile waits for pods (5 minutes by default), rounded up.
_SPEAKS_WITHIN = timedelta(minutes=10)
#: Words of the operator, of Java and of openssl about certificates (docs/operator.md, "Tried by hand", 6, and
#: "User-managed CA").
_ABOUT_CERTIFICATES = re.compile(
    r"certificate|\bCA\b|secrets were not found|private key|keystore|truststore|PKIX|SSL|X\.?509|\.crt\b|\.key\b",
    re.IGNORECASE,
)


def await_verdict(at: Situation, *, work_is_left: bool) -> Turn:
    """Wait for the reconcile that ends a pause. If the operator cannot use the stored Secrets, have it look once more,
    once for each state of the Secrets. After that its refusal holds the flow, in its own words and with the
    differences. If leaves are awaited, the refusal is about these, and holds no flow.

    If ``work_is_left``, a later call has steps to take. These may mend a failure that the flow has found, and they show
    the restarts of the reconcile after a pause.
    """
    state = at.snapshot.reconciliation
    if state.pause.is_set:
        return ()
    if state.pause.is_ending and not work_is_left:
        return (AwaitVerdict(phase=at.phase),)
    failure = _find_failure(at.snapshot, at.ledger, work_is_left)
    if failure is None or awaited_leaves(at):
        return ()
    request = _name_request(at.snapshot)
    if state.request != request and not state.pause.is_ending:
        return (AwaitVerdict(phase=at.phase, request=request),)
    seen = "".join(f" {difference}" for difference in _describe_differences(at.snapshot))
    refused = Violation(
        Condition.VERDICT, at.snapshot.names.kafka, f"is not ready, the Cluster Operator says: {failure}.{seen}",
        "Mend what it names; the log of the operator says more. The next run has the operator look again when that "
        f"has changed.{'' if seen else state.operator.doubt_about_spec + doubt_about_domain(at.snapshot)}",
    )  # fmt: skip
    return Wait(violations=(refused,))


def failure_that_holds_nothing(snapshot: Snapshot, decision: Decision) -> str:
    """A sentence about a failure of the operator in spite of which the decision goes on; empty if there is none. It is
    not about certificates, or began before the flow, which may mend it. If leaves are awaited, the operator waits for
    them too.
    """
    failure = snapshot.reconciliation.operator.failure
    if failure is None or decision.violations or decision.waiting:
        return ""
    return (
        f"{snapshot.names.kafka} is not ready, the Cluster Operator says: {failure}. It said so before, so this task "
        "goes on."
    )


def _find_failure(snapshot: Snapshot, ledger: Ledger, work_is_left: bool) -> FailedReconcile | None:
    """The failure of the operator's last reconcile, if it began with the work of a flow; or if it is about
    certificates, and nothing is left to be done about them.
    """
    failure = snapshot.reconciliation.operator.failure
    if failure is None:
        return None
    began_with_it = _began_with_flow(failure, ledger.journal)
    if work_is_left:
        return failure if began_with_it and not needed_by_operator(snapshot) else None
    return failure if began_with_it or _ABOUT_CERTIFICATES.search(str(failure)) else None


def _began_with_flow(failure: FailedReconcile, journal: Journal | None) -> bool:
    if journal is None or failure.since is None or failure.since < journal.started_at:
        return False
    return journal.finished_at is None or failure.since < journal.finished_at + _SPEAKS_WITHIN


def _name_request(snapshot: Snapshot) -> str:
    """A name of its own for every state of the Secrets under the operator's verdict."""
    leaves = sorted(f"{leaf.secret}={leaf.chain[0].fingerprint if leaf.chain else ''}" for leaf in snapshot.every_leaf)
    ca = snapshot.ca
    stored = [
        *leaves,
        *sorted(ca.projected),
        *(certificate.fingerprint for certificate in ca.current),
        str(ca.certificate_generation),
        str(ca.key),
    ]
    return f"verdict-{sha256(' '.join(stored).encode()).hexdigest()[:12]}"


def _describe_differences(snapshot: Snapshot) -> Iterator[str]:
    """The names and dates for which the operator would not keep a leaf, and missing leaves, as sentences."""
    for secret, component in sorted(snapshot.leaves.missing.items()):
        yield f"{snapshot.names.secret(secret)} ({component.value}) is missing."
    for leaf in snapshot.leaves.stored:
        name = snapshot.names.secret(leaf.secret)
        if leaf.chain is None:
            yield f"{name}: {leaf.problem}."
            continue
        if difference := snapshot.leaves.misnamed.get(leaf.secret):
            yield f"{name}: {difference}."
        if leaf.chain[0].not_after - snapshot.window_of(leaf) <= snapshot.now:
            yield (
                f"{name} ends on {leaf.chain[0].not_after:%Y-%m-%d}, and the operator issues it again "
                f"{snapshot.window_of(leaf).days} days before."
            )
        if leaf.generation != snapshot.ca.certificate_generation:
            yield (
                f"{name} is annotated with generation {leaf.generation}, and the CA with "
                f"{snapshot.ca.certificate_generation}."
            )


def leaves_operator_waits_for(at: Situation) -> frozenset[str]:
    """The Secrets of the leaves for which the operator stands still, so it restarts no pod for a change. It would have
    to issue a leaf, and the key of the CA is kept elsewhere; or it cannot read a leaf, in whatever place that key is
    (docs/operator.md, "Re-issue").
    """
    if not at.snapshot.ca.current:
        return frozenset()
    needed = needed_by_operator(at.snapshot) - set(at.snapshot.user_leaves)
    return frozenset(
        (*_unreadable_leaves(at), *secrets_without_leaf(at, tuple(sorted(needed)), at.snapshot.ca.current))
    )


def leaves_before_restarts(at: Situation) -> frozenset[str]:
    """The Secrets of the operator's own leaf, if the operator stands still for it before it comes as far as the
    restarts that pods ask for. For every other leaf it stands still after these (docs/operator.md, "CA reconcile",
    "Restart reasons").
    """
    needed = needed_by_operator(at.snapshot) if at.snapshot.ca.in_use_elsewhere else _unreadable_leaves(at)
    return needed & operator_leaves(at.snapshot)


def _unreadable_leaves(at: Situation) -> frozenset[str]:
    """The Secrets of the unreadable stored leaves."""
    return frozenset(leaf.secret for leaf in at.snapshot.leaves.stored if leaf.chain is None)


#: How long before the end of a former leaf the nodes with it restart.
RESTART_BEFORE = timedelta(days=7)


def retires_when_restarted(at: Situation) -> bool:
    """Whether nodes of the flow in flight keep the leaf and the trust of their start until they restart for another
    reason.
    """
    journal = at.flow_in_flight
    if journal is None or journal.goal is not Goal.REPLACE_KEY or not _is_early(at, journal):
        return False
    return journal.retire is not Retire.WHEN_NEEDED or not _needs_restarts(at)


def waits_for_window(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether no pod may restart now, because no maintenance window is open. A recovery waits for none as long as a
    process presents an ended certificate, or the CA in use has ended; the rest of a flow that it goes on with waits.
    """
    windows = snapshot.reconciliation.windows
    if windows is None or windows.is_open or intent.pace.ignores_windows:
        return False
    has_ended = refused_everywhere(snapshot) or any(one.has_ended(snapshot.now) for one in snapshot.ca.in_use)
    return not (intent.goal is Goal.RECOVER and has_ended)


def forbids_restarts(at: Situation) -> bool:
    """Whether the caller of the flow in flight wants no node restarted for it yet; also for the renewal that precedes
    the replacement.
    """
    journal = at.flow_in_flight
    if journal is None or not (journal.goal is Goal.REPLACE_KEY or at.leads_to_replacement):
        return False
    return journal.retire is not Retire.WHEN_NEEDED and _is_early(at, journal)


def find_option_against_restarts(at: Situation) -> str:
    """The option of the caller that forbids restarts which a reload would spare; empty if none does. Before this call
    has asked the running nodes, it does not know whether they can reload, and no option forbids anything.
    """
    begun, spread = at.flow_in_flight, at.intent.pace.spread
    if not _knows_obstacles(at):
        return ""
    if spread is Spread.RELOAD:
        return "spread=reload"
    return f"retire={retire_text(begun.retire)}" if begun and forbids_restarts(at) else ""


def _knows_obstacles(at: Situation) -> bool:
    """Whether this call knows what keeps nodes from reading again: it has asked them, or the caller wants restarts."""
    return at.snapshot.nodes.in_place_obstacles is not None or at.intent.pace.spread is Spread.RESTART


def _is_early(at: Situation, journal: Journal) -> bool:
    """Whether it is too early to restart a node that goes on with the leaf and the trust of its start."""
    if journal.retire is Retire.NOW:
        return False
    latest = latest_restart(at, journal)
    return latest is None or at.snapshot.now < latest


def _needs_restarts(at: Situation) -> bool:
    """Whether nodes take up leaves of the next CA by no other way than a restart. Nodes that have taken them up may go
    on, whatever becomes of the way. Before a call has asked the nodes it knows of no obstacle.
    """
    is_known = _knows_obstacles(at)
    return is_known and bool(why_leaves_not_reloaded(at)) and not _is_taken_up_by_nodes(at)


def _is_taken_up_by_nodes(at: Situation) -> bool:
    """Whether the Secrets of nodes have no leaf but that of the next CA, and nodes have read them."""
    if at.successor is None:
        return True
    leaves = (leaf for leaf in at.snapshot.leaves.stored if leaf.component is Component.KAFKA)
    is_issued = all(at.is_of(leaf, at.successor.entry.certificate) for leaf in leaves)
    return is_issued and not nodes_of(at.snapshot, restarted_by_operator(at.snapshot))


def restarts_to_give_up(at: Situation) -> bool:
    """Whether nodes restart to give up the leaf or the trust of their start, because one of them or more has a channel
    beyond the reload. If a flow waits until nodes restart for another reason, it restarts none.
    """
    is_enough = bool(pods_with_certificates(at.snapshot)) and not at.snapshot.left_by_reload
    return not is_enough and not retires_when_restarted(at)


def latest_restart(at: Situation, journal: Journal) -> datetime | None:
    """The latest time for the restart of nodes that still present or trust the old CA; None if nothing ends."""
    return min(_find_latest_restarts(at, journal), default=None)


def _find_latest_restarts(at: Situation, journal: Journal) -> Iterator[datetime]:
    if isinstance(journal.retire, datetime):
        yield journal.retire
    replaced = at.ledger.find(journal.replaces)
    if replaced is not None:
        yield replaced.certificate.not_after - RESTART_BEFORE
    yield from (former.certificate.not_after - RESTART_BEFORE for former in at.ledger.former_leaves)
    yield from _find_times_of_reissue(at, journal)


def _find_times_of_reissue(at: Situation, journal: Journal) -> Iterator[datetime]:
    """The times at which the operator would issue a stored leaf again, of the replaced CA. With the key of that CA it
    would put such a leaf in the place of a leaf of the next CA, and restart the node for it. Without the key it would
    stand still from then on, and could restart no node: no issuer issues leaves of that CA any more, and the operator
    gets its own leaf of the next CA only after the restarts.
    """
    ca = at.snapshot.ca
    if not ca.current or ca.current[0].fingerprint == journal.successor:
        return
    for leaf in at.snapshot.leaves.stored:
        if leaf.chain and (ca.in_use_elsewhere or not leaf.chain[0].signed_by(ca.current[0])):
            yield nears_window_from(leaf.chain[0], at.snapshot.window_of(leaf))


def is_ending(former: FormerLeaf, at: Situation) -> bool:
    """Whether the processes with this former leaf have to restart now."""
    return former.certificate.not_after - at.snapshot.now < RESTART_BEFORE


def why_not_reloaded(at: Situation) -> str:
    """Why the flow does not have running nodes read their certificates again."""
    if at.intent.pace.spread is Spread.RESTART:
        return "spread=restart asks for it."
    if at.snapshot.nodes.in_place_obstacles is None:
        return "it is unknown whether nodes can read their certificates again without a restart."
    return at.snapshot.nodes.in_place_obstacles.reload


def why_not_in_place(at: Situation) -> str:
    """Why the flow has no running node read again, or why the operator would restart nodes although they have read."""
    return why_not_reloaded(at) or (
        at.snapshot.nodes.in_place_obstacles.stamps if at.snapshot.nodes.in_place_obstacles else ""
    )


#: Bytes in the ledger for a leaf that a node was started with, beside the certificate: the names of the entries, and
#: the UID of the pod in them.
_BESIDE_LEAF = 256


def why_leaves_not_reloaded(at: Situation) -> str:
    """Why the flow does not have nodes read other leaves again: as for any reload, or because the ledger has no room
    for the leaves that the nodes were started with (``note_former``).
    """
    return why_not_in_place(at) or _why_no_room_for_former(at)


def _why_no_room_for_former(at: Situation) -> str:
    nodes = [
        pod
        for pod in at.snapshot.nodes.pods
        if pod.component is Component.KAFKA and pod.uid not in at.ledger.former_by_pod
    ]
    started_with = (leaf.chain for pod in nodes for leaf in leaves_of(pod, at.snapshot) if leaf.chain)
    size = sum(len(chain[0].pem) + _BESIDE_LEAF for chain in started_with)
    if size + max(at.snapshot.objects.sizes.values(), default=0) <= SECRET_LIMIT:
        return ""
    return (
        f"the ledger has no room for the certificates that {counted(len(nodes), 'node')} were started with: they take "
        f"{size} bytes, and Kubernetes allows {SECRET_LIMIT} in a Secret."
    )


def why_restarted_later(at: Situation, next_: Certificate) -> str:
    """Why nodes will be restarted later in the replacement, as a sentence, if the caller wants a reload: its first
    restart would be in vain.
    """
    why = why_not_reloaded(at) if at.intent.pace.spread is Spread.RELOAD else ""
    return f"Nodes are restarted when the operator is switched to {named(next_)}: {why}" if why else ""


def why_trust_not_reloaded(at: Situation, authority: Certificate) -> str:
    """Why the flow does not have running nodes read their trust again for this CA, which has come into it or left it:
    only their answers show that they have read it.
    """
    return why_not_reloaded(at) or why_trust_is_unknown(authority, at.snapshot)


def why_not_annotated(at: Situation) -> str:
    """Why the operator cannot learn which Secrets pods have taken up, so it restarts them."""
    if at.intent.obstacles.annotation_refused:
        return "the API server refuses that pods are annotated."
    return at.snapshot.nodes.in_place_obstacles.annotations if at.snapshot.nodes.in_place_obstacles else ""


def restarts_in_pause(at: Situation) -> bool:
    """Whether this collection itself restarts nodes that take up other leaves: in a pause, because the operator would
    restart them at the same time. After it the operator finds nothing to restart, because the nodes come back with its
    annotations (docs/operator.md, "Pause", "Reload").
    """
    obstacles = at.snapshot.nodes.in_place_obstacles
    is_once = not why_not_annotated(at) and not (obstacles and obstacles.again)
    return at.can_restart_directly and is_once


def nodes_of(snapshot: Snapshot, uids: frozenset[str]) -> frozenset[str]:
    """UIDs of the Kafka nodes among these pods: no other pod can read its certificates again."""
    return frozenset(pod.uid for pod in snapshot.nodes.pods if pod.component is Component.KAFKA) & uids
