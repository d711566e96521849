# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A missing permission is named as a rule of a Role: the verb, the resource, and the identity that needs it."""

from __future__ import annotations

import pytest

from ...support.memory_api import Response
from ...support.memory_cluster import MemoryCluster
from . import stages
from .mistakes import is_paused
from .running import NAMES, REQUIRED, Answer, call
from .uses import USES

WHO = "system:serviceaccount:kafka:ci"


def forbidden(method: str, resource: str) -> Answer:
    """As the API server answers for the identity of the run."""
    plural = resource.split("/")[0]
    message = f'{plural} is forbidden: User "{WHO}" cannot do this in the namespace "kafka"'

    def answer(asked: str, path: str) -> Response | None:
        if asked != method or not path.endswith(f"/kafka/{resource}"):
            return None
        return Response(403, {"kind": "Status", "reason": "Forbidden", "message": message})

    return answer


def said(attempt: str, rule: str, plural: str) -> str:
    return (
        f'Failed to {attempt}: {plural} is forbidden: User "{WHO}" cannot do this in the namespace "kafka". '
        f"Add this rule to a Role in namespace kafka and bind it to {WHO}: {rule}."
    )


@pytest.mark.parametrize(
    ("resource", "attempt", "rule"),
    [
        (
            "kafkas/demo", "read Kafka kafka/demo",
            "verbs: [get], apiGroups: ['kafka.strimzi.io'], resources: [kafkas], resourceNames: [demo]",
        ),
        (
            "secrets", "list Secret objects in namespace kafka",
            "verbs: [list], apiGroups: [''], resources: [secrets]",
        ),
        ("pods", "list Pod objects in namespace kafka", "verbs: [list], apiGroups: [''], resources: [pods]"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("module", [name for name in NAMES if name != "strimzi_user"])
def test_reading(module: str, resource: str, attempt: str, rule: str) -> None:
    ended = call(module, stages.managed(), answer=forbidden("GET", resource), **REQUIRED.get(module, {}))
    assert (ended.failed, ended.writes) == (True, [])
    assert ended.result["msg"] == said(attempt, rule, resource.split("/")[0])


@pytest.mark.parametrize(
    ("resource", "attempt", "rule"),
    [
        (
            "kafkas/demo", "read Kafka kafka/demo",
            "verbs: [get], apiGroups: ['kafka.strimzi.io'], resources: [kafkas], resourceNames: [demo]",
        ),
        (
            "kafkausers/orders", "read KafkaUser kafka/orders",
            "verbs: [get], apiGroups: ['kafka.strimzi.io'], resources: [kafkausers], resourceNames: [orders]",
        ),
        (
            "secrets/orders", "read Secret kafka/orders",
            "verbs: [get], apiGroups: [''], resources: [secrets], resourceNames: [orders]",
        ),
    ],
)  # fmt: skip
def test_reading_one_user(resource: str, attempt: str, rule: str) -> None:
    """It lists nothing."""
    (use,) = (one for one in USES if one.module == "strimzi_user")
    ended = use.take(use.start(), answer=forbidden("GET", resource))
    assert (ended.failed, ended.writes) == (True, [])
    assert ended.result["msg"] == said(attempt, rule, resource.split("/")[0])


LEASES = "apiGroups: ['coordination.k8s.io'], resources: [leases], resourceNames: [demo-trust]"
SECRETS = "apiGroups: [''], resources: [secrets], resourceNames"
PODS = "apiGroups: [''], resources: [pods], resourceNames: [demo-kafka-0]"
KAFKAS = "apiGroups: ['kafka.strimzi.io'], resources: [kafkas], resourceNames: [demo]"


@pytest.mark.parametrize(
    ("name", "resource", "kind", "rule"),
    [
        ("ca-prepares-a-replacement", "leases/demo-trust", "Lease", LEASES),
        ("ca-prepares-a-replacement", "secrets/demo-cluster-ca", "Secret", f"{SECRETS}: [demo-cluster-ca]"),
        (
            "trusted_certs-ends-a-replacement", "secrets/demo-cluster-ca-trusted-certs", "Secret",
            f"{SECRETS}: [demo-cluster-ca-trusted-certs]",
        ),
        ("roll-restarts-for-a-reason", "pods/demo-kafka-0", "Pod", PODS),
        ("reconciliation-pauses", "kafkas/demo", "Kafka", KAFKAS),
        ("ee_cert-issues-those-of-the-next-CA", "secrets/demo-kafka-0", "Secret", f"{SECRETS}: [demo-kafka-0]"),
        # In a pause in which nothing was written yet.
        ("ca-switches-to-a-new-key", "secrets/demo-cluster-ca", "Secret", f"{SECRETS}: [demo-cluster-ca]"),
    ],
)  # fmt: skip
def test_writing(name: str, resource: str, kind: str, rule: str) -> None:
    use = next(one for one in USES if str(one) == name)
    memory = use.start()
    ended = use.take(memory, answer=forbidden("PATCH", resource))
    plural, _slash, name = resource.partition("/")
    assert ended.result["msg"] == said(f"patch {kind} kafka/{name}", f"verbs: [patch], {rule}", plural)
    assert (ended.failed, f"PATCH {resource}" in ended.writes) == (True, False)
    assert ended.result["changed"] is bool(ended.writes_but_lease)
    assert not is_paused(memory)


def test_a_pause_in_the_middle_of_which_a_write_is_forbidden_is_told_first_and_ended_by_the_next_run() -> None:
    """Ended there, it would cost a restart of each node."""
    (use,) = (one for one in USES if str(one) == "ca-switches-to-a-new-key")
    memory = use.start()
    message = use.take(memory, answer=forbidden("PATCH", "secrets/demo-kafka-0")).result["msg"]
    assert message.startswith("The Cluster Operator is left paused for Kafka kafka/demo; ")
    assert (
        "kubectl annotate kafka demo -n kafka strimzi.io/pause-reconciliation- trustops.strimzi/paused-by-." in message
    )
    rule = f"verbs: [patch], {SECRETS}: [demo-kafka-0]"
    assert message.endswith(said("patch Secret kafka/demo-kafka-0", rule, "secrets"))
    assert is_paused(memory)
    assert (use.take(memory).failed, is_paused(memory)) == (False, False)


def test_the_clusters_that_there_are_cannot_be_listed() -> None:
    memory = stages.managed()
    memory.cluster = "dmeo"
    ended = call("strimzi_ca", memory, answer=forbidden("GET", "kafkas"), state="replaced")
    assert ended.result["msg"].startswith(
        "Kafka kafka/dmeo: does not exist, and no other Kafka cluster is seen in this namespace."
    )


def test_creating_the_lease() -> None:
    ended = call("strimzi_ca", MemoryCluster(), answer=forbidden("POST", "leases"), before_kafka=True, **stages.FAST)
    rule = "verbs: [create], apiGroups: ['coordination.k8s.io'], resources: [leases]"
    assert ended.result["msg"] == said("create Lease kafka/demo-trust", rule, "leases")
    assert ended.writes == []
