# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The result that every module returns: one shape, public facts only (docs/calls.md, "Results"). It has the answers of
running nodes, each TLS listener a party of its own, and the CA source: its content, and what a run of reconcile would
make of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .._leaves.trigger import Due
from .._pki.certificates import Certificate, Chain
from .._strimzi.apply.work import Action
from .._trust.duration import Life, Span, lives_of
from .._trust.evidence.parties import known_presenters, present_live, present_outside, present_pods, surely_trusted_by
from .._trust.evidence.stored import (
    Presentation,
    describe_unmanaged_listeners,
    pods_with_certificates,
    present_as_stored,
    usage_of,
    verifying,
    waiver_of,
)
from .._trust.gates.verifiers import link_followed_since
from .._trust.ledger.enrolment import as_seen
from .._trust.ledger.target import resolve, rotation_of, wish_of
from .._trust.model.clients import OutsideClient, Presenter, Waiver
from .._trust.model.decision import Decision, Transition, Violation
from .._trust.model.folding import describe_violations_in_rows
from .._trust.model.goals import Goal, Phase, retire_text
from .._trust.model.intent import Intent, WantedTrust
from .._trust.model.ledger import Journal, Ledger, LedgerEntry, RememberedCertificate
from .._trust.model.listeners import ObservedListener
from .._trust.model.names import label, named
from .._trust.model.rounds import Round
from .._trust.model.snapshot import Backup, Pod, Snapshot
from .._trust.preconditions.cluster import describe_security
from .arguments import time_text
from .node_results import describe_leaves

if TYPE_CHECKING:
    from .._trust.evidence.parties import Hearing
    from .._trust.plan import Forecast


def describe_snapshot(snapshot: Snapshot, due: Mapping[str, Due] | None = None) -> dict[str, Any]:
    """The cluster as it is: CAs, pods, leaves, journal. The reasons why leaves have to be issued again are ``due``,
    by their Secret.
    """
    ledger = as_seen(snapshot)
    seen = present_pods(snapshot, ledger)
    by_name = {presentation.party: presentation for presentation in seen}
    return {
        "cluster": describe_cluster(snapshot),
        "cas": [_authority(entry, snapshot, ledger, seen) for entry in ledger.entries],
        "removed": _describe_remembered(ledger.removed_cas, snapshot),
        "former_leaves": _describe_remembered(ledger.former_leaves, snapshot),
        "pods": [_pod(pod, snapshot, ledger, by_name.get(pod.name)) for pod in snapshot.nodes.pods],
        "presenters": _presenters(snapshot, ledger),
        "outside": [_describe_outside_client(client, snapshot, ledger) for client in snapshot.outside_clients.clients],
        "waivers": [
            {"client": waiver.client, **_terms(waiver)}
            for waiver in snapshot.outside_clients.waivers
            if waiver.is_valid_at(snapshot.now)
        ],
        "unmanaged": list(describe_unmanaged_listeners(snapshot)),
        **describe_leaves(snapshot, due or {}),
        "ledger": _ledger(snapshot),
        "journal": _journal(ledger.journal),
        "backups": [_backup(backup) for backup in snapshot.backups],
    }


def _backup(backup: Backup) -> dict[str, Any]:
    current = next(iter(backup.ca.current), None)
    return {
        "object": backup.name,
        "kept_at": time_text(backup.kept_at),
        "subject": current.subject if current else None,
        "sha256": current.sha256 if current else None,
        "generation": backup.ca.certificate_generation,
    }


def _ledger(snapshot: Snapshot) -> dict[str, Any] | None:
    """The Secrets of the ledger; None without a ledger."""
    ledger = snapshot.ledger
    if ledger is None:
        return None
    return {"layout": ledger.layout.value, "object": snapshot.names.ledger, "complete": not ledger.has_leftovers}


