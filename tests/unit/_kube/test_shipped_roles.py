# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The error about a missing permission names a Role of docs/rbac.yml that has it: for each verb on each object of each Role, and for no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.failures import error_from
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import Attempt, Resource
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.shipped_roles import roles_with

from ...tools.support.golden import GoldenFiles

DOCUMENT = Path(__file__).parents[3] / "docs" / "rbac.yml"
SHIPPED: list[dict[str, Any]] = yaml.safe_load(DOCUMENT.read_text())["items"]
#: Verbs for which a rule with names applies to a request that has a name.
NAMED = {"get", "patch", "delete"}


def attempt_at(verb: str, group: str, resource: str, name: str | None, kind: str = "Role") -> Attempt:
    plural, _slash, subresource = resource.partition("/")
    known = Resource(group, "v1", plural, "Kind")
    return Attempt(verb, known, None if kind == "ClusterRole" else "kafka", name, subresource or None)


def permitted() -> list[tuple[str, Attempt]]:
    """Each Role with each request that one of its rules permits."""
    return [
        (role["metadata"]["name"], attempt_at(verb, group, resource, name if verb in NAMED else None, role["kind"]))
        for role in SHIPPED
        for rule in role["rules"]
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for name in rule.get("resourceNames", ["demo"])
        # This ClusterRole applies in each namespace, where flows work without that rule.
        if (role["metadata"]["name"], resource) != ("trustops-strimzi-users-anywhere", "kafkas")
    ]


def may(role: dict[str, Any], attempt: Attempt) -> bool:
    """Whether a rule of the Role permits the request, whatever the names of the objects."""
    resource = "/".join(filter(None, (attempt.resource.plural, attempt.subresource)))
    return any(resource in rule["resources"] and attempt.verb in rule["verbs"] for rule in role["rules"])


@pytest.mark.parametrize(("role", "attempt"), permitted(), ids=str)
def test_each_permission_of_each_role_is_found_again(role: str, attempt: Attempt) -> None:
    found = roles_with(attempt)
    assert role in found
    by_name = {one["metadata"]["name"]: one for one in SHIPPED}
    assert all(may(by_name[other], attempt) for other in found)


@pytest.mark.parametrize(
    ("verb", "resource", "name", "roles"),
    [
        ("patch", "pods", "demo-kafka-0", ["flows"]),
        ("patch", "kafkas", "demo", ["flows"]),
        ("patch", "secrets", "demo-cluster-ca-cert", ["flows"]),
        ("patch", "secrets", "demo-clients-ca-cert", ["clients-ca"]),
        ("delete", "secrets", "demo-clients-ca-trusted-certs", ["clients-ca"]),
        ("patch", "secrets", "demo-cruise-control-certs", ["flows"]),
        ("patch", "secrets", "demo-cluster-ca-trust-state", ["layouts"]),
        ("patch", "secrets", "demo-issuing-kafka", ["issuing"]),
        ("patch", "secrets", "demo-clients-issuing-user", ["clients-ca-issuing"]),
        ("patch", "secrets", "orders", ["flows", "user", "clients-ca-issuing"]),
        ("patch", "leases", "demo-trust.clients", ["clients-ca"]),
        ("create, get", "pods/portforward", "demo-kafka-0", ["looking"]),
        ("list", "secrets", None, ["looking"]),
        ("patch", "deployments", "web", []),
        ("update", "secrets", "demo-cluster-ca", []),
    ],
)
def test_the_name_of_an_object_decides(verb: str, resource: str, name: str | None, roles: list[str]) -> None:
    found = roles_with(attempt_at(verb, "", resource, name))
    assert found == tuple(f"trustops-strimzi-{role}" for role in roles)


@pytest.mark.parametrize(
    ("case", "attempt"),
    [
        ("one Role", attempt_at("patch", "", "pods", "demo-kafka-0")),
        ("a ClusterRole", attempt_at("get", "cert-manager.io", "clusterissuers", "corporate", "ClusterRole")),
        ("two Roles", attempt_at("list", "", "kafkanodepools", None)),
        ("none", attempt_at("patch", "apps", "deployments", "web")),
    ],
)
def test_the_remedy_ends_with_the_role(case: str, attempt: Attempt, golden: GoldenFiles) -> None:
    error = error_from(attempt, 403, {"reason": "Forbidden", "message": "no"})
    golden.compare_said("kubernetes", error, case)
