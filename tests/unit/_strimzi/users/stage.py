# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users of a cluster, their Secrets, and the programs that read them, made one by one."""

from __future__ import annotations

from functools import cache
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.readers import Reader
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.reading import read_users
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.users import User, Users
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    NamedPlaces,
)

from ....tools.operator import certs
from ....tools.support.certificates import NOW, Entity, key, make
from ..bench import SCOPE, Bench, Object, conditions, kafka, pem, secret

OLD, NEW = make("clients-ca v0", key(0)), make("clients-ca v1", key(1))
STRANGER = make("clients-ca v0", key(2))
USER_LABELS = {"strimzi.io/kind": "KafkaUser"}


def of(issuer: Entity, name: str = "orders", number: int = 5, **options: object) -> Entity:
    return make(name, key(number), issuer, ca=False, **options)


@cache
def keystore(leaf: Entity) -> bytes:
    return certs.keystore("user", pem(leaf), leaf.key.reveal(), b"secret")


class Stage(Bench):
    """A cluster whose clients CA was replaced by hand: NEW issues, OLD is trusted beside it."""

    def __init__(self, operator: Object | None = None) -> None:
        super().__init__()
        self.create("kafkas", kafka(entityOperator={"userOperator": {} if operator is None else operator}))
        stored = {"ca.crt": pem(NEW), "ca-2027-01-01T00-00-00Z.crt": pem(OLD)}
        self.create("secrets", secret(SCOPE.of(CaKind.CLIENTS).ca_certificate_secret, stored))

    def user(self, name: str = "orders", kind: str = "tls", cluster: str = "demo", **annotations: str) -> None:
        metadata = {"name": name, "labels": {"strimzi.io/cluster": cluster}, "annotations": annotations}
        body = {
            "metadata": metadata,
            "spec": {"authentication": {"type": kind}},
            "status": {"conditions": conditions("Ready")},
        }
        self.create("kafkausers", body)

    def issue(self, leaf: Entity, name: str = "orders", **entries: bytes | None) -> None:
        """entries: other than usual, with _ for a full stop; None takes one away."""
        changed = {entry.replace("_", "."): content for entry, content in entries.items()}
        usual = {
            "ca.crt": pem(NEW),
            "user.crt": pem(leaf),
            "user.key": leaf.key.reveal(),
            "user.p12": keystore(leaf),
            "user.password": b"secret",
            **changed,
        }
        data = {entry: content for entry, content in usual.items() if content is not None}
        self.create("secrets", secret(name, data, labels=USER_LABELS))

    def see(self, **asked: Any) -> Users:
        return read_users(self.client(), SCOPE, NOW, NamedPlaces(**asked))

    def in_another(self, namespace: str, plural: str, body: Object) -> None:
        root = {
            **dict.fromkeys(("kafkas", "kafkausers"), "/apis/kafka.strimzi.io/v1"),
            "kafkaaccesses": "/apis/access.strimzi.io/v1alpha1",
        }
        path = f"{root.get(plural, '/api/v1')}/namespaces/{namespace}/{plural}"
        assert self.api.request("POST", path, body=body).status == 201

    def seen(self) -> User:
        (user,) = self.see().users
        return user

    def pod(self, name: str, spec: Object, phase: str = "Running") -> None:
        self.create("pods", {"metadata": {"name": name}, "spec": spec, "status": {"phase": phase}})

    def readers_of_user(self) -> tuple[Reader, ...]:
        users = self.see()
        (user,) = users.users
        return users.readers_of(user.secret_key)

    def readers(self) -> list[str]:
        return [reader.name for reader in self.readers_of_user()]


def one_user(leaf: Entity | None = None, **entries: bytes | None) -> Stage:
    stage = Stage()
    stage.user()
    stage.issue(leaf or of(NEW), **entries)
    return stage


def mounting(name: str, secret: str) -> Object:
    volumes = [{"name": "tls", "secret": {"secretName": secret}}]
    return {"metadata": {"name": name}, "spec": {"volumes": volumes, "containers": [{}]}}
