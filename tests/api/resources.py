# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets and ConfigMaps that another program writes into the namespace of a cluster."""

from __future__ import annotations

import base64

from .running import Runner


def put(runner: Runner, kind: str, name: str, data: dict[str, str]) -> None:
    """Made, or changed where it is there."""
    kube, where = runner.cluster.kube, f"/api/v1/namespaces/{runner.cluster.namespace}/{kind.lower()}s"
    body = {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, "data": data}
    if kube.request("GET", f"{where}/{name}").status == 404:
        assert kube.request("POST", where, body=body).status == 201
    else:
        media = "application/merge-patch+json"
        assert kube.request("PATCH", f"{where}/{name}", body={"data": data}, content_type=media).status == 200


def read_secret(runner: Runner, name: str) -> dict[str, bytes]:
    """Its entries; none where it is not there."""
    found = runner.cluster.kube.request("GET", f"/api/v1/namespaces/{runner.cluster.namespace}/secrets/{name}").body
    return {key: base64.b64decode(value) for key, value in (found.get("data") or {}).items()}
