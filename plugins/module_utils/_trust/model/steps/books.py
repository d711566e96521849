# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Steps that write the ledger."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from ..goals import Phase
from ..ledger import Ledger
from ..names import counted, named
from ..snapshot import Snapshot
from .base import Look, StandIn, Step


@dataclass(frozen=True, kw_only=True)
class WriteLedger(Step):
    """Write the ledger. before: what it says now."""

    ledger: Ledger
    before: Ledger
    is_told: ClassVar[bool] = False

    def sentence(self) -> str:
        states = {entry.fingerprint: entry.state for entry in self.before.entries}
        changes = [
            f"{named(e.certificate)} {states[e.fingerprint].value + ' → ' if e.fingerprint in states else 'enters as '}"
            f"{e.state.value}"
            for e in self.ledger.entries
            if states.get(e.fingerprint) is not e.state
        ]
        left = [entry for entry in self.before.entries if self.ledger.find(entry.fingerprint) is None]
        changes += [f"{named(entry.certificate)} leaves the ledger" for entry in left]
        if self.ledger.layout is not self.before.layout:
            changes.append(f"the ledger itself in the layout {self.ledger.layout.value}")
        elif self.before.untidy:
            changes.append("the ledger without what an interrupted call has left beside it")
        if (stop := _stop(self.ledger)) != _stop(self.before):
            changes.append(f"that the flow {f'stops after the phase {stop.value}' if stop else 'goes on to its end'}")
        if (upkeep := self.ledger.upkeep) != self.before.upkeep:
            changes.append(f"how reconcile renews the CA ({upkeep.policy.value if upkeep else 'not at all'})")
        noted = _holders(self.ledger) - _holders(self.before)
        if noted and not changes:
            changes = [f"what {counted(len(noted), 'pod')} will present until the next restart"]
        return f"record {', '.join(changes) or 'what was observed'}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return replace(snapshot, ledger=self.ledger)

    def look(self, snapshot: Snapshot) -> Look:
        """Running nodes are asked before the ledger says that no process trusts a CA any more."""
        forgets = set(self.before.removed) - set(self.ledger.removed)
        return Look.FRESH if forgets and snapshot.nodes.pods else Look.NONE


def _stop(ledger: Ledger) -> Phase | None:
    """The phase after which a flow stops."""
    return ledger.journal.stop.after if ledger.journal and ledger.journal.stop else None


def _holders(ledger: Ledger) -> frozenset[str]:
    return frozenset(uid for held in ledger.held for uid in held.holders)


@dataclass(frozen=True, kw_only=True)
class RemoveMarks(Step):
    """Remove the annotations of this collection that outlive a flow from the Kafka resource and the CA Secrets."""

    phase: Phase = Phase.RETIRE
    is_told: ClassVar[bool] = False

    def sentence(self) -> str:
        return "remove the annotations of this collection"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return snapshot


@dataclass(frozen=True, kw_only=True)
class DeleteLedger(Step):
    """Delete the ledger Secret: this collection has nothing to do with the CA any more."""

    phase: Phase = Phase.RETIRE
    is_told: ClassVar[bool] = False

    def sentence(self) -> str:
        return "delete the ledger"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return replace(snapshot, ledger=None)
