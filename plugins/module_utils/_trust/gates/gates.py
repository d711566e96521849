# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The gates before a CA is used (I3) and before it leaves the trust (I2).

The gates validate paths: a party "trusts" a CA if the next chain validates under its present trust (docs/design.md,
"Gates"). ``decide`` takes them as one value, so a test can leave any of them open.

Leaves of the next CA are presented behind a link certificate, or after every party trusts the CA. A link certificate
(RFC 4210, NewWithOld) lets verifiers that know only the replaced CA validate such leaves. So no process has to restart
for trust alone (docs/operator.md, "Link certificates").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ..._pki.certificates import Certificate, Chain
from ..._pki.paths import constraint_problem
from ..evidence.parties import parties_awaiting_issue, possible_holders_of_undone, present_outside, present_pods
from ..evidence.stored import authority_of, without_outside_clients
from ..model.components import Component
from ..model.decision import Condition, Violation
from ..model.intent import LinkIssuer
from ..model.ledger import Ledger, LedgerEntry
from ..model.names import listed
from ..model.snapshot import Pod, PreparedAuthority, Snapshot
from .verifiers import VerifyingParty, cannot_validate, check_clients_accept, check_clients_can_spare, verifying_parties

#: A pod that only looks like a pod of the cluster, as messages describe it.
HAS_ANOTHER_OWNER = "has the labels or the name of a process of the cluster and another owner"


def trust_gate(snapshot: Snapshot, ledger: Ledger, form: Chain) -> tuple[Violation, ...]:
    """Whether every verifier accepts leaves in this form: the issuer first, then the certificates behind it."""
    return (*_find_closed(snapshot, ledger, form), *check_clients_accept(snapshot, ledger, form))


def alone_gate(snapshot: Snapshot, ledger: Ledger, authority: Chain) -> tuple[Violation, ...]:
    """Whether every process of the cluster accepts leaves without a chain, as the operator presents its own."""
    return _find_closed(snapshot, ledger, authority[:1])


def _find_closed(snapshot: Snapshot, ledger: Ledger, form: Chain) -> tuple[Violation, ...]:
    refusing = (
        _violation(party, ledger, form, snapshot)
        for party in verifying_parties(snapshot, ledger)
        if not party.accepts(form, snapshot) and not party.has_only_ended(snapshot)
    )
    return (*refusing, *map(_violation_of_foreign_pod, sorted(snapshot.nodes.foreign_pods)))


def _violation_of_foreign_pod(pod: str) -> Violation:
    return Violation(
        Condition.EVIDENCE, f"pod {pod}", f"{HAS_ANOTHER_OWNER}, so the CAs that it trusts are unknown.",
        "Take its labels away, or let its owner make it again, then run the flow again.",
    )  # fmt: skip


def _violation(party: VerifyingParty, ledger: Ledger, form: Chain, snapshot: Snapshot) -> Violation:
    """The violation of a process. A process that has not said which CAs it trusts closes the gate for lack of evidence:
    that is no refusal.
    """
    if party.why_refused(form, snapshot):
        return Violation(Condition.TRUST, party.name, f"{cannot_validate(form, ledger)}.", party.remedy)
    return Violation(
        Condition.EVIDENCE, party.name, "has not said that it trusts the CAs that it was started with.",
        "Find out why this node does not answer as it should, then run the flow again.",
    )  # fmt: skip


def select_refusals(closed: Iterable[Violation]) -> tuple[Violation, ...]:
    """The violations of a gate that are refusals. Unknown trust keeps a gate closed, and is no reason to restart a
    process (I5).
    """
    return tuple(violation for violation in closed if violation.condition is not Condition.EVIDENCE)


def refusals(snapshot: Snapshot, ledger: Ledger, form: Chain) -> Iterator[tuple[VerifyingParty, str]]:
    """The processes of the cluster that would not accept leaves in this form, each with the reason."""
    for party in verifying_parties(snapshot, ledger):
        if why := party.why_refused(form, snapshot):
            yield party, why


@dataclass(frozen=True)
class _Need:
    """A certificate that is presented, or may be soon."""

    #: The process or the Secret with the certificate.
    holder: str
    #: Fingerprints of its possible CAs; None if they are unknown.
    authorities: frozenset[str] | None
    #: The evidence for these, or why they are unknown, as the rest of a sentence about the holder.
    reason: str = ""


