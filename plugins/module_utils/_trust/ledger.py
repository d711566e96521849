# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The ledger: the single record of which CA is trusted by whom (DESIGN section 3).

Plain values; how they are laid out in a Secret is the business of ``_strimzi/ledger_secret.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState


class Goal(str, Enum):
    """What a flow works towards."""

    CREATE = "create"
    RENEW = "renew"
    REPLACE_KEY = "replace_key"
    UPGRADE = "upgrade"
    DOWNGRADE = "downgrade"
    RENEW_LEAVES = "renew_leaves"
    RECONCILE = "reconcile"


@dataclass(frozen=True)
class LedgerEntry:
    """One CA: ``chain[0]`` is the CA certificate, the rest leads to its root (usually nothing).

    generations: the values of ``strimzi.io/cluster-ca-cert-generation`` that mean this CA.
    awaiting: UIDs of the pods that existed when the CA was read back from the trust bundle; the CA is trusted by
    every process exactly when none of them exists any more. None: not yet read back.
    """

    chain: tuple[Certificate, ...]
    state: TrustState
    generations: frozenset[int] = frozenset()
    awaiting: frozenset[str] | None = None

    @property
    def certificate(self) -> Certificate:
        return self.chain[0]

    @property
    def fingerprint(self) -> str:
        return self.certificate.fingerprint


@dataclass(frozen=True)
class HeldByProcesses:
    """A certificate that is gone from where it was stored, and the pods that know it still.

    awaiting: UIDs of pods that started before, and whose listeners may know it. lingering: of pods whose listeners were
    seen not to, although they started before: what re-reads nothing until a restart knows it still, their Raft clients
    and agents (operator-facts, "The reload").
    """

    certificate: Certificate
    awaiting: frozenset[str]
    lingering: frozenset[str] = frozenset()

    @property
    def fingerprint(self) -> str:
        return self.certificate.fingerprint

    @property
    def holders(self) -> frozenset[str]:
        """UIDs of all pods with a channel that knows it, as far as is known."""
        return self.awaiting | self.lingering


class RemovedEntry(HeldByProcesses):
    """A CA that left the trust: these pods trust it."""


class HeldLeaf(HeldByProcesses):
    """A leaf that its Secret does not hold any more: these pods, of which there is one, present it."""


@dataclass(frozen=True)
class Journal:
    """The flow in flight, or the last one that finished. What makes a rerun a continuation or a no-op.

    replaces: fingerprint of the CA that the flow replaces (None when there was none); replaces_sha256: its SHA-256,
    by which people name it.
    successor: fingerprint of the CA that the flow puts in its place.
    awaiting: pods that have yet to be replaced by a hand-over's last roll.
    """

    goal: Goal
    replaces: str | None
    successor: str | None
    started_at: datetime
    finished_at: datetime | None = None
    replaces_sha256: str | None = None
    awaiting: frozenset[str] | None = None


@dataclass(frozen=True)
class Ledger:
    """All CAs that are trusted or about to be, those just removed, leaves that only processes hold, and the journal.

    problems: sentences about content that is not ours (unknown state, certificate under a wrong key, ...);
    a ledger with problems holds every flow.
    """

    entries: tuple[LedgerEntry, ...] = ()
    removed: tuple[RemovedEntry, ...] = ()
    journal: Journal | None = None
    problems: tuple[str, ...] = ()
    held: tuple[HeldLeaf, ...] = ()

    def find(self, fingerprint: str | None) -> LedgerEntry | None:
        return next((entry for entry in self.entries if entry.fingerprint == fingerprint), None)

    def with_entry(self, entry: LedgerEntry) -> Ledger:
        """The ledger with this entry added, or put in the place of the one with its fingerprint."""
        if self.find(entry.fingerprint) is None:
            return replace(self, entries=(*self.entries, entry))
        return replace(
            self,
            entries=tuple(entry if old.fingerprint == entry.fingerprint else old for old in self.entries),
        )

    def without_entry(self, fingerprint: str) -> Ledger:
        return replace(self, entries=tuple(entry for entry in self.entries if entry.fingerprint != fingerprint))
