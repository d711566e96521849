# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The hash of a plan, for the approval of a person, and the comparison of an approved plan with the plan of now.

A hash has four parts, so a refusal can name the changed part. Each part is about facts that stay the same while nothing
happens: kinds of steps, names of nodes, components of other pods, fingerprints of existing CAs, issuers. Times, future
certificates, and requests that a flow only forgets are no part of it.

If the plan restarts several Kafka nodes at a time, the limit of the caller follows the hash, in plain text. A plan with
a limit that allows more nodes at a time is another plan. The rounds within the limit are no part: they follow the state
of Kafka, which changes by itself, and a round more takes time alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, TypeAlias

from .ledger.journal import asked_goal, in_flight, prepared_goal
from .model.decision import Condition, Violation
from .model.goals import Goal
from .model.intent import ONE_BY_ONE, BatchLimit
from .model.ledger import Journal
from .model.snapshot import CaSecrets, Snapshot
from .model.steps.leaves import ForgetRequests
from .plan import Forecast, PlannedStep
from .rules.restore import restore_secrets

#: The parts of a hash in their order, as messages name them.
PARTS = ("the CA that the flow begins with", "the steps", "the pods that restart", "the obstacles")
_FORM = re.compile(f"({'-'.join(['[0-9a-f]{8}'] * len(PARTS))})(?:-(.+))?")
#: A limit that allows more nodes at a time than the approved limit, as a refusal names it.
MORE_AT_A_TIME = "how many nodes restart at a time"


def is_plan_hash(text: str) -> bool:
    """Whether the text has the form of a hash of a plan."""
    form = _FORM.fullmatch(text)
    return form is not None and (form[2] is None or BatchLimit.read(form[2]) is not None)


def _take_apart(text: str) -> tuple[str, BatchLimit]:
    """The hash without the limit, and the limit."""
    form = _FORM.fullmatch(text)
    limit = form and form[2] and BatchLimit.read(form[2])
    return (form[1] if form else text), limit or ONE_BY_ONE


def plan_hash(goal: Goal, snapshot: Snapshot, planned: Forecast) -> str:
    """The hash of this plan: four times eight digits, and the limit of nodes at a time if there are several."""
    of_plan = _hash_of(goal, snapshot, planned)
    return of_plan if planned.batch == ONE_BY_ONE else f"{of_plan}-{planned.batch.text}"


def _hash_of(goal: Goal, snapshot: Snapshot, planned: Forecast) -> str:
    """The hash of this plan without the limit."""
    parts = (
        (snapshot.names.kafka, snapshot.names.ca, goal.value, _begins_with(goal, snapshot)),
        [(step.phase.value, step.kind, step.approved_inputs) for step in _steps_to_approve(planned)],
        [_restarted(step, snapshot) for step in planned.whole if step.nodes or step.others],
        sorted((violation.condition.value, violation.subject) for violation in planned.violations),
    )
    return "-".join(sha256(repr(part).encode()).hexdigest()[:8] for part in parts)


def _steps_to_approve(planned: Forecast) -> Sequence[PlannedStep]:
    """The steps without the steps that only forget requests. Which requests earlier calls have left, and when a call
    forgets them, changes nothing of the plan.
    """
    return [step for step in planned.whole if step.kind != ForgetRequests.__name__]


def _restarted(step: PlannedStep, snapshot: Snapshot) -> tuple[Any, ...]:
    """The nodes by name, and other pods by component: a pod of a Deployment gets another name each time it is made."""
    components = {pod.name: pod.component.value for pod in snapshot.nodes.pods}
    return step.reason and step.reason.value, step.nodes, sorted({components.get(name, name) for name in step.others})


#: Makes the plan of this call for another state of the cluster.
Plan: TypeAlias = Callable[[Snapshot], Forecast]


