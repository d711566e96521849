# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The gate before a CA leaves the trust (I2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..._pki.certificates import Chain
from ..evidence.parties import parties_awaiting_issue, possible_holders_of_undone, present_outside, present_pods
from ..evidence.stored import authority_of
from ..model.ledger import Ledger
from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation
from .outside import check_clients_can_spare
from .trust import HAS_ANOTHER_OWNER
from .verifiers import verifying_parties


@dataclass(frozen=True)
class _Need:
    """A certificate that is presented, or may be soon. holder: the process or the Secret that has it. authorities: fingerprints of the CAs that it
    may be of; None where that is not known. why: the reason for that, as the rest of a sentence about the holder.
    """

    holder: str
    authorities: frozenset[str] | None
    why: str = ""


@dataclass(frozen=True)
class _Refusal:
    """party: a verifier. is_known: whether it would refuse; else it has not answered, and may accept."""

    party: str
    is_known: bool


def removal_gate(snapshot: Snapshot, ledger: Ledger, fingerprint: str) -> tuple[Violation, ...]:
    """Whether a CA can leave: every leaf, live or stored, validates without it for every verifier.

    A leaf of which the CA is not known counts as relying on this CA, and so does one that is only about to be issued.
    """
    remaining = ledger.without_entry(fingerprint)
    needs = tuple(_needs(snapshot, ledger, fingerprint))
    # Validated once for each CA and not for each leaf: there are as many leaves as pods, and each pod validates each of
    # them.
    refusing = {entry.fingerprint: tuple(_refusals(snapshot, remaining, entry.chain)) for entry in remaining.entries}
    violations = (violation for need in needs for violation in _removal_violations(refusing, need))
    used = {authority for need in needs for authority in need.authorities or ()}
    presented = [entry.chain for entry in remaining.entries if entry.fingerprint in used]
    leaving = [entry.certificate for entry in ledger.entries if entry.fingerprint == fingerprint]
    outside = (violation for one in leaving for violation in check_clients_can_spare(snapshot, ledger, one, presented))
    # A program that may present several certificates says the same of each.
    return tuple(dict.fromkeys((*violations, *outside)))


def _refusals(snapshot: Snapshot, ledger: Ledger, authority: Chain) -> Iterator[_Refusal]:
    """The verifiers that would not accept a leaf of this CA, with its chain or alone, and those of which that is not known."""
    for party in verifying_parties(snapshot, ledger):
        forms = [form for form in (authority, authority[:1]) if not party.accepts(form, snapshot)]
        if forms:
            yield _Refusal(party.name, any(party.why_refused(form, snapshot) for form in forms))


def _needs(snapshot: Snapshot, ledger: Ledger, fingerprint: str) -> Iterator[_Need]:
    for seen in present_pods(snapshot, ledger):
        yield _Need(f"pod {seen.party}", seen.authorities, seen.why)
    for seen in present_outside(snapshot):
        yield _Need(seen.party, seen.authorities, seen.why)
    for name in sorted(snapshot.nodes.foreign):
        yield _Need(f"pod {name}", None, f"{HAS_ANOTHER_OWNER}, so it is not known what it presents")
    for leaf in snapshot.leaves.stored:
        authority, why = authority_of(leaf, leaf.generation, ledger)
        yield _Need(f"Secret {leaf.secret}", None if authority is None else frozenset({authority}), why)
    if fingerprint == ledger.undone:
        for pod in possible_holders_of_undone(snapshot, ledger):
            yield _Need(f"pod {pod.name}", None, "may have been started with a certificate of this CA")
    yield from _needed_soon(snapshot, ledger, fingerprint)


def _needed_soon(snapshot: Snapshot, ledger: Ledger, fingerprint: str) -> Iterator[_Need]:
    """Where a CA is to leave that was in use. A CA that was taken out already is not put back for it."""
    entry = ledger.find(fingerprint)
    if entry is None or not entry.generations or fingerprint not in snapshot.ca.projected:
        return
    for one in parties_awaiting_issue(snapshot):
        yield _Need(one.name, None, "is about to be issued a certificate, which may be of this CA")


def _removal_violations(refusing: Mapping[str, tuple[_Refusal, ...]], need: _Need) -> Iterator[Violation]:
    if need.authorities is None:
        yield _removal_violation(need.holder, f"{need.why}.")
        return
    for authority in sorted(need.authorities):
        if authority not in refusing:
            yield _removal_violation(need.holder, "holds a certificate of this CA.")
        for one in refusing.get(authority, ()):
            why = (
                f"could no longer validate the certificate of {need.holder}."
                if one.is_known
                else f"has not answered whether it can validate the certificate of {need.holder} without this CA."
            )
            yield _removal_violation(one.party, why)


def _removal_violation(subject: str, message: str) -> Violation:
    return Violation(
        condition=Condition.REMOVAL,
        subject=subject,
        message=message,
        remedy="The CA stays trusted until this is no longer so; run the flow again to continue.",
    )
