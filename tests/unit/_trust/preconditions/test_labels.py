# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The preconditions about the labels by which objects are found."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    TakenName,
    UnlabelledSecret,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.cluster import (
    names_are_free,
    pods_are_labelled,
    pods_are_owned,
    secrets_are_labelled,
    unlabelled_and_read,
)

from ....tools.support.golden import GoldenFiles
from ..builders import cluster
from ..nodes import PODS
from .refusals import refusal

RELABEL = "Find the program or person that changed this, then put back what it was. The command: kubectl label pod"
PUT_BACK = "Where it is the Secret of this cluster, put back what it had, then run the flow again. The command: kubectl label secret"
PASSES_FOR = "has the labels or the name of a pod of the component"
UNLABEL = (
    "Where it is a process of the cluster that has lost its owner, let the Cluster Operator reconcile, or delete the pod: its owner makes it again. Where "
    "another program made it, take the label away. The command: kubectl label pod"
)
CLUSTER = "--namespace kafka strimzi.io/cluster-"
FOUND = "by which the Cluster Operator finds it"
READ = UnlabelledSecret(("a=b",), "which the Cluster Operator puts back", holds=False)

CASES = [
    refusal(
        pods_are_labelled,
        f"Pod kafka/{PODS[0]}: runs without the label a=b by which it is found. {RELABEL} {PODS[0]} --namespace kafka --overwrite a=b",
        f"Pod kafka/{PODS[1]}: runs without the labels a=b and c=d by which it is found. "
        f"{RELABEL} {PODS[1]} --namespace kafka --overwrite a=b c=d",
        name="", unlabelled_pods={PODS[1]: ("a=b", "c=d"), PODS[0]: ("a=b",)},
    ),
    refusal(
        pods_are_owned,
        f"Pod kafka/db-0: {PASSES_FOR} kafka, and no StrimziPodSet of the cluster is its owner. {UNLABEL} db-0 {CLUSTER}",
        f"Pod kafka/db-1: {PASSES_FOR} kafka-exporter, and no Deployment of the cluster is its owner. {UNLABEL} db-1 {CLUSTER}",
        name="", foreign_pods={"db-1": Component.KAFKA_EXPORTER, "db-0": Component.KAFKA},
    ),
    refusal(
        names_are_free,
        "Secret kafka/demo-cluster-ca-trusted-certs: has a name that this collection gives to an object of its own, and belongs to another owner (labels "
        "app=theirs); nothing of it was used or changed. Have its owner give it another name, or delete it where no program needs it (kubectl delete secret "
        "demo-cluster-ca-trusted-certs --namespace kafka), then run again.",
        "ConfigMap kafka/demo-cluster-ca-audit: has a name that this collection gives to an object of its own, and belongs to another owner (written by helm); "
        "nothing of it was used or changed. Have its owner give it another name, or delete it where no program needs it (kubectl delete configmap "
        "demo-cluster-ca-audit --namespace kafka), then run again; or run without it.",
        name="",
        taken_names=(
            TakenName("Secret", "kafka", "demo-cluster-ca-trusted-certs", "labels app=theirs"),
            TakenName("ConfigMap", "kafka", "demo-cluster-ca-audit", "written by helm", "run without it"),
        ),
    ),
    refusal(
        secrets_are_labelled,
        f"Secret kafka/one: lacks the label a=b, {FOUND}. {PUT_BACK} one --namespace kafka --overwrite a=b",
        f"Secret kafka/two: lacks the labels a=b and c=d, {FOUND}. {PUT_BACK} two --namespace kafka --overwrite a=b c=d",
        name="",
        unlabelled_secrets={"two": UnlabelledSecret(("a=b", "c=d"), FOUND), "one": UnlabelledSecret(("a=b",), FOUND), "read": READ},
    ),
]  # fmt: skip


def test_of_many_secrets_that_no_flow_waits_for_the_first_are_told(golden: GoldenFiles) -> None:
    """A program that takes the labels off thousands of Secrets of users would make every task warn thousands of times."""
    lost = {("kafka", f"user-{number:04}"): READ for number in range(5_000)}
    told = unlabelled_and_read(cluster(unlabelled_of_users=lost))
    assert len(told) == 21
    assert told[19].startswith("Secret kafka/user-0019 lacks ")
    golden.compare_said("stops_in_rules", told[20])


def test_a_secret_that_no_flow_waits_for_is_told_beside(golden: GoldenFiles) -> None:
    snapshot = cluster(
        unlabelled_secrets={
            "read": READ, "held": UnlabelledSecret(("a=b",), FOUND),
        },
        unlabelled_of_users={
            (namespace, "orders"): UnlabelledSecret(("a=b", "c=d"), "by which it is known", holds=False) for namespace in ("team", "apps")
        },
    )  # fmt: skip
    golden.compare_said("stops_in_rules", "\n".join(unlabelled_and_read(snapshot)))
