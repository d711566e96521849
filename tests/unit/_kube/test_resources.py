# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of the API."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import (
    LEASES,
    PODS,
    SECRETS,
    SELF_SUBJECT_ACCESS_REVIEWS,
    Resource,
)

DEPLOYMENTS = Resource("apps", "v1", "deployments", "Deployment")
KAFKAS = Resource("kafka.strimzi.io", "v1", "kafkas", "Kafka")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (SECRETS.path("kafka"), "/api/v1/namespaces/kafka/secrets"),
        (SECRETS.path("kafka", "demo"), "/api/v1/namespaces/kafka/secrets/demo"),
        (PODS.path("kafka", "demo", "status"), "/api/v1/namespaces/kafka/pods/demo/status"),
        (PODS.path(None), "/api/v1/pods"),
        (Resource("", "v1", "nodes", "Node").path(None, "worker"), "/api/v1/nodes/worker"),
        (DEPLOYMENTS.path("kafka", "eo"), "/apis/apps/v1/namespaces/kafka/deployments/eo"),
        (LEASES.path("kafka", "l"), "/apis/coordination.k8s.io/v1/namespaces/kafka/leases/l"),
        (KAFKAS.path("kafka", "demo", "status"), "/apis/kafka.strimzi.io/v1/namespaces/kafka/kafkas/demo/status"),
        (SELF_SUBJECT_ACCESS_REVIEWS.path(None), "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"),
    ],
)
def test_path(path: str, expected: str) -> None:
    assert path == expected


def test_a_name_cannot_lead_to_another_object() -> None:
    assert SECRETS.path("kafka", "../../other/secrets/x?y") == (
        "/api/v1/namespaces/kafka/secrets/..%2F..%2Fother%2Fsecrets%2Fx%3Fy"
    )


def test_api_version() -> None:
    assert (SECRETS.api_version, LEASES.api_version) == ("v1", "coordination.k8s.io/v1")
