# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Whether a leaf has to be issued again, and why (Improved and extensible Certificate controller, "trigger").

A reason is given only if another leaf cures it. So the newly issued leaf has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import TypeAlias

from .._pki.certificates import Certificate, Chain
from .._pki.usability import Purpose, leaf_defects

#: A leaf cannot outlive its CA. A renewal has to gain at least this.
GAIN = timedelta(days=1)


class IssueReason(str, Enum):
    """The reasons to issue a leaf, in the order of their checks. If several apply, the first counts."""

    #: There is no leaf.
    MISSING = "missing"
    #: The stored leaf cannot be decoded.
    UNREADABLE = "unreadable"
    #: The private key beside it belongs to another certificate.
    KEY = "key"
    #: Another CA has signed it.
    AUTHORITY = "authority"
    #: Its names or usages are not the wanted names or usages.
    SPECIFICATION = "specification"
    #: Its issuer has a later leaf (``WHY_RENEWED``). Only the rule that knows it gives this reason.
    RENEWED = "renewed"
    #: The caller wants another leaf (``WHY_ASKED``).
    ASKED = "asked"
    #: It is in its time for renewal.
    EXPIRING = "expiring"
    #: A CA above it ends first.
    PATH = "path"


#: Reasons to replace a certificate although it is still good.
OF_TIME = (IssueReason.RENEWED, IssueReason.ASKED, IssueReason.EXPIRING, IssueReason.PATH)


@dataclass(frozen=True)
class ExistingLeaf:
    """A stored leaf."""

    #: The certificate and the CAs behind it; None if it cannot be decoded.
    chain: Chain | None
    #: Why the certificate or the private key beside it cannot be decoded, as a part of a sentence.
    problem: str = ""
    #: SHA-256 of the public half of the private key; empty if it is unknown.
    key: str = ""
    #: The CAs of its path, from its issuer to the root.
    above: Chain = ()


@dataclass(frozen=True)
class Specification:
    """A wanted leaf."""

    #: The CA that is to sign, with the CAs above it.
    authority: Chain
    #: Its alternative names; None if its present names are right.
    names: frozenset[str] | None = None
    #: The purposes of the leaf; if empty, any.
    purposes: frozenset[Purpose] = frozenset()


@dataclass(frozen=True)
class Due:
    """Why a leaf is to be issued now."""

    #: The first reason that applies.
    reason: IssueReason
    #: A sentence about the leaf, without an object and a full stop: ``it ends on 2026-09-01``.
    explanation: str


WHY_RENEWED = Due(IssueReason.RENEWED, "its issuer has renewed it by itself")
WHY_ASKED = Due(IssueReason.ASKED, "the task asks for another leaf (force)")


@dataclass(frozen=True)
class Question:
    """The facts by which a leaf is due, or is not."""

    #: The stored leaf; None if there is none.
    existing: ExistingLeaf | None
    #: The wanted leaf.
    wanted: Specification
    #: The time of the look, in UTC.
    now: datetime
    #: A leaf is renewed when so much of its life is left, or half of its life if that is less. If None, dates do not
    #: matter now.
    renew_before: timedelta | None = None


def unusable(existing: ExistingLeaf) -> str:
    """Why no process could start with the stored leaf, as a sentence like ``Due.explanation``; empty if a process
    could.
    """
    return _why_unreadable(existing) or _why_another_key(existing)


def due(question: Question) -> Due | None:
    """Why the leaf has to be issued again; None if it does not have to be."""
    for reason, rule in RULES.items():
        if why := rule(question):
            return Due(reason, why)
    return None


def is_ending(leaf: Certificate, above: Iterable[Certificate], now: datetime, renew_before: timedelta) -> bool:
    """Whether the leaf, or anything on its path, is in the leaf's time for renewal: validity is a property of the whole
    path (CA abstraction, "Need for cert path validation").
    """
    return _first_end((leaf, *above)) - now < window(leaf, renew_before)


def window(leaf: Certificate, renew_before: timedelta) -> timedelta:
    """How long before its end the leaf is renewed: half of its life at most. Without this limit, a leaf with a life
    shorter than ``renew_before`` would be renewed without end.
    """
    return min(renew_before, (leaf.not_after - leaf.not_before) / 2)


def is_signed_by(chain: Chain | None, authority: Certificate) -> bool:
    """Whether this CA has signed the leaf, also by its key under an earlier certificate of it."""
    return chain is not None and chain[0].signed_by(authority)


