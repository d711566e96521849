# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users of a cluster as the User Operator leaves them (docs/operator.md, "Users")."""

from __future__ import annotations

import base64
from datetime import datetime, timedelta, timezone
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import load_key

from .certificates import Entity, key, make

Object = dict[str, Any]

CERTIFICATE_SECRET, KEY_SECRET = "demo-clients-ca-cert", "demo-clients-ca"
DAY = timedelta(days=1)


def entries(secret: Object) -> dict[str, bytes]:
    return {name: base64.b64decode(value) for name, value in secret["data"].items()}


def clients_ca(certificates: Object, keys: Object) -> Entity:
    """The CA in the two Secrets of a cluster."""
    return Entity(parse_certificates(entries(certificates)["ca.crt"])[0], load_key(entries(keys)["ca.key"]))


def kafka_user(name: str, namespace: str = "kafka", kind: str = "tls") -> Object:
    return {
        "apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaUser",
        "metadata": {"name": name, "namespace": namespace, "labels": {"strimzi.io/cluster": "demo"}},
        "spec": {"authentication": {"type": kind}},
    }  # fmt: skip


def user_secret(
    name: str, issuer: Entity, current: Entity, now: datetime, namespace: str = "kafka", days: int = 90
) -> Object:
    """With a certificate for so many days from now. current: the CA whose certificate lies beside it."""
    leaf = make(name, key(31), issuer, ca=False, begin=now - DAY, end=now + days * DAY)
    content = {"ca.crt": current.certificate.pem, "user.crt": leaf.certificate.pem, "user.key": key(31).reveal()}
    return {
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
        "metadata": {
            "name": name, "namespace": namespace,
            "labels": {"strimzi.io/kind": "KafkaUser", "strimzi.io/cluster": "demo"},
        },
        "data": {entry: base64.b64encode(value).decode() for entry, value in content.items()},
    }  # fmt: skip


def added_clients_ca(namespace: str) -> Object:
    """A patch of the certificate Secret with a further CA, as an administrator publishes the next CA."""
    now = datetime.now(timezone.utc)
    further = make("clients-ca v9", key(32), begin=now - DAY, end=now + 100 * DAY).certificate.pem
    return {
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": CERTIFICATE_SECRET, "namespace": namespace},
        "data": {"next.crt": base64.b64encode(further).decode()},
    }  # fmt: skip
