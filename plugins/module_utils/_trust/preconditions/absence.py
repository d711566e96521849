# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The violations of a Kafka resource if it does not exist, is in deletion, or has no operator of a release for flows;
and of an object of another owner with a name of this collection. Modules without a part in flows know these too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from ..model.decision import Condition, Violation
from ..model.snapshot import TakenName

AFTER_DELETION = (
    "A deletion cannot be taken back: let it come to its end. If the cluster is to live on, create the Kafka resource "
    "again after that, with the CA Secrets and volumes that were kept, then run the flow again."
)


def absence_of_cluster(kafka: str, neighbours: Collection[str]) -> Violation:
    """The violation if the Kafka resource does not exist, with the neighbours of ``Reconciliation``."""
    message = "does not exist, and no other Kafka cluster is seen in this namespace."
    if neighbours:
        elsewhere = any("/" in name for name in neighbours)
        where = (
            "this namespace has no Kafka cluster; other namespaces have"
            if elsewhere
            else "the Kafka clusters in this namespace are"
        )
        message = f"does not exist; {where}: {', '.join(neighbours)}."
    return Violation(
        Condition.CLUSTER_EXISTS, kafka, message,
        "Check the names of cluster and namespace. To make the first CA before the Kafka resource exists, run the "
        "create playbook, or strimzi_ca with before_kafka=true.",
    )  # fmt: skip


def absence_of_operator(kafka: str, namespace: str, why: str) -> Violation:
    """The violation if no operator works on the Kafka resource."""
    return Violation(
        Condition.OPERATOR_IS_THERE, kafka, f"is reconciled by no Cluster Operator: {why}.",
        f"Start the Cluster Operator, have it watch the namespace {namespace}, wait until the resource has a status of "
        "its own, then run the flow again.",
    )  # fmt: skip


#: The oldest release of Strimzi for flows (docs/operator.md, "Releases").
_OLDEST = (0, 51)
_RELEASE = re.compile(r"(\d+)\.(\d+)(?!\d)")


def is_too_old(version: str) -> bool:
    """Whether flows do not work on this version of the operator, such as "0.50.1"; False if it cannot be read."""
    numbers = _RELEASE.match(version)
    return numbers is not None and (int(numbers[1]), int(numbers[2])) < _OLDEST


def age_of_operator(kafka: str, version: str) -> Violation:
    """The violation if an operator of this version reconciles the Kafka resource, and is too old."""
    return Violation(
        Condition.OPERATOR_IS_NEW_ENOUGH, kafka,
        f"is run by Strimzi {version}. Up to 0.50 the operator keeps no trust bundle from which nodes read the CAs "
        "that they trust, or does not check the chains that are stored for them.",
        "Upgrade the Cluster Operator to Strimzi 0.51 or later, wait until it has reconciled the resource, then run "
        "the flow again. Until then renew and replace CAs as the documentation of that version of Strimzi says.",
    )  # fmt: skip


def deletion_of(subject: str, finalizers: Sequence[str], remedy: str = AFTER_DELETION) -> Violation:
    """The violation if an object is in deletion. Without a remedy, it has the remedy for a Kafka resource."""
    waits = f", and its deletion waits for the finalizers {', '.join(finalizers)}" if finalizers else ""
    return Violation(
        Condition.NOTHING_IS_IN_DELETION, subject, f"is being deleted (metadata.deletionTimestamp){waits}.", remedy
    )


def name_is_taken(taken: TakenName) -> Violation:
    """The violation of an object of another owner."""
    return Violation(Condition.NAMES_ARE_FREE, taken.subject, f"{taken.cause}.", taken.remedy, taken.kind)
