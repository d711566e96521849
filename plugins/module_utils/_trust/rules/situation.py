# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The situation that every rule gets, with the few questions that several rules share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import TypeVar

from ..._pki.certificates import Certificate
from ..evidence.parties import present_outside, present_pods
from ..evidence.stored import (
    Presentation,
    authority_of,
    operator_leaves,
    pods_starting_with,
    secrets_without_leaf_of_use,
)
from ..gates.gates import Gates, Introduction, Violations, introduction_of
from ..gates.verifiers import verifying_parties
from ..ledger.journal import given_up_ca, in_flight
from ..ledger.target import leads_to_replacement
from ..model.goals import Phase
from ..model.intent import Intent, Strategy
from ..model.ledger import Journal, Ledger, LedgerEntry, TrustState
from ..model.snapshot import Pod, PreparedAuthority, Snapshot, StoredLeaf

T = TypeVar("T")


@dataclass(frozen=True)
class Successor:
    """The CA to which the operator is to be switched: prepared, in the ledger, and not in use as ``ca.crt`` yet."""

    #: The CA in the key Secret, with its key and its link certificates.
    prepared: PreparedAuthority
    #: Its entry in the ledger.
    entry: LedgerEntry
    #: The form in which its leaves are presented first.
    introduction: Introduction


