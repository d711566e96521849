# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster whose users get certificates of this collection, because an outside issuer keeps the key of the clients CA."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import Presenter
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    Snapshot,
    StoredLeaf,
)

from ...tools.support.certificates import Entity
from .authorities import NEW, OLD
from .builders import changed
from .nodes import a_leaf
from .of_users import ORDERS, PAYMENTS, STAGES, presenter, presenting
from .requested import elsewhere

AUDIT = "KafkaUser kafka/audit"
USERS = {"audit": AUDIT, "orders": ORDERS, "payments": PAYMENTS}


def user_leaf(name: str, issuer: Entity = OLD, generation: int | None = 0) -> StoredLeaf:
    return replace(a_leaf(name, issuer, generation), key="user.crt", component=Component.USER)


def user(name: str, issuer: Entity | None = OLD, **fields: Any) -> Presenter:
    return presenter(USERS[name], issuer, **{"secret": name, "is_outdated": issuer is OLD, **fields})


def served(stage: str, *of_next: str, missing: tuple[str, ...] = (), **fields: Any) -> Snapshot:
    """Three users at this stage. of_next: those that have certificates of the next CA. missing: those that have none."""
    have = {name: NEW if name in of_next else OLD for name in USERS if name not in missing}
    leaves = {name: user_leaf(name, issuer, 1 if issuer is NEW else 0) for name, issuer in have.items()}
    current = OLD if stage in ("published", "trusted") else NEW
    seen = presenting(
        *(user(name, issuer, is_outdated=issuer is not current) for name, issuer in have.items()), current=current
    )
    return elsewhere(
        changed(STAGES[stage], **{"user_leaves": {**leaves, **dict.fromkeys(missing)}, "presenters": seen, **fields})
    )