@dataclass(frozen=True)
class _Refusal:
    """A verifier that refuses a CA, or may refuse it."""

    #: The verifier, as messages name it.
    party: str
    #: Whether it would refuse; else it has not answered, and may accept.
    is_known: bool


def removal_gate(snapshot: Snapshot, ledger: Ledger, fingerprint: str) -> tuple[Violation, ...]:
    """Whether a CA can leave: every leaf, live or stored, validates without it for every verifier.

    A leaf of an unknown CA counts as relying on this CA, and so does a leaf before its issue.
    """
    remaining = ledger.without_entry(fingerprint)
    needs = tuple(_find_needs(snapshot, ledger, fingerprint))
    # Each verifier as it would be, and as it is.
    parties = tuple(zip(verifying_parties(snapshot, remaining), verifying_parties(snapshot, ledger), strict=True))
    # Validated once for each CA and not for each leaf: there are as many leaves as pods, and each pod validates each of
    # them.
    refusing = {entry.fingerprint: tuple(_find_refusals(parties, entry.chain, snapshot)) for entry in remaining.entries}
    violations = _removal_violations(refusing, needs)
    used = {authority for need in needs for authority in need.authorities or ()}
    presented = [entry.chain for entry in remaining.entries if entry.fingerprint in used]
    leaving = [entry.certificate for entry in ledger.entries if entry.fingerprint == fingerprint]
    outside = (
        violation
        for certificate in leaving
        for violation in check_clients_can_spare(snapshot, ledger, certificate, presented)
    )
    # A program with several possible certificates says the same of each.
    return tuple(dict.fromkeys((*violations, *outside)))


def _find_refusals(
    parties: Iterable[tuple[VerifyingParty, VerifyingParty]], authority: Chain, snapshot: Snapshot
) -> Iterator[_Refusal]:
    """The verifiers that would not accept a leaf of this CA, with its chain or alone, and the verifiers with an unknown
    answer. Each pair is one verifier: without the leaving CA, and with it.
    """
    for party, now in parties:
        forms = [form for form in (authority, authority[:1]) if not party.accepts(form, snapshot)]
        if forms and not _refuses_already(now, authority, snapshot):
            yield _Refusal(party.name, any(party.why_refused(form, snapshot) for form in forms))


def _refuses_already(party: VerifyingParty, authority: Chain, snapshot: Snapshot) -> bool:
    """Whether the verifier refuses leaves of this CA now, because the CA has ended: it loses nothing."""
    is_over = party.verifier.checks_anchor_dates and authority[0].has_ended(snapshot.now)
    return is_over and bool(party.why_refused(authority, snapshot))


def _find_needs(snapshot: Snapshot, ledger: Ledger, fingerprint: str) -> Iterator[_Need]:
    for seen in present_pods(snapshot, ledger):
        yield _Need(f"pod {seen.party}", seen.authorities, seen.evidence)
    for seen in present_outside(snapshot):
        yield _Need(seen.party, seen.authorities, seen.evidence)
    for name in sorted(snapshot.nodes.foreign_pods):
        yield _Need(f"pod {name}", None, f"{HAS_ANOTHER_OWNER}, so the certificate that it presents is unknown")
    for leaf in snapshot.leaves.stored:
        authority, why = authority_of(leaf, leaf.generation, ledger)
        yield _Need(f"Secret {leaf.secret}", None if authority is None else frozenset({authority}), why)
    if fingerprint == ledger.undone_ca:
        for pod in possible_holders_of_undone(snapshot, ledger):
            yield _Need(f"pod {pod.name}", None, "may have been started with a certificate of this CA")
    entry = ledger.find(fingerprint)
    # A removed CA is not put back for a party before the issue of its certificate.
    if entry is not None and entry.generations and fingerprint in snapshot.ca.projected:
        for presenter in parties_awaiting_issue(snapshot):
            yield _Need(presenter.name, None, "is about to be issued a certificate, which may be of this CA")


