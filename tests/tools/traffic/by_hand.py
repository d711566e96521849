# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of Strimzi's documentation when certificates have ended: "Manually recovering from expired Cluster Operator-managed CA certificates", and for a CA
of one's own "Renewing your own CA certificates" in the place of its first steps. They follow at once upon each other: a person also reads and types.
"""

from __future__ import annotations

import base64
from datetime import datetime, timedelta, timezone

from ...kafka.aged_leaves import renewed_authority
from ...kafka.tier import Tier
from ..cluster.kube import wait_for

_GENERATION = "strimzi.io/ca-cert-generation"
#: Seconds that an operator may take to do its part.
_OPERATOR = 300.0


def recover_leaves(tier: Tier) -> None:
    """Delete the Secrets with the certificates of the nodes, wait until the operator has made them again, and delete all pods of nodes."""
    before = tier.cluster.node_uids(tier.name)
    for node in before:
        tier.delete("secrets", node)
    wait_for(lambda: all(_is_served(tier, node) for node in before), "Secrets of the nodes", _OPERATOR)
    for node in tier.cluster.node_uids(tier.name):
        tier.delete("pods", node)
    tier.await_restarts(before, 2 * _OPERATOR)


def recover_authority(tier: Tier) -> None:
    """Put a CA certificate of the same key there, with the next generation; then as above."""
    name = f"{tier.name}-cluster-ca-cert"
    generation = int(tier.cluster.get("secrets", name)["metadata"]["annotations"][_GENERATION]) + 1
    made = renewed_authority(tier, datetime.now(timezone.utc) + timedelta(days=365))
    body = {
        "metadata": {"annotations": {_GENERATION: str(generation)}},
        "data": {"ca.crt": base64.b64encode(made).decode()},
    }
    tier.patch("secrets", name, body)
    recover_leaves(tier)


def _is_served(tier: Tier, node: str) -> bool:
    if tier.cluster.find("secrets", node) is None:
        return False
    return tier.node_chain(node)[0].not_valid_after_utc > datetime.now(timezone.utc) + timedelta(days=1)
