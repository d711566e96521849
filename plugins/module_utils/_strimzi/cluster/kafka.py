# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The Kafka resource: the operator's work in its status (docs/operator.md, "Pause", "Kafka resource"), running
rebalances, and the security between the processes of a cluster (docs/operator.md, "Security between processes").
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from ..._errors import Forbidden, ResourceTypeMissing, fit_in_line
from ..._kube.client import KubeClient
from ..._kube.resources import LEASES, Resource, managers_of, owns, read_time
from ..._trust.model.clients import ReissuePause
from ..._trust.model.security import MUTUAL_TLS, ClusterSecurity
from ..._trust.model.snapshot import (
    FailedReconcile,
    OperatorPause,
    OperatorStatus,
    Rebalance,
    Reconciliation,
)
from .. import names
from ..names import ClusterNames
from ..secret_data import annotation, is_true

#: The condition of a resource with a paused reconciliation. Its operator has seen the pause.
PAUSED = "ReconciliationPaused"
#: The type of a CA that the operator or its user makes. Releases up to 1.2 know no other, and no field for it.
_OWN_TYPE = "strimzi.io"
#: With this policy the operator makes a new key when a CA ends; without it, the operator renews the certificate.
_REPLACES_KEY = "replace-key"
#: How many characters of the operator's message are shown.
_LONGEST = 1000
#: More days than any certificate of a cluster is valid, far from the last date that can be computed. Strimzi's
#: definitions of these fields have no highest value.
_MOST_DAYS = 100 * 365
#: How far the clock of the operator may be behind that of the API server.
_CLOCKS_DIFFER = timedelta(minutes=1)
#: The reason of a resource that an operator has just seen for the first time: no verdict (docs/operator.md, "Kafka
#: resource").
_CREATING = "Creating"


def condition(kafka: Mapping[str, Any] | None, kind: str) -> bool:
    return find_condition(kafka, kind) is not None


def find_condition(resource: Mapping[str, Any] | None, kind: str) -> Mapping[str, Any] | None:
    """The condition of this type with the status "True"; None if there is none."""
    conditions = ((resource or {}).get("status") or {}).get("conditions") or []
    return next((c for c in conditions if c.get("type") == kind and c.get("status") == "True"), None)


def failure_of(kafka: Mapping[str, Any] | None) -> FailedReconcile | None:
    """How the operator's last reconcile of the resource has failed, in its own words."""
    not_ready = find_condition(kafka, "NotReady")
    if not_ready is None or not_ready.get("reason") == _CREATING:
        return None
    return FailedReconcile(
        fit_in_line(str(not_ready.get("reason") or "")),
        fit_in_line(str(not_ready.get("message") or ""), _LONGEST),
        read_time(not_ready.get("lastTransitionTime")),
    )


#: The known types of encryption and of authentication between processes, with their meanings. Strimzi is about to
#: rename its own types.
_ENCRYPTION = {"strimzi-tls": True, "tls": True, "none": False}
_AUTHENTICATION = {"strimzi-mtls": True, "mtls": True, "none": False}
#: The releases of the operator without the status and without the annotation.
_WITHOUT_SECURITY = ("0.", "1.0.", "1.1.", "1.2.")


def read_security(kafka: Mapping[str, Any] | None) -> ClusterSecurity:
    """The security between the processes of the cluster, by the status: the operator writes there how it has configured
    them. Without the status, as up to release 1.2, it is TLS with certificates on both sides.
    """
    status = (kafka or {}).get("status") or {}
    security = status.get("clusterSecurity")
    if security is None:
        version, wanted = (
            str(status.get("operatorLastSuccessfulVersion") or ""),
            annotation(kafka, names.INTERNAL_SECURITY),
        )
        if wanted is None or version.startswith(_WITHOUT_SECURITY):
            return MUTUAL_TLS
        return _unknown_security(f"has the annotation {names.INTERNAL_SECURITY}, and its status has no clusterSecurity")
    encryption, authentication = (_type_of(security, part) for part in ("encryption", "authentication"))
    has_tls, verifies_clients = _ENCRYPTION.get(encryption), _AUTHENTICATION.get(authentication)
    if has_tls is None or verifies_clients is None or (verifies_clients and not has_tls):
        return _unknown_security(
            f"has status.clusterSecurity with encryption {fit_in_line(encryption)!r} and authentication "
            f"{fit_in_line(authentication)!r}"
        )
    return ClusterSecurity(has_tls, verifies_clients)


