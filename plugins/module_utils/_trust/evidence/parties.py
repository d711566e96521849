# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The presented certificates and the trusted CAs of each running process: its own answers, joined with the stored
evidence (docs/design.md, "Evidence").

Each listener is a party of its own: channels of one process can know different CAs at the same moment. A program
presents its former certificate until it has read the new certificate. A pod is UNKNOWN, with a sentence that says why,
if it has not answered, or if its answer contradicts the stored evidence (I5).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ..._pki.certificates import Certificate, Chain
from ..model.clients import Presenter, Renewal
from ..model.components import Component
from ..model.goals import Retire
from ..model.ledger import Ledger, LedgerEntry, Outgoing, RemovedEntry, TrustState
from ..model.listeners import ObservedListener, Unanswered
from ..model.snapshot import Pod, Snapshot, StoredLeaf
from . import stored
from .stored import Presentation, issuers_of, waiver_of


@dataclass(frozen=True)
class TrustInCa:
    """Whether a process trusts a CA."""

    #: True: on all of its listeners. False: on none of them. None: this is unknown.
    trusted: bool | None
    #: The evidence, or the reason for its lack, as a sentence.
    evidence: str


def listener_name(port: int) -> str:
    """A listener in a sentence about its pod."""
    return f"port {port}"


def answers_of_running(seen: Iterable[ObservedListener], uids: frozenset[str]) -> tuple[ObservedListener, ...]:
    """The answers of pods that still run. By their UIDs, their processes ran before their listeners answered and ran on
    afterwards. A connection goes to the name of a pod, so a new pod of the same name may have answered.
    """
    return tuple(listener for listener in seen if listener.uid in uids)


def present_live(
    pod: Pod, port: int, stored: Presentation, seen: Iterable[ObservedListener], ledger: Ledger
) -> Presentation:
    """The certificates of a listener; ``stored`` are the certificates of its pod, from annotations and Secrets."""
    party = listener_name(port)
    answers = _answers_of_port(pod, port, seen)
    missing = next((listener.failure for listener in answers if listener.presents is None), None)
    chains = {listener.presents for listener in answers if listener.presents is not None}
    if not answers or missing is not None:
        return Presentation(party, None, (), missing or _describe_silence(port))
    chain, *others = chains
    if others:
        return Presentation(party, None, (), f"{party} presented different certificates")
    candidates = issuers_of(chain, ledger)
    if not candidates:
        return Presentation(party, None, (), f"{party} presents a certificate that chains to no CA of the ledger")
    if stored.authorities is not None:
        return _join_evidence(party, chain, candidates, stored, answers[0].source)
    if len(candidates) > 1:
        return Presentation(party, None, (), f"{party} presents a certificate that chains to several CAs of the ledger")
    return Presentation(party, candidates, (chain,), answers[0].source)


def _join_evidence(
    party: str, chain: Chain, candidates: frozenset[str], stored: Presentation, source: str
) -> Presentation:
    """Stored evidence tells apart CAs with the same key. In everything else it has to agree with the answer of the
    listener.
    """
    if stored.chains and chain[0] not in {stored_chain[0] for stored_chain in stored.chains}:
        return Presentation(
            party,
            None,
            (),
            f"{party} presents another certificate than the pod was started with ({stored.evidence})",
        )
    common = candidates & (stored.authorities or frozenset())
    if not common:
        return Presentation(
            party,
            None,
            (),
            f"{party} presents a certificate of another CA than stored evidence says ({stored.evidence})",
        )
    return Presentation(party, common, (chain,), source)


def accepts_live(
    pod: Pod, ports: Sequence[int], fingerprint: str, stored: bool | None, seen: Iterable[ObservedListener]
) -> TrustInCa:
    """Whether a process trusts a CA, by all its listeners that verify clients, at these ports.

    The knowledge from the time of its start (the ledger has it) is ``stored``; None if nothing is known.
    """
    everything = tuple(seen)
    answers = {port: _port_accepts(pod, port, fingerprint, everything) for port in ports}
    if not answers:
        return TrustInCa(None, "the run asked none of its listeners")
    unknown = next((answer for answer in answers.values() if answer.trusted is None), None)
    if unknown is not None:
        return unknown
    yes = sorted(port for port, answer in answers.items() if answer.trusted)
    no = sorted(port for port, answer in answers.items() if not answer.trusted)
    if yes and no:
        return TrustInCa(None, f"it trusts the CA on {_describe_ports(yes)}, but not on {_describe_ports(no)}")
    if stored is not None and stored is not bool(yes):
        stored_verb, live = ("trusts", "does not") if stored else ("does not trust", "does")
        return TrustInCa(
            None,
            f"it {stored_verb} the CA, judged by the time of its start, but on {_describe_ports(yes or no)} it {live}",
        )
    return next(iter(answers.values()))


