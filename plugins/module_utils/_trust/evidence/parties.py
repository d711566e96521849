# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The certificates that each pod presents and the CAs that it trusts: by stored evidence and, where its listeners were
asked, by their answers.

A pod that was asked and did not answer, or whose answer contradicts what is stored, is UNKNOWN (I5).
"""

from __future__ import annotations

from ..._pki.certificates import Certificate
from ..model.ledger import Ledger, LedgerEntry, RemovedEntry
from ..model.listeners import ObservedListener, Unanswered
from ..model.presenters import Presenter, Renewal
from ..model.snapshot import Component, Pod, Snapshot
from ..model.states import TrustState
from . import stored
from .clients import waiver_of
from .live import Acceptance, accepts_live, present_live
from .outgoing import known_presenters
from .stored import Presentation

_NOT_ASKED = "it was not asked in time, or it has started since"


def present_all(snapshot: Snapshot, ledger: Ledger) -> tuple[Presentation, ...]:
    """The presentation of each party that presents a certificate of this CA: pods in their order, then those outside the cluster."""
    return (*present_pods(snapshot, ledger), *present_outside(snapshot))


def present_pods(snapshot: Snapshot, ledger: Ledger) -> tuple[Presentation, ...]:
    """The presentation of each pod that presents any, in the order of the pods."""
    known = stored.present_as_stored(snapshot, ledger)
    if snapshot.nodes.listeners is None:
        return known
    return tuple(
        _present(pod, seen, snapshot, ledger) if is_asked(pod, snapshot) else seen
        for pod, seen in zip(stored.presenting_pods(snapshot), known, strict=True)
    )


def present_outside(snapshot: Snapshot) -> tuple[Presentation, ...]:
    """The presentation of each party outside the cluster. Without pods no party is presented anything."""
    return tuple(Presentation(one.name, one.authorities, (), one.why) for one in presenters(snapshot))


def presenters(snapshot: Snapshot) -> tuple[Presenter, ...]:
    """The parties outside the cluster that present something, or may, and are not waived."""
    if not snapshot.nodes.pods:
        return ()
    found = known_presenters(snapshot)
    return tuple(one for one in found if one.authorities != frozenset() and waiver_of(one.name, snapshot) is None)


def possible_holders_of_undone(snapshot: Snapshot, ledger: Ledger) -> tuple[Pod, ...]:
    """The pods that may have been started with a leaf of the CA that an abort gives up, whatever they are annotated with: one that started
    between the write of such a leaf and the moment at which a reconcile that was under way put the older one back (docs/operator.md,
    "Re-issue").

    Who ran when that CA was read back from the bundle started before any leaf of it was issued. Listeners tell of their process, unless they have
    read again since it started. Before a call has looked, the answer is left to the look.
    """
    journal, unwanted = ledger.journal, ledger.find(ledger.undone)
    if ledger.undone is None or journal is None or snapshot.nodes.in_place is None:
        return ()
    before = (unwanted.awaiting if unwanted else None) or frozenset()
    told = snapshot.nodes.listeners is not None
    read_again = {uid for held in ledger.held for uid in held.holders}
    return tuple(
        pod
        for pod, seen in zip(stored.presenting_pods(snapshot), present_pods(snapshot, ledger), strict=True)
        if (journal.unsure is None or pod.uid in journal.unsure)
        and pod.uid not in before
        and not (
            told and pod.component is Component.KAFKA and seen.authorities is not None and pod.uid not in read_again
        )
    )


def is_taken_up(entry: LedgerEntry, snapshot: Snapshot, ledger: Ledger) -> bool:
    """Whether every party presents certificates of this CA and of no other. Parties outside the cluster whose certificates another issuer issues
    may keep to a CA that is trusted beside it.
    """
    if entry.state is not TrustState.TRUSTED_IN_USE_ANY:
        return entry.state is TrustState.TRUSTED_IN_USE_ALL
    outside = (
        one.authorities for one in presenters(snapshot) if one.authorities is None or one.renewal is not Renewal.BY_HAND
    )
    found = (*(seen.authorities for seen in present_pods(snapshot, ledger)), *outside)
    return all(authorities == frozenset({entry.fingerprint}) for authorities in found)


def parties_awaiting_issue(snapshot: Snapshot) -> tuple[Presenter, ...]:
    """The parties outside the cluster that present nothing yet, and are about to be issued a certificate. It may be of a CA that was in use
    when its issuer looked, which may have been a while ago.
    """
    if not snapshot.nodes.pods:
        return ()
    return tuple(
        one
        for one in snapshot.users.presenters
        if one.authorities == frozenset() and one.renewal is Renewal.ISSUED and one.behind and not one.hindered
        and waiver_of(one.name, snapshot) is None
    )  # fmt: skip


def surely_trusted_by(pod: Pod, snapshot: Snapshot, ledger: Ledger) -> tuple[Certificate, ...]:
    """The CAs that a pod is known to trust: those that it read when it started and that it accepts, where it was asked."""
    known = stored.trusted_since_start(pod.uid, ledger)
    if not is_asked(pod, snapshot):
        return known
    return tuple(one for one in known if _accepts(pod, one.fingerprint, True, snapshot).trusted)


def possibly_trusted_by(pod: Pod, snapshot: Snapshot, ledger: Ledger) -> tuple[Certificate, ...]:
    """The same with those that it read when it started and of which it has said nothing: only a refusal is a refusal."""
    refused = {name for one in _listeners(pod, snapshot) for name in one.refuses}
    return tuple(one for one in stored.trusted_since_start(pod.uid, ledger) if one.fingerprint not in refused)


def pods_trusting_removed(removed: RemovedEntry, snapshot: Snapshot) -> frozenset[str]:
    """UIDs of the pods whose listeners may trust a removed CA: a pod that was asked, until it has refused this CA; any
    other pod that started before the removal.
    """
    return frozenset(pod.uid for pod in stored.verifying(snapshot) if _may_trust(pod, removed, snapshot))


def _may_trust(pod: Pod, removed: RemovedEntry, snapshot: Snapshot) -> bool:
    since_start = pod.uid in removed.awaiting
    if not is_asked(pod, snapshot):
        return since_start
    if _tells_a_shared_name(pod, removed.fingerprint, snapshot):
        return since_start
    return _accepts(pod, removed.fingerprint, None, snapshot).trusted is not False


def presenting_stored(snapshot: Snapshot) -> frozenset[str]:
    """UIDs of the nodes of which every listener was seen to present the leaf that is stored now."""
    leaves = {leaf.secret: leaf.chain[0] for leaf in snapshot.leaves.stored if leaf.chain}
    return frozenset(
        pod.uid
        for pod in snapshot.nodes.pods
        if is_asked(pod, snapshot)
        and (seen := _listeners(pod, snapshot))
        and all(one.presents and one.presents[0] in {leaves.get(name) for name in pod.leaves} for one in seen)
    )


def pods_accepting(fingerprint: str, snapshot: Snapshot) -> frozenset[str]:
    """UIDs of the pods that were asked, and whose listeners all accept this CA."""
    asked = (pod for pod in snapshot.nodes.pods if is_asked(pod, snapshot))
    return frozenset(pod.uid for pod in asked if _accepts(pod, fingerprint, None, snapshot).trusted)


def describe_trust_doubts(snapshot: Snapshot, ledger: Ledger) -> tuple[str, ...]:
    """Sentences that say why it is not known whether a pod that has answered trusts a CA that it has read at its start."""
    silent = {one.uid for one in unanswered(snapshot)}
    answers = [
        _accepts(pod, known.fingerprint, True, snapshot)
        for pod in stored.verifying(snapshot)
        if is_asked(pod, snapshot) and pod.uid not in silent
        for known in stored.trusted_since_start(pod.uid, ledger)
    ]
    return tuple(sorted({answer.why for answer in answers if not answer.trusted}))


def is_asked(pod: Pod, snapshot: Snapshot) -> bool:
    """Whether the answers of this pod are its evidence, so that a missing one is unknown (I5)."""
    return (
        snapshot.nodes.listeners is not None
        and pod.component is Component.KAFKA
        and pod.uid not in snapshot.nodes.assumed
    )


def unanswered(snapshot: Snapshot) -> tuple[Unanswered, ...]:
    """The nodes that were asked and of which a listener has not answered, or that are leaving, so that another process is about to take
    their place.
    """
    parties = {*stored.presenting_pods(snapshot), *stored.verifying(snapshot)}
    asked = (pod for pod in snapshot.nodes.pods if pod in parties and is_asked(pod, snapshot))
    return tuple(
        Unanswered(pod.name, pod.uid, pod.worker, why) for pod in asked if (why := _why_unanswered(pod, snapshot))
    )


def _why_unanswered(pod: Pod, snapshot: Snapshot) -> str:
    """Empty where every listener has answered, and the process stays."""
    if pod.terminating:
        return "it is being terminated"
    found = _listeners(pod, snapshot)
    silent = next((one.why for one in found if one.is_silent), "" if found else _NOT_ASKED)
    return silent if pod.ready or not silent else f"it is not Ready; {silent}"


def _listeners(pod: Pod, snapshot: Snapshot) -> tuple[ObservedListener, ...]:
    return snapshot.listeners_by_uid.get(pod.uid, ())


def _tells_a_shared_name(pod: Pod, fingerprint: str, snapshot: Snapshot) -> bool:
    """Whether its listeners have answered, and nothing but a name that other CAs have too: what it read when it started is known all the same."""
    asked = [one for one in _listeners(pod, snapshot) if one.verifies]
    return bool(asked) and all(fingerprint in one.shared for one in asked)


def _accepts(pod: Pod, fingerprint: str, since_start: bool | None, snapshot: Snapshot) -> Acceptance:
    if since_start is not None and _tells_a_shared_name(pod, fingerprint, snapshot):
        return Acceptance(since_start, "what it read when it started")
    asked = [one for one in _listeners(pod, snapshot) if one.verifies]
    return accepts_live(pod, sorted({one.port for one in asked}), fingerprint, since_start, asked)


def _present(pod: Pod, known: Presentation, snapshot: Snapshot, ledger: Ledger) -> Presentation:
    listeners = _listeners(pod, snapshot)
    ports = sorted({one.port for one in listeners})
    if not ports:
        return Presentation(pod.name, None, (), f"no listener of pod {pod.name} was asked")
    found = [present_live(pod, port, known, listeners, ledger) for port in ports]
    unknown = next((one for one in found if one.authorities is None), None)
    if unknown is not None:
        return Presentation(pod.name, None, (), unknown.why)
    authorities = frozenset(name for one in found for name in one.authorities or ())
    if any(pod.uid in held.holders for held in ledger.held):
        # The listeners may still change from one leaf to the next, and the rest of the process presents the older one.
        authorities |= known.authorities or frozenset()
    chains = tuple(dict.fromkeys(chain for one in found for chain in one.chains))
    return stored.add_held_leaves(Presentation(pod.name, authorities, chains, "handshake"), pod, ledger)
