# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster whose clients CA is worked on: with users, and a User Operator that issues their certificates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind

from ..operator import certs
from ..operator.user_operator import UserOperatorDouble
from .ledgers import about
from .user_programs import UserPrograms
from .users import kafka_user
from .watched_cluster import CLUSTER, NAMESPACE, Object, WatchedCluster, fingerprints

CERTIFICATES, KEYS, LEDGER = "demo-clients-ca-cert", "demo-clients-ca", "demo-clients-ca-trusted-certs"


@dataclass
class ClientsCluster(WatchedCluster):
    #: Whether a User Operator runs and issues certificates.
    users_run: bool = True
    #: The CA that flows are about.
    ca: CaKind = CaKind.CLIENTS
    users: UserOperatorDouble = field(init=False)
    programs: UserPrograms = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        release = self.memory.operator.release
        self.users = UserOperatorDouble(self.memory.api, NAMESPACE, CLUSTER, release=release)
        self.programs = UserPrograms(self.memory)
        self.memory.neighbours.append(self._issue)

    def _issue(self) -> None:
        if self.users_run and self.memory.api.find("secrets", NAMESPACE, CERTIFICATES):
            self.users.reconcile()

    def begin(self, *names: str, generated: bool = False, manifests: list[Object] | None = None) -> None:
        """A cluster with these users, whose certificates are issued; generated: whether the operator keeps the clients CA."""
        users = names or ("orders", "payments")
        if self._is_usual and self.users_run and not manifests:
            told = (self._kind, users, generated, self.users.keystores, self.users.prefix)
            self.copy_of(repr(told), lambda: self._begin(users, generated, {}))
            # Each was issued a certificate.
            self.users.issued = list(users)
        else:
            self._begin(users, generated, {"manifests": manifests} if manifests else {})
        self.look_away()

    def _begin(self, users: tuple[str, ...], generated: bool, manifests: dict[str, Any]) -> None:
        about, self.ca = self.ca, CaKind.CLUSTER
        self.create(**manifests)
        self.ca = about
        self.add(*users)
        if not generated:
            self.change("kafkas", CLUSTER, {"spec": {"clientsCa": {"generateCertificateAuthority": False}}})
            self.memory.settle(1)

    def add(self, *names: str, kind: str = "tls") -> None:
        self.memory.apply(*(kafka_user(name, NAMESPACE, kind) for name in names))
        self.memory.settle(1)

    def work(self, supplied: Any = None, transport: Any = None) -> Work:
        work = super().work(supplied, transport)
        work.scope = work.scope.of(self.ca)
        return work

    def _find_ledger(self, name: str) -> Object | None:
        return about(self.ca.value, super()._find_ledger)(name)

    @property
    def current(self) -> str:
        return fingerprints(self.secret(CERTIFICATES)["ca.crt"])[0]

    @property
    def accepted(self) -> set[str]:
        """The CAs by which any broker verifies users."""
        found = (process.users for process in self.memory.kubelet.processes.values() if process.users)
        return {fingerprint for users in found for fingerprint in fingerprints(users)}

    def marks(self, user: str) -> dict[str, str]:
        """The annotations of a KafkaUser."""
        found = self.memory.api.find("kafkausers", NAMESPACE, user) or {"metadata": {}}
        return found["metadata"].get("annotations") or {}

    def issuers(self) -> set[str]:
        """Subjects of the CAs that signed certificates of users."""
        return {certs.load(pem)[0].issuer.rfc4514_string() for pem in self.programs.stored().values()}
