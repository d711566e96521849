# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The hash of a plan, for the approval of a person, and the comparison of an approved plan with the plan of now.

A hash has four parts, so a refusal can name the changed part. Each part is about facts that stay the same while nothing
happens: kinds of steps, names of nodes, components of other pods, fingerprints of existing CAs, issuers. Times and
future certificates are no part of it.

A killed call goes on under its hash; the page docs/awx.md names the exceptions. If its flow has a journal, the journal
says what was begun. The other flows begin with steps whose result the hash has instead of the steps: which CA comes
back, whether the operator keeps the CA at the end, and which issuers sign. So the hash is the same before and after
these steps.

If the plan restarts several Kafka nodes at a time, the limit of the caller follows the hash, in plain text. A plan with
a limit that allows more nodes at a time is another plan. The rounds within the limit are no part: they follow the state
of Kafka, which changes by itself, and a round more takes time alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from hashlib import sha256
from typing import Any

from .ledger.journal import asked_goal, in_flight, prepared_goal
from .model.decision import Condition, Violation
from .model.goals import Goal
from .model.intent import ONE_BY_ONE, BatchLimit
from .model.ledger import Journal
from .model.snapshot import Snapshot
from .model.steps.authority import RestoreSecrets, SetGenerated
from .model.steps.leaves import AskForLeaves, AwaitIssuer, CollectLeaves, ForgetRequests
from .model.steps.trust import WriteLedger
from .plan import Forecast, PlannedStep
from .rules.restore import restore_secrets

#: The parts of a hash in their order, as messages name them.
PARTS = ("the CA that the flow begins with", "the steps", "the pods that restart", "the obstacles")
#: The kinds of steps about requests alone. Another step of the plan stores the requested leaves.
_REQUESTING = frozenset(kind.__name__ for kind in (AskForLeaves, AwaitIssuer, CollectLeaves, ForgetRequests))
#: The kinds of steps that are no part of a hash: the hash has their results. A record of what a call has seen changes
#: nothing of a plan.
_LEFT_OUT = _REQUESTING | {kind.__name__ for kind in (SetGenerated, RestoreSecrets, WriteLedger)}
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
        (_is_operators_at_the_end(snapshot, planned), _list_inputs(planned), _describe_steps(planned)),
        [_restarted(step, snapshot) for step in planned.whole if step.nodes or step.others],
        sorted((violation.condition.value, violation.subject) for violation in planned.violations),
    )
    return "-".join(sha256(repr(part).encode()).hexdigest()[:8] for part in parts)


def _is_operators_at_the_end(snapshot: Snapshot, planned: Forecast) -> bool:
    """Whether the operator makes and renews the CA after these steps."""
    return (planned.end or snapshot).reconciliation.generated


def _list_inputs(planned: Forecast) -> Sequence[str]:
    """The CAs and issuers that the steps bring in."""
    return sorted({value for step in planned.whole for value in step.approved_inputs})


def _describe_steps(planned: Forecast) -> Sequence[tuple[str, str]]:
    return [(step.phase.value, step.kind) for step in planned.whole if step.kind not in _LEFT_OUT]


def _restarted(step: PlannedStep, snapshot: Snapshot) -> tuple[Any, ...]:
    """The nodes by name, and other pods by component: a pod of a Deployment gets another name each time it is made."""
    components = {pod.name: pod.component.value for pod in snapshot.nodes.pods}
    return step.reason and step.reason.value, step.nodes, sorted({components.get(name, name) for name in step.others})


def check_approval(approved: str, goal: Goal, snapshot: Snapshot, planned: Forecast) -> tuple[Violation, ...]:
    """The violation if the plan of now differs from the approved plan.

    A killed run goes on: the flow in flight has the same goal and the same CA at its beginning, and its plan is the
    rest of the approved plan. So does a run that has sent only some requests for leaves: the plan ends where it waits
    for the sent requests. If nothing is left to do, nothing needs an approval. A limit that allows more nodes at a time
    needs an approval of its own, also if the flow goes on.
    """
    approved_hash, limit = _take_apart(approved)
    present = _hash_of(goal, snapshot, planned).split("-")
    changed = [name for name, old, new in zip(PARTS, approved_hash.split("-"), present, strict=True) if old != new]
    if _takes_only(planned, {ForgetRequests.__name__}):
        return ()
    if (_is_begun(goal, snapshot) or _awaits_issuer(snapshot, planned)) and PARTS[0] not in changed:
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


def _takes_only(planned: Forecast, kinds: Set[str]) -> bool:
    """Whether nothing holds the flow, and all of its steps are of these kinds."""
    return not planned.violations and all(step.kind in kinds for step in planned.whole)


def _awaits_issuer(snapshot: Snapshot, planned: Forecast) -> bool:
    """Whether an issuer has requests of the cluster, and the plan only sends it the rest of them."""
    has_requests = any(request.is_open for request in snapshot.leaves.requests.values())
    return has_requests and _takes_only(planned, _REQUESTING)


def _begins_with(goal: Goal, snapshot: Snapshot) -> str | None:
    """The CA at the beginning of a flow: its fingerprint for a renewal or a recovery, else the digest of its key. A
    renewal as the first part of a replacement keeps the key. A recovery begins with the CA that it puts back.
    """
    for step in restore_secrets(snapshot) if goal is Goal.RECOVER else ():
        snapshot = step.restore(snapshot)
    ledger, begun = snapshot.ledger_or_empty, in_flight(snapshot.ledger)
    if begun is None:
        current = next(iter(snapshot.ca.in_use), None)
        if current is None:
            return None
        return current.fingerprint if goal in (Goal.RENEW, Goal.RECOVER) else current.public_key_sha256
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