def _port_accepts(pod: Pod, port: int, fingerprint: str, seen: Iterable[ObservedListener]) -> TrustInCa:
    party = listener_name(port)
    answers = _answers_of_port(pod, port, seen)
    if not answers:
        return TrustInCa(None, _describe_silence(port))
    doubt = next(
        (
            listener.doubts.get(fingerprint, listener.failure)
            for listener in answers
            if fingerprint not in listener.accepts | listener.refuses
        ),
        None,
    )
    if doubt is not None:
        return TrustInCa(None, doubt or f"the run did not ask {party} about this CA")
    accepted = any(fingerprint in listener.accepts for listener in answers)
    if accepted and any(fingerprint in listener.refuses for listener in answers):
        return TrustInCa(None, f"{party} was seen to trust the CA and not to trust it")
    return TrustInCa(accepted, answers[0].source)


def _answers_of_port(pod: Pod, port: int, seen: Iterable[ObservedListener]) -> tuple[ObservedListener, ...]:
    return tuple(listener for listener in seen if (listener.uid, listener.port) == (pod.uid, port))


def _describe_silence(port: int) -> str:
    return f"{listener_name(port)} was not seen: it did not answer in time, or the pod was replaced meanwhile"


def _describe_ports(ports: Sequence[int]) -> str:
    return f"port {', '.join(map(str, ports))}"


def known_presenters(snapshot: Snapshot) -> tuple[Presenter, ...]:
    """The parties outside the cluster, with what the flow in flight saw of their certificates before its switch."""
    journal, current = snapshot.ledger_or_empty.journal, snapshot.ca.current
    if (
        journal is None
        or journal.finished_at is not None
        or journal.outgoing_certificates is None
        or not journal.outgoing_certificates.is_complete
    ):
        return snapshot.presenters
    if not current or current[0].fingerprint != journal.successor:
        return snapshot.presenters
    return tuple(
        _bound_by_time(presenter, journal.outgoing_certificates, journal.successor, snapshot.now)
        for presenter in snapshot.presenters
    )


def _bound_by_time(presenter: Presenter, outgoing: Outgoing, successor: str, now: datetime) -> Presenter:
    """The presenter. If it is a program with an unknown certificate, the end of the last certificate that it may have
    bounds the evidence: from then on it presents no certificate of the replaced CA.
    """
    if (
        presenter.authorities is None
        or presenter.ends_at is not None
        or presenter.certificate_source not in outgoing.readers
    ):
        return presenter
    if outgoing.ends_at > now:
        end = f"{outgoing.ends_at:%Y-%m-%dT%H:%M:%SZ}"
        return replace(
            presenter,
            evidence=f"{presenter.evidence}; this lasts until {end} at most, when the last certificate that it may "
            "have has ended",
        )
    return replace(presenter, authorities=presenter.authorities & {successor})


_NOT_ASKED = "it did not answer in time, or it has started since"


def present_all(snapshot: Snapshot, ledger: Ledger) -> tuple[Presentation, ...]:
    """The presentation of each party that presents a certificate of this CA: pods in their order, then presenters
    outside the cluster.
    """
    return (*present_pods(snapshot, ledger), *present_outside(snapshot))


def present_pods(snapshot: Snapshot, ledger: Ledger) -> tuple[Presentation, ...]:
    """The presentation of each pod that presents any, in the order of the pods."""
    as_stored = stored.present_as_stored(snapshot, ledger)
    if snapshot.nodes.listeners is None:
        return as_stored
    return tuple(
        _describe_presentation(pod, seen, snapshot, ledger) if is_asked(pod, snapshot) else seen
        for pod, seen in zip(stored.pods_with_certificates(snapshot), as_stored, strict=True)
    )


