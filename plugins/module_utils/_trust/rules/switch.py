# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "Publish": processes and clients can read every CA of the ledger.

Before the next CA is used, the ledger says that it is trusted, and processes and clients have had the time to read it.
The operator brings CAs to some clients outside the cluster, and a flow waits for that: every two minutes the operator
looks at Connect, MirrorMaker 2 and Bridge, copies the CAs that their resource selects from the CA certificate Secret,
and restarts them.

Chapter "Switch": the operator goes from the old CA to the new CA, in one pause (docs/flows.md, "The switch"). Clients
may know only the replaced CA after that (docs/outside-clients.md, "Clients that refuse brokers, and when").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from ..._pki.building import authority_generation
from ..._pki.certificates import Certificate, Chain
from ..._pki.verifiers import Verifier, named_verifiers
from ..evidence.parties import serves_no_client
from ..evidence.stored import presenting_pods, with_copies_updated
from ..gates.gates import Violations
from ..gates.verifiers import (
    MOUNTED_SECRET,
    STRICT,
    describe_clients_left_behind,
    is_valid,
    renewed_arrives_at,
    usable_from,
    why_refused_by_unknown_clients,
)
from ..ledger.journal import in_flight
from ..ledger.target import wish_of
from ..ledger.update import is_needless, is_projected, is_withdrawn
from ..model.clients import Follows, OutsideClient
from ..model.components import Component
from ..model.decision import Steps, Turn, Wait
from ..model.goals import Goal, Phase
from ..model.intent import Intent
from ..model.ledger import TRUSTED_STATES, LedgerEntry, TrustState
from ..model.names import named
from ..model.snapshot import Snapshot
from ..model.steps.authority import Switch
from ..model.steps.trust import AwaitBundle, AwaitClients, AwaitOutside, Project, Publish, WriteBundle
from .pause import (
    pause_first,
    pause_reissue,
    restarts_to_give_up,
    retires_when_restarted,
    why_leaves_not_reloaded,
    why_not_annotated,
    why_not_in_place,
)
from .requests import leaves_to_await
from .situation import Situation, Successor


def project(at: Situation) -> Steps:
    """Every CA of the ledger is in the certificate Secret; a CA on its way out only if it is needed again. If a CA has
    just left, it is trusted again when every process has forgotten it.
    """
    if at.current is None:
        return ()
    needed_cas = (
        entry.chain for entry in at.ledger.entries if not is_needless(at.snapshot, at.ledger, entry, at.gates)
    )
    projected, wish = at.snapshot.ca.projected, wish_of(at.snapshot, at.intent, at.ledger)
    wanted = (*needed_cas, *at.intent.trust.additional_cas, *(wish.additional_cas if wish else ()))
    needed = tuple(chain for chain in wanted if chain[0].fingerprint not in projected | at.ledger.leaving_cas)
    every = projected | {chain[0].fingerprint for chain in needed}
    return (Project(chains=needed), AwaitBundle(present=every, phase=Phase.PREPARE)) if needed else ()


def await_bundle(at: Situation) -> Steps:
    """The trust bundle follows the certificate Secret at the operator's next reconcile. No process restarts before that
    to forget a CA: it would read that CA once more.
    """
    bundle, projected = at.snapshot.bundle, at.snapshot.ca.projected
    if bundle is None:
        return ()
    remembered = (removed.certificate for removed in at.ledger.removed_cas)
    remembered_cas = (*(entry.certificate for entry in at.ledger.entries), *remembered)
    leaving = tuple(one for one in remembered_cas if one.fingerprint not in projected and one.fingerprint in bundle)
    if projected <= bundle and not leaving:
        return ()
    return (AwaitBundle(present=projected, absent=leaving, phase=Phase.RETIRE if leaving else Phase.PREPARE),)


def write_bundle(at: Situation) -> Steps:
    """In a pause, bring the trust bundle in step with the certificate Secret. If it has shrunk, the pods at that time
    may know the CA that has left.
    """
    if at.snapshot.bundle in (None, at.snapshot.ca.projected):
        return ()
    return pause_first(at, WriteBundle(phase=at.phase))


