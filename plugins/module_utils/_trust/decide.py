# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""``decide``: the next steps for the CAs of a cluster. Pure: no clock, no I/O, no randomness
(docs/calls.md, "One pass").
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .evidence.parties import unanswered
from .gates.gates import GATES, Gates
from .ledger.enrolment import as_seen
from .ledger.journal import describe_stop, in_flight, limit_to_stop, may_lead_flow
from .ledger.target import leads_to_replacement
from .ledger.update import note_pods_of_now, update_ledger
from .model.decision import Condition, Decision, Steps, Transition, Turn, Violation, Wait
from .model.goals import Goal, Phase
from .model.intent import Intent
from .model.ledger import Journal, Ledger, Stop, TrustState
from .model.snapshot import Snapshot
from .model.steps.authority import SetGenerated
from .model.steps.nodes import AwaitAnswers, AwaitVerdict
from .model.steps.trust import WriteLedger
from .preconditions.cluster import awaits_reconcile
from .preconditions.deeds import Question
from .preconditions.leaves import leaves_in_use_are_valid
from .preconditions.order import BEFORE_RESTART, OF_RECOVERY, PRECONDITIONS, Precondition, check, never
from .rules.expiring import renewal_comes_in_time
from .rules.holds import (
    await_needed_answers,
    check_leaves_of_restarted,
    check_operator_restarts,
    leaves_that_end_meanwhile,
)
from .rules.order import RULES, RULES_AT_REST, Rule, end_pause_unadopted, take_turns
from .rules.pause import await_verdict, find_option_against_restarts, resume_operators, waits_for_window
from .rules.repair import (
    await_operator,
    awaits_successor,
    describe_restarts_to_come,
    is_succeeded_in_recovery,
    put_in_place_before_restart,
    restart_ended,
    restarts_ended,
)
from .rules.requests import ending_unserved, leaves_to_ask_for
from .rules.restore import restore_secrets
from .rules.retire import hand_over, put_back
from .rules.situation import Situation

_PHASE_OF_STATE = {
    TrustState.UNTRUSTED: Phase.PREPARE,
    TrustState.TRUSTED_UNUSED: Phase.TRUST,
    TrustState.TRUSTED_IN_USE_ANY: Phase.USE,
    TrustState.TRUSTED_IN_USE_ALL: Phase.USE,
    TrustState.PHASE_OUT: Phase.USE,
    None: Phase.RETIRE,
}


@dataclass(frozen=True)
class Engine:
    """The preconditions, gates and rules of decisions; a test takes one out by another value of this class."""

    #: The preconditions of a flow.
    preconditions: tuple[Precondition, ...] = PRECONDITIONS
    #: The fewer preconditions of the first part of a recovery. It brings Secrets and nodes back.
    preconditions_of_recovery: tuple[Precondition, ...] = OF_RECOVERY
    #: The preconditions of the renewal before the restart of nodes with ended certificates.
    preconditions_before_restart: tuple[Precondition, ...] = BEFORE_RESTART
    #: Whether the work of a call restarts Kafka nodes. The forecast answers it (``foreseeing`` in plan.py). An engine
    #: without this question makes the forecast.
    restarts_nodes: Question = never
    #: The gates that a CA passes before its use and before it leaves.
    gates: Gates = GATES
    #: The rules of a flow, in the order of their turns.
    rules: tuple[Rule, ...] = RULES
    #: The rules that go on while the flow in flight stops, in their order.
    rules_at_rest: tuple[Rule, ...] = RULES_AT_REST


ENGINE = Engine()


def decide(snapshot: Snapshot, intent: Intent, engine: Engine = ENGINE) -> Decision:
    """The next steps towards the goal, with their reasons, or the violations that hold the flow.

    One call is one pass. First the ledger is brought up to date (one write, at most one transition per CA). Further
    steps follow only from a ledger that is up to date.
    """
    decision, silent = _decide(snapshot, intent, engine), unanswered(snapshot)
    if silent:
        as_stored = snapshot.assuming_as_started(frozenset(node.uid for node in silent))
        answered = await_needed_answers(decision, _decide(as_stored, intent, engine), snapshot, intent)
        decision = _note_before_waiting(snapshot, answered)
    if decision.steps or decision.is_held:
        return decision
    late = tuple(renewal_comes_in_time(snapshot, intent, (*decision.waiting, *decision.pending)))
    return replace(decision, violations=(*late, *decision.violations), done=decision.done and not late)