def present_outside(snapshot: Snapshot) -> tuple[Presentation, ...]:
    """The presentation of each party outside the cluster. Without pods no party is presented anything."""
    return tuple(
        Presentation(presenter.name, presenter.authorities, (), presenter.evidence)
        for presenter in presenters(snapshot)
    )


def presenters(snapshot: Snapshot) -> tuple[Presenter, ...]:
    """The parties outside the cluster that present something, or may, and are not waived."""
    if not snapshot.nodes.pods:
        return ()
    presenting = known_presenters(snapshot)
    return tuple(
        presenter
        for presenter in presenting
        if presenter.authorities != frozenset() and waiver_of(presenter.name, snapshot) is None
    )


def possible_holders_of_undone(snapshot: Snapshot, ledger: Ledger) -> tuple[Pod, ...]:
    """The pods that may have been started with a leaf of the abandoned CA of an abort, despite new annotations. Such a
    pod started between the write of such a leaf and the moment at which a reconcile under way put the older leaf back
    (docs/operator.md, "Re-issue").

    If a pod ran when the CA was read back from the bundle, it started before any leaf of the CA was issued. The answers
    of listeners show the leaf from the start of their process, unless they have read again since. Before this call has
    asked the nodes, no pod is named.
    """
    journal, unwanted = ledger.journal, ledger.find(ledger.undone_ca)
    if ledger.undone_ca is None or journal is None or snapshot.nodes.in_place_obstacles is None:
        return ()
    before = (unwanted.awaited_pods if unwanted else None) or frozenset()
    were_asked = snapshot.nodes.listeners is not None
    read_again = ledger.former_by_pod.keys()
    return tuple(
        pod
        for pod, seen in zip(stored.pods_with_certificates(snapshot), present_pods(snapshot, ledger), strict=True)
        if not pod.presents_nothing
        and (journal.unsure_pods is None or pod.uid in journal.unsure_pods)
        and pod.uid not in before
        and not (
            were_asked
            and pod.component is Component.KAFKA
            and seen.authorities is not None
            and pod.uid not in read_again
        )
    )


def is_taken_up(entry: LedgerEntry, snapshot: Snapshot, ledger: Ledger) -> bool:
    """Whether every party presents certificates of this CA and of no other. Parties outside the cluster may keep to a
    CA that is trusted beside it, if another issuer issues their certificates.
    """
    if entry.state is not TrustState.TRUSTED_IN_USE_ANY:
        return entry.state is TrustState.TRUSTED_IN_USE_ALL
    outside = (
        presenter.authorities
        for presenter in presenters(snapshot)
        if presenter.authorities is None or presenter.renewal is not Renewal.BY_HAND
    )
    issuers = (*(seen.authorities for seen in present_pods(snapshot, ledger)), *outside)
    return all(authorities == frozenset({entry.fingerprint}) for authorities in issuers)


def awaited_presenters(snapshot: Snapshot) -> tuple[Presenter, ...]:
    """The presenters without a waiver: a flow waits for them."""
    return tuple(presenter for presenter in snapshot.presenters if waiver_of(presenter.name, snapshot) is None)


def parties_awaiting_issue(snapshot: Snapshot) -> tuple[Presenter, ...]:
    """The parties outside the cluster that present nothing yet, and are about to get a certificate. It may be of a CA
    that was in use when its issuer looked, perhaps a while ago.
    """
    if not snapshot.nodes.pods:
        return ()
    return tuple(
        presenter
        for presenter in awaited_presenters(snapshot)
        if presenter.authorities == frozenset() and presenter.renewal is Renewal.ISSUED
        and presenter.is_outdated and not presenter.hindrance
    )  # fmt: skip


def surely_trusted_by(pod: Pod, snapshot: Snapshot, ledger: Ledger) -> tuple[Certificate, ...]:
    """The CAs that a pod is known to trust: it read them when it started, and its listeners accept them if this call
    has asked.
    """
    since_start = stored.trusted_since_start(pod.uid, ledger)
    if not _shows_trust(pod, snapshot):
        return since_start
    return tuple(
        certificate for certificate in since_start if _judge_trust(pod, certificate.fingerprint, True, snapshot).trusted
    )


