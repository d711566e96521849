# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The operator's work as the Kafka resource shows it (docs/operator.md, "Pause", "Kafka resource")."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from .._kube.times import read_time
from .._pki.printable import fit_in_line
from .._trust.model.presenters import ReissuePause
from .._trust.model.snapshot import FailedReconcile, Reconciliation
from . import names
from .secret_data import annotation

#: The condition of a resource whose reconciliation is paused, and whose operator has seen it.
PAUSED = "ReconciliationPaused"
#: The type of a CA that the operator or its user makes. Releases up to 1.2 know no other, and no field for it.
_OWN_TYPE = "strimzi.io"
#: The policy with which the operator makes a new key where a CA ends; without one it renews the certificate.
_REPLACES_KEY = "replace-key"
#: How many characters of the operator's message are shown.
_LONGEST = 1000
#: More days than any certificate of a cluster is valid, far from where dates end: Strimzi's definitions of these fields have no highest value.
_MOST_DAYS = 100 * 365
#: The reason of a resource that an operator has just seen for the first time: no verdict (docs/operator.md, "Kafka resource").
_CREATING = "Creating"


def condition(kafka: Mapping[str, Any] | None, kind: str) -> bool:
    return _condition(kafka, kind) is not None


def _condition(kafka: Mapping[str, Any] | None, kind: str) -> Mapping[str, Any] | None:
    conditions = ((kafka or {}).get("status") or {}).get("conditions") or []
    return next((c for c in conditions if c.get("type") == kind and c.get("status") == "True"), None)


def failure_of(kafka: Mapping[str, Any] | None) -> FailedReconcile | None:
    """How the operator's last reconcile of the resource has failed, in its own words."""
    found = _condition(kafka, "NotReady")
    if found is None or found.get("reason") == _CREATING:
        return None
    return FailedReconcile(
        fit_in_line(str(found.get("reason") or "")),
        fit_in_line(str(found.get("message") or ""), _LONGEST),
        read_time(found.get("lastTransitionTime")),
    )


def _specified(kafka: Mapping[str, Any] | None, scope: names.ClusterNames) -> Mapping[str, Any]:
    return ((kafka or {}).get("spec") or {}).get(scope.ca_specification) or {}


def is_generated(kafka: Mapping[str, Any] | None, scope: names.ClusterNames) -> bool:
    """Whether the operator manages the CA; that is Strimzi's default."""
    return kafka is not None and _specified(kafka, scope).get("generateCertificateAuthority", True) is not False


def _foreign_type(kafka: Mapping[str, Any] | None, scope: names.ClusterNames) -> str:
    kind = str(_specified(kafka, scope).get("type") or _OWN_TYPE)
    return "" if kind == _OWN_TYPE else kind


def renewal_window(kafka: Mapping[str, Any] | None, scope: names.ClusterNames) -> timedelta:
    """How long before its end the operator renews a leaf (docs/operator.md, "Generated CA")."""
    return days_of(_specified(kafka, scope).get("renewalDays")) or timedelta(days=30)


def days_of(value: object) -> timedelta | None:
    """The days that a resource gives, at most a hundred years; None where it gives none, or no number of days."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        return None
    return timedelta(days=min(value, _MOST_DAYS))


def leaf_life(kafka: Mapping[str, Any] | None, scope: names.ClusterNames) -> timedelta:
    """How long a leaf is valid that the operator issues; 365 days unless the resource says otherwise."""
    return days_of(_specified(kafka, scope).get("validityDays")) or timedelta(days=365)


def is_observed(kafka: Mapping[str, Any] | None) -> bool:
    """Whether the operator has acted on the present generation of the resource."""
    if kafka is None:
        return False
    observed = (kafka.get("status") or {}).get("observedGeneration")
    return observed is not None and observed == kafka["metadata"].get("generation")


def note_absent_operator(
    state: Reconciliation, kafka: Mapping[str, Any] | None, nodes: Collection[str] = (), pods: Collection[Any] = ()
) -> Reconciliation:
    """The state with what the resource, beside its pods, shows of an operator that is not there. nodes: those that the cluster has.

    A cluster that was restored from a backup shows it: the status is empty or about another resource, or speaks of nodes that do not run
    (docs/operator.md, "Kafka resource").
    """
    if kafka is None:
        return state
    status, generation = kafka.get("status") or {}, kafka["metadata"].get("generation") or 0
    observed = status.get("observedGeneration") or 0
    if not status.get("conditions"):
        absent = "its status has no condition, which an operator sets as soon as it sees the resource"
    elif observed > generation:
        absent = f"its status is about generation {observed} of a resource that has come to generation {generation}"
    elif not (state.failure or state.is_first) and len(nodes) > 1 and not pods:
        absent = f"none of its {len(nodes)} nodes has a pod, and its status says nothing of that"
    else:
        return state
    return replace(state, absent=absent)


def read_reconciliation(
    kafka: Mapping[str, Any] | None, scope: names.ClusterNames, neighbours: tuple[str, ...] = ()
) -> Reconciliation:
    """neighbours: the Kafka clusters that there are, where this one does not exist."""
    paused = annotation(kafka, names.PAUSE_RECONCILIATION) == "true"
    return Reconciliation(
        exists=kafka is not None,
        generated=is_generated(kafka, scope),
        observed=is_observed(kafka),
        ready=condition(kafka, "Ready"),
        is_first=(_condition(kafka, "NotReady") or {}).get("reason") == _CREATING,
        failure=failure_of(kafka),
        paused=paused,
        paused_by_us=paused and annotation(kafka, scope.paused_by) is not None,
        pause_effective=paused and condition(kafka, PAUSED),
        mark_left=not paused and annotation(kafka, scope.paused_by) is not None,
        resuming=not paused and condition(kafka, PAUSED),
        request=annotation(kafka, names.RECONCILE_REQUEST) or "",
        neighbours=neighbours,
        pauser=_pauser(kafka, scope) if paused else "",
        foreign_type=_foreign_type(kafka, scope),
        replaces_key=_specified(kafka, scope).get("certificateExpirationPolicy") == _REPLACES_KEY,
    )


def _pauser(kafka: Mapping[str, Any] | None, scope: names.ClusterNames) -> str:
    other = scope.other_ca
    return f"a flow on its {other.ca.value} CA" if annotation(kafka, other.paused_by) is not None else ""


def user_pause(user: Mapping[str, Any]) -> ReissuePause:
    """Whether a KafkaUser is paused, and by whom."""
    if annotation(user, names.PAUSE_RECONCILIATION) != "true":
        return ReissuePause.ENDED if condition(user, PAUSED) else ReissuePause.NONE
    if annotation(user, names.PAUSED_FOR_CLIENTS_CA) is None:
        return ReissuePause.FOREIGN
    return ReissuePause.OURS if condition(user, PAUSED) else ReissuePause.ASKED
