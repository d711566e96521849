# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Steps that bring CAs to the places from which processes and clients read them, and take them out again; and steps
that write the ledger.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar

from ...._pki.certificates import Certificate, Chain
from ..clients import OutsideClient
from ..decision import Look, StandIn, Step
from ..goals import Phase
from ..ledger import Ledger
from ..names import counted, named
from ..snapshot import CaSecrets, Snapshot


def without_entry(ca: CaSecrets, fingerprint: str) -> dict[str, Chain]:
    """The entries beside ``ca.crt``, without the entries of this CA."""
    return {key: chain for key, chain in ca.other_entries.items() if chain[0].fingerprint != fingerprint}


@dataclass(frozen=True, kw_only=True)
class Project(Step):
    """Put CAs of the ledger under keys of their own into the CA certificate Secret."""

    #: The CAs, each with the CAs above it.
    chains: tuple[Chain, ...]
    #: The phase of the flow.
    phase: Phase = Phase.PREPARE

    def sentence(self) -> str:
        return f"put {', '.join(named(chain[0]) for chain in self.chains)} among the trusted CAs"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        added = {f"{chain[0].fingerprint}.crt": chain for chain in self.chains}
        return snapshot.with_ca(other_entries={**snapshot.ca.other_entries, **added})


@dataclass(frozen=True, kw_only=True)
class Withdraw(Step):
    """Take a CA out of the CA certificate Secret (behind the removal gate only)."""

    #: The leaving CA.
    certificate: Certificate
    #: The phase of the flow.
    phase: Phase = Phase.RETIRE

    def sentence(self) -> str:
        return f"take {named(self.certificate)} out of the trusted CAs"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return snapshot.with_ca(other_entries=without_entry(snapshot.ca, self.certificate.fingerprint))

    def look(self, snapshot: Snapshot) -> Look:
        return Look.FRESH if snapshot.nodes.pods else Look.NONE


@dataclass(frozen=True, kw_only=True)
class AwaitBundle(Step):
    """Wait until the operator has brought its trust bundle in step with the CA certificate Secret."""

    #: Fingerprints of the CAs that the bundle is to contain.
    present: frozenset[str]
    #: The CAs that the bundle is to lack.
    absent: tuple[Certificate, ...] = ()
    #: A call shows no line when the step begins.
    is_announced: ClassVar[bool] = False
    #: A call may decide on the step again: it does nothing twice.
    only_waits: ClassVar[bool] = True

    def sentence(self) -> str:
        gone = f" and no longer {', '.join(map(named, self.absent))}" if self.absent else ""
        return f"wait until the operator's trust bundle contains {counted(len(self.present), 'CA')}{gone}"

    @property
    def awaited(self) -> str:
        return "the operator's trust bundle"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return snapshot if snapshot.bundle is None else replace(snapshot, bundle=snapshot.ca.projected)


@dataclass(frozen=True, kw_only=True)
class WriteBundle(Step):
    """Bring the trust bundle in step with the CA certificate Secret, as the operator would (paused only)."""

    #: A call shows no line when the step begins.
    is_announced: ClassVar[bool] = False

    def sentence(self) -> str:
        return "bring the trust bundle in step"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return replace(snapshot, bundle=snapshot.ca.projected)


@dataclass(frozen=True, kw_only=True)
class Publish(Step):
    """Publish CAs to clients outside the cluster."""

    #: The CAs, each with the CAs above it.
    chains: tuple[Chain, ...]

    def sentence(self) -> str:
        return f"publish {', '.join(named(chain[0]) for chain in self.chains)} to clients"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        published = frozenset(certificate.fingerprint for chain in self.chains for certificate in chain)
        return replace(snapshot, outside_clients=replace(snapshot.outside_clients, published=published))


@dataclass(frozen=True, kw_only=True)
class AwaitOutside(Step):
    """Wait until clients outside the cluster have the copies of the operator, and have read them."""

    #: Their names.
    clients: tuple[str, ...]
    #: All clients as they are then.
    settled: tuple[OutsideClient, ...]
    #: A call may decide on the step again: it does nothing twice.
    only_waits: ClassVar[bool] = True

    def sentence(self) -> str:
        trust = "trusts" if len(self.clients) == 1 else "trust"
        return f"wait until {', '.join(self.clients)} {trust} what the operator copies from the cluster's CAs"

    @property
    def awaited(self) -> str:
        return counted(len(self.clients), "client")

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return snapshot.with_clients(self.settled)


