# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods by keyword, and the leaves that are stored for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Pod, StoredLeaf

from ...tools.support.certificates import Entity
from .authorities import OLD, stored_chain

PODS = ("demo-nodes-0", "demo-nodes-1", "demo-nodes-2")


def hashes_of(issuer: Entity, *pod_names: str) -> frozenset[str]:
    """The annotations of pods that were started with leaves of this CA; of all nodes where none is named."""
    return frozenset(f"{name}, of {issuer.certificate.sha256[:8]}" for name in pod_names or PODS)


def hash_of(issuer: Entity, pod_name: str) -> str:
    (found,) = hashes_of(issuer, pod_name)
    return found


def uid_of(pod_name: str, start: int = 0) -> str:
    return f"{pod_name}#{start}"


def uids_of(*pod_names: str, start: int = 0) -> frozenset[str]:
    return frozenset(uid_of(name, start) for name in pod_names or PODS)


def a_pod(name: str = PODS[0], generation: int | None = 0, *, start: int = 0, **fields: Any) -> Pod:
    """start: how often it was replaced; each time it gets another UID."""
    made = Pod(name, uid_of(name, start), Component.KAFKA, generation, leaves=(name,), presents_stored=True)
    return replace(made, **fields)


def pods(generation: int | None = 0, *, start: int = 0, names: Iterable[str] = PODS) -> tuple[Pod, ...]:
    return tuple(a_pod(name, generation, start=start) for name in names)


def a_leaf(name: str = PODS[0], issuer: Entity = OLD, generation: int | None = 0, **fields: Any) -> StoredLeaf:
    made = StoredLeaf(name, f"{name}.crt", Component.KAFKA, stored_chain(issuer), generation)
    return replace(made, **fields)


def leaves(issuer: Entity = OLD, generation: int | None = 0, *, names: Iterable[str] = PODS) -> tuple[StoredLeaf, ...]:
    return tuple(a_leaf(name, issuer, generation) for name in names)