def publish(at: Situation) -> Steps:
    """The bundle for clients contains the CAs that processes read. Once there is a bundle, it is kept, whichever caller
    runs the flow.
    """
    if not _wants_publishing(at) or at.current is None:
        return ()
    chains = tuple(entry.chain for entry in at.ledger.entries if is_projected(at.snapshot, entry.fingerprint))
    wanted = frozenset(certificate.fingerprint for chain in chains for certificate in chain)
    if not chains or at.snapshot.outside_clients.published == wanted:
        return ()
    growing = at.snapshot.outside_clients.published is None or bool(wanted - at.snapshot.outside_clients.published)
    return (Publish(chains=chains, phase=Phase.PREPARE if growing else Phase.RETIRE),)


def is_published(at: Situation, entry: LedgerEntry) -> bool:
    """Whether processes and clients can read this CA in the places for CAs; before that no leaf of it is presented
    (I3).
    """
    if not is_projected(at.snapshot, entry.fingerprint):
        return False
    published = at.snapshot.outside_clients.published or frozenset()
    return not _wants_publishing(at) or all(certificate.fingerprint in published for certificate in entry.chain)


def _wants_publishing(at: Situation) -> bool:
    return at.intent.trust.publishes_bundle or at.snapshot.outside_clients.published is not None


def may_be_used(at: Situation, successor: Successor) -> bool:
    """Whether its leaves may be presented, by the ledger and as far as unknown clients are concerned."""
    return _is_trusted(at, successor) and not _await_first_use(at, successor)


def await_arrival(at: Situation) -> Steps:
    """Clients of the CA certificate Secret get the time to take up the next CA, if they could refuse it."""
    successor = at.successor
    return _await_first_use(at, successor) if successor is not None and _is_trusted(at, successor) else ()


def await_clients(at: Situation, successor: Successor, form: Chain, phase: Phase, why: str) -> Steps:
    """Wait until clients have had the time to read the next CA, if they could refuse this form without it. The reason
    is shown if no option says how much time they get.
    """
    until = usable_from(successor.entry, form, at.snapshot, at.intent.pace.client_grace)
    # Clients verify the certificates of the processes of the cluster.
    if until is None or until <= at.snapshot.now or not presenting_pods(at.snapshot) or serves_no_client(at.snapshot):
        return ()
    reason = why if why_refused_by_unknown_clients(form, at.snapshot) else ""
    return (AwaitClients(certificate=successor.entry.certificate, earliest_use=until, because=reason, phase=phase),)


def _is_trusted(at: Situation, successor: Successor) -> bool:
    return successor.entry.state in TRUSTED_STATES and is_published(at, successor.entry)


def _await_first_use(at: Situation, successor: Successor) -> Steps:
    if successor.entry.state is not TrustState.TRUSTED_UNUSED:
        return ()
    form, new = successor.introduction.form, named(successor.entry.certificate)
    reason = why_refused_by_unknown_clients(form, at.snapshot)
    why = f"Clients that know only the CA in use could refuse {new} ({reason}): they get time to read it first."
    return _await_readers_of_renewal(at, successor) or await_clients(at, successor, form, Phase.TRUST, why)


def _await_readers_of_renewal(at: Situation, successor: Successor) -> Steps:
    """Clients get the time to read the renewed certificate of the CA in use, if a link certificate leads them on from
    it.
    """
    current = at.ledger.find(at.current.fingerprint) if at.current else None
    if successor.introduction.link is None or current is None or not presenting_pods(at.snapshot):
        return ()
    until = renewed_arrives_at(current, at.intent.pace.client_grace)
    if until is None or until <= at.snapshot.now:
        return ()
    because = (
        f"{named_verifiers(STRICT)} accept certificates of the next CA as soon as they have read "
        f"{named(current.certificate)}."
    )
    return (AwaitClients(certificate=current.certificate, earliest_use=until, because=because),)


