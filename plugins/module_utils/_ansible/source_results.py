# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The source of CAs in a result: what it holds, and what a run of reconcile would make of it."""

from __future__ import annotations

from typing import Any

from .._pki.certificates import Certificate
from .._trust.ledger.target import resolve, rotation_of
from .._trust.ledger.wish import wish_of
from .._trust.model.goals import Goal
from .._trust.model.intent import Intent
from .._trust.model.ledger import Ledger
from .._trust.model.snapshot import Snapshot
from .times import time_text


def describe_source(snapshot: Snapshot) -> dict[str, Any] | None:
    """None where no source is named."""
    source, ledger = snapshot.source, snapshot.ledger or Ledger()
    if source is None:
        return None
    whatever = Intent(Goal.RECONCILE, confirmed=frozenset(one.sha256 for one in source.certificates))
    wish = wish_of(snapshot, whatever, ledger)
    differs = resolve(snapshot, whatever, ledger).wanted
    unknown = wish_of(snapshot, Intent(Goal.RECONCILE), ledger)
    return {
        "object": source.name,
        "problem": " ".join(filter(None, (source.problem, source.remedy))),
        "cas": [_authority(one, snapshot) for one in source.certificates],
        "changed_at": time_text(source.changed_at),
        "signing": wish.meant[0].sha256 if wish and wish.meant else None,
        "begins": rotation_of(snapshot, whatever, ledger).value if differs else None,
        "to_be_confirmed": [one.sha256 for one in unknown.unconfirmed] if unknown else [],
    }


def _authority(certificate: Certificate, snapshot: Snapshot) -> dict[str, Any]:
    ledger = snapshot.ledger or Ledger()
    return {
        "subject": certificate.subject,
        "sha256": certificate.sha256,
        "not_before": time_text(certificate.not_before),
        "not_after": time_text(certificate.not_after),
        "current": certificate in snapshot.ca.in_use,
        "known": ledger.find(certificate.fingerprint) is not None,
    }