def _note_before_waiting(snapshot: Snapshot, decision: Decision) -> Decision:
    """The decision. If it is to wait for nodes, and the ledger lacks the present pods, it is to record these first:
    others may take their place during the wait.
    """
    before, waits = snapshot.ledger, [step for step in decision.steps if isinstance(step, AwaitAnswers)]
    if before is None or not waits:
        return decision
    ledger = note_pods_of_now(snapshot, before)
    return (
        decision if ledger == before else Decision((WriteLedger(ledger=ledger, before=before, phase=waits[0].phase),))
    )


def _decide(snapshot: Snapshot, intent: Intent, engine: Engine) -> Decision:
    """The decision, in which a missing answer keeps gates closed."""
    if intent.goal is Goal.RECOVER:
        return _bring_nodes_back(snapshot, intent, engine) or _go_on_recovered(snapshot, intent, engine)
    return _go_on(snapshot, intent, engine, check(snapshot, intent, engine.preconditions, engine.restarts_nodes))


def _go_on_recovered(snapshot: Snapshot, intent: Intent, engine: Engine) -> Decision:
    """The decision once no node presents an ended certificate. It awaits restarts that follow from the recovery, unless
    a renewal goes on, whose restarts take their place. If the flow is held, or ends this call to wait, the operator may
    stand still for that as well: then the decision names the restarts to come, and awaits none.
    """
    after = _after_recovery(snapshot, intent)
    violations = _check_beside_recovery(snapshot, after, engine)
    at = Situation(snapshot, intent, as_seen(snapshot), engine.gates)
    awaited, is_renewed_now = await_operator(at), after.goal is Goal.RENEW and after.allows(Phase.USE)
    if awaited and not violations and not is_renewed_now:
        return _choose_steps(at, awaited)
    decision = _go_on(snapshot, after, engine, violations)
    if not violations and (decision.steps or decision.done):
        return decision
    return replace(decision, waiting=(*decision.waiting, *describe_restarts_to_come(at)))


def _check_beside_recovery(snapshot: Snapshot, after: Intent, engine: Engine) -> tuple[Violation, ...]:
    """The violations that hold the rest of a recovery. The violation about nodes with ended certificates names the
    recovery itself as the remedy, so it counts only if there is no other.
    """
    others = tuple(rule for rule in engine.preconditions if rule is not leaves_in_use_are_valid)
    return check(snapshot, after, others, engine.restarts_nodes) or check(
        snapshot, after, engine.preconditions, engine.restarts_nodes
    )


def _go_on(snapshot: Snapshot, intent: Intent, engine: Engine, violations: tuple[Violation, ...]) -> Decision:
    """The decision if these violations hold the flow; if there are none, the next steps of the flow."""
    if violations:
        return Decision(steps=resume_operators(snapshot), violations=violations)
    if awaits_reconcile(snapshot, intent):
        return Decision(steps=(AwaitVerdict(phase=Phase.PREPARE),))
    if intent.goal is Goal.UPGRADE and snapshot.reconciliation.generated:
        return _decide_adoption(snapshot, intent, engine)
    before = snapshot.ledger_or_empty
    if intent.goal is Goal.DOWNGRADE and _keeps_no_ledger(snapshot, intent):
        unrecorded = Situation(snapshot, intent, before, engine.gates)
        return _choose_steps(unrecorded, resume_operators(snapshot) or hand_over(unrecorded))
    if returned := put_back(Situation(snapshot, intent, before, engine.gates)):
        # Before the ledger, because the ledger is about the CA in ca.crt.
        return Decision(steps=returned)
    at = _record_ledger(snapshot, intent, engine)
    if isinstance(at, Decision):
        return at
    journal = in_flight(at.ledger)
    stop = journal.options.stop if journal is not None else None
    if journal is not None and stop is not None and not may_lead_flow(intent, journal):
        return _decide_until_stop(at, engine, journal, stop)
    return _choose_steps(at, *take_turns(at, engine.rules))


def _record_ledger(snapshot: Snapshot, intent: Intent, engine: Engine) -> Decision | Situation:
    """The decision to write the changes of this pass into the ledger; if there are none, the situation with the
    ledger.
    """
    before = snapshot.ledger_or_empty
    ledger, transitions = update_ledger(snapshot, intent, engine.gates)
    if ledger == before:
        return Situation(snapshot, intent, ledger, engine.gates)
    leads_on = any(leads_to_replacement(snapshot, intent, recorded) for recorded in (before, ledger))
    phase = Phase.PREPARE if leads_on else _phase_of_write(transitions, ledger)
    write = WriteLedger(ledger=ledger, before=before, phase=phase)
    return Decision(steps=(write,), transitions=transitions)