def describe_cluster(snapshot: Snapshot) -> dict[str, Any]:
    state = snapshot.reconciliation
    return {
        "name": snapshot.names.cluster,
        "namespace": snapshot.names.namespace,
        "uid": state.uid or None,
        "exists": state.exists,
        "generated": state.generated,
        "paused": state.pause.is_set,
        "ready": state.operator.is_ready,
        "failure": str(state.operator.failure) if state.operator.failure else "",
        "security": describe_security(snapshot),
    }


def _authority(
    entry: LedgerEntry, snapshot: Snapshot, ledger: Ledger, pods: tuple[Presentation, ...]
) -> dict[str, Any]:
    """A CA of the ledger, with the pods that present certificates of it."""
    certificate, seen = entry.certificate, (*pods, *present_outside(snapshot))
    current = bool(snapshot.ca.current) and snapshot.ca.current[0].fingerprint == entry.fingerprint
    verifiers = verifying(snapshot)
    trusting = [pod.name for pod in verifiers if certificate in surely_trusted_by(pod, snapshot, ledger)]
    return {
        **_certificate(certificate),
        "serial": f"{certificate.serial_number:x}",
        "path_length": certificate.path_length,
        "led_on_since": time_text(link_followed_since(entry, snapshot)),
        "state": entry.state.value if snapshot.ledger else None,
        "meaning": entry.state.meaning if snapshot.ledger else "",
        "usage": usage_of(entry.fingerprint, seen).value,
        "current": current,
        "generations": sorted(entry.generations),
        "trusted_by_count": len(trusting),
        "pods_awaiting": sorted(
            p.name for p in snapshot.nodes.pods if entry.awaited_pods is None or p.uid in entry.awaited_pods
        ),
        "used_by": [p.party for p in pods if p.authorities and entry.fingerprint in p.authorities],
        "used_by_count": sum(entry.fingerprint in (p.authorities or ()) for p in seen),
    }


_CERTIFICATE = ("subject", "sha256", "fingerprint", "not_before", "not_after")


def _certificate(certificate: Certificate) -> dict[str, Any]:
    return {
        "subject": certificate.subject,
        "sha256": certificate.sha256,
        "fingerprint": certificate.fingerprint,
        "not_before": time_text(certificate.not_before),
        "not_after": time_text(certificate.not_after),
    }


def _describe_remembered(certificates: Iterable[RememberedCertificate], snapshot: Snapshot) -> list[dict[str, Any]]:
    """Removed CAs or former leaves that a running pod still knows. A CA or leaf whose last pod has ended is left out,
    also before a flow has noted that.
    """
    return [_describe_remembered_certificate(one, snapshot) for one in certificates if one.holders & snapshot.uids]


def _describe_remembered_certificate(certificate: RememberedCertificate, snapshot: Snapshot) -> dict[str, Any]:
    """A removed CA or former leaf. The pods that it names as ``lingering`` have listeners that have read again, while
    the rest of the process knows it until it restarts.
    """
    pods = sorted(pod.name for pod in snapshot.nodes.pods if pod.uid in certificate.awaited_pods)
    lingering = sorted(pod.name for pod in snapshot.nodes.pods if pod.uid in certificate.lingering_pods)
    return {**_certificate(certificate.certificate), "pods": pods, "lingering": lingering}


def _pod(pod: Pod, snapshot: Snapshot, ledger: Ledger, seen: Presentation | None) -> dict[str, Any]:
    """A pod, and what it was ``seen`` to present, which is None if it presents no certificate of this CA."""
    ledger_cas = {entry.fingerprint: entry.certificate for entry in ledger.entries}
    removed = [entry.certificate for entry in ledger.removed_cas if pod.uid in entry.awaited_pods]
    trusted = surely_trusted_by(pod, snapshot, ledger) if pod in verifying(snapshot) else ()
    presented = [ledger_cas[fp] for fp in sorted((seen.authorities if seen else None) or ()) if fp in ledger_cas]
    return {
        "name": pod.name,
        "uid": pod.uid,
        "component": pod.component.value,
        "ready": pod.ready,
        "generation": pod.generation,
        **_list_cas("presents", presented),
        "evidence": seen.evidence if seen else "",
        **_list_cas("trusts", (*trusted, *removed)),
    }


