# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster as a flow on its clients CA sees it: brokers only verify, users present. The stages of a replacement of its key."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import Presenter, Renewal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    InPlaceObstacles,
    Pod,
    Snapshot,
)

from ...tools.support.certificates import Entity
from .authorities import NEW, OLD, names_of
from .builders import NAMES, cluster, others, prepared, secrets
from .ledgers import ALL, ANY, PHASE_OUT, UNTRUSTED, UNUSED, a_journal, entry, ledger
from .nodes import PODS, a_pod, uids_of

USER_OPERATOR, ORDERS, PAYMENTS = "the User Operator", "KafkaUser kafka/orders", "KafkaUser kafka/payments"
USER_NAMES = replace(NAMES, ca="clients CA", common_name="clients-ca", specification="spec.clientsCa")


def broker(name: str = PODS[0], **fields: Any) -> Pod:
    return a_pod(name, None, **{"leaves": (), "presents_stored": None, "verifies_only": True, **fields})


def presenter(name: str = ORDERS, issuer: Entity | None = OLD, **fields: Any) -> Presenter:
    """issuer: None where it is not known."""
    made = Presenter(name, names_of(issuer) if issuer else None, "Secret kafka/x", Renewal.ISSUED, remedy="Wait.")
    return replace(made, **fields)


def presenting(*users: Presenter, current: Entity = OLD) -> tuple[Presenter, ...]:
    """These, and the User Operator."""
    return (presenter(USER_OPERATOR, current, renewal=Renewal.AT_ONCE), *users)


def users(**fields: Any) -> Snapshot:
    """Without anything: OLD is in use, and nothing is to be done."""
    return cluster(**{
        "names": USER_NAMES, "pods": tuple(map(broker, PODS)), "leaves": (), "presenters": presenting(presenter(), presenter(PAYMENTS)),
        "in_place_obstacles": InPlaceObstacles(), **fields,
    })  # fmt: skip


def stages(old: Entity = OLD, new: Entity = NEW) -> dict[str, Snapshot]:
    """Of a replacement."""
    begun = a_journal(old=old, new=new)
    first, next_ = presenter(issuer=old), presenter(PAYMENTS, old)
    before: dict[str, Any] = {
        "ca": secrets(old, other_entries=others(new), prepared=(prepared(new),), kept_keys=names_of(new)),
        "presenters": presenting(first, next_, current=old),
    }
    after: dict[str, Any] = {
        "ca": secrets(
            new, other_entries=others(old), certificate_generation=1, key_generation=1, kept_keys=names_of(old)
        ),
    }
    behind = presenting(replace(first, is_outdated=True), replace(next_, is_outdated=True), current=new)
    issued = presenting(presenter(issuer=new), presenter(PAYMENTS, new), current=new)
    return {
        "published": users(
            ledger=ledger(entry(old, ALL, {0}), entry(new, UNTRUSTED, awaited_pods=uids_of()), journal=begun), **before
        ),
        "trusted": users(ledger=ledger(entry(old, ALL, {0}), entry(new, UNUSED), journal=begun), **before),
        "switched": users(
            ledger=ledger(entry(old, ANY, {0}), entry(new, ANY, {1}), journal=begun), presenters=behind, **after
        ),
        "issued": users(
            ledger=ledger(entry(old, PHASE_OUT, {0}), entry(new, ALL, {1}), journal=begun), presenters=issued, **after
        ),
    }  # fmt: skip


STAGES = stages()
