# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Path validation for the gates, and the processes of a cluster that verify certificates, with the CAs that each
of them trusts.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from ..._pki.certificates import Certificate, Chain
from ..._pki.paths import date_problem, validate_issued_by
from ..._pki.usability import PathResult, Verifier
from ..evidence.parties import possibly_trusted_by, surely_trusted_by
from ..evidence.stored import presenting_pods, verifying
from ..model.ledger import Ledger
from ..model.snapshot import Component, Pod, Snapshot


def is_valid(form: Chain, anchors: Chain, at: datetime, kind: Verifier) -> bool:
    """Whether a leaf of the CA ``form[0]``, sent with the rest of ``form``, validates under these anchors."""
    return validate(form, anchors, at, kind).valid


@lru_cache(maxsize=4096)
def validate(form: Chain, anchors: Chain, at: datetime, kind: Verifier) -> PathResult:
    """The result of the validation, with the reason where it fails. Hundreds of pods trust the same few CAs, so results
    are kept.
    """
    return validate_issued_by(form[0], form[1:], anchors, at=at, verifier=kind)


def has_only_ended(anchors: Chain, at: datetime, kind: Verifier) -> bool:
    """Whether this verifier refuses every certificate already, because the CAs that it trusts have ended. No gate waits for it: the flow brings it
    another CA.
    """
    return kind.checks_anchor_dates and bool(anchors) and all(one.has_ended(at) for one in anchors)


@dataclass(frozen=True)
class VerifyingParty:
    """A process and what it trusts."""

    #: The process, as messages name it.
    name: str
    #: The library whose path validation rules it applies.
    kind: Verifier
    #: The CAs that it is known to trust.
    anchors: Chain
    #: The same CAs, and CAs that it should trust and no answer of it has shown.
    possible: Chain
    #: The CAs that count for nothing although the process trusts them: they are outside their dates, and have never been in use.
    void: frozenset[Certificate]
    #: The way in which the process comes to trust a CA, as a sentence.
    remedy: str
    #: Its pod; None for the Cluster Operator.
    pod: Pod | None = None

    def accepts(self, form: Chain, snapshot: Snapshot) -> bool:
        """Whether it accepts leaves that are presented in this form now."""
        return is_valid(form, self._counting(self.anchors), snapshot.now, self.kind)

    def why_refused(self, form: Chain, snapshot: Snapshot) -> str:
        """Why it would not accept leaves that are presented in this form now, without a full stop; empty if it would, or may."""
        return validate(form, self._counting(self.possible), snapshot.now, self.kind).reason

    def has_only_ended(self, snapshot: Snapshot) -> bool:
        """Whether it refuses every certificate already, because the CAs that it may trust have ended."""
        return has_only_ended(self.possible, snapshot.now, self.kind)

    def _counting(self, anchors: Chain) -> Chain:
        return tuple(one for one in anchors if one not in self.void)


def verifying_parties(snapshot: Snapshot, ledger: Ledger) -> tuple[VerifyingParty, ...]:
    """The pods of the cluster that verify, and the Cluster Operator where any of them presents what it has to accept."""
    void = _void(snapshot, ledger)
    pods = tuple(_pod(pod, snapshot, ledger, void) for pod in verifying(snapshot))
    return (*pods, _cluster_operator(snapshot, ledger, void)) if presenting_pods(snapshot) else pods


def _pod(pod: Pod, snapshot: Snapshot, ledger: Ledger, void: frozenset[Certificate]) -> VerifyingParty:
    """The exporter is a Go program, everything else runs on a JVM."""
    return VerifyingParty(
        name=f"pod {pod.name}",
        kind=Verifier.GO if pod.component is Component.KAFKA_EXPORTER else Verifier.JVM,
        anchors=surely_trusted_by(pod, snapshot, ledger),
        possible=possibly_trusted_by(pod, snapshot, ledger),
        void=void,
        remedy="It has to restart with the trust bundle that holds this CA; run the flow again to continue.",
        pod=pod,
    )


def _cluster_operator(snapshot: Snapshot, ledger: Ledger, void: frozenset[Certificate]) -> VerifyingParty:
    """The Cluster Operator reads the certificate Secret anew in every reconcile (docs/operator.md, "What each process trusts")."""
    projected = tuple(e.certificate for e in ledger.entries if e.fingerprint in snapshot.ca.projected)
    return VerifyingParty(
        "the Cluster Operator",
        Verifier.JVM,
        projected,
        projected,
        void,
        f"It trusts the CAs in {snapshot.names.certificate_secret}; run the flow again.",
    )


def _void(snapshot: Snapshot, ledger: Ledger) -> frozenset[Certificate]:
    """The CAs outside their dates that have never been in use. A JVM would accept their leaves; no flow begins to use such a CA."""
    never = (entry.certificate for entry in ledger.entries if not entry.generations)
    return frozenset(one for one in never if one not in snapshot.ca.in_use and date_problem(one, snapshot.now))
