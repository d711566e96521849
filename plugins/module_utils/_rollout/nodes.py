# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Kafka nodes as Kubernetes shows them: their pods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._errors import RollStuck
from .._strimzi import names
from .._strimzi.owners import Owners
from .._strimzi.pods import has_role, is_final, is_ready
from .._strimzi.secret_data import annotation
from .._trust.model.snapshot import Component
from .order import Node

Object = Mapping[str, Any]


def name_of(item: Object) -> str:
    return str(item["metadata"]["name"])


def uid_of(item: Object) -> str:
    return str(item["metadata"]["uid"])


def is_terminating(pod: Object) -> bool:
    return "deletionTimestamp" in pod["metadata"]


def is_asked(item: Object) -> bool:
    """Whether the operator has been asked to restart this pod, or all pods of this StrimziPodSet."""
    return annotation(item, names.MANUAL_ROLLING_UPDATE) == "true"


def kafka_pods(pods: Iterable[Object], owners: Owners) -> list[Object]:
    """The pods of Kafka nodes that have not ended."""
    return [pod for pod in pods if owners.component_of(pod) is Component.KAFKA and not is_final(pod)]


def read_node(pod: Object) -> Node:
    """A pod without role labels counts as a combined node, which has to pass both checks. Raises RollStuck."""
    number = name_of(pod).rsplit("-", 1)[-1]
    if not number.isdecimal():
        raise RollStuck(
            f"The name of pod {name_of(pod)}",
            "does not end with a node id",
            "Strimzi made no such pod: remove its labels.",
        )
    return Node(
        pod=name_of(pod),
        uid=uid_of(pod),
        node_id=int(number),
        controller=has_role(pod, names.CONTROLLER_ROLE_LABEL),
        broker=has_role(pod, names.BROKER_ROLE_LABEL),
        ready=is_ready(pod),
    )
