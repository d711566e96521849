# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of users that log in to a cluster, watched after every single write: does each broker accept each of them?

An independent observer, as ``checker`` is for the nodes: it reads the API server and what the processes really loaded, and validates
with OpenSSL.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .breaches import Breach, InvariantBroken
from .checker import entries
from .memory_api import Change
from .memory_cluster import MemoryCluster
from .verification import verifies


@dataclass
class UserPrograms:
    """Every user logs in with what its Secret contains at this moment."""

    memory: MemoryCluster
    #: And some with what it contained when they were started.
    started: dict[str, bytes] = field(default_factory=dict)
    #: How often programs logged in. Nor may a certificate be replaced by an empty one.
    logins: int = 0

    def __post_init__(self) -> None:
        self.memory.api.listeners.append(self._after)

    def look_away(self) -> None:
        """From here on logins are not watched: another program, or the user, gives them up."""
        self.memory.api.listeners.remove(self._after)

    def start(self, program: str, user: str) -> None:
        """It reads the Secret now, and never again."""
        self.started[program] = self.stored()[user]

    def stop(self, program: str) -> None:
        del self.started[program]

    def stored(self) -> dict[str, bytes]:
        """The certificates of the users, by name."""
        users = (user["metadata"]["name"] for user in self.memory.api.all("kafkausers", self.memory.namespace))
        found = {user: entries(self.memory.api.find("secrets", self.memory.namespace, user)) for user in users}
        return {user: content["user.crt"] for user, content in found.items() if content.get("user.crt")}

    def _after(self, change: Change) -> None:
        if change.plural not in ("secrets", "pods"):
            return
        if entries(change.old).get("user.crt") and entries(change.new).get("user.crt") == b"":
            raise InvariantBroken(Breach("certificates", "user {} has lost its certificate", (change.name,)))
        brokers = [process for process in self.memory.kubelet.processes.values() if process.users]
        for who, leaf in {**self.stored(), **self.started}.items():
            for broker in brokers:
                self.logins += 1
                if not verifies(leaf, broker.users):
                    where = f"after {change.verb} of {change.plural}/{change.name}"
                    raise InvariantBroken(Breach("logins", "broker {} does not accept {}", (broker.pod, who)), where)