def possibly_trusted_by(pod: Pod, snapshot: Snapshot, ledger: Ledger) -> tuple[Certificate, ...]:
    """The CAs that a pod may trust: it read them when it started, and its listeners have not refused them."""
    answers = _answers_of_pod(pod, snapshot) if _shows_trust(pod, snapshot) else ()
    refused = {name for listener in answers if listener.verifies for name in listener.refuses}
    return tuple(
        certificate
        for certificate in stored.trusted_since_start(pod.uid, ledger)
        if certificate.fingerprint not in refused
    )


def pods_trusting_removed(removed: RemovedEntry, snapshot: Snapshot) -> frozenset[str]:
    """UIDs of the pods whose listeners may trust a removed CA: a pod with answers, until it has refused this CA; any
    other pod if it started before the removal.
    """
    return frozenset(pod.uid for pod in stored.verifying(snapshot) if _may_trust(pod, removed, snapshot))


def _may_trust(pod: Pod, removed: RemovedEntry, snapshot: Snapshot) -> bool:
    since_start = pod.uid in removed.awaited_pods
    if _forgets_when_restarted(pod, snapshot):
        return False
    if not _shows_trust(pod, snapshot):
        return since_start
    if _names_only_shared(pod, removed.fingerprint, snapshot):
        return since_start
    return _judge_trust(pod, removed.fingerprint, None, snapshot).trusted is not False


def _forgets_when_restarted(pod: Pod, snapshot: Snapshot) -> bool:
    """Whether a node is left to forget a removed CA in its next restart, whatever its reason. Its listeners verify no
    client by the CA, so only the clients in its process know it, and the flow in flight restarts no node.
    """
    journal = snapshot.ledger_or_empty.journal
    is_patient = journal is not None and journal.finished_at is None and journal.retire is not Retire.NOW
    return is_patient and pod.component is Component.KAFKA and not snapshot.shows_trust


def presenting_stored(snapshot: Snapshot) -> frozenset[str]:
    """UIDs of the nodes whose listeners were all seen to present the stored leaf."""
    leaves = snapshot.leaves.certificates
    return frozenset(
        pod.uid
        for pod in snapshot.nodes.pods
        if is_asked(pod, snapshot)
        and (seen := _answers_of_pod(pod, snapshot))
        and all(
            listener.presents and listener.presents[0] in {leaves.get(name) for name in pod.leaves} for listener in seen
        )
    )


def leaf_shown_by(pod: Pod, snapshot: Snapshot) -> Certificate | None:
    """The leaf that all listeners of a node present; None if they present several, or one has not answered."""
    if not is_asked(pod, snapshot):
        return None
    shown = {(listener.presents or ())[:1] for listener in _answers_of_pod(pod, snapshot)}
    return next(iter(shown))[0] if len(shown) == 1 and all(shown) else None


def presenting_ended(snapshot: Snapshot) -> Mapping[str, datetime]:
    """When the presented certificate of a node ended, by the UID of its pod; nodes without such a certificate are left
    out. A node with answers is judged by them. Any other node is judged by the leaf of its start, if this is still
    stored.
    """
    return {
        pod.uid: min(ends)
        for pod in snapshot.nodes.pods
        if pod.component is Component.KAFKA
        and (ends := [end for end in _ends_of_presented(pod, snapshot) if end <= snapshot.now])
    }


def nodes_to_recover(snapshot: Snapshot) -> Mapping[str, datetime]:
    """The same of the nodes that only a recovery brings back. Without TLS between them nodes do not refuse each other,
    and take their next certificates up without a recovery.
    """
    return presenting_ended(snapshot) if snapshot.security.has_tls else {}


def refused_everywhere(snapshot: Snapshot) -> frozenset[str]:
    """UIDs of the pods that present an ended certificate of this CA. Every party refuses them. Whatever they trust,
    they lose nothing by another CA, and they come back by a restart alone, in which they read the trust bundle.
    """
    if not snapshot.security.has_tls or snapshot.users is not None:
        return frozenset()
    components = (pod for pod in snapshot.nodes.pods if pod.component is not Component.KAFKA and pod.presents_stored)
    ended = (
        pod.uid
        for pod in components
        if any(leaf.chain and leaf.chain[0].has_ended(snapshot.now) for leaf in leaves_of(pod, snapshot))
    )
    return frozenset((*presenting_ended(snapshot), *ended))


