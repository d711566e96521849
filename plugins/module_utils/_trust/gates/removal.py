# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The gate before a CA leaves the trust (I2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..._pki.certificates import Chain
from ..evidence.parties import expecting, present_outside, present_pods, unsure
from ..evidence.stored import Presentation, authority_of
from ..model.ledger import Ledger
from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation
from .outside import needing_outside
from .verifiers import VerifyingParty, verifying_parties


def removal_gate(snapshot: Snapshot, ledger: Ledger, fingerprint: str) -> tuple[Violation, ...]:
    """Whether a CA can leave: every leaf, live or stored, validates without it for every verifier.

    A leaf of which the CA is not known counts as relying on this CA, and so does one that is only about to be issued.
    """
    remaining = ledger.without_entry(fingerprint)
    needed = {
        **_needed_by_parties(snapshot, ledger), **_needed_by_leaves(snapshot, ledger),
        **_needed_perhaps(snapshot, ledger, fingerprint),
        **_needed_soon(snapshot, ledger, fingerprint),
    }  # fmt: skip
    # Validated once for each CA and not for each leaf: there are as many leaves as pods, and each pod validates each of
    # them.
    refusing = {
        entry.fingerprint: tuple(party.name for party in _refusing(snapshot, remaining, entry.chain))
        for entry in remaining.entries
    }
    violations = tuple(
        violation
        for holder, authority in needed.items()
        for violation in _removal_violations(refusing, holder, authority)
    )
    used = {one for authorities in needed.values() if not isinstance(authorities, str) for one in authorities}
    presented = [entry.chain for entry in remaining.entries if entry.fingerprint in used]
    leaving = [entry.certificate for entry in ledger.entries if entry.fingerprint == fingerprint]
    outside = (needing_outside(snapshot, ledger, one, presented) for one in leaving)
    return (*violations, *(violation for found in outside for violation in found))


def _refusing(snapshot: Snapshot, ledger: Ledger, authority: Chain) -> tuple[VerifyingParty, ...]:
    """The verifiers that would not accept a leaf of this CA, with its chain or alone."""
    return tuple(
        party
        for party in verifying_parties(snapshot, ledger)
        if not (party.accepts(authority, snapshot) and party.accepts(authority[:1], snapshot))
    )


def _needed_by_parties(snapshot: Snapshot, ledger: Ledger) -> dict[str, frozenset[str] | str]:
    pods = {f"pod {seen.party}": _authorities_or_why(seen) for seen in present_pods(snapshot, ledger)}
    return {**pods, **_needed_outside(snapshot)}


def _needed_outside(snapshot: Snapshot) -> dict[str, frozenset[str] | str]:
    """A program may have read several Secrets: each certificate that it may present counts."""
    found: dict[str, frozenset[str] | str] = {}
    for seen in present_outside(snapshot):
        before = found.get(seen.party, frozenset())
        if not isinstance(before, str):
            found[seen.party] = seen.why if seen.authorities is None else before | seen.authorities
    return found


def _authorities_or_why(seen: Presentation) -> frozenset[str] | str:
    return seen.why if seen.authorities is None else seen.authorities


def _needed_by_leaves(snapshot: Snapshot, ledger: Ledger) -> dict[str, frozenset[str] | str]:
    found: dict[str, frozenset[str] | str] = {}
    for leaf in snapshot.leaves:
        authority, why = authority_of(leaf, leaf.generation, ledger)
        found[f"Secret {leaf.secret}"] = why if authority is None else frozenset({authority})
    return found


def _needed_perhaps(snapshot: Snapshot, ledger: Ledger, fingerprint: str) -> dict[str, str]:
    if fingerprint != ledger.undone:
        return {}
    return {
        f"pod {pod.name}": "may have been started with a certificate of this CA" for pod in unsure(snapshot, ledger)
    }


def _needed_soon(snapshot: Snapshot, ledger: Ledger, fingerprint: str) -> dict[str, str]:
    """Where a CA is to leave that was in use. A CA that was taken out already is not put back for it."""
    entry = ledger.find(fingerprint)
    if entry is None or not entry.generations or fingerprint not in snapshot.ca.projected:
        return {}
    return {one.name: "is about to be issued a certificate, which may be of this CA" for one in expecting(snapshot)}


def _removal_violations(
    refusing: Mapping[str, tuple[str, ...]], holder: str, needed: frozenset[str] | str
) -> Iterable[Violation]:
    if isinstance(needed, str):
        yield _removal_violation(holder, f"{needed}.")
        return
    for authority in sorted(needed):
        if authority not in refusing:
            yield _removal_violation(holder, "holds a certificate of this CA.")
        for party in refusing.get(authority, ()):
            yield _removal_violation(party, f"could no longer validate the certificate of {holder}.")


def _removal_violation(subject: str, message: str) -> Violation:
    return Violation(
        condition=Condition.REMOVAL,
        subject=subject,
        message=message,
        remedy="The CA stays trusted until this is no longer so; run the flow again to continue.",
    )
