# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Making a cluster wrong, and what every refusal has in common: one exact message, and nothing is written."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey, load_key

from ...tools.support.certificates import Entity
from ...tools.support.memory_cluster import MemoryCluster
from .running import Ended, call
from .stages import FAST

CERTIFICATES, KEYS, LEDGER = "demo-cluster-ca-cert", "demo-cluster-ca", "demo-cluster-ca-trusted-certs"
#: Every module that takes part in a flow, and writes.
WRITERS = ("strimzi_ca", "strimzi_trusted_certs", "strimzi_roll", "strimzi_ee_cert")


#: Gate and subject of a violation.
Finding = tuple[str, str]


def refused(
    memory: MemoryCluster, message: str, state: str = "replaced", by: Iterable[str] = WRITERS, **options: Any
) -> None:
    """Each of these modules says this, and the API holds what it held. state: what strimzi_ca is asked for."""
    for ended in _refusals(memory, state, by, options):
        assert ended.result["msg"] == message


def held(
    memory: MemoryCluster, *findings: Finding, state: str = "replaced", by: Iterable[str] = WRITERS, **options: Any
) -> None:
    """These gates hold each of these modules, whose message has each violation in full, and the API holds what it held."""
    for ended in _refusals(memory, state, by, options):
        assert found(ended) == list(findings)
        parts = [
            one[part] for one in ended.result["violations"] for part in ("subject", "message", "remedy", "command")
        ]
        assert [part for part in parts if part not in ended.result["msg"]] == []


def held_and_shown(memory: MemoryCluster, *findings: Finding, **options: Any) -> None:
    """The info module shows the same violations without failing."""
    held(memory, *findings, **options)
    ended = call("strimzi_ca_info", memory)
    assert (ended.failed, found(ended)) == (False, list(findings))


def found(ended: Ended) -> list[Finding]:
    return [(one["gate"], one["subject"]) for one in ended.result["violations"]]


def _refusals(memory: MemoryCluster, state: str, by: Iterable[str], options: Mapping[str, Any]) -> Iterator[Ended]:
    before = memory.api.but_events()
    for module in by:
        ended = call(module, memory, **({"state": state, **FAST} if module == "strimzi_ca" else {}), **options)
        assert (module, ended.code, ended.failed, ended.result["changed"], ended.writes) == (module, 1, True, False, [])
        yield ended
    assert memory.api.but_events() == before


def told(memory: MemoryCluster, message: str, remedy: str) -> None:
    """The info module tells the same without failing."""
    ended = call("strimzi_ca_info", memory)
    assert not ended.failed
    assert [(found["message"], found["remedy"]) for found in ended.result["violations"]] == [(message, remedy)]


def put(
    memory: MemoryCluster,
    plural: str,
    name: str,
    entries: Mapping[str, bytes | None] | None = None,
    annotations: Mapping[str, str | None] | None = None,
    labels: Mapping[str, str | None] | None = None,
    **parts: Any,
) -> None:
    """An edit by a user: entries of a Secret, annotations, labels, or any other part of an object."""
    root = "/apis/kafka.strimzi.io/v1" if plural == "kafkas" else "/api/v1"
    body: dict[str, Any] = {**parts, "metadata": {"annotations": dict(annotations or {}), "labels": dict(labels or {})}}
    if entries:
        body["data"] = {key: value and base64.b64encode(value).decode() for key, value in entries.items()}
    path = f"{root}/namespaces/{memory.namespace}/{plural}/{name}"
    answer = memory.api.request("PATCH", path, body=body, content_type="application/merge-patch+json")
    assert answer.status == 200, answer.body


def entry(memory: MemoryCluster, secret: str, key: str) -> bytes:
    found = memory.api.find("secrets", memory.namespace, secret)
    assert found is not None
    return base64.b64decode(found["data"][key])


def entries_of(memory: MemoryCluster, secret: str) -> dict[str, bytes]:
    found = memory.api.find("secrets", memory.namespace, secret)
    assert found is not None
    return {key: base64.b64decode(value) for key, value in found["data"].items()}


def signing_key(memory: MemoryCluster) -> PrivateKey:
    return load_key(entry(memory, KEYS, "ca.key"))


def use_authority(memory: MemoryCluster, *chain: Entity, key: PrivateKey | None = None) -> None:
    """Put another CA in its place, as a user would who knows about generations, in a cluster that was not adopted."""
    swap_authority(memory, *chain, key=key)
    memory.api.request("DELETE", f"/api/v1/namespaces/{memory.namespace}/secrets/{LEDGER}")


def swap_authority(memory: MemoryCluster, *chain: Entity, key: PrivateKey | None = None) -> None:
    """The same where there is a ledger."""
    content = b"".join(entity.certificate.pem for entity in chain)
    put(memory, "secrets", CERTIFICATES, {"ca.crt": content}, {"strimzi.io/ca-cert-generation": "7"})
    put(memory, "secrets", KEYS, {"ca.key": (key or chain[0].key).reveal()})


def is_paused(memory: MemoryCluster) -> bool:
    """Whether the operator is paused."""
    kafka = memory.api.find("kafkas", memory.namespace, memory.cluster) or {"metadata": {}}
    return "strimzi.io/pause-reconciliation" in (kafka["metadata"].get("annotations") or {})