def serves_no_client(snapshot: Snapshot) -> bool:
    """Whether every client refuses every node, because all nodes present ended certificates of this CA."""
    nodes = {pod.uid for pod in snapshot.nodes.pods if pod.component is Component.KAFKA}
    return bool(nodes) and nodes <= refused_everywhere(snapshot)


def _ends_of_presented(pod: Pod, snapshot: Snapshot) -> tuple[datetime, ...]:
    """The ends of the certificates that a node is known to present."""
    if is_asked(pod, snapshot) and (
        shown := tuple(
            listener.presents[0].not_after for listener in _answers_of_pod(pod, snapshot) if listener.presents
        )
    ):
        return shown
    if not pod.presents_stored:
        return ()
    return tuple(leaf.chain[0].not_after for leaf in leaves_of(pod, snapshot) if leaf.chain)


def may_present_ended(snapshot: Snapshot) -> frozenset[str]:
    """UIDs of the nodes that were started with a leaf which is stored no more. Only their answers show whether it has
    ended.
    """
    return frozenset(
        pod.uid for pod in snapshot.nodes.pods if pod.component is Component.KAFKA and not pod.presents_stored
    )


def leaves_of(pod: Pod, snapshot: Snapshot) -> tuple[StoredLeaf, ...]:
    """The stored leaves that a pod presents once it has restarted."""
    leaves = snapshot.leaves.by_secret
    return tuple(leaves[name] for name in pod.leaves if name in leaves)


def pods_accepting(fingerprint: str, snapshot: Snapshot) -> frozenset[str]:
    """UIDs of the pods whose listeners have answered and all accept this CA."""
    showing = (pod for pod in snapshot.nodes.pods if _shows_trust(pod, snapshot))
    return frozenset(pod.uid for pod in showing if _judge_trust(pod, fingerprint, None, snapshot).trusted)


def find_trust_doubts(snapshot: Snapshot, ledger: Ledger) -> tuple[tuple[str, str], ...]:
    """The pods whose answers leave open whether they trust a CA that they read at their start: the name of each pod,
    with the reason as a part of a sentence.
    """
    silent = {pod.uid for pod in unanswered(snapshot)}
    answers = [
        (pod.name, _judge_trust(pod, authority.fingerprint, True, snapshot))
        for pod in stored.verifying(snapshot)
        if _shows_trust(pod, snapshot) and pod.uid not in silent
        for authority in stored.trusted_since_start(pod.uid, ledger)
    ]
    return tuple(sorted({(pod, answer.evidence) for pod, answer in answers if not answer.trusted}))


def is_asked(pod: Pod, snapshot: Snapshot) -> bool:
    """Whether the answers of this pod are its evidence. Then a missing answer is unknown (I5)."""
    return (
        snapshot.nodes.listeners is not None
        and pod.component is Component.KAFKA
        and not pod.presents_nothing
        and pod.uid not in snapshot.nodes.assumed_up_to_date
        and pod.uid not in snapshot.nodes.assumed_as_started
    )


def _shows_trust(pod: Pod, snapshot: Snapshot) -> bool:
    """Whether the answers of this pod are also the evidence of its trusted CAs. If they are not, the CAs that it read
    at its start are.
    """
    return snapshot.shows_trust and is_asked(pod, snapshot)


def unanswered(snapshot: Snapshot) -> tuple[Unanswered, ...]:
    """The nodes with a listener that has not answered, and the leaving nodes if another process is about to take their
    place, by name.
    """
    parties = _asked_parties(snapshot)
    return tuple(
        Unanswered(pod.name, pod.uid, pod.worker, why) for pod in parties if (why := _why_unanswered(pod, snapshot))
    )


@dataclass(frozen=True)
class Hearing:
    """The nodes whose answers a call goes by, and the nodes with missing answers; none if the call goes by stored
    evidence.
    """

    #: The names of the nodes with an answer to every question.
    heard: tuple[str, ...] = ()
    #: The nodes that have not answered, or have left a question open: which certificate a listener presents, or which
    #: of the known CAs it trusts.
    unheard: tuple[Unanswered, ...] = ()


NO_HEARING = Hearing()


def hearing_of(snapshot: Snapshot) -> Hearing:
    """The nodes in the order of their names."""
    parties = _asked_parties(snapshot)
    why = {pod: _why_unanswered(pod, snapshot) or _describe_open_question(pod, snapshot) for pod in parties}
    return Hearing(
        tuple(pod.name for pod in parties if not why[pod]),
        tuple(Unanswered(pod.name, pod.uid, pod.worker, why[pod]) for pod in parties if why[pod]),
    )


