# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost of each flow, in one table for all tests (docs/flows.md, "Flows").

It is the cost of a whole flow, on a cluster that no other client touches. Pods of Deployments keep no state and are not counted.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    #: The restarts of each Kafka node.
    restarts: int
    #: The pauses of the operator.
    pauses: int = 0
    #: How often each node reads its certificates again.
    reloads: int = 0

    def __add__(self, other: Cost) -> Cost:
        """The cost of one flow after another."""
        return Cost(self.restarts + other.restarts, self.pauses + other.pauses, self.reloads + other.reloads)


@dataclass(frozen=True)
class _Row:
    #: The cost where nodes can reload.
    reload: Cost
    #: The cost where nodes cannot reload, or the caller asks for restarts; None: nothing is done then.
    restart: Cost | None


_FREE = _Row(Cost(0), Cost(0))
#: By flow and circumstance.
_TABLE = {
    ("create", ""): _FREE,
    ("upgrade", ""): _FREE,
    ("downgrade", ""): _FREE,
    # Channels that have read nothing again present leaves that the operator would not know of.
    ("downgrade", "after a renewal"): _Row(Cost(1), Cost(0)),
    # Where another tool has replaced the CA.
    ("downgrade", "the key generation is behind"): _Row(Cost(0, pauses=1), Cost(1, pauses=1)),
    ("renew", ""): _Row(Cost(0, pauses=2, reloads=1), Cost(1, pauses=2)),
    ("renew", "ended"): _Row(Cost(0, pauses=2, reloads=1), Cost(1, pauses=2)),
    ("renew_leaves", ""): _Row(Cost(0, pauses=1, reloads=1), Cost(1)),
    # With both link certificates behind them.
    ("renew_leaves", "after a replacement"): _Row(Cost(0, pauses=1, reloads=1), Cost(1)),
    ("replace_key", ""): _Row(Cost(1, pauses=1, reloads=1), Cost(2, pauses=1)),
    # A CA that allows none below it is renewed, and makes room for the link certificate.
    ("replace_key", "renewed first"): _Row(Cost(1, pauses=3, reloads=2), Cost(3, pauses=3)),
    # Without time for clients it is not: the exporter, which would refuse the link certificate, restarts first.
    ("replace_key", "at once"): _Row(Cost(1, pauses=1, reloads=1), Cost(2, pauses=1)),
    ("replace_key", "unlinked"): _Row(Cost(2, pauses=2, reloads=1), Cost(3, pauses=2)),
    # A CA that has ended certifies no other.
    ("replace_key", "ended"): _Row(Cost(2, pauses=2, reloads=1), Cost(3, pauses=2)),
    # Until there is nothing to do but to wait for restarts, and what is left when each node had one.
    ("replace_key", "when_restarted"): _Row(Cost(0, pauses=1, reloads=1), None),
    ("replace_key", "when_restarted, renewed first"): _Row(Cost(0, pauses=3, reloads=2), None),
    ("replace_key", "when_restarted, unlinked"): _Row(Cost(1, pauses=1, reloads=1), None),
    # Where processes do not verify each other as clients, only a restart shows that a node has forgotten a CA.
    ("replace_key", "one-way"): _Row(Cost(2, pauses=1), Cost(2, pauses=1)),
    ("replace_key", "one-way, unlinked"): _Row(Cost(3, pauses=2), Cost(3, pauses=2)),
    ("replace_key", "when_restarted, one-way"): _Row(Cost(0, pauses=1, reloads=1), None),
    # Without TLS between processes there is nothing to forget, and listeners read everything again.
    ("replace_key", "plain"): _Row(Cost(0, pauses=2, reloads=1), Cost(2, pauses=1)),
    ("replace_key", "plain, unlinked"): _Row(Cost(0, pauses=2, reloads=1), Cost(1, pauses=2)),
    ("replace_key", "when_restarted, plain"): _Row(Cost(0, pauses=2, reloads=1), None),
    ("reconcile", "all have restarted"): _Row(Cost(0, pauses=1, reloads=1), Cost(1, pauses=1)),
    # The same where the rest of the nodes is restarted after all.
    ("reconcile", "restarted at last"): _Row(Cost(1, pauses=1, reloads=1), Cost(2, pauses=1)),
}  # fmt: skip


def cost_of(flow: str, circumstance: str = "", *, reload: bool) -> Cost:
    """Raises LookupError for what is not in the table, or is not done without a reload."""
    row = _TABLE[str(getattr(flow, "value", flow)), circumstance]
    cost = row.reload if reload else row.restart
    if cost is None:
        raise LookupError(f"{flow}, {circumstance}: held where nodes cannot be told to read again")
    return cost