def _unknown_security(problem: str) -> ClusterSecurity:
    return replace(MUTUAL_TLS, problem=f"{problem}, so what its processes speak among each other is unknown.")


def _type_of(security: Any, part: str) -> str:
    options = security.get(part) if isinstance(security, Mapping) else None
    return str(options.get("type") or "") if isinstance(options, Mapping) else ""


def _specified(kafka: Mapping[str, Any] | None, scope: names.ClusterNames) -> Mapping[str, Any]:
    return ((kafka or {}).get("spec") or {}).get(scope.ca_specification) or {}


def is_generated(kafka: Mapping[str, Any] | None, scope: names.ClusterNames) -> bool:
    """Whether the operator manages the CA, as by Strimzi's default."""
    return kafka is not None and _specified(kafka, scope).get("generateCertificateAuthority", True) is not False


def _foreign_type(kafka: Mapping[str, Any] | None, scope: names.ClusterNames) -> str:
    kind = str(_specified(kafka, scope).get("type") or _OWN_TYPE)
    return "" if kind == _OWN_TYPE else kind


def renewal_window(kafka: Mapping[str, Any] | None, scope: names.ClusterNames) -> timedelta:
    """How long before its end the operator renews a leaf (docs/operator.md, "Generated CA")."""
    return days_of(_specified(kafka, scope).get("renewalDays")) or timedelta(days=30)


def days_of(value: object) -> timedelta | None:
    """The days in a resource, at most a hundred years; None if it gives none, or no number of days."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        return None
    return timedelta(days=min(value, _MOST_DAYS))


def leaf_life(kafka: Mapping[str, Any] | None, scope: names.ClusterNames) -> timedelta:
    """How long a leaf from the operator is valid; 365 days unless the resource says otherwise."""
    return days_of(_specified(kafka, scope).get("validityDays")) or timedelta(days=365)


def is_observed(kafka: Mapping[str, Any] | None) -> bool:
    """Whether the operator has acted on the present generation of the resource."""
    if kafka is None:
        return False
    observed = (kafka.get("status") or {}).get("observedGeneration")
    return observed is not None and observed == kafka["metadata"].get("generation")


@dataclass(frozen=True)
class FoundNodes:
    """The operator's objects for Kafka nodes, as far as they show whether an operator works on the resource."""

    #: Names of the nodes with a certificate or in a StrimziPodSet.
    known: frozenset[str]
    #: Whether this very resource or a node pool of it owns a StrimziPodSet.
    has_pod_sets: bool
    #: Names of the nodes in these StrimziPodSets.
    wanted: frozenset[str]
    #: Names of the nodes with a pod.
    running: frozenset[str]


def note_absent_operator(
    seen: OperatorStatus, kafka: Mapping[str, Any] | None, nodes: FoundNodes | None = None
) -> OperatorStatus:
    """The status, with the signs of an absent operator in the resource and its nodes. Without ``nodes`` the resource
    alone counts.

    A cluster restored from a backup has such signs: the status is empty or about another resource, or speaks of nodes
    that do not run. Objects of other controllers, such as the pods of Deployments, show no operator (docs/operator.md,
    "Kafka resource").
    """
    if kafka is None:
        return seen
    status, generation = kafka.get("status") or {}, kafka["metadata"].get("generation") or 0
    observed = status.get("observedGeneration") or 0
    if not status.get("conditions"):
        absent = "its status has no condition, which an operator sets as soon as it sees the resource"
    elif observed > generation:
        absent = f"its status is about generation {observed} of a resource that has come to generation {generation}"
    else:
        absent = _why_nodes_show_absence(seen, kafka, nodes) if nodes is not None else ""
    return replace(seen, absence=absent) if absent else seen