def _list_cas(key: str, authorities: Iterable[Certificate]) -> dict[str, list[str]]:
    """The names of these CAs under this key, and their SHA-256 in the same order under a second key."""
    listed = list(authorities)
    return {
        key: [label(authority) for authority in listed],
        f"{key}_sha256": [authority.sha256 for authority in listed],
    }


def _describe_outside_client(client: OutsideClient, snapshot: Snapshot, ledger: Ledger) -> dict[str, Any]:
    """A client outside the cluster, and the waiver, if any, that lets it pass: for audits."""
    ledger_cas = {entry.fingerprint for entry in ledger.entries} | {
        removed.fingerprint for removed in ledger.removed_cas
    }
    return {
        "client": client.name,
        **_list_cas(
            "trusts", (certificate for certificate in client.trusts or () if certificate.fingerprint in ledger_cas)
        ),
        "doubt": client.doubt,
        "waiver": _waiver(client.name, snapshot),
    }


def _presenters(snapshot: Snapshot, ledger: Ledger) -> dict[str, Any]:
    """The number of presenters, and the presenters whose certificate is not of the CA in use: there may be ten
    thousand in all.
    """
    own = frozenset(certificate.fingerprint for certificate in snapshot.ca.in_use)
    others = [
        presenter
        for presenter in known_presenters(snapshot)
        if presenter.authorities not in (own, frozenset()) or presenter.is_outdated
    ]
    return {
        "count": len(snapshot.presenters),
        "others": [_describe_presenter(presenter, snapshot, ledger) for presenter in others],
    }


def _describe_presenter(presenter: Presenter, snapshot: Snapshot, ledger: Ledger) -> dict[str, Any]:
    """A party outside the cluster that presents certificates of the CA, and the waiver, if any, that lets it pass."""
    ledger_cas = {entry.fingerprint: entry.certificate for entry in ledger.entries}
    return {
        "name": presenter.name,
        **_list_cas("presents", (ledger_cas[fp] for fp in sorted(presenter.authorities or ()) if fp in ledger_cas)),
        "evidence": presenter.evidence,
        "awaits_certificate": presenter.is_outdated,
        "waiver": _waiver(presenter.name, snapshot),
    }


def _waiver(party: str, snapshot: Snapshot) -> dict[str, Any] | None:
    """The waiver that lets this party pass now; None if there is none."""
    waiver = waiver_of(party, snapshot)
    return _terms(waiver) if waiver else None


def _terms(waiver: Waiver) -> dict[str, Any]:
    return {"until": time_text(waiver.until), "reason": waiver.reason}


def _journal(journal: Journal | None) -> dict[str, Any] | None:
    if journal is None:
        return None
    stop, named = journal.options.stop, journal.options.named_places
    return {
        "goal": journal.goal.value,
        "is_abort": journal.is_abort,
        "replaces": journal.replaces,
        "successor": journal.successor,
        "started_at": time_text(journal.started_at),
        "finished_at": time_text(journal.finished_at),
        "retire": retire_text(journal.retire),
        "stop": {"after": stop.after.value, "asked_at": time_text(stop.asked_at)} if stop else None,
        "to_replace": journal.options.precedes_replacement,
        "is_upkeep": journal.is_upkeep,
        "trusting_secrets": [secret.text for secret in named.trusting_secrets],
        "presenting_secrets": [secret.text for secret in named.presenting_secrets],
        "user_namespaces": [
            {"namespace": namespace.name, "secret_prefix": namespace.secret_prefix}
            for namespace in named.user_namespaces
        ],
    }