def _removal_violations(refusing: Mapping[str, tuple[_Refusal, ...]], needs: Iterable[_Need]) -> Iterator[Violation]:
    """The violations of holders, then the violations of verifiers: one for each verifier and CA, which names the
    holders. A cluster has as many verifiers as nodes, and as many holders, so it has too many pairs of them.
    """
    holders: dict[str, dict[str, None]] = {}
    for need in needs:
        if need.authorities is None:
            yield _removal_violation(need.holder, f"{need.reason}.")
        for authority in sorted(need.authorities or ()):
            if authority in refusing:
                holders.setdefault(authority, {})[need.holder] = None
            else:
                yield _removal_violation(need.holder, "has a certificate of this CA.")
    for authority, presenting in holders.items():
        certificates = f"the certificate{'s' * (len(presenting) > 1)} of {listed(tuple(presenting))}"
        for refusal in refusing[authority]:
            why = (
                f"could no longer validate {certificates}."
                if refusal.is_known
                else f"has not answered whether it can validate {certificates} without this CA."
            )
            yield _removal_violation(refusal.party, why)


def _removal_violation(subject: str, message: str) -> Violation:
    return Violation(
        condition=Condition.REMOVAL,
        subject=subject,
        message=message,
        remedy="The CA stays trusted until this is no longer so; run the flow again to continue.",
    )


Violations: TypeAlias = tuple[Violation, ...]


@dataclass(frozen=True)
class Gates:
    """Each gate returns the violations that close it, and nothing if it is open."""

    #: Every party accepts leaves in this form.
    trust: Callable[[Snapshot, Ledger, Chain], Violations] = trust_gate
    #: Every party of the cluster accepts leaves of this CA without a chain.
    alone: Callable[[Snapshot, Ledger, Chain], Violations] = alone_gate
    #: No party relies on the CA with this fingerprint.
    removal: Callable[[Snapshot, Ledger, str], Violations] = removal_gate


#: Every gate as it is outside of tests.
GATES = Gates()


@dataclass(frozen=True)
class Introduction:
    """The first form of leaves of the next CA: every verifier accepts them."""

    #: The issuing CA as its leaves present it first, then the certificates behind it.
    form: Chain
    #: The certificate that leads from this CA to the CA in use; None if every process trusts the CA itself before its
    #: use.
    link: Certificate | None = None
    #: Components that would refuse the link until they have restarted and know the CA itself, each with the reason.
    learners: Mapping[Pod, str] = field(default_factory=dict)
    #: Why there is no link, as a sentence; empty if there is one.
    because: str = ""


def introduction_of(snapshot: Snapshot, ledger: Ledger, entry: LedgerEntry, gates: Gates) -> Introduction:
    """How leaves of this CA are presented first, as the cluster is now."""
    prepared = next(
        (authority for authority in snapshot.ca.prepared if authority.fingerprint == entry.fingerprint), None
    )
    link = link_of(prepared, snapshot)
    if link is None or prepared is None:
        return Introduction(entry.chain, because=_why_no_link(prepared, snapshot))
    # The leaf of a component may have other names if the component was enabled after the preparation of the CA.
    if why := _why_refused_behind(snapshot, prepared.chain[0]):
        return Introduction(entry.chain, because=why)
    form = (link, *snapshot.ca.current)
    learners = _find_learners(snapshot, ledger, entry, form)
    able = snapshot.with_nodes(pods=tuple(pod for pod in snapshot.nodes.pods if pod not in learners))
    if select_refusals(gates.trust(without_outside_clients(able), ledger, form)):
        refusing = [
            f"{party.name} would refuse its link certificate: {why}." for party, why in refusals(able, ledger, form)
        ]
        return Introduction(entry.chain, because=refusing[0] if refusing else "")
    return Introduction(form, link, learners)


def why_not_presented(snapshot: Snapshot, ledger: Ledger, entry: LedgerEntry, gates: Gates) -> Violations:
    """The processes of the cluster that would refuse leaves of this CA in their first form.

    Without a link there are two forms: with their chain, as nodes present them, and alone, as the operator presents its
    own.
    """
    inside, introduction = without_outside_clients(snapshot), introduction_of(snapshot, ledger, entry, gates)
    if introduction.link is not None:
        return gates.trust(inside, ledger, introduction.form)
    return gates.trust(inside, ledger, entry.chain) or gates.alone(inside, ledger, entry.chain)


def link_of(prepared: PreparedAuthority | None, snapshot: Snapshot) -> Certificate | None:
    """The link certificate from this CA to the CA in use; None if the CA in use has ended, and the link certificate
    with it. An intermediate CA is linked by its own certificate if the CA in use has issued it.
    """
    current = snapshot.ca.current
    if prepared is None or not current or not snapshot.sends_chains or current[0].has_ended(snapshot.now):
        return None
    own = prepared.chain[0]
    if prepared.links is not None and prepared.links.new_with_old.signed_by(current[0]):
        return prepared.links.new_with_old
    return own if not own.is_root and own.signed_by(current[0]) else None


