# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The ledger that follows from what is seen: enrolment, read-back, memory, transitions, removal, journal, upkeep, layout.

Each rule is a function from ledger to ledger; together they are one pass, with at most one transition per CA.
"""

from __future__ import annotations

from ..evidence.parties import present_all
from ..evidence.stored import usage_of
from ..gates.gates import Gates
from ..model.decision import Transition
from ..model.intent import Intent
from ..model.ledger import Ledger
from ..model.snapshot import Snapshot
from .enrolment import enrol_authorities, learn_generation
from .journal import write_journal
from .layout import lay_out
from .memory import forget_held, forget_removed, remember_leaves
from .projection import note_reloads, read_back
from .removal import strike_removed
from .swap import adopt_swapped
from .transitions import advance_states
from .upkeep import note_upkeep


def keep_books(snapshot: Snapshot, intent: Intent, gates: Gates) -> tuple[Ledger, tuple[Transition, ...]]:
    """The ledger after this pass and the transitions taken in it."""
    before = snapshot.ledger or Ledger()
    ledger = enrol_authorities(snapshot, adopt_swapped(snapshot, intent, before))
    ledger = learn_generation(snapshot, ledger)
    ledger = remember_leaves(snapshot, ledger)
    ledger = read_back(snapshot, ledger, gates)
    ledger = note_reloads(snapshot, ledger)
    ledger = forget_removed(snapshot, ledger)
    ledger = forget_held(snapshot, ledger)
    ledger = advance_states(snapshot, intent, ledger, gates)
    ledger = strike_removed(snapshot, ledger, gates)
    ledger = write_journal(snapshot, intent, before, ledger)
    ledger = note_upkeep(snapshot, intent, ledger)
    ledger = lay_out(snapshot, intent, ledger)
    return ledger, _transitions(snapshot, before, ledger)


def _transitions(snapshot: Snapshot, before: Ledger, after: Ledger) -> tuple[Transition, ...]:
    presentations = present_all(snapshot, after)
    sources = ", ".join(sorted({p.why if p.authorities is not None else "unknown" for p in presentations}))
    taken = []
    for entry in [*after.entries, *(e for e in before.entries if after.find(e.fingerprint) is None)]:
        old, new = before.find(entry.fingerprint), after.find(entry.fingerprint)
        states = (old.state if old else None, new.state if new else None)
        if states[0] is not states[1]:
            usage = usage_of(entry.fingerprint, presentations)
            taken.append(Transition(entry.fingerprint, entry.certificate.subject, *states, usage, sources or "no pods"))
    return tuple(taken)