def describe_clients_without_renewal(snapshot: Snapshot, intent: Intent) -> str:
    """A warning, as sentences, about clients that may have the CA in use from before its renewal, if the replacement in
    flight followed that renewal at once: from when on they refuse nodes, until when, and how they can avoid that. Empty
    if clients had their time before the replacement began, if a process presents a certificate of the next CA already,
    or if the replacement is undone.
    """
    begun, current = in_flight(snapshot.ledger), snapshot.ca.current[:1]
    if (
        begun is None
        or begun.goal is not Goal.REPLACE_KEY
        or begun.is_abort
        or intent.goal is Goal.ABORT
        or not current
    ):
        return ""
    renewed, successor = (snapshot.ledger_or_empty.find(name) for name in (current[0].fingerprint, begun.successor))
    if renewed is None or renewed.cleared_at is None or begun.replaces != renewed.fingerprint:
        return ""
    had_time = renewed.cleared_at + MOUNTED_SECRET <= begun.started_at
    is_in_use = successor is not None and successor.state not in (TrustState.UNTRUSTED, TrustState.TRUSTED_UNUSED)
    if had_time or is_in_use or not presenting_pods(snapshot):
        return ""
    return (
        f"{snapshot.names.kafka}: clients of {named_verifiers(STRICT)} that have ca.crt from before "
        f"{renewed.cleared_at:%Y-%m-%d %H:%M:%S} UTC, such as programs that read their CAs only when they start, "
        "refuse each node as soon as it presents a certificate of the next CA, until they read again: that "
        f"certificate of {current[0].subject} allows no CA below it. Clients that have read ca.crt since then, "
        f"{named(current[0])}, accept the nodes, and clients of a JVM always do: start such programs again before "
        "nodes take up the next CA. An adoption with raise_path_length (strimzi_raise_path_length), months before a "
        "replacement, spares them that."
    )


def grace_of(at: Situation) -> timedelta:
    return MOUNTED_SECRET if at.intent.pace.client_grace is None else at.intent.pace.client_grace


def await_readers(at: Situation) -> Steps:
    """If nodes lead to the CA in use from memory alone, they neither read again nor restart for this flow before
    clients have had the time to read the certificate Secret. A pause is not made longer for clients.
    """
    since = at.flow_in_flight.read_since if at.flow_in_flight is not None else None
    if (
        since is None
        or at.current is None
        or at.snapshot.reconciliation.pause.is_ours
        or not presenting_pods(at.snapshot)
    ):
        return ()
    until = since + grace_of(at)
    if until <= at.snapshot.now:
        return ()
    return (AwaitClients(certificate=at.current, earliest_use=until, phase=Phase.RETIRE),)


def with_clients_in_need(snapshot: Snapshot, successor: Successor) -> Snapshot:
    """The snapshot with the outside clients that need the next CA before the switch. If the operator brings ``ca.crt``
    alone to a client, the client has the CA in use until then, and the next CA some time after. It does not need the
    next CA if nodes with its leaves lead the client on.
    """
    if successor.introduction.link is None:
        return snapshot
    form = snapshot.ca.led_to(successor.entry.chain, snapshot.now)
    clients = snapshot.outside_clients.clients
    return snapshot.with_clients(tuple(client for client in clients if not _is_led_on(client, form, snapshot.now)))


def _is_led_on(client: OutsideClient, form: Chain, now: datetime) -> bool:
    if client.follows is not Follows.ISSUING or client.trusts is None or client.doubt:
        return False
    return is_valid(form, client.trusts, now, client.verifier)


def describe_refused_clients(at: Situation, successor: Successor) -> str:
    """Sentences about clients that know only the CA in use, once the operator is switched to the next CA: until when
    nodes lead them on, and which clients refuse the nodes from when to when. Empty if there are none, or if leaves of
    the next CA validate under the CA in use.
    """
    begun, current = at.flow_in_flight, at.current
    if begun is None or begun.goal is not Goal.REPLACE_KEY or current is None or not at.snapshot.sends_chains:
        return ""
    if begun.is_abort or not presenting_pods(at.snapshot):
        return ""
    old, new = named(current), named(successor.entry.certificate)
    links = successor.prepared.links
    sent = links.sent_at(at.snapshot.now) if links is not None else ()
    if sent:
        return _describe_led_clients(at, successor, current, sent)
    if successor.introduction.link is None:
        return (
            f"Nothing leads clients from {old} to {new}: "
            f"{successor.introduction.because or 'there is no link certificate.'} Clients that load ca.crt alone, "
            "whatever their library, know one of the two CAs at a time: they refuse the nodes that have not restarted "
            "yet from the switch on, until each has; load every *.crt, or the bundle for clients, instead. Clients "
            "that go on with the old CA refuse each node from its restart after the switch on, until they read again. "
            f"{describe_clients_left_behind(at.snapshot)}"
        ).rstrip()
    if links is None:
        # The CA in use has issued the next CA.
        return ""
    why = _why_no_way_back(successor, old)
    if why_not_in_place(at):
        return (
            f"After the switch nodes do not lead on clients that know only {old}, because {why}. Such clients refuse "
            "each node from its restart after the switch on, until they read the certificate Secret again."
        )
    return (
        f"After the switch nodes lead on clients that know only {old} from memory alone, because {why}. The nodes read "
        f"their certificates again {grace_of(at).total_seconds():.0f} s after it (client_grace). Clients that load "
        "ca.crt alone and have read it by then accept the nodes; clients that read it later, or only when they start, "
        "refuse the nodes from then on, until they read it."
    )


