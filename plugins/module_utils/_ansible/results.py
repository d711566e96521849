# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The result that every module returns: one shape, public facts only (DESIGN section 8)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.actions import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decision import Decision, Transition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence import (
    Presentation,
    usage_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import (
    HeldByProcesses,
    Journal,
    Ledger,
    LedgerEntry,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.parties import present_all, trusted_by
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.violations import Violation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.waivers import waiver_of

if TYPE_CHECKING:
    from ansible_collections.trustops.strimzi.plugins.module_utils._trust.forecast import Forecast


def time_text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def describe_snapshot(snapshot: Snapshot) -> dict[str, Any]:
    """The cluster as it is: CAs, pods, leaves, journal."""
    ledger = snapshot.ledger or Ledger()
    seen = present_all(snapshot, ledger)
    return {
        "cluster": _cluster(snapshot),
        "cas": [_authority(entry, snapshot, seen) for entry in ledger.entries],
        "removed": _still_held(ledger.removed, snapshot),
        "held_leaves": _still_held(ledger.held, snapshot),
        "pods": [_pod(index, snapshot, ledger, seen) for index in range(len(snapshot.pods))],
        "outside": [_outside(client, snapshot, ledger) for client in snapshot.outside],
        "leaves": _leaves(snapshot),
        "journal": _journal(ledger.journal),
    }


def _cluster(snapshot: Snapshot) -> dict[str, Any]:
    state = snapshot.reconciliation
    return {
        "name": snapshot.cluster,
        "namespace": snapshot.namespace,
        "exists": state.exists,
        "generated": state.generated,
        "paused": state.paused,
        "ready": state.ready,
    }


def _authority(entry: LedgerEntry, snapshot: Snapshot, seen: tuple[Presentation, ...]) -> dict[str, Any]:
    certificate, ledger = entry.certificate, snapshot.ledger or Ledger()
    current = bool(snapshot.ca.current) and snapshot.ca.current[0].fingerprint == entry.fingerprint
    trusting = [pod.name for pod in snapshot.pods if certificate in trusted_by(pod, snapshot, ledger)]
    return {
        **_certificate(certificate),
        "serial": f"{certificate.serial_number:x}",
        "path_length": certificate.path_length,
        "state": entry.state.value,
        "usage": usage_of(entry.fingerprint, seen).value,
        "current": current,
        "generations": sorted(entry.generations),
        "trusted_by_count": len(trusting),
        "pods_awaiting": sorted(p.name for p in snapshot.pods if entry.awaiting is None or p.uid in entry.awaiting),
        "used_by": [p.party for p in seen if p.authorities and entry.fingerprint in p.authorities],
    }


def _certificate(certificate: Certificate) -> dict[str, Any]:
    return {
        "subject": certificate.subject,
        "sha256": certificate.sha256,
        "fingerprint": certificate.fingerprint,
        "not_before": time_text(certificate.not_before),
        "not_after": time_text(certificate.not_after),
    }


def _still_held(known: Iterable[HeldByProcesses], snapshot: Snapshot) -> list[dict[str, Any]]:
    """What the end of a pod has cleared is not shown, whether or not a flow has written that down since."""
    return [_held(one, snapshot) for one in known if one.holders & snapshot.uids]


def _held(known: HeldByProcesses, snapshot: Snapshot) -> dict[str, Any]:
    """lingering: pods of which all but the listeners, which have read again, know it until they restart."""
    pods = sorted(pod.name for pod in snapshot.pods if pod.uid in known.awaiting)
    lingering = sorted(pod.name for pod in snapshot.pods if pod.uid in known.lingering)
    return {**_certificate(known.certificate), "pods": pods, "lingering": lingering}


def _pod(index: int, snapshot: Snapshot, ledger: Ledger, seen: tuple[Presentation, ...]) -> dict[str, Any]:
    pod, presentation = snapshot.pods[index], seen[index]
    known = {entry.fingerprint: entry.certificate for entry in ledger.entries}
    removed = [entry.certificate for entry in ledger.removed if pod.uid in entry.awaiting]
    return {
        "name": pod.name,
        "uid": pod.uid,
        "component": pod.component.value,
        "ready": pod.ready,
        "generation": pod.generation,
        "presents": [label(known[fp]) for fp in sorted(presentation.authorities or ()) if fp in known],
        "evidence": presentation.why,
        "trusts": [label(certificate) for certificate in (*trusted_by(pod, snapshot, ledger), *removed)],
    }


def _outside(client: OutsideClient, snapshot: Snapshot, ledger: Ledger) -> dict[str, Any]:
    """A client outside the cluster, and the waiver that lets it pass where there is one: for audits."""
    known = {entry.fingerprint for entry in ledger.entries} | {removed.fingerprint for removed in ledger.removed}
    waiver = waiver_of(client.name, snapshot)
    return {
        "client": client.name,
        "trusts": [label(certificate) for certificate in client.trusts or () if certificate.fingerprint in known],
        "doubt": client.doubt,
        "waiver": {"until": time_text(waiver.until), "reason": waiver.reason} if waiver else None,
    }


def label(certificate: Certificate) -> str:
    """How a CA is named in lists: common name and the start of its SHA-256."""
    name = next((part[3:] for part in certificate.subject.split(",") if part.startswith("CN=")), certificate.subject)
    return f"{name} ({certificate.sha256[:12]})"


def _leaves(snapshot: Snapshot) -> list[dict[str, Any]]:
    return [
        {
            "secret": leaf.secret,
            "component": leaf.component.value,
            "subject": leaf.chain[0].subject if leaf.chain else None,
            "issuer": leaf.chain[0].issuer if leaf.chain else None,
            "sha256": leaf.chain[0].sha256 if leaf.chain else None,
            "not_after": time_text(leaf.chain[0].not_after) if leaf.chain else None,
            "generation": leaf.generation,
        }
        for leaf in snapshot.leaves
    ]


def _journal(journal: Journal | None) -> dict[str, Any] | None:
    if journal is None:
        return None
    return {
        "goal": journal.goal.value,
        "replaces": journal.replaces,
        "successor": journal.successor,
        "started_at": time_text(journal.started_at),
        "finished_at": time_text(journal.finished_at),
    }


def describe_decision(decision: Decision) -> dict[str, Any]:
    """What follows: whose turn it is, or why it is nobody's."""
    return {
        "done": decision.done,
        "next": decision.next_face.value if decision.next_face else None,
        "phase": decision.steps[0].phase.value if decision.steps else None,
        "violations": describe_violations(decision.violations),
        "pending": list(decision.pending),
    }


def describe_forecast(forecast: Forecast) -> dict[str, Any]:
    """What a flow would do from here, and what it would cost."""
    restarted = [name for step in forecast.steps for name in (*step.nodes, *step.others)]
    return {
        "plan": [
            {
                "phase": step.phase.value,
                "module": step.face.value,
                "what": step.what,
                "restarts": [*step.nodes, *step.others],
            }
            for step in forecast.steps
        ],
        "planned_rolls": sum(1 for step in forecast.steps if step.nodes),
        "planned_restarts": len(restarted),
        "choices": list(forecast.choices),
    }


def describe_violations(violations: Iterable[Violation]) -> list[dict[str, str]]:
    return [{"gate": v.gate, "subject": v.subject, "message": v.message, "remedy": v.remedy} for v in violations]


def describe_transitions(transitions: Iterable[Transition]) -> list[dict[str, Any]]:
    return [
        {
            "fingerprint": taken.fingerprint,
            "subject": taken.subject,
            "before": taken.before.value if taken.before else None,
            "after": taken.after.value if taken.after else None,
            "usage": taken.usage.value,
            "evidence": taken.evidence,
        }
        for taken in transitions
    ]


def diff_of(actions: Iterable[Action]) -> list[dict[str, Any]]:
    """Public facts before and after each write; of one that changes nothing which is public, what it is for."""
    return [
        {"before_header": action.object, "after_header": action.object, **_difference(action)}
        for action in actions
        if action.is_change
    ]


def _difference(action: Action) -> dict[str, dict[str, Any]]:
    if action.before == action.after:
        return {"before": {}, "after": {"change": action.what}}
    return {"before": dict(action.before or {}), "after": dict(action.after or {}) or {"change": action.what}}


def failure_text(violations: tuple[Violation, ...], snapshot: Snapshot) -> str:
    """One message with every violation: object, cause, remedy."""
    name = f"Kafka cluster {snapshot.namespace}/{snapshot.cluster}"
    if len(violations) == 1:
        about_kafka = violations[0].subject == f"Kafka {snapshot.namespace}/{snapshot.cluster}"
        return str(violations[0]) if about_kafka else f"{name}: {violations[0]}"
    lines = [f"{number}. {violation}" for number, violation in enumerate(violations, 1)]
    return f"{name}: {len(violations)} things are in the way. " + " ".join(lines)