def _bring_nodes_back(snapshot: Snapshot, intent: Intent, engine: Engine) -> Decision | None:
    """The decision that puts back damaged Secrets, and then brings back nodes with ended certificates, before the
    ledger or any CA matters. None if nothing needs that, and the flow goes on. If the operator generates the CA of the
    cluster, it is the whole recovery.
    """
    if violations := check(snapshot, intent, engine.preconditions_of_recovery):
        return Decision(steps=resume_operators(snapshot), violations=violations)
    if restored := restore_secrets(snapshot):
        # A pause stays until the Secrets are complete.
        return Decision(steps=restored)
    at = Situation(snapshot, intent, as_seen(snapshot), engine.gates)
    turn = restart_ended(at)
    if renewed := _succeed_before_restart(at, engine, turn):
        return renewed
    if isinstance(turn, Wait):
        return Decision(steps=resume_operators(snapshot), violations=turn.violations, waiting=turn.awaited)
    if snapshot.reconciliation.generated:
        return _choose_steps(at, turn or end_pause_unadopted(at) or await_operator(at))
    if not turn:
        return None
    return _choose_steps(at, turn)


def _succeed_before_restart(recovering: Situation, engine: Engine, turn: Turn) -> Decision | None:
    """The next part of a flow to another CA if the CA in use has ended, before the steps that restart nodes. Clients of
    OpenSSL and Go refuse an ended CA; with the other CA they accept the nodes as soon as these are back. None if no
    part of it is left before the restart. If something holds it, nodes wait for it only if their next leaves are of its
    CA.
    """
    snapshot, is_awaited = recovering.snapshot, awaits_successor(recovering)
    renewing = _after_recovery(snapshot, recovering.intent)
    if snapshot.reconciliation.generated or not is_succeeded_in_recovery(recovering, renewing):
        return None
    if not is_awaited and not (renewing.allows(Phase.USE) and restarts_ended(turn)):
        return None
    if held := check(snapshot, renewing, engine.preconditions_before_restart, engine.restarts_nodes):
        return Decision(steps=resume_operators(snapshot), violations=held) if is_awaited else None
    at = _record_ledger(snapshot, renewing, engine)
    if isinstance(at, Decision):
        return at
    steps = put_in_place_before_restart(at)
    return _choose_steps(at, steps) if steps else None


def _after_recovery(snapshot: Snapshot, intent: Intent) -> Intent:
    """The intent of a recovery once no node presents an ended certificate: renew an ended CA in use, else finish the
    flow in flight. A pause comes to its end first, even if something holds the renewal. Outside a maintenance window
    that flow puts no next CA to use in the pause, because the operator would restart pods for it.
    """
    ended = any(certificate.has_ended(snapshot.now) for certificate in snapshot.ca.in_use)
    begun, is_paused = in_flight(snapshot.ledger), snapshot.reconciliation.pause.is_ours
    after = replace(intent, goal=Goal.RENEW if ended and begun is None and not is_paused else Goal.RECONCILE)
    is_unused = begun is not None and all(one.fingerprint != begun.successor for one in snapshot.ca.current[:1])
    rests = is_paused and is_unused and waits_for_window(snapshot, intent)
    return limit_to_stop(after, Stop(Phase.TRUST, snapshot.now)) if rests else after