def _describe_led_clients(at: Situation, successor: Successor, current: Certificate, sent: Chain) -> str:
    form, (forth, back) = at.snapshot.ca.led_to(successor.entry.chain, at.snapshot.now), sent
    led = frozenset(kind for kind in Verifier if is_valid(form, (current,), at.snapshot.now, kind))
    if not led:
        return ""
    clients = "Clients" if led == frozenset(Verifier) else f"Clients of {named_verifiers(led)}"
    until = (
        f"{clients} that know only {named(current)} are led on after the switch, until "
        f"{min(forth.not_after, back.not_after):%Y-%m-%d %H:%M} UTC"
    )
    if forth.not_after <= back.not_after:
        return f"{until}: from then on they refuse the nodes, until they read again."
    return (
        f"{until}. The first run after that stores the chains of nodes without the link certificates: they refuse each "
        "node from its next restart or reading on, until they read again."
    )


def _why_no_way_back(successor: Successor, old: str) -> str:
    links = successor.prepared.links
    if links is not None and links.old_with_new is not None:
        return f"the time for that, link_until, was over on {links.old_with_new.not_after:%Y-%m-%d %H:%M} UTC"
    if successor.prepared.key_is_elsewhere:
        return (
            f"the key of {named(successor.entry.certificate)} is kept elsewhere, and its issuer has not certified {old}"
        )
    return f"{old} has ended"


def await_outside(at: Situation) -> Steps:
    """Wait if only outside clients are in the way, until the operator has brought their copies up to date.

    If the operator does not change the copy of a client, the client holds the flow with its violation instead: the wait
    would be in vain.
    """
    if not at.snapshot.outside_clients.clients:
        return ()
    then = with_copies_updated(at.snapshot)
    for now, later, phase in _find_violations_now_and_then(at, then):
        if now and not later:
            clients = tuple(dict.fromkeys(violation.subject for violation in now))
            return (AwaitOutside(clients=clients, settled=then.outside_clients.clients, phase=phase),)
    return ()


def _find_violations_now_and_then(at: Situation, then: Snapshot) -> Iterator[tuple[Violations, Violations, Phase]]:
    """The violations of each gate now, and with copies up to date, with the phase after the gate."""
    successor, gates, ledger = at.successor, at.gates, at.ledger
    if successor is not None and is_projected(at.snapshot, successor.entry.fingerprint):
        form, chain = successor.introduction.form, successor.entry.chain
        yield gates.trust(at.snapshot, ledger, form), gates.trust(then, ledger, form), Phase.TRUST
        if successor.introduction.link is not None:
            needing = with_clients_in_need(at.snapshot, successor), with_clients_in_need(then, successor)
            yield gates.trust(needing[0], ledger, chain), gates.trust(needing[1], ledger, chain), Phase.RETIRE
    for entry in ledger.entries:
        if entry.state is TrustState.PHASE_OUT and not is_withdrawn(at.snapshot, entry.fingerprint):
            later = replace(at, snapshot=then)
            yield at.why_it_stays(entry.fingerprint), later.why_it_stays(entry.fingerprint), Phase.RETIRE


