# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "Prepare": a new CA, if the intent asks for it.

Chapter "Trust": processes that would refuse leaves of the next CA come to trust it before its leaves are used: by a
restart, or, if nothing but listeners verifies, by reading their trust again.
"""

from __future__ import annotations

from dataclasses import replace

from ..._pki.building import authority_generation
from ..._pki.certificates import Certificate, Chain
from ..._pki.verifiers import named_verifiers
from ..evidence.stored import missing_leaves_of, presenting_pods, without_outside_clients
from ..gates.gates import describe_confined, select_refusals, why_not_asked, why_not_linked
from ..gates.verifiers import STRICT, can_raise_path_length
from ..ledger.journal import beginning_of, stop_of
from ..ledger.target import resolve, rotation_of, supplied_for, why_due, wish_of
from ..model.authority_order import LinkPlan
from ..model.components import Component
from ..model.decision import Step, Steps, Turn, Wait
from ..model.goals import Goal, Phase
from ..model.ledger import LedgerEntry, Stop, TrustState
from ..model.names import named
from ..model.snapshot import PreparedAuthority
from ..model.steps.authority import PrepareAuthority
from ..model.steps.nodes import Reload, Roll, RollReason
from .leaves import Want, put_leaves
from .pause import leaves_before_restarts, retires_when_restarted, why_restarted_later, why_trust_not_reloaded
from .requests import describe_domain
from .situation import Situation, Successor
from .switch import await_clients, grace_of, is_published


def await_confirmation(at: Situation) -> Turn:
    """Wait for a person who compares the fingerprints of new CAs of the source."""
    wish = wish_of(at.snapshot, at.intent, at.ledger)
    if wish is None:
        return ()
    return Wait(
        awaited=tuple(
            f"{wish.source.name} contains a CA that this cluster does not trust: {certificate.subject}, SHA-256 "
            f"{certificate.sha256}, valid from {certificate.not_before:%Y-%m-%d %H:%M} to "
            f"{certificate.not_after:%Y-%m-%d %H:%M} UTC. Nothing is done about it until a person has compared this "
            "fingerprint with that of the CA that is meant and runs again with it in confirm_roots "
            f"(strimzi_confirm_roots={certificate.sha256})."
            for certificate in wish.unconfirmed_cas
        )
    )


def resume_replacement(at: Situation) -> Turn:
    """Leave the rest of a replacement to its own playbook, if the last renewal was its first part and the call that
    would go on was killed.
    """
    journal = at.ledger.journal
    renewed = (
        at.ledger.find(journal.successor) if journal is not None and journal.options.precedes_replacement else None
    )
    if journal is None or renewed is None or at.leads_to_replacement or at.intent.goal is Goal.ABORT:
        return ()
    return Wait(
        left_for_later=(
            f"{named(renewed.certificate)} was renewed so that its key can be replaced, as asked for on "
            f"{journal.started_at:%Y-%m-%d at %H:%M} UTC. The replacement is still to come: strimzi_ca with "
            "state=replaced, or the playbook replace_key, goes on with it.",
        )
    )


def prepare(at: Situation) -> Steps:
    """Certificate, key and, for a new key, link certificate of the next CA."""
    if not resolve(at.snapshot, at.intent, at.ledger).needs_new_ca:
        return ()
    step = replace(_next_authority(at), beginning=beginning_of(at.snapshot, at.intent))
    upkeep = at.intent.parameters.upkeep
    if upkeep is None or at.current is None or step.supplied:
        return (step,)
    return (replace(step, because=f"{why_due(at.current, at.snapshot, upkeep)} {step.because}".strip()),)


def _next_authority(at: Situation) -> PrepareAuthority:
    goal, supplied = rotation_of(at.snapshot, at.intent, at.ledger), supplied_for(at.snapshot, at.intent, at.ledger)
    chain = supplied.chain if supplied else ()
    if goal is Goal.RENEW:
        return replace(_prepare_renewal(at), supplied=chain)
    if goal is Goal.UPGRADE and at.current is not None:
        return _renew_for_link(at, at.current)
    if goal is Goal.REPLACE_KEY and at.current is not None and _is_renewed_first(at, at.current, chain):
        because = (
            f"{at.current.subject} allows no CA below it, so {named_verifiers(STRICT)} that load only "
            f"{named(at.current)} would refuse every node that presents a certificate of the next CA: it is renewed "
            "first, under its name and key, and they get time to read it. Programs that read it only when they start "
            "refuse these nodes until they start again; an adoption with raise_path_length "
            "(strimzi_raise_path_length), months before, spares them that. client_grace=0 goes on without the renewal."
        )
        return replace(_renew_for_link(at, at.current), because=because, precedes_replacement=True)
    step = PrepareAuthority(
        goal=goal, replaces=at.snapshot.ca.current, generation=_next_generation(at, goal), supplied=chain,
        stop=_stop_of_new_flow(at),
    )  # fmt: skip
    if goal is Goal.CREATE and supplied is not None and supplied.key_is_elsewhere and at.snapshot.users is None:
        return replace(
            step, because=f"Its issuer signs the certificates of the cluster. {describe_domain(at.snapshot)}"
        )
    if goal is not Goal.REPLACE_KEY:
        return step
    linked = not why_not_linked(at.snapshot, chain)
    step = replace(step, links=LinkPlan()) if linked else _with_link_request(at, step, supplied)
    return _limit_link(at, _with_back_link_request(at, step, supplied))


def _limit_link(at: Situation, step: PrepareAuthority) -> PrepareAuthority:
    """The step with the wish of the caller for the time until which nodes lead on clients that know only the CA in
    use.
    """
    until, current = at.intent.pace.link_until, at.current
    if until is None or current is None or not at.snapshot.sends_chains:
        return step
    reason = ""
    if step.links is None:
        reason = "link_until has no effect, because there is no link certificate."
    elif until >= current.not_after:
        reason = (
            f"link_until has no effect, because {named(current)}, and its link certificates with it, ends before, on "
            f"{current.not_after:%Y-%m-%d}."
        )
    links = replace(step.links, back_until=until) if step.links is not None else None
    return replace(step, links=links, because=f"{step.because} {reason}".strip())


def _prepare_renewal(at: Situation) -> PrepareAuthority:
    """A renewal keeps the path length, unless the caller gives another path length or the present length leaves no room
    for a link certificate.
    """
    wanted, current = at.intent.new_ca.path_length, at.snapshot.ca.current
    own = current[0].path_length
    length = wanted if wanted is not None else 1 if own == 0 and at.snapshot.sends_chains else own
    generation = _next_generation(at, Goal.RENEW)
    return PrepareAuthority(
        goal=Goal.RENEW, replaces=current, generation=generation, path_length=length, stop=_stop_of_new_flow(at)
    )


def _stop_of_new_flow(at: Situation) -> Stop | None:
    """The stop of the flow that begins."""
    return stop_of(None, at.intent, True, at.snapshot.now)


def _renew_for_link(at: Situation, current: Certificate) -> PrepareAuthority:
    """A renewal for the sake of a link certificate; the CA does not end earlier by it."""
    return replace(_prepare_renewal(at), path_length=1, at_least_until=current.not_after)


def _is_renewed_first(at: Situation, current: Certificate, supplied: Chain) -> bool:
    """Whether the CA in use is renewed before its key is replaced. Three things are needed: it is to certify
    the next CA, and allows no CA below it; its key is here; and there are clients that get time.
    """
    grace = at.intent.pace.client_grace
    if not can_raise_path_length(at.snapshot) or not presenting_pods(at.snapshot):
        return False
    is_below = bool(supplied) and not supplied[0].is_root and supplied[0].signed_by(current)
    return (grace is None or bool(grace)) and (is_below or not why_not_linked(at.snapshot, supplied))


def _with_link_request(at: Situation, step: PrepareAuthority, supplied: PreparedAuthority | None) -> PrepareAuthority:
    """The same step with a request for a link certificate, if an issuer can make it."""
    current, linker = at.current, at.intent.issuing.link_issuer
    if current is None or linker is None or not at.snapshot.ca.is_kept_elsewhere(current):
        return step
    signer = linker.reference
    if why := why_not_asked(at.snapshot, supplied, linker):
        return replace(step, because=f"The flow asks {signer} for no link certificate: {why}")
    because = (
        f"The key of {named(current)} is kept elsewhere, so the flow asks {signer} for the link certificate. Where it "
        "gives none, a warning says why, and every process has to know the new CA before it is used: one restart of "
        "each node more."
    )
    return replace(step, links=LinkPlan(signer), because=because)


def _with_back_link_request(
    at: Situation, step: PrepareAuthority, supplied: PreparedAuthority | None
) -> PrepareAuthority:
    """The step, which also asks an issuer to certify the CA in use by the next CA, if an issuer keeps the key of the
    next CA.
    """
    current, signer = at.current, at.intent.issuing.external_issuer
    if step.links is None or current is None:
        return step
    if supplied is None or not supplied.key_is_elsewhere or at.intent.issuing.link_issuer is None:
        return step
    old, new = named(current), named(supplied.chain[0])
    without_it = (
        f"There is no link certificate of {old} by {new}, so nodes lead on clients that know only {old} from memory "
        f"alone: for {grace_of(at).total_seconds():.0f} s after the switch (client_grace), or until they restart where "
        "they cannot read again. From then on these clients refuse them, until they read the certificate Secret again."
    )
    if step.links.issuer and (unable := _why_not_asked_back(current, supplied.chain[0])):
        why = f"The flow asks {signer} for none: {unable}"
        return replace(step, because=f"{step.because} {without_it} {why}".strip())
    why = (
        f"The key of {new} is kept elsewhere, so the flow asks {signer} for a link certificate of {old} by it: with "
        f"that nodes lead on clients that know only {old}. Where it gives none, a warning says why, which clients "
        "refuse the nodes, and from when on."
    )
    links = replace(step.links, back_issuer=signer, refusing_clients=without_it)
    return replace(step, links=links, because=f"{step.because} {why}".strip())


def _why_not_asked_back(current: Certificate, supplied: Certificate) -> str:
    """Why the flow does not ask an issuer with the keys of both CAs to certify the CA in use by the next CA, as a
    sentence; empty if it can.
    """
    if supplied.path_length == 0:
        return f"{supplied.subject} permits no CA below it, so its issuer certifies none."
    if current.is_confined:
        return describe_confined(current)
    if not current.outlives_rewriting:
        return (
            f"it would write the name {current.subject} in other types of strings, which is another name to some "
            "programs."
        )
    return ""


def _next_generation(at: Situation, goal: Goal) -> int:
    """N of ``CN=cluster-ca vN``: a renewal keeps it, a new key takes a number that no CA here has, because verifiers
    find issuers by name (RFC 5280 section 6.1).
    """
    ca = at.snapshot.ca
    if at.current is None:
        return 0
    own = authority_generation(at.current)
    if goal is Goal.RENEW:
        return ca.key_generation if own is None else own
    numbers = [number for entry in at.ledger.entries if (number := authority_generation(entry.certificate)) is not None]
    if own is None:
        # No name says how far the numbers went. Each numbered CA had a certificate generation as well, so that is high
        # enough.
        numbers.append(at.generation)
    return max([*numbers, ca.key_generation]) + 1


def restart_to_trust(at: Situation) -> Turn:
    """Restart processes that started before a CA was in the bundle, unless they accept its leaves anyway. Wait if the
    trust gate stays closed.

    Processes without a leaf to start with come last, when they have got one. If the operator's own leaf of the CA in
    use is on its way, that comes first: it restarts nothing before.
    """
    if at.successor is None and leaves_before_restarts(at) and not at.can_restart_directly:
        return ()
    last = frozenset(pod.uid for pod in at.pods_that_would_stay_away)
    for entry in at.ledger.entries:
        waiting = (entry.awaited_pods or frozenset()) & at.snapshot.uids
        is_leaving = entry.state is TrustState.PHASE_OUT and not at.is_next(entry)
        if not waiting or is_leaving or _is_given_up(at, entry) or not is_refused(at, entry):
            continue
        because = ""
        if at.successor is not None and at.successor.entry == entry:
            waiting, because = _choose_restarted(at, at.successor, waiting)
        waiting -= last
        if waiting:
            return (_spread_trust(at, entry, waiting, because),)
    untrusted = (entry for entry in at.ledger.entries if at.awaits_trust(entry)) if at.snapshot.nodes.pods else ()
    return Wait(
        violations=tuple(
            why for entry in untrusted for why in at.gates.trust(at.snapshot, at.ledger, _first_form(at, entry))
        )
    )


def issue_before_last_restart(at: Situation) -> Steps:
    """Give a process that has no leaf to start with a leaf of the next CA, when every other process and client trusts
    that CA itself: no issuer makes it a leaf of the CA in use, and it has to restart to trust the next CA. One pod at a
    time: two would refuse each other until both have restarted.
    """
    successor = at.successor
    if successor is None or successor.introduction.link is not None or not is_refused(at, successor.entry):
        return ()
    chain = successor.entry.chain
    for pod in at.pods_that_would_stay_away if is_published(at, successor.entry) else ():
        others = at.snapshot.with_nodes(pods=tuple(other for other in at.snapshot.nodes.pods if other != pod))
        if at.gates.trust(others, at.ledger, chain) or at.gates.alone(others, at.ledger, chain):
            continue
        new = named(successor.entry.certificate)
        why = f"Clients that know only the CA in use could refuse {new}: they get time to read it first."
        needed = at.lacking_leaves & {*pod.leaves, *missing_leaves_of(pod, at.snapshot)}
        because = (
            f"{pod.name} has no certificate to restart with, and every other process and client trusts {new}: it "
            "restarts with a certificate of that CA."
        )
        return await_clients(at, successor, chain, Phase.TRUST, why) or put_leaves(
            at, Want(tuple(sorted(needed)), chain, Phase.TRUST, because=because)
        )
    return ()


def _is_given_up(at: Situation, entry: LedgerEntry) -> bool:
    """Whether an abort gives this CA up before the switch: no leaf of it is issued any more, and the present leaves are
    validated by the chain that was stored with them.
    """
    return entry.fingerprint == at.ledger.undone_ca and entry.certificate != at.current


def _first_form(at: Situation, entry: LedgerEntry) -> Chain:
    """The CA in the form of its first leaves, then the certificates behind them."""
    successor = at.successor
    return successor.introduction.form if successor is not None and successor.entry == entry else entry.chain


def _spread_trust(at: Situation, entry: LedgerEntry, waiting: frozenset[str], because: str) -> Step:
    about = entry.certificate
    able = waiting & at.snapshot.reached_whole
    why = why_trust_not_reloaded(at, about) if able else ""
    if able and not why:
        return Reload(uids=able, authority=about, trusting=True, phase=Phase.TRUST, because=because)
    avoidable = f"Nodes are restarted to trust {named(about)}: {why}" if why else why_restarted_later(at, about)
    return Roll(
        reason=RollReason.TRUST,
        uids=waiting,
        authority=about,
        phase=Phase.TRUST,
        because=because,
        avoidable_restart=avoidable,
    )


def is_refused(at: Situation, entry: LedgerEntry) -> bool:
    """Whether a process would refuse its leaves with its chain, as from nodes, or alone, as from the operator."""
    inside = without_outside_clients(at.snapshot)
    closed = (*at.gates.trust(inside, at.ledger, entry.chain), *at.gates.alone(inside, at.ledger, entry.chain))
    return bool(select_refusals(closed))


def _choose_restarted(at: Situation, successor: Successor, waiting: frozenset[str]) -> tuple[frozenset[str], str]:
    """The pods that restart for trust, and why. Behind a link certificate only components that refuse it do; all others
    restart when they take up its leaves.
    """
    new, introduction = named(successor.entry.certificate), successor.introduction
    if introduction.link is None:
        why = introduction.because
        return waiting, f"{new} is trusted everywhere before it is used: {why}" if why else ""
    if introduction.learners:
        who = ", ".join(f"pod {pod.name} ({why})" for pod, why in introduction.learners.items())
        return frozenset(
            pod.uid for pod in introduction.learners
        ), f"{new} is made known first, by a restart, to {who}."
    return (frozenset(), "") if _is_being_taken_up(at, successor) else (waiting, "")


def _is_being_taken_up(at: Situation, successor: Successor) -> bool:
    """Whether a leaf has yet to take the place of an older leaf: then its process restarts anyway."""
    own = frozenset({successor.entry.fingerprint})
    return (
        retires_when_restarted(at)
        or any(seen.authorities != own for seen in at.presentations)
        or any(
            not at.is_of(leaf, successor.entry.certificate)
            for leaf in at.snapshot.leaves.stored
            if leaf.component is not Component.CLUSTER_OPERATOR
        )
    )