def _asked_parties(snapshot: Snapshot) -> tuple[Pod, ...]:
    """The nodes with their answers as evidence, by name."""
    parties = {*stored.presenting_pods(snapshot), *stored.verifying(snapshot)}
    return tuple(sorted((pod for pod in parties if is_asked(pod, snapshot)), key=lambda pod: pod.name))


def _describe_open_question(pod: Pod, snapshot: Snapshot) -> str:
    """The open question of the node; empty if there is none, or the node has not answered at all."""
    answers = _answers_of_pod(pod, snapshot)
    if unseen := next((listener for listener in answers if listener.presents is None), None):
        return unseen.failure or f"{listener_name(unseen.port)} has not shown its certificate"
    if not snapshot.has_verifiers or not _shows_trust(pod, snapshot):
        return ""
    verifying = [listener for listener in answers if listener.verifies]
    if not verifying:
        return "none of its listeners has shown which CAs it trusts"
    for authority in _known_authorities(snapshot.ledger_or_empty):
        for listener in verifying:
            if authority.fingerprint not in listener.accepts | listener.refuses | listener.shared:
                doubt = f"the run did not ask {listener_name(listener.port)} whether it trusts {authority.subject}"
                return listener.doubts.get(authority.fingerprint, doubt)
    return ""


def _known_authorities(ledger: Ledger) -> tuple[Certificate, ...]:
    """The CAs in a call's questions to each listener."""
    entered, left = ((one.certificate for one in entries) for entries in (ledger.entries, ledger.removed_cas))
    return (*entered, *left)


def _why_unanswered(pod: Pod, snapshot: Snapshot) -> str:
    """Why the node counts as unanswered; empty if every listener has answered, and the process stays."""
    if pod.terminating:
        return "it is being terminated"
    answers = _answers_of_pod(pod, snapshot)
    silent = next((listener.failure for listener in answers if listener.is_silent), "" if answers else _NOT_ASKED)
    return silent if pod.ready or not silent else f"it is not Ready; {silent}"


def _answers_of_pod(pod: Pod, snapshot: Snapshot) -> tuple[ObservedListener, ...]:
    return snapshot.listeners_by_uid.get(pod.uid, ())


def _names_only_shared(pod: Pod, fingerprint: str, snapshot: Snapshot) -> bool:
    """Whether its listeners have answered with nothing but a name that other CAs have too. The CAs that it read at its
    start are known all the same.
    """
    verifying = [listener for listener in _answers_of_pod(pod, snapshot) if listener.verifies]
    return bool(verifying) and all(fingerprint in listener.shared for listener in verifying)


def _judge_trust(pod: Pod, fingerprint: str, since_start: bool | None, snapshot: Snapshot) -> TrustInCa:
    if since_start is not None and _names_only_shared(pod, fingerprint, snapshot):
        return TrustInCa(since_start, "the CAs that it read when it started")
    verifying = [listener for listener in _answers_of_pod(pod, snapshot) if listener.verifies]
    return accepts_live(pod, sorted({listener.port for listener in verifying}), fingerprint, since_start, verifying)


def _describe_presentation(pod: Pod, as_stored: Presentation, snapshot: Snapshot, ledger: Ledger) -> Presentation:
    listeners = _answers_of_pod(pod, snapshot)
    ports = sorted({listener.port for listener in listeners})
    if not ports:
        return Presentation(pod.name, None, (), "the run asked none of its listeners")
    by_port = [present_live(pod, port, as_stored, listeners, ledger) for port in ports]
    unknown = next((presentation for presentation in by_port if presentation.authorities is None), None)
    if unknown is not None:
        return Presentation(pod.name, None, (), unknown.evidence)
    authorities = frozenset(name for presentation in by_port for name in presentation.authorities or ())
    if pod.uid in ledger.former_by_pod:
        # The listeners may still change from one leaf to the next, and the rest of the process presents the older leaf.
        authorities |= as_stored.authorities or frozenset()
    chains = tuple(dict.fromkeys(chain for presentation in by_port for chain in presentation.chains))
    return stored.add_former_leaves(Presentation(pod.name, authorities, chains, "handshake"), pod, ledger)
