# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is not allowed is named as a rule of a Role: which verb on what, for whom."""

from __future__ import annotations

import pytest

from ...fakes.memory_api import Response
from ...fakes.world import World
from . import stages
from .running import Answer, call

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
@pytest.mark.parametrize("module", ["strimzi_ca", "strimzi_ca_info", "strimzi_roll", "strimzi_reconciliation"])
def test_reading(module: str, resource: str, attempt: str, rule: str) -> None:
    ended = call(module, stages.managed(), answer=forbidden("GET", resource))
    assert (ended.failed, ended.writes) == (True, [])
    assert ended.result["msg"] == said(attempt, rule, resource.split("/")[0])


LEASES = "apiGroups: ['coordination.k8s.io'], resources: [leases], resourceNames: [demo-trust]"
SECRETS = "apiGroups: [''], resources: [secrets], resourceNames"
PODS = "apiGroups: [''], resources: [pods], resourceNames: [demo-kafka-0]"
KAFKAS = "apiGroups: ['kafka.strimzi.io'], resources: [kafkas], resourceNames: [demo]"


@pytest.mark.parametrize(
    ("module", "way", "resource", "kind", "rule"),
    [
        ("strimzi_ca", "cooperate", "leases/demo-trust", "Lease", LEASES),
        ("strimzi_ca", "cooperate", "secrets/demo-cluster-ca", "Secret", f"{SECRETS}: [demo-cluster-ca]"),
        (
            "strimzi_trusted_certs", "cooperate", "secrets/demo-cluster-ca-trusted-certs", "Secret",
            f"{SECRETS}: [demo-cluster-ca-trusted-certs]",
        ),
        ("strimzi_roll", "cooperate", "pods/demo-kafka-0", "Pod", PODS),
        ("strimzi_reconciliation", "takeover", "kafkas/demo", "Kafka", KAFKAS),
        ("strimzi_ee_cert", "takeover", "secrets/demo-kafka-0", "Secret", f"{SECRETS}: [demo-kafka-0]"),
    ],
)  # fmt: skip
def test_writing(module: str, way: str, resource: str, kind: str, rule: str) -> None:
    goal = "renew" if way == "takeover" else "replace_key"
    world = stages.rotating(module, goal, way)
    options = stages.options_for(module, goal, way=way, fresh_for_hours=0)
    ended = call(module, world, answer=forbidden("PATCH", resource), **options)
    plural, _slash, name = resource.partition("/")
    assert ended.result["msg"] == said(f"patch {kind} kafka/{name}", f"verbs: [patch], {rule}", plural)
    assert (ended.failed, f"PATCH {resource}" in ended.writes) == (True, False)
    assert ended.result["changed"] is bool(ended.writes_but_lease)


def test_the_clusters_that_there_are_cannot_be_listed() -> None:
    world = stages.managed()
    world.cluster = "dmeo"
    ended = call("strimzi_ca", world, answer=forbidden("GET", "kafkas"), state="replaced")
    assert ended.result["msg"].startswith(
        "Kafka kafka/dmeo: does not exist, and no other Kafka cluster is seen in this namespace."
    )


def test_creating_the_lease() -> None:
    ended = call("strimzi_ca", World(), answer=forbidden("POST", "leases"), **stages.FAST)
    rule = "verbs: [create], apiGroups: ['coordination.k8s.io'], resources: [leases]"
    assert ended.result["msg"] == said("create Lease kafka/demo-trust", rule, "leases")
    assert ended.writes == []