def _keeps_no_ledger(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether the operator manages the CA, or its user keeps it and the ledger is gone already."""
    return snapshot.reconciliation.generated or (intent.parameters.keeps_authority and snapshot.ledger is None)


def _decide_adoption(snapshot: Snapshot, intent: Intent, engine: Engine) -> Decision:
    """The operator stops managing the CA before anything else is touched. If a violation holds flows on the adopted CA,
    it holds the adoption as well, before that write.
    """
    taken = replace(snapshot, reconciliation=replace(snapshot.reconciliation, generated=False))
    # The entry of a CA that enters the ledger is complete after as many passes as there are states.
    for _state in TrustState:
        decision = _decide(taken, intent, engine)
        written = [step.ledger for step in decision.steps if isinstance(step, WriteLedger)]
        if not written:
            break
        taken = replace(taken, ledger=written[0])
    if held := tuple(violation for violation in decision.violations if violation.holds):
        return Decision(violations=held)
    return Decision(steps=(SetGenerated(generated=False, ca=snapshot.names.ca, phase=Phase.PREPARE),))


def _decide_until_stop(at: Situation, engine: Engine, journal: Journal, stop: Stop) -> Decision:
    """The steps that lead the flow up to its stop, then the steps that are independent of it."""
    within = replace(at, intent=limit_to_stop(at.intent, stop))
    decided = _choose_steps(within, *take_turns(within, engine.rules))
    if not (decided.steps or decided.is_held) and not journal.is_abort:
        resting = replace(at, resting=True)
        beside, _waits = take_turns(resting, engine.rules_at_rest)
        decided = _choose_steps(resting, beside) if beside else decided
    if decided.steps:
        return decided
    sentence = " ".join((at.snapshot.names.kafka, *describe_stop(journal, stop, at.snapshot.names.ca)))
    return replace(decided, waiting=(*decided.waiting, sentence), stop=stop)


def _phase_of_write(transitions: tuple[Transition, ...], ledger: Ledger) -> Phase:
    """The phase for showing a change of the ledger: the phase of its furthest transition, else the phase of the
    flow.
    """
    reached = [_PHASE_OF_STATE[taken.after] for taken in transitions]
    if reached:
        return max(reached, key=lambda phase: phase.position)
    begun = in_flight(ledger)
    successor = ledger.find(begun.successor) if begun else None
    return Phase.RETIRE if successor is None else _PHASE_OF_STATE[successor.state]


def _choose_steps(at: Situation, steps: Steps, waits: tuple[Wait, ...] = ()) -> Decision:
    """The decision to take these steps. If no rule has a step, it is the decision to wait as each rule does."""
    if at.leads_to_replacement:
        # All of the renewal belongs to the first phase of the replacement.
        steps = tuple(replace(step, phase=Phase.PREPARE) for step in steps)
    # A pause of this collection is always brought to its end, whatever stop the caller wants.
    paused = at.snapshot.reconciliation.pause.is_ours
    allowed = tuple(step for step in steps if paused or at.intent.allows(step.phase))
    if refused := (*_refused_restarts(at, allowed), *_check_restarts(at, allowed)):
        return Decision(steps=resume_operators(at.snapshot), violations=refused)
    requested = leaves_to_ask_for(at)
    reasons = requested.reasons if requested else {}
    if allowed:
        return Decision(steps=allowed, issue_reasons=reasons)
    ending = _decide_end(at, work_is_left=bool(steps))
    if ending.steps:
        return replace(ending, issue_reasons=reasons)
    if steps:
        left = (*(step.describe_as_left() for step in steps), *ending_unserved(at, requested))
        return replace(ending, pending=left, issue_reasons=reasons)
    held, later = list_holds(at, waits)
    awaited = tuple(sentence for wait in waits for sentence in wait.awaited)
    violations = (*held, *ending.violations)
    return Decision(
        violations=violations,
        done=not violations and not awaited,
        pending=later,
        waiting=(*awaited, *(sentence for wait in waits for sentence in wait.left_for_later)),
        issue_reasons=reasons,
    )


def _check_restarts(at: Situation, steps: Steps) -> tuple[Violation, ...]:
    """Why pods would not come back from these restarts, or would not restart at all."""
    return tuple(dict.fromkeys((*check_leaves_of_restarted(at, steps), *check_operator_restarts(at, steps))))


def list_holds(at: Situation, waits: tuple[Wait, ...]) -> tuple[tuple[Violation, ...], tuple[str, ...]]:
    """The violations that hold the flow, in the order of its phases. If a violation holds it only after the last phase
    of the call, there is a sentence instead.
    """
    if at.snapshot.ledger is None:
        return (), ()
    waits = tuple(sorted(waits, key=lambda wait: wait.phase.position))
    held = tuple(why for wait in waits if at.allows(wait.phase) for why in wait.violations)
    later = tuple(
        f"the phase {wait.phase.value} waits: {why}"
        for wait in waits
        if not at.allows(wait.phase)
        for why in wait.violations
    )
    return (*held, *leaves_that_end_meanwhile(at)) if any(violation.holds for violation in held) else held, later


def decide_at_the_end(snapshot: Snapshot, intent: Intent, engine: Engine = ENGINE) -> Decision:
    """The decision if a call has reached its aim before the end of the flow: only the operator's verdict is left."""
    return _decide_end(Situation(snapshot, intent, snapshot.ledger_or_empty, engine.gates), work_is_left=True)


def _decide_end(at: Situation, *, work_is_left: bool) -> Decision:
    verdict = await_verdict(at, work_is_left=work_is_left)
    if isinstance(verdict, Wait):
        return Decision(violations=verdict.violations)
    return Decision(steps=verdict, done=not verdict)


def _refused_restarts(at: Situation, steps: Steps) -> tuple[Violation, ...]:
    """The violations of restarts that a reload would spare and an option of the caller forbids. They come before the
    pause for these restarts.
    """
    option = find_option_against_restarts(at)
    return tuple(
        Violation(
            Condition.IN_PLACE, at.snapshot.names.kafka, f"{option} forbids this. {step.avoidable_restart}",
            "Remove this obstacle, or have the nodes restarted: spread=auto, with retire=now or when_needed.",
        )
        for step in steps if step.avoidable_restart and option
    )  # fmt: skip
