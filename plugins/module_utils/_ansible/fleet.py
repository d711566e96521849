# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Many Kafka clusters at once, as far as an inventory shows them: the state of each, its CAs in use, and the flows in flight.

A look takes one list of Kafka resources for each namespace, and of each cluster the certificate Secret and the ledger of either CA, by their names. It
reads no Secret that is made to hold a key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from .._errors import fit_in_line, printable
from .._kube.client import KubeClient
from .._kube.resources import SECRETS
from .._strimzi import names
from .._strimzi.cluster.ca_secrets import read_ca_secrets
from .._strimzi.cluster.kafka import is_generated, read_reconciliation
from .._strimzi.ledger.layouts import read_ledger
from .._strimzi.names import KAFKAS, CaKind, ClusterNames
from .._strimzi.secret_data import annotation
from .._trust.ledger.journal import in_flight
from .._trust.model.goals import Goal
from .._trust.model.ledger import Journal
from .arguments import time_of, time_text

#: Facts about a cluster, as JSON has them, so that they can be cached: times are texts, and no fact depends on when it is read.
Facts = Mapping[str, Any]

#: The group of all clusters; every other group lies below it.
EVERY = "kafka_clusters"
#: The CAs of a cluster, as facts name them.
CAS = tuple(f"{kind.value}_ca" for kind in CaKind)
_OUTSIDE_GROUP_NAMES = re.compile(r"\W", re.ASCII)


def read_clusters(client: KubeClient, namespaces: Sequence[str], label_selector: str) -> list[dict[str, Any]]:
    """Facts about the clusters with these labels. namespaces: none for all namespaces. Raises KubeError."""
    found = (
        kafka
        for namespace in namespaces or (None,)
        for kafka in client.list(KAFKAS, namespace, label_selector=label_selector).items
    )
    return [_read(client, kafka) for kafka in found]


def _read(client: KubeClient, kafka: Mapping[str, Any]) -> dict[str, Any]:
    metadata, status = kafka["metadata"], kafka.get("status") or {}
    scope = ClusterNames(str(metadata["namespace"]), str(metadata["name"]))
    reconciliation = read_reconciliation(kafka, scope)
    asked = ((kafka.get("spec") or {}).get("kafka") or {}).get("version")
    return {
        "name": scope.cluster,
        "namespace": scope.namespace,
        "labels": dict(metadata.get("labels") or {}),
        "version": printable(str(status.get("kafkaVersion") or asked or "")),
        "operator_version": printable(reconciliation.operator_version),
        "state": "paused" if reconciliation.paused else "ready" if reconciliation.ready else "not_ready",
        "failure": str(reconciliation.failure) if reconciliation.failure else "",
        **{f"{kind.value}_ca": _authority(client, kafka, scope.of(kind)) for kind in CaKind},
    }


def _authority(client: KubeClient, kafka: Mapping[str, Any], scope: ClusterNames) -> dict[str, Any]:
    secret = client.get_or_none(SECRETS, scope.namespace, scope.ca_certificate_secret)
    ca = read_ca_secrets(secret, None, scope.certificate_generation)
    ledger = read_ledger(_ledger_secrets(client, scope), scope)
    begun = in_flight(ledger)
    known = ledger.find(ca.current[0].fingerprint) if ledger and ca.current else None
    return {
        "management": _management(is_generated(kafka, scope), ledger is not None, secret is not None),
        "subject": ca.current[0].subject if ca.current else "",
        "sha256": ca.current[0].sha256 if ca.current else "",
        "issuer": ca.current[0].issuer if ca.current else "",
        # Certificates end with the first certificate above them.
        "not_after": time_text(min((one.not_after for one in ca.current), default=None)),
        "trust": known.state.value if known else "",
        "flow": _flow(begun) if begun else None,
        "problems": [fit_in_line(one) for one in (*ca.problems, *(ledger.problems if ledger else ()))],
    }


def _ledger_secrets(client: KubeClient, scope: ClusterNames) -> dict[str, Mapping[str, Any]]:
    """The Secrets that a ledger can be kept in, and no more of them than that takes."""
    found: dict[str, Mapping[str, Any]] = {}
    for name in scope.ledger_secrets:
        secret = client.get_or_none(SECRETS, scope.namespace, name)
        if secret is not None:
            found[name] = secret
            if name == scope.trusted_certificates_secret and annotation(secret, names.LAYOUT) is None:
                break
    return found


def _management(is_generated: bool, is_adopted: bool, is_there: bool) -> str:
    if is_generated:
        return "generated"
    if is_adopted:
        return "adopted"
    return "by_hand" if is_there else "missing"


def _flow(journal: Journal) -> dict[str, Any]:
    return {
        "goal": (Goal.ABORT if journal.is_abort else journal.goal).value,
        "started_at": time_text(journal.started_at),
        "stops_after": journal.stop.after.value if journal.stop else "",
    }


def first_end(cluster: Facts) -> datetime | None:
    """When the first of its CAs in use ends; None where it has none that can be read."""
    return min((time_of(cluster[ca]["not_after"]) for ca in CAS if cluster[ca]["not_after"]), default=None)


def days_until(end: datetime, now: datetime) -> int:
    """Whole days; below 0 of what has ended."""
    return (end - now) // timedelta(days=1)


def groups_of(cluster: Facts, days: Iterable[int], now: datetime) -> Iterator[tuple[str, ...]]:
    """Groups of this cluster, each with the groups that it lies in, the outermost first. days: limits of the groups by end."""
    yield (f"kafka_{cluster['state']}",)
    for kind in ("version", "operator_version"):
        if cluster[kind]:
            yield (f"kafka_{kind}_{_OUTSIDE_GROUP_NAMES.sub('_', cluster[kind])}",)
    for ca in CAS:
        yield (f"{ca}_{cluster[ca]['management']}",)
    flows = [cluster[ca]["flow"] for ca in CAS if cluster[ca]["flow"]]
    if flows:
        yield (
            ("ca_flow_in_flight", "ca_flow_awaits_approval")
            if any(one["stops_after"] for one in flows)
            else ("ca_flow_in_flight",)
        )
    if any(cluster[ca]["problems"] for ca in CAS):
        yield ("ca_with_problems",)
    end = first_end(cluster)
    if end is not None:
        yield from _ends(end, days, now)


def _ends(end: datetime, days: Iterable[int], now: datetime) -> Iterator[tuple[str, ...]]:
    """The group with the lowest limit, in all with higher limits, so that each has what ends before its limit."""
    left = days_until(end, now)
    within = tuple(f"ca_ends_within_{limit}_days" for limit in sorted(set(days), reverse=True) if left < limit)
    path = (*within, "ca_ended") if end <= now else within
    if path:
        yield path
