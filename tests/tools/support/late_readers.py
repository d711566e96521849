# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients that load ``ca.crt`` of the CA certificate Secret alone, as a mounted Secret has it: up to two minutes late."""

from __future__ import annotations

from dataclasses import dataclass, field

from .checker import entries
from .memory_api import Change
from .verification import refused_by_a_client
from .watched_cluster import CERTIFICATES, WatchedCluster

LATE = 120.0


@dataclass
class LateReaders:
    """They connect to every listener after every write."""

    cluster: WatchedCluster
    #: The readers that were refused, with the time.
    refused: list[str] = field(default_factory=list)
    #: Earlier ``ca.crt``, each with the time at which another took its place.
    _copies: list[tuple[float, bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cluster.memory.api.listeners.append(self)

    def __call__(self, change: Change) -> None:
        memory = self.cluster.memory
        if change.plural == "secrets" and change.name == CERTIFICATES:
            before, present = entries(change.old).get("ca.crt"), entries(change.new).get("ca.crt")
            if before and before != present:
                self._copies.append((memory.seconds, before))
        read = {
            self.cluster.secret(CERTIFICATES)["ca.crt"],
            *(pem for end, pem in self._copies if end > memory.seconds - LATE),
        }
        for process in memory.kubelet.processes.values():
            for _secret, chain in process.presented if process.component == "kafka" else ():
                clients = filter(None, (refused_by_a_client(chain, [anchor]) for anchor in read))
                self.refused += [
                    f"{client} by {process.pod} after {change.verb} of {change.name}" for client in clients
                ]
