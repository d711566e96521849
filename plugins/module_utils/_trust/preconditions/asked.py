# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions on options about CAs and link certificates: refuse a call that would not put them into effect."""

from __future__ import annotations

from collections.abc import Iterator

from ..._pki.certificates import Certificate
from ..ledger.journal import in_flight
from ..ledger.target import resolve, rotation_of
from ..model.goals import ROTATIONS, Goal
from ..model.intent import Intent
from ..model.ledger import Ledger
from ..model.names import FLOW_NAMES, named
from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation
from .supplied import SUPPLIED


def authority_is_as_asked(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A certificate that is supplied keeps its form, and so does a CA that an earlier call has made."""
    ledger = snapshot.ledger or Ledger()
    target = resolve(snapshot, intent, ledger)
    if intent.goal not in ROTATIONS or target.unknown:
        return
    if intent.supplied is not None:
        remedy = "Leave {option} out, which is about a CA that is made here, or supply a CA that has it."
        if target.wanted:
            yield from _differences(SUPPLIED, intent.supplied.chain[0], intent, remedy)
        return
    # A first CA that differs is drift, which holds no call.
    if target.wanted or intent.goal is Goal.CREATE:
        return
    prepared = _prepared(snapshot, intent, ledger)
    made = prepared or _made_before(intent, ledger)
    if made is None:
        return
    is_ended = prepared is None and in_flight(ledger) is None
    again = "have it done again, with fresh_for_hours=0" if is_ended else "undo the flow (abort) and begin it again"
    yield from _differences(
        f"the CA {named(made)}", made, intent, f"Leave {{option}} out, or {again}.",
        f", and an earlier call has made it ({FLOW_NAMES[intent.goal]})", life=is_ended,
    )  # fmt: skip


def _prepared(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Certificate | None:
    """The CA that waits to be enrolled in the ledger, where the flow that prepared it has the goal of this call. No journal says so yet: the ledger has
    that of the flow before, if any.
    """
    waiting = (
        one.chain[0] for one in snapshot.ca.prepared if one.chain and ledger.find(one.chain[0].fingerprint) is None
    )
    keys = {one.public_key_sha256 for one in snapshot.ca.in_use}
    is_renewal = intent.goal is Goal.RENEW
    return next((one for one in waiting if (one.public_key_sha256 in keys) is is_renewal), None)


def _made_before(intent: Intent, ledger: Ledger) -> Certificate | None:
    """The CA by which an earlier call has answered this one: the successor in the flow in flight, or that of the last one. None where there is none,
    or it is the answer to another call.
    """
    journal = ledger.journal
    if journal is None or journal.goal is not intent.goal or journal.is_abort:
        return None
    successor = ledger.find(journal.successor)
    return successor.certificate if successor else None


def _differences(
    subject: str, made: Certificate, intent: Intent, remedy: str, why: str = "", *, life: bool = False
) -> Iterator[Violation]:
    """life: whether the caller can mean its validity: new leaves get it as well."""
    asked = dict(zip(("key_algorithm", "key_size"), intent.key_type, strict=True)) | {"path_length": intent.path_length}
    found = dict(zip(("key_algorithm", "key_size"), made.key_type, strict=True)) | {"path_length": made.path_length}
    if life:
        asked["validity_days"] = intent.validity.days if intent.validity else None
        found["validity_days"] = (made.not_after - made.not_before).days
    for option, wanted in asked.items():
        if wanted not in (None, found[option]):
            has = "no path length" if found[option] is None else f"{option}={found[option]}"
            yield Violation(
                Condition.AUTHORITY_IS_AS_ASKED, subject, f"has {has}{why}; {wanted} is asked for.",
                remedy.format(option=option),
            )  # fmt: skip


def link_until_is_ahead(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Nodes would lead no client on until a time that is over. It is often a date with the wrong year."""
    until, ledger = intent.link_until, snapshot.ledger or Ledger()
    if until is None or until > snapshot.now or not snapshot.users.sends_chains:
        return
    if resolve(snapshot, intent, ledger).wanted and rotation_of(snapshot, intent, ledger) is Goal.REPLACE_KEY:
        yield Violation(
            Condition.LINK_UNTIL_IS_AHEAD, "link_until",
            f"{until:%Y-%m-%d %H:%M:%S} UTC is over, so nodes would not lead clients on that know only the CA which is to be replaced.",
            "Give a later time, or none: nodes lead them on until that CA ends.",
        )  # fmt: skip