def switch(at: Situation) -> Turn:
    """Switch if every party accepts leaves of the new CA without a link certificate, and alone, at this moment (I3);
    wait if the trust gate is closed.

    If a link certificate carries leaves, these go first, and the old CA leaves the trust with the write of the switch.
    """
    successor = at.successor
    if successor is None:
        return ()
    if at.current is None:
        return () if at.snapshot.nodes.pods else (_switch_to(successor, at, 0, None),)
    if successor.entry.state not in TRUSTED_STATES:
        return ()
    chain = successor.entry.chain
    closed = at.gates.trust(with_clients_in_need(at.snapshot, successor), at.ledger, chain)
    if closed or not may_be_used(at, successor) or at.gates.alone(at.snapshot, at.ledger, chain):
        return _held_before_use(at, successor, closed)
    leaving = _find_leaving_ca(at, at.current)
    if leaving is None and successor.introduction.link is not None:
        return _held_before_use(at, successor, closed)
    because = (
        f"Clients that know only the CA in use accept {named(successor.entry.certificate)} by its link certificate, "
        "which goes out of use with the switch: they get time to read the Secret again."
    )
    led_to = at.snapshot.ca.led_to(chain, at.snapshot.now)
    # A pause is not made longer for clients.
    if waiting := await_clients(at, successor, led_to, Phase.RETIRE, because):
        return () if at.snapshot.reconciliation.pause.is_ours else waiting
    if leaves_to_await(at):
        return _held_before_use(at, successor, closed)
    if pause := pause_reissue(at):
        return pause
    step = _switch_to(successor, at, at.generation + 1, leaving)
    return pause_first(at, step) if at.snapshot.reconciliation.exists else (step,)


def _held_before_use(at: Situation, successor: Successor, closed: Violations) -> Wait:
    """The gates that hold the flow before the switch although the ledger says that the next CA is trusted: a client
    outside the cluster holds it, or the cluster has changed since. ``closed`` are the violations for leaves that nodes
    present without the link certificate. They hold the flow only once every leaf of the next CA is there: until then
    nodes present its leaves behind the link certificate.
    """
    if retires_when_restarted(at):
        return Wait()
    behind_link = at.gates.trust(at.snapshot, at.ledger, successor.introduction.form)
    return Wait(violations=behind_link or (() if leaves_to_await(at) else closed))


def _find_leaving_ca(at: Situation, current: Certificate) -> Certificate | None:
    """The CA in use, if it may leave with the switch; else None."""
    entry = at.ledger.find(current.fingerprint)
    if entry is None or entry.state is not TrustState.PHASE_OUT:
        return None
    return None if at.why_it_stays(current.fingerprint) else current


def _switch_to(successor: Successor, at: Situation, generation: int, leaving: Certificate | None) -> Switch:
    return Switch(
        authority=successor.prepared,
        generation=generation,
        key_generation=_next_key_generation(successor, at),
        leaving=leaving,
        phase=Phase.RETIRE if leaving else Phase.USE,
        because=describe_refused_clients(at, successor),
        avoidable_restart=_why_restarted(successor, at, leaving),
    )


def _next_key_generation(successor: Successor, at: Situation) -> int:
    """The key generation rises with every key that the switch writes, at least to the number in the name of the CA, so
    it is true when the cluster is handed back. If pods cannot be annotated with it, the operator would restart all of
    them for trust once more: the number stays as it is then.
    """
    present, current = at.snapshot.ca.key_generation, at.current
    if current is None or successor.prepared.key == at.snapshot.ca.key or why_not_annotated(at):
        return present
    return max(present + 1, authority_generation(successor.entry.certificate) or 0)


def _why_restarted(successor: Successor, at: Situation, leaving: Certificate | None) -> str:
    """Why nodes restart after this switch although they could read again, as a sentence. Nodes with leaves of another
    key restart in any case, unless they may keep them until they restart anyway.
    """
    begun = at.flow_in_flight
    replacing = begun is not None and begun.goal is Goal.REPLACE_KEY
    stored = (leaf for leaf in at.snapshot.leaves.stored if leaf.component is Component.KAFKA)
    are_kept = all(at.is_of(leaf, successor.entry.certificate) for leaf in stored)
    why = why_not_in_place(at) if are_kept else why_leaves_not_reloaded(at)
    if (
        not why
        or at.current is None
        or not presenting_pods(at.snapshot)
        or (replacing and not leaving and restarts_to_give_up(at))
    ):
        return ""
    return f"Nodes are restarted when the operator is switched to {named(successor.entry.certificate)}: {why}"