def _why_nodes_show_absence(seen: OperatorStatus, kafka: Mapping[str, Any], nodes: FoundNodes) -> str:
    """Why the nodes show that no operator works on the resource, as a clause; empty if they do not."""
    if nodes.has_pod_sets:
        is_idle = bool(nodes.wanted) and not (nodes.wanted & nodes.running or seen.is_first)
        return f"{_describe_gone(nodes.wanted)}, which an operator makes again within seconds" if is_idle else ""
    if seen.is_ready:
        gone = f", and {_describe_gone(nodes.known)}" if nodes.known and not nodes.running else ""
        return f"its status says Ready, and no StrimziPodSet belongs to it{gone}"
    # If an operator fails before it makes a StrimziPodSet, or is paused from the beginning, it has said so since the
    # resource was made.
    status_time, made = _last_said(kafka), read_time(kafka["metadata"].get("creationTimestamp"))
    if status_time is None or made is None or status_time >= made - _CLOCKS_DIFFER:
        return ""
    return (
        f"its status is of {status_time:%Y-%m-%dT%H:%M:%SZ}, and the resource was made later "
        f"({made:%Y-%m-%dT%H:%M:%SZ})"
    )


def _describe_gone(nodes: Collection[str]) -> str:
    return f"none of its {len(nodes)} nodes has a pod" if len(nodes) > 1 else "its only node has no pod"


def _last_said(kafka: Mapping[str, Any]) -> datetime | None:
    """The latest time of the conditions; None if no condition has one."""
    conditions = (kafka.get("status") or {}).get("conditions") or ()
    return max(filter(None, (read_time(one.get("lastTransitionTime")) for one in conditions)), default=None)


def read_operator_status(kafka: Mapping[str, Any] | None) -> OperatorStatus:
    return OperatorStatus(
        has_observed=is_observed(kafka),
        is_ready=condition(kafka, "Ready"),
        is_first=(find_condition(kafka, "NotReady") or {}).get("reason") == _CREATING,
        failure=failure_of(kafka),
        version=str(((kafka or {}).get("status") or {}).get("operatorLastSuccessfulVersion") or ""),
    )


def read_pause(kafka: Mapping[str, Any] | None, scope: names.ClusterNames) -> OperatorPause:
    is_set, is_reported = is_true(kafka, names.PAUSE_RECONCILIATION), condition(kafka, PAUSED)
    other = scope.other_ca
    return OperatorPause(
        is_set=is_set,
        is_ours=is_paused_by(kafka, scope.paused_by),
        is_confirmed=is_set and is_reported,
        holder=f"a flow on its {other.ca.value} CA" if is_paused_by(kafka, other.paused_by) else "",
        has_left_mark=not is_set and annotation(kafka, scope.paused_by) is not None,
        is_ending=not is_set and is_reported,
    )


def read_reconciliation(
    kafka: Mapping[str, Any] | None, scope: names.ClusterNames, neighbours: tuple[str, ...] = ()
) -> Reconciliation:
    """The words of the operator about the Kafka resource. Neighbours are the existing Kafka clusters, if this cluster
    does not exist.
    """
    return Reconciliation(
        exists=kafka is not None,
        uid=str(((kafka or {}).get("metadata") or {}).get("uid") or ""),
        neighbours=neighbours,
        operator=read_operator_status(kafka),
        pause=read_pause(kafka, scope),
        request=annotation(kafka, names.RECONCILE_REQUEST) or "",
        generated=is_generated(kafka, scope),
        foreign_type=_foreign_type(kafka, scope),
        replaces_key=_specified(kafka, scope).get("certificateExpirationPolicy") == _REPLACES_KEY,
    )


def is_paused_by(resource: Mapping[str, Any] | None, mark: str) -> bool:
    """Whether the resource is paused in the name of this mark: the writer of the mark has written the pause, too. A
    person may have ended a pause and left its mark, and another program may have paused the resource since. If the API
    server has noted no writer, the mark counts.
    """
    if not is_true(resource, names.PAUSE_RECONCILIATION) or annotation(resource, mark) is None:
        return False
    pausers, markers = (_writers_of(resource, name) for name in (names.PAUSE_RECONCILIATION, mark))
    return not (pausers and markers) or bool(pausers & markers)


def _writers_of(resource: Mapping[str, Any] | None, name: str) -> frozenset[str]:
    """The last writers of this annotation."""
    field = "metadata", "annotations", name
    return frozenset(str(manager.get("manager")) for manager in managers_of(resource) if owns(manager, field))


