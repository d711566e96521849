# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions on CAs that the caller supplies, and on one that is to leave."""

from __future__ import annotations

from collections.abc import Iterator

from ..._pki.certificates import Certificate, Chain
from ..._pki.defects import named_verifiers
from ..._pki.path_checks import extension_problem
from ..._pki.path_constraints import constraint_problem
from ..._pki.usability import chain_defects
from ..ledger.target import resolve, rotation_of, supplied_for
from ..ledger.wish import wish_of
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.ledger import Ledger
from ..model.names import named
from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation
from .authority import chain_problems, date_problems

#: The names of CAs in messages, wherever they come from.
SUPPLIED, TRUSTING = "the supplied CA", "the CA that is to be trusted"


def supplied_is_usable(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    supplied = supplied_for(snapshot, intent, snapshot.ledger or Ledger())
    if supplied is None:
        return
    condition, subject, chain = Condition.SUPPLIED_IS_USABLE, SUPPLIED, supplied.chain
    yield from verifier_problems(condition, subject, chain, "Supply")
    yield from chain_problems(condition, subject, chain)
    yield from date_problems(condition, snapshot, subject, chain, "Supply a CA that is valid now.")
    if not chain[0].is_ca:
        yield Violation(condition, subject, f"{chain[0].subject} is not a CA certificate.", "Supply a CA certificate.")
    yield from _constraint_problems(condition, snapshot, subject, chain)
    if supplied.key != chain[0].public_key_sha256:
        yield Violation(
            condition, subject, f"the private key is not the key of {chain[0].subject}.",
            "Supply the key that belongs to the first certificate.",
        )  # fmt: skip


def verifier_problems(condition: Condition, subject: str, chain: Chain, verb: str) -> Iterator[Violation]:
    """Defects for which some verifier refuses a CA on every path. Once the CA is published or issues leaves, there is only the way back."""
    for certificate, defect in chain_defects(chain):
        name = certificate.subject or f"the CA without a name ({certificate.sha256[:16]})"
        yield Violation(
            condition, subject, f"{name} {defect.cause}, which {named_verifiers(defect.verifiers)} refuse.",
            f"{verb} a CA {defect.wanted}.",
        )  # fmt: skip


def _constraint_problems(condition: Condition, snapshot: Snapshot, subject: str, chain: Chain) -> Iterator[Violation]:
    """Its leaves will have the names of the present leaves: the first leaf that it may not issue is told."""
    if problem := extension_problem(chain[0]):
        yield Violation(
            condition, subject, f"{problem}.",
            "Supply a CA without them; of name constraints, those of DNS names and IP addresses are understood.",
        )  # fmt: skip
    for leaf in snapshot.every_leaf:
        if leaf.chain and (problem := constraint_problem(leaf.chain[0], chain)):
            yield Violation(
                condition, subject, f"{problem}, as Secret {leaf.secret} needs it.",
                "Supply a CA that may issue the certificates of this cluster.",
            )  # fmt: skip
            return


def trusting_is_usable(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A CA that is to be trusted beside the others: once it is published, every process restarts for it."""
    condition, subject = Condition.TRUSTING_IS_USABLE, TRUSTING
    wish = wish_of(snapshot, intent, snapshot.ledger or Ledger())
    for chain in (*intent.trusting, *(wish.beside if wish else ())):
        yield from verifier_problems(condition, subject, chain, "Give")
        yield from chain_problems(condition, subject, chain)
        yield from date_problems(condition, snapshot, subject, chain, "Give a CA that is valid now.")
        if not chain[0].is_ca:
            yield Violation(
                condition, subject, f"{chain[0].subject} is not a CA certificate.", "Give a CA certificate."
            )


def leaving_is_unused(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The operator's CA leaves when another one has taken its place, and the one that is to take it does not leave."""
    condition, remedy = (
        Condition.LEAVING_IS_UNUSED,
        "It leaves at the end of the flow that puts another CA in its place.",
    )
    for certificate in snapshot.ca.in_use:
        if certificate.fingerprint == intent.leaving:
            yield Violation(condition, f"the CA {named(certificate)}", "is in use.", remedy)
    for prepared in snapshot.ca.prepared:
        if prepared.fingerprint == intent.leaving != _current(snapshot):
            yield Violation(
                condition, f"the CA {named(prepared.chain[0])}", "is the next one: a flow puts it in the place of another.", remedy
            )  # fmt: skip


def _current(snapshot: Snapshot) -> str | None:
    return snapshot.ca.current[0].fingerprint if snapshot.ca.current else None


def supplied_fits_the_goal(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A renewal keeps name, key and key identifier, a replacement brings another key: how many rolls it takes depends on
    it.
    """
    ledger = snapshot.ledger or Ledger()
    supplied = supplied_for(snapshot, intent, ledger)
    if supplied is None or not snapshot.ca.current or not resolve(snapshot, intent, ledger).wanted:
        return
    goal, new, current = rotation_of(snapshot, intent, ledger), supplied.chain[0], snapshot.ca.current[0]
    same_key = new.public_key_sha256 == current.public_key_sha256
    if goal is Goal.RENEW and not (same_key and new.subject == current.subject):
        yield Violation(
            Condition.SUPPLIED_FITS_THE_GOAL, SUPPLIED,
            f"{new.subject} is not a renewal of {current.subject}: it has another {'name' if same_key else 'key'}.",
            "Supply a certificate with the name and the key of the CA in use, or run the replace_key playbook.",
        )  # fmt: skip
    elif goal is Goal.RENEW and not (new.stands_in_for(current) and current.stands_in_for(new)):
        yield Violation(
            Condition.SUPPLIED_FITS_THE_GOAL, SUPPLIED,
            f"{new.subject} has another subject key identifier than the CA in use, so JVMs and OpenSSL that know only one of "
            "the two would refuse leaves of the other.",
            f"Supply a certificate with {_identifier(current)}, or run the replace_key playbook with a key of its own.",
        )  # fmt: skip
    elif goal is Goal.REPLACE_KEY and same_key:
        yield Violation(
            Condition.SUPPLIED_FITS_THE_GOAL, SUPPLIED, f"{new.subject} has the key of the CA in use.",
            "Supply a CA with a key of its own, or run the renew playbook.",
        )  # fmt: skip


def renewal_keeps_the_key(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A caller who asks for another kind of key means a replacement."""
    ledger = snapshot.ledger or Ledger()
    if intent.goal is not Goal.RENEW or not snapshot.ca.current or not resolve(snapshot, intent, ledger).wanted:
        return
    current = snapshot.ca.current[0]
    for option, asked, found in zip(("key_algorithm", "key_size"), intent.key_type, current.key_type, strict=True):
        if asked not in (None, found):
            yield Violation(
                Condition.RENEWAL_KEEPS_THE_KEY, f"the CA {named(current)}",
                f"has a key with {option}={found}, which a renewal keeps; {asked} is asked for.",
                f"Leave {option} out, or replace the key: state=replaced, or the replace_key playbook.",
            )  # fmt: skip


def _identifier(certificate: Certificate) -> str:
    if certificate.subject_key_identifier is None:
        return "no subject key identifier"
    return f"the subject key identifier {certificate.subject_key_identifier.hex(':').upper()}"
