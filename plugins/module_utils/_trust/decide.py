# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""``decide``: what to do next about a cluster's CAs. Pure: no clock, no I/O, no randomness (DESIGN section 4)."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bookkeeping import keep_books
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decision import Decision, Transition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.handover import hand_over
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.holds import holds
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.journal import in_flight
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions import check
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.promotion import take_over_authority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.restarted_instead import refused_restart
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules import RULES
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.sentences import sentence
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Resume, Step, WriteLedger

_PHASE_OF_STATE = {
    TrustState.UNTRUSTED: Phase.PREPARE,
    TrustState.TRUSTED_UNUSED: Phase.TRUST,
    TrustState.TRUSTED_IN_USE_ANY: Phase.USE,
    TrustState.TRUSTED_IN_USE_ALL: Phase.USE,
    TrustState.PHASE_OUT: Phase.USE,
    None: Phase.RETIRE,
}


def decide(snapshot: Snapshot, intent: Intent) -> Decision:
    """The next steps towards the goal, what justified them, or what holds the flow.

    One call is one pass: the books are brought up to date first (one write, at most one transition per CA); only
    books that are up to date lead to further steps.
    """
    violations = check(snapshot, intent)
    if violations:
        # Whatever is wrong, the operator is not left paused.
        return Decision(steps=(Resume(),) if snapshot.reconciliation.paused_by_us else (), violations=violations)
    adopting = take_over_authority(snapshot, intent, snapshot.ledger or Ledger())
    if adopting:
        return Decision(steps=adopting)
    if intent.goal is Goal.DOWNGRADE and snapshot.reconciliation.generated:
        return _next(snapshot, intent, hand_over(snapshot, snapshot.ledger or Ledger()))
    ledger, transitions = keep_books(snapshot)
    if ledger != (snapshot.ledger or Ledger()):
        return Decision(steps=(WriteLedger(ledger, _phase(transitions, ledger)),), transitions=transitions)
    return _next(snapshot, intent, _steps(snapshot, intent, ledger))


def _phase(transitions: tuple[Transition, ...], ledger: Ledger) -> Phase:
    """Where a change of the books belongs, for people: the furthest of its transitions, else where the flow is."""
    reached = [_PHASE_OF_STATE[taken.after] for taken in transitions]
    if reached:
        return max(reached, key=lambda phase: phase.position)
    begun = in_flight(ledger)
    successor = ledger.find(begun.successor) if begun else None
    return Phase.RETIRE if successor is None else _PHASE_OF_STATE[successor.state]


def _steps(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> tuple[Step, ...]:
    for rule in RULES:
        steps = rule(snapshot, intent, ledger)
        if steps:
            return steps
    return hand_over(snapshot, ledger) if intent.goal is Goal.DOWNGRADE else ()


def _next(snapshot: Snapshot, intent: Intent, steps: tuple[Step, ...]) -> Decision:
    # A pause of ours is always brought to its end, wherever the caller wants to stop.
    allowed = steps if snapshot.reconciliation.paused_by_us else tuple(s for s in steps if intent.allows(s.phase))
    if refused := refused_restart(allowed, snapshot, intent):
        return Decision(steps=(Resume(),) if snapshot.reconciliation.paused_by_us else (), violations=refused)
    if allowed:
        return Decision(steps=allowed)
    if steps:
        return Decision(done=True, pending=tuple(sentence(step, snapshot) for step in steps))
    held = holds(snapshot, intent, snapshot.ledger) if snapshot.ledger else ()
    return Decision(violations=held, done=not held)
