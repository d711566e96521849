# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters with a CA whose key an outside issuer keeps, and what is known of requests for its leaves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import Failure, LeafRequest
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ...tools.support.certificates import HOUR, NOW, Entity
from .authorities import NEW, name_of, stored_chain
from .builders import changed
from .nodes import PODS

ISSUER = "the external issuer"
REFUSED = Failure(1, NOW - HOUR / 2, "The certificate that came back is refused: it expired. Correct the issuer.")


def elsewhere(snapshot: Snapshot, *authorities: Entity) -> Snapshot:
    """An outside issuer keeps the keys of these CAs; of NEW where none is named."""
    keys = {one.certificate.public_key_sha256 for one in authorities or (NEW,)}
    prepared = tuple(replace(one, key_is_elsewhere=one.key in keys) for one in snapshot.ca.prepared)
    return snapshot.with_ca(keys_elsewhere=frozenset(keys), prepared=prepared)


def a_request(name: str = PODS[0], issuer: Entity = NEW, **fields: Any) -> LeafRequest:
    """Open, without an answer."""
    return replace(LeafRequest(name, ISSUER, name_of(issuer), NOW - HOUR), **fields)


def answered(name: str = PODS[0], issuer: Entity = NEW, *, recorded: bool = True) -> LeafRequest:
    """recorded: it is at hand."""
    return a_request(name, issuer, answer=stored_chain(issuer), is_open=False, is_recorded=recorded)


def refused(
    name: str = PODS[0], issuer: Entity = NEW, *, recorded: bool = True, at: datetime = REFUSED.at
) -> LeafRequest:
    return a_request(name, issuer, failure=replace(REFUSED, at=at), is_open=False, is_recorded=recorded)


def with_requests(snapshot: Snapshot, *requests: LeafRequest) -> Snapshot:
    return changed(snapshot, requests={one.secret: one for one in requests})


def at_hand(snapshot: Snapshot, issuer: Entity = NEW, names: Iterable[str] = PODS) -> Snapshot:
    return with_requests(snapshot, *(answered(name, issuer) for name in names))
