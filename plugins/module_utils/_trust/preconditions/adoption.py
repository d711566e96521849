# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions on a CA that is in use, before it is adopted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..._pki.defects import JVM, named_verifiers
from ..._pki.usability import chain_defects
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.names import counted, listed, named
from ..model.snapshot import Pod, Snapshot
from ..model.violations import Condition, Violation


def operator_has_finished(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The operator renews or replaces its CA in several rolls (docs/operator.md, "Sequences"), and ends with taking the old one
    out. Taken over before, the old CA would look like one that is to be trusted, and would stay for good.

    A CA that is handed back may be renewed at once: then the ledger has to go all the same.
    """
    if not snapshot.reconciliation.generated or intent.goal is Goal.DOWNGRADE:
        return
    seen = "; ".join(_left_to_do(snapshot))
    if seen:
        yield Violation(
            Condition.OPERATOR_HAS_FINISHED, snapshot.names.kafka,
            f"has a CA that the Cluster Operator is renewing or replacing by itself: {seen}.",
            "Let it come to its end, for which it may restart every node up to three times, then run the flow again; where nothing "
            "moves, look at the operator's log.",
        )  # fmt: skip


#: The goals that adopt a CA, or go on with its name.
_KEEPING = (Goal.CREATE, Goal.UPGRADE, Goal.RECONCILE, Goal.RENEW)


def current_is_usable(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The rule for a CA that is supplied holds for one that was put there by hand too, as far as Kafka and the operator are concerned. A replacement is
    the way out.
    """
    if intent.goal not in _KEEPING or (snapshot.ledger is not None and intent.goal is not Goal.RENEW):
        return
    for certificate, defect in chain_defects(snapshot.ca.current):
        if defect.verifiers & JVM:
            name = certificate.subject or f"the CA without a name ({certificate.sha256[:16]})"
            yield Violation(
                Condition.CURRENT_IS_USABLE, f"{snapshot.names.certificate_secret}, ca.crt",
                f"{name} {defect.cause}, which {named_verifiers(defect.verifiers)} refuse.",
                f"Put a CA there {defect.wanted}; or replace it (replace_key).",
            )  # fmt: skip


def _left_to_do(snapshot: Snapshot) -> Iterator[str]:
    """A pod without an annotation counts as current, as it does for the operator, which would do nothing about it. Without
    pods the operator takes no old CA out."""
    ca = snapshot.ca
    if distrusting := [pod for pod in snapshot.nodes.pods if pod.key_generation not in (None, ca.key_generation)]:
        yield f"{_these(distrusting)} to trust the new key"
    elif behind := [pod for pod in snapshot.nodes.pods if pod.generation not in (None, ca.certificate_generation)]:
        yield f"{_these(behind)} to use the new certificate"
    for entry in ca.retired if snapshot.nodes.pods else ():
        yield f"{named(ca.others[entry][0])} has still to leave ({entry})"


def _these(pods: Iterable[Pod]) -> str:
    names = sorted(pod.name for pod in pods)
    return f"{counted(len(names), 'pod')} ({listed(names)}) still {'has' if len(names) == 1 else 'have'} to restart"