@dataclass(frozen=True, kw_only=True)
class AwaitClients(Step):
    """Give clients of the CA certificate Secret the time to take up a new CA."""

    #: The CA that clients are to have read by then.
    certificate: Certificate
    #: The time from which its certificates may be used, in UTC.
    earliest_use: datetime
    #: The phase of the flow.
    phase: Phase = Phase.TRUST
    #: A call shows no line when the step begins.
    is_announced: ClassVar[bool] = False
    #: A call may decide on the step again: it does nothing twice.
    only_waits: ClassVar[bool] = True

    def sentence(self) -> str:
        return f"give clients until {self.earliest_use:%H:%M:%S} UTC to read {named(self.certificate)}"

    @property
    def awaited(self) -> str:
        return "clients, which read the CA"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return replace(snapshot, now=max(snapshot.now, self.earliest_use))


@dataclass(frozen=True, kw_only=True)
class WriteLedger(Step):
    """Write the ledger."""

    #: The ledger as it is to be stored.
    ledger: Ledger
    #: The ledger as it is stored now.
    before: Ledger
    #: A call shows no line when the step begins.
    is_announced: ClassVar[bool] = False

    def sentence(self) -> str:
        states = {entry.fingerprint: entry.state for entry in self.before.entries}
        # CAs stand in the ledger in the order of their fingerprints, which says nothing to a person.
        changes = sorted(
            f"that {named(e.certificate)} is {e.state.meaning}"
            for e in self.ledger.entries
            if states.get(e.fingerprint) is not e.state
        )
        left = [entry for entry in self.before.entries if self.ledger.find(entry.fingerprint) is None]
        changes += [f"that {named(entry.certificate)} leaves the ledger" for entry in left]
        if self.ledger.layout is not self.before.layout:
            changes.append(f"the ledger itself in the layout {self.ledger.layout.value}")
        elif self.before.has_leftovers:
            changes.append("the ledger without the entries that an interrupted call has left beside it")
        if (stop := _phase_of_stop(self.ledger)) != _phase_of_stop(self.before):
            changes.append(f"that the flow {f'stops after the phase {stop.value}' if stop else 'goes on to its end'}")
        if (upkeep := self.ledger.upkeep) != self.before.upkeep:
            changes.append(f"how reconcile renews the CA ({upkeep.policy.value if upkeep else 'not at all'})")
        noted = self.ledger.former_by_pod.keys() - self.before.former_by_pod.keys()
        if noted and not changes:
            changes = [f"the certificates that {counted(len(noted), 'pod')} will present until the next restart"]
        return f"record {', '.join(changes) or 'what the call has seen'}"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return replace(snapshot, ledger=self.ledger)

    def look(self, snapshot: Snapshot) -> Look:
        """A call asks running nodes before the ledger says that no process trusts a CA any more."""
        changed = set(self.before.removed_cas) - set(self.ledger.removed_cas)
        forgets = any(removed.fingerprint not in self.ledger.leaving_cas for removed in changed)
        return Look.FRESH if forgets and snapshot.nodes.pods else Look.NONE


def _phase_of_stop(ledger: Ledger) -> Phase | None:
    """The phase after which the flow stops; None if it goes on to its end."""
    return ledger.journal.options.stop.after if ledger.journal and ledger.journal.options.stop else None


@dataclass(frozen=True, kw_only=True)
class RemoveMarks(Step):
    """Remove the annotations of this collection that outlive a flow from the Kafka resource and the CA Secrets."""

    #: The phase of the flow.
    phase: Phase = Phase.RETIRE
    #: A call shows no line when the step begins.
    is_announced: ClassVar[bool] = False

    def sentence(self) -> str:
        return "remove the annotations of this collection"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return snapshot


@dataclass(frozen=True, kw_only=True)
class DeleteLedger(Step):
    """Delete the ledger Secret and the backups: this collection has nothing to do with the CA any more."""

    #: The phase of the flow.
    phase: Phase = Phase.RETIRE
    #: A call shows no line when the step begins.
    is_announced: ClassVar[bool] = False

    def sentence(self) -> str:
        return "delete the ledger and the backups of the CA"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return replace(snapshot, ledger=None, backups=())