def user_pause(user: Mapping[str, Any]) -> ReissuePause:
    """Whether a KafkaUser is paused, and by which writer."""
    if not is_true(user, names.PAUSE_RECONCILIATION):
        return ReissuePause.ENDED if condition(user, PAUSED) else ReissuePause.NONE
    if not is_paused_by(user, names.PAUSED_FOR_CLIENTS_CA):
        return ReissuePause.FOREIGN
    return ReissuePause.OURS if condition(user, PAUSED) else ReissuePause.ASKED


#: How long a Lease outlasts its own time before it is in doubt: an API server under load answers late.
_LATE = timedelta(minutes=1)
#: Seconds between two looks at a Lease in doubt, and the longest time in which its holder renews it.
_NEXT_LOOK, _LONGEST_LEASE = 3.0, 60.0


def why_operator_is_silent(client: KubeClient, namespace: str, now: datetime, sleep: Callable[[float], None]) -> str:
    """Why the Lease of the Cluster Operator in this namespace shows that the operator does not run, as a clause. Empty
    if it runs, if another namespace has the operator, or if the Lease may not be read. Raises KubeError.

    The Lease has its dates from the clock of the operator, which may be wrong. So an old Lease is only in doubt. It
    shows something if nothing renews it in its time.
    """
    try:
        spec = _lease_of_operator(client, namespace)
        renewed, seconds = read_time(spec.get("renewTime")), float(spec.get("leaseDurationSeconds") or 0)
        if (
            renewed is None
            or now - (client.clock_ahead or timedelta(0)) - renewed <= timedelta(seconds=seconds) + _LATE
        ):
            return ""
        left = min(seconds, _LONGEST_LEASE)
        while left > 0:
            sleep(_NEXT_LOOK)
            left -= _NEXT_LOOK
            if _lease_of_operator(client, namespace).get("renewTime") != spec.get("renewTime"):
                return ""
    except Forbidden:
        return ""
    return (
        f"Lease {namespace}/{names.OPERATOR_LEASE}, which a running operator renews every few seconds, was renewed "
        f"last at {renewed:%Y-%m-%dT%H:%M:%SZ} (where an operator of another namespace works on the resource, delete "
        "this Lease, which is left over)"
    )


def _lease_of_operator(client: KubeClient, namespace: str) -> Mapping[str, Any]:
    """The ``spec`` of the Lease; empty if there is no Lease."""
    return (client.get_or_none(LEASES, namespace, names.OPERATOR_LEASE) or {}).get("spec") or {}


KAFKA_REBALANCES = Resource("kafka.strimzi.io", "v1", "kafkarebalances", "KafkaRebalance")
#: The state of Cruise Control while it moves partitions: the condition of this type is true (docs/operator.md,
#: "Rebalances").
_MOVING = "Rebalancing"


def running_rebalances(
    client: KubeClient, scope: ClusterNames, kafka: Mapping[str, Any] | None
) -> tuple[Rebalance, ...]:
    """The KafkaRebalance resources of the cluster that move partitions now, or that may. Only a cluster with
    Cruise Control has them. Raises KubeError.
    """
    if ((kafka or {}).get("spec") or {}).get("cruiseControl") is None:
        return ()
    chosen = f"{names.CLUSTER_LABEL}={scope.cluster}"
    try:
        listed = client.list(KAFKA_REBALANCES, scope.namespace, label_selector=chosen).items
    except ResourceTypeMissing:
        return ()
    except Forbidden as error:
        return (_rebalance("*", scope, error.clause),)
    moving = sorted(str(rebalance["metadata"]["name"]) for rebalance in listed if _is_moving(rebalance))
    return tuple(_rebalance(name, scope) for name in moving)


def _rebalance(name: str, scope: ClusterNames, doubt: str = "") -> Rebalance:
    return Rebalance(name, f"{KAFKA_REBALANCES.kind} {scope.namespace}/{name}", doubt)


def _is_moving(rebalance: Mapping[str, Any]) -> bool:
    conditions = (rebalance.get("status") or {}).get("conditions") or ()
    return any(condition.get("type") == _MOVING and condition.get("status") == "True" for condition in conditions)
