# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The bundle of all trusted CAs for clients: it is ahead of every broker, and behind every removal."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bookkeeping import is_projected
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bridges import is_bridge
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger, LedgerEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Publish, Step


def publish(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> tuple[Step, ...]:
    """The published bundle holds the CAs that processes read; once there is one it is kept, whoever runs the flow."""
    if not _is_wanted(snapshot, intent) or not snapshot.ca.current:
        return ()
    # A bridge is for being presented: a client that knows its root gains nothing, and could be led past that.
    chains = tuple(
        entry.chain
        for entry in ledger.entries
        if is_projected(snapshot, entry.fingerprint) and not is_bridge(entry, ledger)
    )
    wanted = frozenset(certificate.fingerprint for chain in chains for certificate in chain)
    if not chains or snapshot.published == wanted:
        return ()
    growing = snapshot.published is None or bool(wanted - snapshot.published)
    return (Publish(chains, Phase.PREPARE if growing else Phase.RETIRE),)


def is_published(snapshot: Snapshot, intent: Intent, entry: LedgerEntry) -> bool:
    """Whether clients could have this CA: the gate before a broker presents it (I3, clients outside the cluster)."""
    if not _is_wanted(snapshot, intent):
        return True
    published = snapshot.published or frozenset()
    return all(certificate.fingerprint in published for certificate in entry.chain)


def _is_wanted(snapshot: Snapshot, intent: Intent) -> bool:
    return intent.publish or snapshot.published is not None
