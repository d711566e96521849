# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""When nodes re-read a change instead of being restarted (operator-facts, "The reload").

Only what concerns listeners. Raft clients and agents read at start: a new CA's first use takes a restart, or a bridge.
"""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bridges import is_bridge, is_crossed
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component, Snapshot


def may_reload(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether running nodes can be told, and asked what came of it: a skipped restart is earned by evidence."""
    return not why_restarted(snapshot, intent)


def why_restarted(snapshot: Snapshot, intent: Intent) -> str:
    """Why a change is spread by restarts, as a sentence; nothing where it is not."""
    if intent.spread is Spread.RESTART:
        return "spread=restart asks for it."
    if not snapshot.asked:
        return "the running nodes cannot be asked what they trust."
    return snapshot.unreloadable


def may_settle(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> bool:
    """Whether a CA takes the place of its bridge without a restart.

    All nodes present leaves of its key and trust it. The operator must find nothing to restart: its own revision of
    every pod has to be known.
    """
    return may_reload(snapshot, intent) and snapshot.unpredicted == () and _follows_its_bridge(snapshot, ledger)


def _follows_its_bridge(snapshot: Snapshot, ledger: Ledger) -> bool:
    if is_crossed(snapshot, ledger):
        return True
    current = snapshot.ca.current[0] if snapshot.ca.current else None
    return any(
        is_bridge(entry, ledger)
        and current is not None
        and current.self_issued
        and entry.certificate.public_key_sha256 == current.public_key_sha256
        for entry in ledger.entries
    )


def nodes_of(snapshot: Snapshot, uids: frozenset[str]) -> frozenset[str]:
    """Those of the pods that can re-read anything."""
    return frozenset(pod.uid for pod in snapshot.pods if pod.component is Component.KAFKA) & uids
