# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods of programs that log in to Kafka as a user, on a node that runs containers: each presents what it found in the user's Secret when it
started (docs/operator.md, "Users").
"""

from __future__ import annotations

from collections.abc import Mapping

from .api import Object
from .real_components import remembering_container, remembering_volumes

CONTAINER = "program"
#: The label with the name of the program: all of these pods have it, and no others.
LABEL = "program"
#: All that belongs to logging in; a keystore and its password contain the same.
_ENTRIES = ("user.crt", "user.key")


def program(
    name: str, user: str, cluster: str, *, labels: Mapping[str, str] | None = None, annotations: Mapping[str, str] | None = None
) -> Object:  # fmt: skip
    """A pod of this name. It trusts the CAs in the Secret that clients of the cluster read."""
    leaf = {"secretName": user, "items": [{"key": entry, "path": entry} for entry in _ENTRIES]}
    trust = {"secretName": f"{cluster}-cluster-ca-cert"}
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "labels": {LABEL: name, **(labels or {})}, "annotations": dict(annotations or {})},
        "spec": {
            "automountServiceAccountToken": False,
            "terminationGracePeriodSeconds": 5,
            "containers": [remembering_container(CONTAINER, "/user", "/cluster-ca")],
            "volumes": list(remembering_volumes(CONTAINER, leaf, trust)),
        },
    }  # fmt: skip
