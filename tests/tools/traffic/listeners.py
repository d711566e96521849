# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Listeners for clients outside of the cluster: each broker has a Service of its own for each."""

from __future__ import annotations

from dataclasses import dataclass

from ..operator.api import Object
from ..operator.leaves import broker_service


@dataclass(frozen=True)
class Listener:
    name: str
    port: int
    #: How clients authenticate: ``tls``; empty: they do not.
    authentication: str = ""

    @property
    def manifest(self) -> Object:
        """As the Kafka resource has it."""
        asked = {"authentication": {"type": self.authentication}} if self.authentication else {}
        return {"name": self.name, "port": self.port, "type": "cluster-ip", "tls": True, **asked}

    def service(self, broker: str) -> str:
        """The name of the Service of a broker, of whom this is the name of the pod."""
        pool, _dash, number = broker.rpartition("-")
        return broker_service(self.manifest, pool, int(number))


PUBLIC = Listener("external", 9094)
USERS = Listener("users", 9095, "tls")
#: Where users log in too, from inside of the cluster.
INTERNAL_USERS = 9093
