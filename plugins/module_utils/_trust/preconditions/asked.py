# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The precondition that options about the form of a CA count: where a call makes none, the CA that is there has the form that is asked for."""

from __future__ import annotations

from collections.abc import Iterator

from ..._pki.certificates import Certificate
from ..ledger.journal import in_flight
from ..ledger.target import resolve
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
    made = None if target.wanted else _made_before(snapshot, intent, ledger)
    if made is None:
        return
    again = (
        "undo the flow (abort) and begin it again"
        if in_flight(ledger)
        else "have it done again, with fresh_for_hours=0"
    )
    yield from _differences(
        f"the CA {named(made)}", made, intent, f"Leave {{option}} out, or {again}.",
        f", and an earlier call has made it ({FLOW_NAMES[intent.goal]})", life=in_flight(ledger) is None,
    )  # fmt: skip


def _made_before(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Certificate | None:
    """The CA by which an earlier call has answered this one: the successor in the flow in flight, or that of the last one. None where there is none,
    or it is the answer to another call. What the first CA lacks is drift, which does not hold a call.
    """
    journal = ledger.journal
    if intent.goal is Goal.CREATE or journal is None or journal.goal is not intent.goal or journal.is_abort:
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
