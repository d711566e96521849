# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pod of another application that has the labels of a process of the cluster."""

from __future__ import annotations

from typing import Any

from .memory_api import MemoryApi

Object = dict[str, Any]

NAME = "victim-db-0"
_PATH = "/api/v1/namespaces/kafka/pods"


def labels_of(component: str) -> dict[str, str]:
    return {
        "strimzi.io/cluster": "demo", "strimzi.io/kind": "Kafka", "strimzi.io/name": f"demo-{component}",
        "strimzi.io/component-type": component, "strimzi.io/broker-role": "true",
    }  # fmt: skip


def run_stranger(api: MemoryApi) -> None:
    """It runs with the label of another cluster, and belongs to a StatefulSet."""
    owner = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "name": "victim-db",
        "uid": "of a StatefulSet",
        "controller": True,
    }
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    metadata = {
        "name": NAME,
        "labels": {"strimzi.io/cluster": "another"},
        "annotations": {},
        "ownerReferences": [owner],
    }
    body = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [{"name": "db"}]},
        "status": status,
    }
    assert api.request("POST", _PATH, body=body).status == 201


def label_stranger(api: MemoryApi, labels: dict[str, Any]) -> None:
    body = {"metadata": {"labels": labels}}
    response = api.request("PATCH", f"{_PATH}/{NAME}", body=body, content_type="application/merge-patch+json")
    assert response.status == 200, response.body


def unlabel_stranger(api: MemoryApi) -> None:
    label_stranger(api, dict.fromkeys(labels_of("kafka")))


def stranger(api: MemoryApi) -> Object:
    """The pod as it is now."""
    found = api.find("pods", "kafka", NAME)
    assert found is not None
    return found
