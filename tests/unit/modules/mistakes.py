# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Making a cluster wrong, and what every refusal has in common: one exact message, and nothing is written."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey, load_key

from ...fakes.world import World
from .._pki.hierarchy import Entity
from . import stages
from .running import call

CERTIFICATES, KEYS, LEDGER = "demo-cluster-ca-cert", "demo-cluster-ca", "demo-cluster-ca-trusted-certs"
#: Every module that writes, as it is called for a replacement.
WRITERS = ("strimzi_ca", "strimzi_trusted_certs", "strimzi_roll", "strimzi_ee_cert", "strimzi_reconciliation")


def refused(world: World, message: str, goal: str = "replace_key", **options: Any) -> None:
    """Every writing module says this, and the API holds what it held."""
    before = world.api.snapshot()
    for module in WRITERS:
        ended = call(module, world, **stages.options_for(module, goal), **options)
        assert (module, ended.result["msg"]) == (module, message)
        assert (ended.code, ended.failed, ended.result["changed"]) == (1, True, False)
        assert ended.writes == []
    assert world.api.snapshot() == before


def told(world: World, message: str, remedy: str) -> None:
    """The info module tells the same without failing."""
    ended = call("strimzi_ca_info", world)
    assert not ended.failed
    assert [(found["message"], found["remedy"]) for found in ended.result["violations"]] == [(message, remedy)]


def put(
    world: World,
    plural: str,
    name: str,
    entries: Mapping[str, bytes | None] | None = None,
    annotations: Mapping[str, str | None] | None = None,
    **parts: Any,
) -> None:
    """Somebody else's edit: entries of a Secret, annotations, or any other part of an object."""
    root = "/apis/kafka.strimzi.io/v1" if plural == "kafkas" else "/api/v1"
    body: dict[str, Any] = {**parts, "metadata": {"annotations": dict(annotations or {})}}
    if entries:
        body["data"] = {key: value and base64.b64encode(value).decode() for key, value in entries.items()}
    path = f"{root}/namespaces/{world.namespace}/{plural}/{name}"
    answer = world.api.request("PATCH", path, body=body, content_type="application/merge-patch+json")
    assert answer.status == 200, answer.body


def entry(world: World, secret: str, key: str) -> bytes:
    found = world.api.find("secrets", world.namespace, secret)
    assert found is not None
    return base64.b64decode(found["data"][key])


def entries_of(world: World, secret: str) -> dict[str, bytes]:
    found = world.api.find("secrets", world.namespace, secret)
    assert found is not None
    return {key: base64.b64decode(value) for key, value in found["data"].items()}


def signing_key(world: World) -> PrivateKey:
    return load_key(entry(world, KEYS, "ca.key"))


def use_authority(world: World, *chain: Entity, key: PrivateKey | None = None) -> None:
    """Put another CA in its place, as a user would who knows about generations."""
    content = b"".join(entity.certificate.pem for entity in chain)
    put(world, "secrets", CERTIFICATES, {"ca.crt": content}, {"strimzi.io/ca-cert-generation": "7"})
    put(world, "secrets", KEYS, {"ca.key": (key or chain[0].key).reveal()})