def describe_decision(decision: Decision) -> dict[str, Any]:
    """The decision: the next steps, or the obstacles."""
    return {
        "done": decision.done,
        "phase": decision.steps[0].phase.value if decision.steps else None,
        "violations": describe_violations(decision.violations),
        "pending": list(decision.pending) or [step.describe_as_left() for step in decision.steps],
        "waiting": list(decision.waiting),
    }


def describe_forecast(forecast: Forecast, snapshot: Snapshot) -> dict[str, Any]:
    """The steps that a flow would take from this cluster, and the restarts that they would cost; if a party outside
    the cluster would hold the flow, with that and with what follows.
    """
    restarted = [name for step in forecast.whole for name in (*step.nodes, *step.others)]
    return {
        "plan": [
            {
                "phase": step.phase.value,
                "does": step.does.value,
                "what": step.what,
                "restarts": [*step.nodes, *step.others],
                "rounds": [_describe_round(one) for one in step.rounds],
                "outside": list(step.outside_parties),
                "seconds": _describe_span(step.span),
            }
            for step in forecast.whole
        ],
        "planned_rolls": sum(1 for step in forecast.whole if step.nodes),
        "planned_rounds": sum(step.round_count for step in forecast.whole),
        "planned_restarts": len(restarted),
        "planned_seconds": _describe_span(forecast.span),
        "planned_lives": [_describe_life(life) for life in lives_of(snapshot, forecast.span)],
        "planned_phases": [phase.value for phase in Phase if any(step.phase is phase for step in forecast.whole)],
        "planned_from": _describe_hearing(forecast.hearing),
        "choices": list(forecast.choices),
        "waiting": list(forecast.waiting),
    }


def _describe_round(planned: Round) -> dict[str, Any]:
    return {
        "nodes": list(planned.nodes),
        "bound": planned.bound.value,
        "topics": list(planned.topics),
        "what": planned.sentence(),
    }


def _describe_hearing(hearing: Hearing) -> dict[str, Any]:
    unheard = [{"pod": node.pod, "worker": node.worker, "reason": node.reason} for node in hearing.unheard]
    return {"heard": list(hearing.heard), "unheard": unheard}


def _describe_span(span: Span | None) -> dict[str, int | None] | None:
    if span is None:
        return None
    return {
        "least": round(span.least.total_seconds()),
        "most": None if span.most is None else round(span.most.total_seconds()),
    }


def _describe_life(life: Life) -> dict[str, Any]:
    return {
        "name": life.name,
        "is_ca": life.first.is_ca,
        "sha256": life.first.sha256,
        "not_after": time_text(life.first.not_after),
        "seconds_left": round(life.left.total_seconds()),
        "lasts": life.lasts,
    }


def describe_violations(violations: Iterable[Violation]) -> list[dict[str, str]]:
    return [violation.as_result() for violation in violations]


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
    """Public facts before and after each write. For a write that changes no public fact, its purpose."""
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
    """A message with every violation: object, cause, remedy. Many violations of the same cause are one entry."""
    name = f"Kafka cluster {snapshot.names.namespace}/{snapshot.names.cluster}"
    if len(violations) == 1:
        about_kafka = violations[0].subject == snapshot.names.kafka
        return str(violations[0]) if about_kafka else f"{name}: {violations[0]}"
    rows = describe_violations_in_rows(describe_violations(violations))
    lines = [f"{number}. {row}" for number, row in enumerate(rows, 1)]
    return f"{name}: {len(violations)} things are in the way. " + " ".join(lines)


def describe_own(secret: str, chain: Chain, why: str, snapshot: Snapshot) -> dict[str, Any]:
    """A certificate for names of the caller's own, which lies in this Secret, with the reason why it was issued; the
    reason is empty if it was not.
    """
    own = _certificate(chain[0]) if chain else dict.fromkeys(_CERTIFICATE)
    return {"secret": f"{snapshot.names.namespace}/{secret}", **own, "why": why}


