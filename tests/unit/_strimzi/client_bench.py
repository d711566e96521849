# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A namespace with clients outside the cluster, as people and the operator make them."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.clients import Reach, observe_outside
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import NamedSecret, OutsideClient

from ...tools.support.certificates import Entity, key, make
from .bench import SCOPE, Bench, Object


def certificates(*authorities: Entity) -> tuple[Any, ...]:
    return tuple(one.certificate for one in authorities)


OLD, NEW, FOREIGN = make("cluster-ca v0", key(0)), make("cluster-ca v1", key(1)), make("corporate", key(2))
#: A node is known by these besides the names of Services.
REACH = Reach(
    SCOPE,
    frozenset({"broker-0.example.com", "*.apps.example.com", "10.0.0.7"}),
    certificates(OLD, NEW),
    frozenset({"tls"}),
)


def labels(kind: str, name: str) -> dict[str, str]:
    return {"strimzi.io/kind": kind, "strimzi.io/cluster": name}


class Clients(Bench):
    """Makes the objects that people and the operator make, without an operator."""

    def resource(self, plural: str, name: str, spec: Object) -> None:
        self.create(plural, {"metadata": {"name": name}, "spec": spec})

    def copy(self, name: str, entries: Mapping[str, bytes], kind: str, of: str) -> None:
        self.store(name, entries, labels(kind, of))

    def store(self, name: str, entries: Mapping[str, bytes], labels: Mapping[str, str] | None = None) -> None:
        data = {key: base64.b64encode(value).decode() for key, value in entries.items()}
        self.create(
            "secrets", {"kind": "Secret", "metadata": {"name": name, "labels": dict(labels or {})}, "data": data}
        )

    def run(self, name: str, kind: str, of: str, phase: str = "Running", component: str = "kafka-connect") -> None:
        known = {**labels(kind, of), "strimzi.io/component-type": component}
        self.create("pods", {"metadata": {"name": name, "labels": known}, "status": {"phase": phase}})

    def set_time(self, second: float) -> None:
        self.api.clock = lambda: f"2026-01-01T00:00:{int(second):02d}Z"

    def see(self, *named: NamedSecret) -> tuple[OutsideClient, ...]:
        return observe_outside(self.client(), REACH, named)