def _why_no_link(prepared: PreparedAuthority | None, snapshot: Snapshot) -> str:
    if prepared is None or not snapshot.ca.current or prepared.key == snapshot.ca.current[0].public_key_sha256:
        return ""
    return why_not_linked(snapshot, prepared.chain) or "it was prepared without a link certificate."


def why_not_linked(snapshot: Snapshot, supplied: Chain) -> str:
    """Why the CA in use cannot certify the next key, as a sentence; empty if it can. The next CA is ``supplied`` if it
    is brought; empty if it is made here.
    """
    if not snapshot.ca.current:
        return "there is no CA yet."
    if not snapshot.sends_chains:
        return "its certificates are stored and sent alone, without a link certificate behind them."
    current = snapshot.ca.current[0]
    if current.has_ended(snapshot.now):
        return _describe_ended_certifier(current)
    if snapshot.ca.is_kept_elsewhere(current):
        return f"the key of {current.subject}, which would have to certify the new CA, is kept elsewhere."
    if snapshot.ca.key != current.public_key_sha256:
        return f"the key of {current.subject} is not at hand to certify the new CA."
    return (_why_no_root(supplied[0]) or _why_refused_behind(snapshot, supplied[0])) if supplied else ""


def why_not_asked(snapshot: Snapshot, supplied: PreparedAuthority | None, linker: LinkIssuer) -> str:
    """Why the flow does not ask the issuer with the key of the CA in use to certify the next key, as a sentence; empty
    if it asks. The next CA is ``supplied`` if it is brought; None if it is made here.
    """
    current = snapshot.ca.current[0]
    if current.has_ended(snapshot.now):
        return _describe_ended_certifier(current)
    if current.path_length == 0:
        return f"{current.subject} permits no CA below it, so its issuer certifies none."
    if supplied is None:
        return ""
    own = supplied.chain[0]
    if supplied.key_is_elsewhere and not linker.keeps_both_keys:
        return f"the key of {own.subject}, which would have to sign the request, is not here either."
    if why := _why_no_root(own):
        return why
    if supplied.key_is_elsewhere and own.is_confined:
        return describe_confined(own)
    if why := _why_refused_behind(snapshot, own):
        return why
    if not own.outlives_rewriting:
        return (
            f"the issuer would write the name {own.subject} in other types of strings, which is another name to Go "
            "programs."
        )
    return ""


def describe_confined(authority: Certificate) -> str:
    """Why the issuer with the key of this CA can request no usable link certificate of it: its request leaves out the
    confining extensions of the CA.
    """
    return (
        f"{authority.subject} has name constraints or extended key usages, and the request that its issuer makes lacks "
        "them."
    )


def _describe_ended_certifier(authority: Certificate) -> str:
    return f"{authority.subject} has ended, and a certificate that it signs would have ended with it."


def _why_no_root(supplied: Certificate) -> str:
    return "" if supplied.is_root else f"the supplied CA {supplied.subject} is no root: its own issuer certifies it."


def _why_refused_behind(snapshot: Snapshot, supplied: Certificate) -> str:
    """Why JVMs would refuse a stored leaf behind a link certificate of this CA, as a sentence; empty if they would not.
    A JVM ignores the name constraints of a root, and applies the constraints of a link certificate.
    """
    path = (supplied, *snapshot.ca.current)
    for leaf in snapshot.leaves.stored if supplied.is_confined else ():
        if leaf.chain and (problem := constraint_problem(leaf.chain[0], path)):
            return f"JVMs would refuse {leaf.secret} behind the link certificate: {problem}."
    return ""


def _find_learners(snapshot: Snapshot, ledger: Ledger, entry: LedgerEntry, form: Chain) -> dict[Pod, str]:
    """Components that would refuse the link, each with the reason: Kafka Exporter, a Go program, if the CA in use
    allows no CA below it. They have no state and can restart first; nodes cannot.
    """
    before = snapshot.uids if entry.awaited_pods is None else entry.awaited_pods
    others = tuple(pod for pod in snapshot.nodes.pods if pod.uid in before and pod.component is not Component.KAFKA)
    refusing = refusals(snapshot.with_nodes(pods=others), ledger, form)
    return {party.pod: why for party, why in refusing if party.pod}
