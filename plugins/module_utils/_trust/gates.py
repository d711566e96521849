# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The two gates of the trust state machine: before a CA is used (I3) and before it leaves (I2).

Both are path validation, not membership: "trusted" means that the chain which will be presented validates under what
each verifier trusts now (DESIGN section 5).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence import (
    Presentation,
    authority_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside import needing_outside, refusing_outside
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.parties import present_all, trusted_by
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain, Component, Pod, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.validation import is_valid, validate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.violations import Violation

TRUST_GATE = "trust"
REMOVAL_GATE = "removal"


@dataclass(frozen=True)
class VerifyingParty:
    """A process and what it trusts. kind: whose path validation rules it applies. remedy: how it comes to trust a CA.

    pod: None for the Cluster Operator.
    """

    name: str
    kind: Verifier
    anchors: tuple[Certificate, ...]
    remedy: str
    pod: Pod | None = None


def verifying_parties(snapshot: Snapshot, ledger: Ledger) -> tuple[VerifyingParty, ...]:
    """All pods of the cluster, and the Cluster Operator where there are any; the exporter is a Go program, everything
    else runs on a JVM."""
    pods = tuple(_pod(pod, snapshot, ledger) for pod in snapshot.pods)
    return (*pods, _cluster_operator(snapshot, ledger)) if pods else ()


def _pod(pod: Pod, snapshot: Snapshot, ledger: Ledger) -> VerifyingParty:
    return VerifyingParty(
        name=f"pod {pod.name}",
        kind=Verifier.GO if pod.component is Component.KAFKA_EXPORTER else Verifier.JVM,
        anchors=trusted_by(pod, snapshot, ledger),
        remedy="It has to restart with the trust bundle that holds this CA; run the flow again to continue.",
        pod=pod,
    )


def _cluster_operator(snapshot: Snapshot, ledger: Ledger) -> VerifyingParty:
    """It reads the certificate Secret anew in every reconcile (strimzi.md 4.1)."""
    projected = tuple(e.certificate for e in ledger.entries if e.fingerprint in snapshot.ca.projected)
    return VerifyingParty(
        "the Cluster Operator",
        Verifier.JVM,
        projected,
        f"It trusts what is in Secret {snapshot.namespace}/{snapshot.cluster}-cluster-ca-cert; run the flow again.",
    )


def trust_gate(snapshot: Snapshot, ledger: Ledger, authority: Chain) -> tuple[Violation, ...]:
    """Whether every verifier can validate leaves of this CA that are presented with its chain, as nodes do.

    Whether they may be presented alone is for ``alone_gate`` to say.
    """
    outside = refusing_outside(snapshot, ledger, authority, TRUST_GATE)
    return (*_closed(snapshot, ledger, authority, authority), *outside)


def alone_gate(snapshot: Snapshot, ledger: Ledger, authority: Chain) -> tuple[Violation, ...]:
    """The same of leaves that are presented alone, as the operator issues them to everything but nodes
    (strimzi.md 1.4)."""
    return _closed(snapshot, ledger, authority, authority[:1])


def _closed(snapshot: Snapshot, ledger: Ledger, authority: Chain, form: Chain) -> tuple[Violation, ...]:
    return tuple(
        Violation(
            gate=TRUST_GATE,
            subject=party.name,
            message=f"cannot validate certificates of the CA {authority[0].subject} ({authority[0].sha256[:16]}).",
            remedy=party.remedy,
        )
        for party, _why in refusals(snapshot, ledger, form)
    )


def refusals(snapshot: Snapshot, ledger: Ledger, authority: Chain) -> Iterator[tuple[VerifyingParty, str]]:
    """Which processes of the cluster would not accept leaves that are presented with this chain, and why."""
    for party in verifying_parties(snapshot, ledger):
        found = validate(authority, party.anchors, snapshot.now, party.kind)
        if not found.valid:
            yield party, found.reason


def _validates(form: Chain, party: VerifyingParty, snapshot: Snapshot) -> bool:
    return is_valid(form, party.anchors, snapshot.now, party.kind)


def removal_gate(snapshot: Snapshot, ledger: Ledger, fingerprint: str) -> tuple[Violation, ...]:
    """Whether a CA can leave: every leaf, live or stored, validates without it for every verifier.

    What cannot be told counts as relying on the CA.
    """
    remaining = ledger.without_entry(fingerprint)
    needed = {**_needed_by_pods(snapshot, ledger), **_needed_by_leaves(snapshot, ledger)}
    # Asked once for each CA: there are as many leaves as pods, and each pod would validate each of them.
    refusing = {
        entry.fingerprint: tuple(party.name for party in _refusing(snapshot, remaining, entry.chain))
        for entry in remaining.entries
    }
    violations = tuple(
        violation
        for holder, authority in needed.items()
        for violation in _removal_violations(refusing, holder, authority)
    )
    used = {one for authorities in needed.values() if not isinstance(authorities, str) for one in authorities}
    presented = [entry.chain for entry in remaining.entries if entry.fingerprint in used]
    leaving = [entry.certificate for entry in ledger.entries if entry.fingerprint == fingerprint]
    outside = (needing_outside(snapshot, ledger, one, presented, REMOVAL_GATE) for one in leaving)
    return (*violations, *(violation for found in outside for violation in found))


def _refusing(snapshot: Snapshot, ledger: Ledger, authority: Chain) -> tuple[VerifyingParty, ...]:
    """The verifiers that would not accept a leaf of this CA, with its chain or alone."""
    return tuple(
        party
        for party in verifying_parties(snapshot, ledger)
        if not (_validates(authority, party, snapshot) and _validates(authority[:1], party, snapshot))
    )


def _needed_by_pods(snapshot: Snapshot, ledger: Ledger) -> dict[str, frozenset[str] | str]:
    return {f"pod {seen.party}": _authorities_or_why(seen) for seen in present_all(snapshot, ledger)}


def _authorities_or_why(seen: Presentation) -> frozenset[str] | str:
    return seen.why if seen.authorities is None else seen.authorities


def _needed_by_leaves(snapshot: Snapshot, ledger: Ledger) -> dict[str, frozenset[str] | str]:
    found: dict[str, frozenset[str] | str] = {}
    for leaf in snapshot.leaves:
        authority, why = authority_of(leaf, leaf.generation, ledger)
        found[f"Secret {leaf.secret}"] = why if authority is None else frozenset({authority})
    return found


def _removal_violations(
    refusing: Mapping[str, tuple[str, ...]], holder: str, needed: frozenset[str] | str
) -> Iterable[Violation]:
    if isinstance(needed, str):
        yield _removal_violation(holder, f"{needed}.")
        return
    for authority in sorted(needed):
        if authority not in refusing:
            yield _removal_violation(holder, "holds a certificate of this CA.")
        for party in refusing.get(authority, ()):
            yield _removal_violation(party, f"could no longer validate the certificate of {holder}.")


def _removal_violation(subject: str, message: str) -> Violation:
    return Violation(
        gate=REMOVAL_GATE,
        subject=subject,
        message=message,
        remedy="The CA stays trusted until this is no longer so; run the flow again to continue.",
    )