@dataclass(frozen=True)
class Situation:
    """The input of a rule."""

    #: The cluster as it is now.
    snapshot: Snapshot
    #: The intent of the caller.
    intent: Intent
    #: The ledger, up to date and as the Secret has it.
    ledger: Ledger
    #: The gates that a CA passes before its use and before it leaves.
    gates: Gates
    #: Whether the rules keep the CA in use going as if no flow were in flight: the flow has stopped, or nodes have to
    #: come back first.
    resting: bool = False

    @property
    def current(self) -> Certificate | None:
        """The operator's CA: the first certificate of ``ca.crt``."""
        return self.snapshot.ca.current[0] if self.snapshot.ca.current else None

    @property
    def generation(self) -> int:
        return self.snapshot.ca.certificate_generation

    @property
    def key_generation_of_pods(self) -> int:
        """The key generation in the annotations of pods, the lowest if they differ. If no pod has the annotation, it is
        that of the key Secret, because they are not compared then.
        """
        annotated = (pod.key_generation for pod in self.snapshot.nodes.pods if pod.key_generation is not None)
        return min(annotated, default=self.snapshot.ca.key_generation)

    @property
    def flow_in_flight(self) -> Journal | None:
        """The flow in flight."""
        return None if self.resting else in_flight(self.ledger)

    @cached_property
    def leads_to_replacement(self) -> bool:
        """Whether the renewal in flight is the first part of a replacement."""
        return leads_to_replacement(self.snapshot, self.intent, self.ledger)

    def allows(self, phase: Phase) -> bool:
        """Whether the caller lets this call enter the phase. A renewal before a replacement is a part of its first
        phase.
        """
        return self.leads_to_replacement or self.intent.allows(phase)

    @property
    def phase(self) -> Phase:
        """The phase of the flow, for steps without a phase of their own: RETIRE if no process uses the replaced CA any
        more.
        """
        if self.flow_in_flight is None or self.successor is not None:
            return Phase.USE
        replaced = self.ledger.find(self.flow_in_flight.replaces)
        return Phase.USE if replaced is not None and replaced.state is not TrustState.PHASE_OUT else Phase.RETIRE

    @property
    def is_paused(self) -> bool:
        """Whether this collection has paused the operator, and the operator has confirmed it."""
        return self.snapshot.reconciliation.pause.is_ours_and_confirmed

    @property
    def issues_to_users(self) -> bool:
        """Whether this collection issues certificates outside the cluster now: no other issuer can."""
        return bool(self.snapshot.user_leaves) and self.snapshot.ca.in_use_elsewhere

    @cached_property
    def successor(self) -> Successor | None:
        given_up = given_up_ca(self.snapshot, self.ledger)
        for prepared in () if self.resting else self.snapshot.ca.prepared:
            entry = self.ledger.find(prepared.fingerprint)
            if entry is not None and entry.certificate != self.current and entry.fingerprint != given_up:
                introduction = introduction_of(self.snapshot, self.ledger, entry, self.gates)
                return Successor(prepared, entry, introduction)
        return None

    @cached_property
    def lacking_leaves(self) -> frozenset[str]:
        """The Secrets without a leaf that a process could start with, if only an issuer can make another."""
        if not self.snapshot.ca.in_use_elsewhere:
            return frozenset()
        return secrets_without_leaf_of_use(self.snapshot, self.ledger)

    @cached_property
    def pods_that_would_stay_away(self) -> tuple[Pod, ...]:
        """The pods that would not come back from a restart before an issuer has made another leaf."""
        return pods_starting_with(self.snapshot, self.lacking_leaves)

    @property
    def can_restart_directly(self) -> bool:
        """Whether this collection restarts nodes itself in this call. It asks Kafka about them with the operator's own
        leaf.
        """
        return self.intent.pace.strategy is Strategy.DIRECT and operator_leaves(self.snapshot).isdisjoint(
            self.lacking_leaves
        )

    def awaits_trust(self, entry: LedgerEntry) -> bool:
        """Whether a verifier may lack this CA. If a CA issues no leaf here, a flow does not wait for it once every
        verifier has it: the gate of an ended CA, or of a certificate that is not a CA's, would never open.
        """
        if entry.state is not TrustState.UNTRUSTED:
            return False
        issuing = (self.snapshot.ca.current, *(prepared.chain for prepared in self.snapshot.ca.prepared))
        if any(chain[:1] == entry.chain[:1] for chain in issuing):
            return True
        return any(entry.certificate not in party.anchors for party in verifying_parties(self.snapshot, self.ledger))

    def why_it_stays(self, fingerprint: str) -> Violations:
        """Why this CA may not be taken out of the trust now (I2); empty if it may. Each condition of the removal is
        here. If a CA is out, it stays out, whatever this says: a CA is put back only if a party needs it
        (``is_needless``).
        """
        return self.gates.removal(self.snapshot, self.ledger, fingerprint)

    def is_next(self, entry: LedgerEntry) -> bool:
        """Whether the operator is to be switched to this CA. An abort may have yet to prepare it again."""
        begun = self.flow_in_flight.successor if self.flow_in_flight is not None else None
        return entry.fingerprint == begun or (self.successor is not None and self.successor.entry == entry)

    @cached_property
    def presentations(self) -> tuple[Presentation, ...]:
        """The presentation of each party."""
        return (*self.pod_presentations, *present_outside(self.snapshot))

    @cached_property
    def pod_presentations(self) -> tuple[Presentation, ...]:
        """The presentation of each pod with a certificate, in the order of the pods."""
        return present_pods(self.snapshot, self.ledger)

    def is_of(self, leaf: StoredLeaf, authority: Certificate) -> bool:
        """Whether this CA is known to have issued the leaf."""
        return self.issuer_of(leaf) == authority.fingerprint

    def issuer_of(self, leaf: StoredLeaf) -> str | None:
        """Fingerprint of the CA of the ledger that issued the leaf; None if the CA is unknown."""
        return authority_of(leaf, leaf.generation, self.ledger)[0]


def answered_once(question: Callable[[Situation], T]) -> Callable[[Situation], T]:
    """A question of several rules about one situation: the situation keeps the answer, as it keeps its own
    properties.
    """

    @wraps(question)
    def answer(at: Situation) -> T:
        kept = at.__dict__
        if question.__name__ not in kept:
            kept[question.__name__] = question(at)
        kept_answer: T = kept[question.__name__]
        return kept_answer

    return answer
