# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions on those who verify and present certificates of a CA that is for parties outside the cluster."""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.parties import presenters
from ..ledger.target import rotation_of, supplied_for
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.ledger import Ledger
from ..model.snapshot import IssuedBy, Snapshot
from ..model.violations import Condition, Violation
from .cluster import is_starting, starts_something


def somebody_verifies(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Without a listener that asks for certificates of this CA, nothing shows whether it is trusted."""
    if snapshot.has_verifiers or not _begins(snapshot, intent):
        return
    yield Violation(
        Condition.SOMEBODY_VERIFIES, snapshot.names.kafka,
        f"has no listener that verifies clients by the {snapshot.names.ca}: none with the authentication tls.",
        "Nobody logs in with its certificates, so nothing has to be rotated without an interruption: leave it, or replace it in any way.",
    )  # fmt: skip


def somebody_issues(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Whoever issues them by hand is not seen, and neither is whoever has one."""
    if snapshot.issued_by is IssuedBy.THIS_COLLECTION or not _begins(snapshot, intent):
        return
    if snapshot.issued_by is IssuedBy.NOBODY:
        yield Violation(
            Condition.SOMEBODY_ISSUES, snapshot.names.kafka,
            f"has no User Operator, which would issue certificates of the next {snapshot.names.ca}.",
            "Add spec.entityOperator.userOperator and a KafkaUser for each user, then run the flow again.",
        )  # fmt: skip
        return
    supplied = supplied_for(snapshot, intent, snapshot.ledger or Ledger())
    renewed = rotation_of(snapshot, intent, snapshot.ledger or Ledger()) is Goal.RENEW and supplied is None
    kept = (
        supplied.elsewhere
        if supplied is not None
        else renewed and snapshot.ca.is_kept_elsewhere(snapshot.ca.current[0])
    )
    if kept:
        yield Violation(
            Condition.SOMEBODY_ISSUES, snapshot.names.key_secret,
            "would hold no key of the next CA, and the User Operator issues certificates of users with that.",
            "Supply the CA with its key; or none, then one is made.",
        )  # fmt: skip


def presenters_are_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Found before anything is written: later the flow would stand still until somebody has looked after them."""
    if not _begins(snapshot, intent):
        return
    for one in presenters(snapshot):
        if one.authorities is None:
            yield Violation(
                Condition.PRESENTERS_ARE_KNOWN, one.name, f"it cannot be told of which CA the certificate is that it presents: {one.why}.",
                one.remedy,
            )  # fmt: skip


def presenters_are_served(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Whoever keeps an old certificate would hold the flow at its end, and be refused if it were not for that."""
    if not _begins(snapshot, intent):
        return
    for one in presenters(snapshot):
        if one.hindered:
            yield Violation(
                Condition.PRESENTERS_ARE_SERVED, one.name, f"would get no certificate of the next {snapshot.names.ca}: {one.hindered}.",
                one.remedy,
            )  # fmt: skip


def _begins(snapshot: Snapshot, intent: Intent) -> bool:
    return is_starting(snapshot) and starts_something(snapshot, intent)
