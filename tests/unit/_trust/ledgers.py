# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ledgers by keyword: entries in each state, and the journal of a flow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    Journal,
    Ledger,
    LedgerEntry,
    TrustState,
)

from ...tools.support.certificates import HOUR, NOW, Entity
from .authorities import NEW, OLD, chain_of, name_of

UNTRUSTED, UNUSED = TrustState.UNTRUSTED, TrustState.TRUSTED_UNUSED
ANY, ALL, PHASE_OUT = TrustState.TRUSTED_IN_USE_ANY, TrustState.TRUSTED_IN_USE_ALL, TrustState.PHASE_OUT


def entry(
    authority: Entity | Chain,
    state: TrustState = TrustState.TRUSTED_IN_USE_ALL,
    generations: Iterable[int] = (),
    awaited_pods: Iterable[str] | None = (),
    **fields: Any,
) -> LedgerEntry:
    """awaited_pods: () means every process trusts it, None that it was not read back."""
    chain = chain_of(authority) if isinstance(authority, Entity) else authority
    made = LedgerEntry(chain, state, frozenset(generations), None if awaited_pods is None else frozenset(awaited_pods))
    return replace(made, **fields)


def ledger(*entries: LedgerEntry, **fields: Any) -> Ledger:
    return replace(Ledger(entries or (entry(OLD, generations={0}),)), **fields)


def a_journal(goal: Goal = Goal.REPLACE_KEY, old: Entity | None = OLD, new: Entity = NEW, **fields: Any) -> Journal:
    """In flight for an hour."""
    replaced: Certificate | None = old.certificate if old else None
    made = Journal(
        goal,
        replaces=replaced.fingerprint if replaced else None,
        successor=name_of(new),
        started_at=NOW - HOUR,
        replaces_sha256=replaced.sha256 if replaced else None,
    )
    return replace(made, **fields)
