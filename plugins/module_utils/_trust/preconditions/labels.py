# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions on the labels by which objects of a cluster are found, and on pods that have these labels and another owner."""

from __future__ import annotations

from collections.abc import Iterator

from ..model.intent import Intent
from ..model.names import label_command
from ..model.snapshot import Component, Snapshot
from ..model.violations import Condition, Violation


def pods_are_labelled(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The operator would not restart such a pod, and a roll would take it for one that is gone, while it runs on."""
    for pod, lost in sorted(snapshot.nodes.unlabelled.items()):
        yield Violation(
            Condition.PODS_ARE_LABELLED, snapshot.names.pod(pod), f"runs without the {_labels(lost)} by which it is found.",
            f"Find out who changed this, then put back what it was: {label_command('pod', pod, snapshot.names.namespace, lost)}",
        )  # fmt: skip


def pods_are_owned(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Any pod may have labels. This collection signs nothing for such a pod and does not restart it; what it presents and trusts is unknown."""
    for pod, component in sorted(snapshot.nodes.foreign.items()):
        owner = "StrimziPodSet" if component is Component.KAFKA else "Deployment"
        yield Violation(
            Condition.PODS_ARE_OWNED, snapshot.names.pod(pod),
            f"has the labels or the name of a pod of the component {component.value}, and no {owner} of the cluster is its owner.",
            "Where another program made it, take the label away: "
            f"kubectl label pod {pod} --namespace {snapshot.names.namespace} strimzi.io/cluster- . Where it is a process of the cluster that has lost its "
            "owner, let the Cluster Operator reconcile, or delete the pod: its owner makes it anew.",
        )  # fmt: skip


def secrets_are_labelled(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The operator would make another one in its place, or stand still; and a ledger may be what another program has made."""
    for name, found in sorted(snapshot.objects.unlabelled_secrets.items()):
        if found.holds:
            yield Violation(
                Condition.SECRETS_ARE_LABELLED, snapshot.names.secret(name), f"lacks the {_labels(found.lost)}, {found.why}.",
                f"Where it is the Secret of this cluster, put back what it had, then run the flow again: {found.command(name, snapshot.names.namespace)}",
            )  # fmt: skip


def unlabelled_and_read(snapshot: Snapshot) -> tuple[str, ...]:
    """The Secrets without labels for which no flow waits, as sentences with their remedy."""
    return tuple(
        f"Secret {found.namespace or snapshot.names.namespace}/{name} lacks the {_labels(found.lost)}, {found.why}. It was read all the same. To put "
        f"back what it had: {found.command(name, snapshot.names.namespace)}"
        for name, found in sorted(snapshot.objects.unlabelled_secrets.items())
        if not found.holds
    )


def _labels(lost: tuple[str, ...]) -> str:
    return f"{'label' if len(lost) == 1 else 'labels'} {' and '.join(lost)}"
