# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The precondition on CAs that have one name and different keys (docs/design.md, "CAs of one name")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations

from ..._pki.certificates import Certificate, Chain
from ..._pki.names import FoldedName
from ..ledger.target import supplied_for
from ..ledger.wish import wish_of
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.ledger import Ledger
from ..model.names import named
from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation

_OF_CA = (
    "Give each CA a subject key identifier of its own, or a subject of its own: OpenSSL looks issuers up by name, and tells those of one name "
    "apart by these identifiers."
)
_OF_CERTIFICATE = (
    "Have it issued with an authority key identifier, by which OpenSSL tells issuers of one name apart (renew_leaves, which goes through "
    "meanwhile); or give the next CA a subject of its own."
)
_ABOVE = (
    "Have it certified anew with an authority key identifier, by which OpenSSL tells issuers of one name apart; or give the next CA's issuer a "
    "subject of its own."
)


def keys_are_told_apart(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Whether OpenSSL, which takes the first issuer that fits, finds the one that signed: by its own identifier, which what it signed names."""
    chains = tuple(_chains(snapshot, intent))
    ambiguous = _of_one_name(tuple(dict.fromkeys(chain.from_iterable(chains))))
    for one in ambiguous:
        yield from _identifier_problems(one, snapshot)
    issuers = [authority for one in ambiguous for authority in one if authority.subject_key_identifier is not None]
    for authority in dict.fromkeys(chain.from_iterable(chains)):
        if why := _why_not_named(authority, issuers):
            yield Violation(Condition.KEYS_ARE_TOLD_APART, f"the CA {named(authority)}", f"{why}.", _ABOVE)
    if intent.goal is Goal.RENEW_LEAVES:
        return
    for leaf in snapshot.every_leaf:
        if leaf.chain and (why := _why_not_named(leaf.chain[0], issuers)):
            where = f"{snapshot.names.secret(leaf.secret)}, {leaf.key}"
            yield Violation(Condition.KEYS_ARE_TOLD_APART, where, f"{why}.", _OF_CERTIFICATE)


def _chains(snapshot: Snapshot, intent: Intent) -> Iterator[Chain]:
    """The CAs that verifiers may trust, with the CAs above them: those that are there, and those that are brought."""
    yield snapshot.ca.current
    yield from snapshot.ca.others.values()
    yield from (authority.chain for authority in snapshot.ca.prepared)
    ledger = snapshot.ledger or Ledger()
    yield from (entry.chain for entry in ledger.entries)
    if supplied := supplied_for(snapshot, intent, ledger):
        yield supplied.chain
    yield from intent.trusting
    if wish := wish_of(snapshot, intent, ledger):
        yield from wish.beside


def _of_one_name(authorities: Sequence[Certificate]) -> list[list[Certificate]]:
    """The CAs that share a name with one that has another key, by name."""
    found: dict[FoldedName, list[Certificate]] = {}
    for one in authorities:
        found.setdefault(one.folded_subject, []).append(one)
    return [same for same in found.values() if len({one.public_key_sha256 for one in same}) > 1]


def _identifier_problems(same: Sequence[Certificate], snapshot: Snapshot) -> Iterator[Violation]:
    """Where a CA has none, the others of its name need not be compared with it."""
    lacking = [one for one in same if one.subject_key_identifier is None]
    for one in lacking:
        other = next(each for each in same if each.public_key_sha256 != one.public_key_sha256)
        yield _of_authority(
            snapshot, f"{named(one)} has no subject key identifier, and {named(other)} has its name and another key."
        )
    for one, other in combinations((each for each in same if each not in lacking), 2):
        alike = one.subject_key_identifier == other.subject_key_identifier
        if alike and one.public_key_sha256 != other.public_key_sha256:
            yield _of_authority(
                snapshot,
                f"{named(one)} and {named(other)} have one name and one subject key identifier, and different keys.",
            )


def _of_authority(snapshot: Snapshot, message: str) -> Violation:
    return Violation(Condition.KEYS_ARE_TOLD_APART, snapshot.names.certificate_secret, message, _OF_CA)


def _why_not_named(certificate: Certificate, issuers: Sequence[Certificate]) -> str:
    """Why it does not say which of these has signed it, as a sentence without its subject; empty where it does, or where no other has."""
    signers = [one for one in issuers if certificate.signed_by(one)]
    identifier = certificate.authority_key_identifier
    if (
        not signers
        or certificate.is_twin_of(signers[0])
        or identifier in {one.subject_key_identifier for one in signers}
    ):
        return ""
    lacks = "has no authority key identifier" if identifier is None else "names another authority key identifier"
    return f"{lacks}, and its issuer {named(signers[0])} has the name of a CA with another key"
