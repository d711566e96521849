# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The operator's own verdict on what was stored. Its next reconcile ends ``Ready``, or says what it cannot use; the call looks at that when nothing
else is left for it to do (docs/design.md, "The operator's verdict").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256

from ..model.decision import Decision
from ..model.ledger import Journal, Ledger
from ..model.snapshot import FailedReconcile, Snapshot
from ..model.steps.base import Steps
from ..model.steps.pause import AwaitVerdict
from ..model.violations import Condition, Violation
from .operator_reissue import needed_by_operator
from .situation import Situation

#: How long after a flow the operator may first speak of what the flow has stored: the period of its reconciles (2 minutes by default) and the
#: time that one waits for pods (5 minutes by default), rounded up.
_SPEAKS_WITHIN = timedelta(minutes=10)
#: Words of the operator, of Java and of openssl about certificates (docs/operator.md, "Tried by hand", 6, and "User-managed CA").
_ABOUT_CERTIFICATES = re.compile(
    r"certificate|\bCA\b|secrets were not found|private key|keystore|truststore|PKIX|SSL|X\.?509|\.crt\b|\.key\b",
    re.IGNORECASE,
)


def await_verdict(at: Situation, *, work_is_left: bool) -> Steps:
    """Wait for the reconcile that ends a pause; and where the operator cannot use what is stored, have it look once more, once for each state of
    the Secrets. work_is_left: whether a later call has steps to take, which may be what mends a failure that the flow has found; and which show the
    restarts that come in the reconcile after a pause.
    """
    state = at.snapshot.reconciliation
    if state.paused:
        return ()
    if state.resuming:
        return () if work_is_left else (AwaitVerdict(phase=at.phase),)
    request = _request(at.snapshot)
    if _failure_about(at.snapshot, at.ledger, work_is_left) is None or state.request == request:
        return ()
    return (AwaitVerdict(phase=at.phase, request=request),)


def operator_refusals(at: Situation, *, work_is_left: bool) -> Iterator[Violation]:
    """The operator's refusal of what is stored, in its own words, with what is seen to differ."""
    failure = _failure_about(at.snapshot, at.ledger, work_is_left)
    if failure is not None and not at.snapshot.reconciliation.paused:
        seen = "".join(f" {one}" for one in _differences(at.snapshot))
        yield Violation(
            Condition.VERDICT, at.snapshot.names.kafka, f"is not ready, the Cluster Operator says: {failure}.{seen}",
            "Mend what it names; the log of the operator says more. The next run has the operator look again when that has changed.",
        )  # fmt: skip


def failure_that_holds_nothing(snapshot: Snapshot, decision: Decision) -> str:
    """A sentence about a failure of the operator that the decision goes on in spite of; empty where there is none. It is not about certificates, or
    began before the flow, which may be what mends it. Where leaves are awaited, the operator waits for them too.
    """
    failure = snapshot.reconciliation.failure
    if failure is None or decision.violations or decision.waiting:
        return ""
    return f"{snapshot.names.kafka} is not ready, the Cluster Operator says: {failure}. It said so before, so this task goes on."


def _failure_about(snapshot: Snapshot, ledger: Ledger, work_is_left: bool = False) -> FailedReconcile | None:
    """The failure of the operator's last reconcile, if it began with what a flow has done; or is about certificates, and nothing is left to be done
    about them.
    """
    failure = snapshot.reconciliation.failure
    if failure is None:
        return None
    began_with_it = _began_with_flow(failure, ledger.journal)
    if work_is_left:
        return failure if began_with_it and not needed_by_operator(snapshot) else None
    return failure if began_with_it or _ABOUT_CERTIFICATES.search(str(failure)) else None


def _began_with_flow(failure: FailedReconcile, journal: Journal | None) -> bool:
    if journal is None or failure.since is None or failure.since < journal.started_at:
        return False
    return journal.finished_at is None or failure.since < journal.finished_at + _SPEAKS_WITHIN


def _request(snapshot: Snapshot) -> str:
    """Another one for every state of the Secrets on which the operator passes a verdict."""
    leaves = sorted(f"{one.secret}={one.chain[0].fingerprint if one.chain else ''}" for one in snapshot.every_leaf)
    ca = snapshot.ca
    stored = [
        *leaves,
        *sorted(ca.projected),
        *(one.fingerprint for one in ca.current),
        str(ca.certificate_generation),
        str(ca.key),
    ]
    return f"verdict-{sha256(' '.join(stored).encode()).hexdigest()[:12]}"


def _differences(snapshot: Snapshot) -> Iterator[str]:
    """Sentences: the names and dates for which the operator would not keep a leaf, and leaves that are not there."""
    for secret, component in sorted(snapshot.leaves.missing.items()):
        yield f"{snapshot.names.secret(secret)} ({component.value}) is missing."
    for leaf in snapshot.leaves.stored:
        name = snapshot.names.secret(leaf.secret)
        if leaf.chain is None:
            yield f"{name}: {leaf.problem}."
            continue
        if difference := snapshot.leaves.misnamed.get(leaf.secret):
            yield f"{name}: {difference}."
        if leaf.chain[0].not_after - snapshot.window_of(leaf) <= snapshot.now:
            yield f"{name} ends on {leaf.chain[0].not_after:%Y-%m-%d}, and the operator issues it anew {snapshot.window_of(leaf).days} days before."
        if leaf.generation != snapshot.ca.certificate_generation:
            yield f"{name} is annotated with generation {leaf.generation}, and the CA with {snapshot.ca.certificate_generation}."