def ends_with(leaf: Certificate, authority: Chain) -> bool:
    """Whether another leaf gains nothing: the leaf ends as soon as the CA that is to sign its successor, or was cut to
    the end of a CA above this CA. If a leaf outlives a CA above, it was not cut to that CA's end, and another would not
    be: the signing CA is the anchor of most verifiers.
    """
    signer, *above = (certificate.not_after - leaf.not_after for certificate in authority)
    return signer < GAIN or any(timedelta(0) <= left < GAIN for left in above)


def _first_end(path: Iterable[Certificate]) -> datetime:
    return min(certificate.not_after for certificate in path)


def _missing(at: Question) -> str:
    return "there is none" if at.existing is None else ""


def _unreadable(at: Question) -> str:
    return _why_unreadable(at.existing) if at.existing is not None else ""


def _why_unreadable(existing: ExistingLeaf) -> str:
    return existing.problem if existing.chain else existing.problem or "it cannot be read"


def _key(at: Question) -> str:
    return _why_another_key(at.existing) if at.existing is not None else ""


def _why_another_key(existing: ExistingLeaf) -> str:
    if not existing.chain or existing.key in ("", existing.chain[0].public_key_sha256):
        return ""
    return "the private key beside it is not its own"


def _authority(at: Question) -> str:
    signer = at.wanted.authority[0]
    if at.existing is None or not at.existing.chain or is_signed_by(at.existing.chain, signer):
        return ""
    return f"it is of {at.existing.chain[0].issuer}, and {signer.subject}{signer.mark} is to sign"


def _specification(at: Question) -> str:
    if at.existing is None or not at.existing.chain:
        return ""
    leaf, names = at.existing.chain[0], at.wanted.names
    if names is not None and leaf.subject_alternative_names != names:
        return why_misnamed(naming_difference(leaf.subject_alternative_names, names)).explanation
    return "; ".join(f"it {defect.cause}" for defect in leaf_defects(leaf, at.wanted.purposes))


def naming_difference(has: frozenset[str], wanted: frozenset[str]) -> str:
    """The difference between alternative names, as a part of a sentence; empty if there is none."""
    parts = (("lacks", wanted - has), ("should not have", has - wanted))
    differences = [f"{verb} {', '.join(sorted(names))}" for verb, names in parts if names]
    return f"it {' and '.join(differences)}" if differences else ""


def why_ending(leaf: Certificate, above: Iterable[Certificate]) -> Due:
    """Says which certificate ends first on a path to renew."""
    first = min((leaf, *above), key=lambda certificate: certificate.not_after)
    ends = f"ends on {first.not_after:%Y-%m-%d}"
    if first is leaf:
        return Due(IssueReason.EXPIRING, f"it {ends}")
    return Due(IssueReason.PATH, f"{first.subject}, which it rests on, {ends}")


def why_misnamed(difference: str) -> Due:
    """Why a leaf with other names is due. The difference is a part of a sentence, and empty if it is unknown."""
    details = f": {difference}" if difference else ""
    return Due(IssueReason.SPECIFICATION, f"its alternative names are not the names that it should have{details}")


def _read_dated(at: Question) -> tuple[Certificate, Chain, timedelta] | None:
    """The stored leaf, the CAs above it, and how long before its end it is renewed; None if no dates matter."""
    if at.existing is None or not at.existing.chain or at.renew_before is None:
        return None
    return at.existing.chain[0], at.existing.above, at.renew_before


def _expiring(at: Question) -> str:
    if (dated := _read_dated(at)) is None:
        return ""
    leaf, _above, renew_before = dated
    is_due = is_ending(leaf, (), at.now, renew_before) and not ends_with(leaf, at.wanted.authority)
    return why_ending(leaf, ()).explanation if is_due else ""


def _path(at: Question) -> str:
    """Why a leaf is due for a CA above it. Another leaf helps if it rests on other CAs."""
    if (dated := _read_dated(at)) is None:
        return ""
    leaf, above, renew_before = dated
    gained = _first_end(at.wanted.authority) - _first_end((leaf, *above))
    is_due = gained >= GAIN and is_ending(leaf, above, at.now, renew_before)
    return why_ending(leaf, above).explanation if is_due else ""


Rule: TypeAlias = Callable[[Question], str]

#: Each rule says why as ``Due.explanation`` does, or nothing.
RULES: dict[IssueReason, Rule] = {
    IssueReason.MISSING: _missing,
    IssueReason.UNREADABLE: _unreadable,
    IssueReason.KEY: _key,
    IssueReason.AUTHORITY: _authority,
    IssueReason.SPECIFICATION: _specification,
    IssueReason.EXPIRING: _expiring,
    IssueReason.PATH: _path,
}