def describe_listeners(snapshot: Snapshot | None) -> list[dict[str, Any]]:
    """The answers of the listeners in the last look; an empty list if this call asked no node."""
    if snapshot is None:
        return []
    ledger = as_seen(snapshot)
    ledger_cas = [
        *(entry.certificate for entry in ledger.entries),
        *(removed.certificate for removed in ledger.removed_cas),
    ]
    by_fingerprint = {certificate.fingerprint: certificate for certificate in ledger_cas}
    issuers = _issuers(snapshot, ledger)
    return [
        _describe_listener(listener, by_fingerprint, *issuers.get((listener.uid, listener.port), ((), "")))
        for listener in snapshot.nodes.listeners or ()
    ]


def _describe_listener(
    listener: ObservedListener, ledger_cas: Mapping[str, Certificate], issuers: tuple[str, ...], unclear: str
) -> dict[str, Any]:
    def among(fingerprints: Iterable[str]) -> list[Certificate]:
        return sorted((ledger_cas[fingerprint] for fingerprint in fingerprints if fingerprint in ledger_cas), key=label)

    return {
        "pod": listener.pod,
        "uid": listener.uid,
        "port": listener.port,
        "verifies": listener.verifies,
        "presents": [named(certificate) for certificate in listener.presents or ()],
        **_list_cas("issuers", (ledger_cas[fingerprint] for fingerprint in issuers)),
        **_list_cas("trusts", among(listener.accepts)),
        **_list_cas("refuses", among(listener.refuses)),
        "why": sorted({reason for reason in (listener.failure, unclear, *listener.doubts.values()) if reason}),
    }


def _issuers(snapshot: Snapshot, ledger: Ledger) -> dict[tuple[str, int], tuple[tuple[str, ...], str]]:
    """By UID and port, the CAs that issued the presented certificate, or why they are not known. Stored evidence tells
    apart CAs with the same key.
    """
    issuers = {}
    for pod, stored in zip(pods_with_certificates(snapshot), present_as_stored(snapshot, ledger), strict=True):
        for listener in snapshot.listeners_by_uid.get(pod.uid, ()):
            seen = present_live(pod, listener.port, stored, snapshot.listeners_by_uid[pod.uid], ledger)
            unclear = seen.evidence if seen.authorities is None else ""
            issuers[(pod.uid, listener.port)] = (tuple(sorted(seen.authorities or ())), unclear)
    return issuers


def describe_source(snapshot: Snapshot) -> dict[str, Any] | None:
    """The CA source, and what a run of reconcile would make of it; None if no source is named."""
    source, ledger = snapshot.source, snapshot.ledger_or_empty
    if source is None:
        return None
    confirming_all = Intent(
        Goal.RECONCILE,
        trust=WantedTrust(confirmed_roots=frozenset(certificate.sha256 for certificate in source.certificates)),
    )
    wish = wish_of(snapshot, confirming_all, ledger)
    differs = resolve(snapshot, confirming_all, ledger).needs_new_ca
    unknown = wish_of(snapshot, Intent(Goal.RECONCILE), ledger)
    return {
        "object": source.name,
        "problem": " ".join(filter(None, (source.problem, source.remedy))),
        "cas": [_source_authority(certificate, snapshot) for certificate in source.certificates],
        "changed_at": time_text(source.changed_at),
        "signing": wish.issuing_ca[0].sha256 if wish and wish.issuing_ca else None,
        "begins": rotation_of(snapshot, confirming_all, ledger).value if differs else None,
        "to_be_confirmed": [certificate.sha256 for certificate in unknown.unconfirmed_cas] if unknown else [],
    }


def _source_authority(certificate: Certificate, snapshot: Snapshot) -> dict[str, Any]:
    ledger = snapshot.ledger_or_empty
    return {
        "subject": certificate.subject,
        "sha256": certificate.sha256,
        "not_before": time_text(certificate.not_before),
        "not_after": time_text(certificate.not_after),
        "current": certificate in snapshot.ca.in_use,
        "known": ledger.find(certificate.fingerprint) is not None,
    }