def check_approval(
    approved: str, goal: Goal, snapshot: Snapshot, planned: Forecast, plan: Plan
) -> tuple[Violation, ...]:
    """The violation if the plan of now differs from the approved plan.

    A killed run goes on: the flow in flight has the same goal and the same CA at its beginning, and its plan is the
    rest of the approved plan. A flow without a journal goes on if the approved plan is the plan of an earlier state. If
    nothing is left to do, nothing needs an approval. A limit that allows more nodes at a time needs an approval of its
    own, also if the flow goes on.
    """
    approved_hash, limit = _take_apart(approved)
    present = _hash_of(goal, snapshot, planned).split("-")
    changed = [name for name, old, new in zip(PARTS, approved_hash.split("-"), present, strict=True) if old != new]
    nothing_left = not _steps_to_approve(planned) and not planned.violations
    if nothing_left:
        return ()
    is_begun = _is_begun(goal, snapshot) and PARTS[0] not in changed
    if changed and (is_begun or _is_of_earlier_state(approved_hash, goal, snapshot, plan)):
        changed = []
    if not limit.allows(planned.batch):
        changed.append(MORE_AT_A_TIME)
    if not changed:
        return ()
    return (
        Violation(
            Condition.PLAN_IS_APPROVED, snapshot.names.kafka,
            f"has another plan now than the approved plan {approved}. Changed: {', '.join(changed)}.",
            "Look at the plan of now (the same playbook with --check --diff), and approve that: "
            f"strimzi_plan_hash={plan_hash(goal, snapshot, planned)}.",
        ),
    )  # fmt: skip


def _is_of_earlier_state(approved_hash: str, goal: Goal, snapshot: Snapshot, plan: Plan) -> bool:
    """Whether the approved plan is the plan of a state before the flow."""
    return any(_hash_of(goal, before, plan(before)) == approved_hash for before in _before_flow(goal, snapshot))


def _before_flow(goal: Goal, snapshot: Snapshot) -> Iterator[Snapshot]:
    """The possible states at the beginning of an earlier call with this goal, before it was killed or began to wait for
    an issuer. None if the journal says it, or if no such call has left a trace.

    An adoption first takes the CA from the operator. A hand-back gives it to the operator before the ledger goes. A
    recovery puts Secrets back first, and its plan is the same for each set of lost Secrets. A recovery and a renewal of
    leaves request leaves of an issuer first. If a renewal of leaves has stored some, no object tells which leaves were
    due before it.
    """
    state = snapshot.reconciliation
    if goal is Goal.UPGRADE and not state.generated:
        yield replace(snapshot, ledger=None, reconciliation=replace(state, generated=True))
    if goal is Goal.DOWNGRADE and state.generated and snapshot.ledger is not None:
        yield replace(snapshot, reconciliation=replace(state, generated=False))
    if goal is Goal.RECOVER and snapshot.backups:
        yield replace(snapshot, ca=CaSecrets(current=()), ledger=None)
    if goal in (Goal.RECOVER, Goal.RENEW_LEAVES) and snapshot.leaves.requests:
        yield replace(snapshot, leaves=replace(snapshot.leaves, requests={}))


def _begins_with(goal: Goal, snapshot: Snapshot) -> str | None:
    """The CA at the beginning of a flow: the fingerprint of a renewal, else the digest of its key, because a renewal as
    the first part of a replacement keeps the key. A recovery begins with the CA that it puts back.
    """
    for step in restore_secrets(snapshot) if goal is Goal.RECOVER else ():
        snapshot = step.restore(snapshot)
    ledger, begun = snapshot.ledger_or_empty, in_flight(snapshot.ledger)
    if begun is None:
        current = next(iter(snapshot.ca.in_use), None)
        if current is None:
            return None
        return current.fingerprint if goal is Goal.RENEW else current.public_key_sha256
    if goal is Goal.RENEW:
        return begun.replaces
    certificates = {entry.fingerprint: entry.certificate for entry in ledger.entries}
    certificates |= {entry.fingerprint: entry.certificate for entry in ledger.removed_cas}
    # If a replaced CA has left, it is known no more, and a renewed CA has its key. An abort goes back to the CA at the
    # beginning of its flow.
    keeping = begun.successor if begun.goal is Goal.RENEW or begun.is_abort else begun.replaces
    replaced = certificates.get(keeping or "")
    return replaced.public_key_sha256 if replaced is not None else begun.replaces


def _is_begun(goal: Goal, snapshot: Snapshot) -> bool:
    """Whether a call with this goal leads on the work of an earlier call."""
    begun = in_flight(snapshot.ledger) or _first_part(snapshot)
    if begun is None:
        return goal is prepared_goal(snapshot)
    if goal is Goal.RECONCILE:
        return begun.is_upkeep
    return goal is (Goal.ABORT if begun.is_abort else asked_goal(begun))


def _first_part(snapshot: Snapshot) -> Journal | None:
    """The finished renewal of the CA in use that was to lead to a replacement; None if no replacement is due."""
    last = snapshot.ledger_or_empty.journal
    in_use = {certificate.fingerprint for certificate in snapshot.ca.in_use}
    return last if last is not None and last.options.precedes_replacement and last.successor in in_use else None
