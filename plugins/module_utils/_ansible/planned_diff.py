# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The diff of a call in check mode: public facts of each object as they are, and as the whole plan would leave them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from .._pki.certificates import Certificate, Chain
from .._trust.model.names import named
from .._trust.model.snapshot import Snapshot
from .._trust.plan.forecast import Forecast


def planned_diff(seen: Snapshot, planned: Forecast) -> list[dict[str, Any]]:
    """Every object that the plan writes to or restarts, in the form that ``--diff`` shows. A certificate that is yet to be made is told as such."""
    if planned.end is None:
        return []
    known = _certificates(seen)
    before, after = (_facts(one, known) for one in (seen, planned.end))
    for pod, times in Counter(pod for step in planned.steps for pod in (*step.nodes, *step.others)).items():
        after[seen.names.pod(pod)] = {"restarts": times}
    return [
        {"before_header": what, "after_header": what, "before": dict(was), "after": dict(will_be)}
        for what in dict.fromkeys((*before, *after))
        if (was := before.get(what, {})) != (will_be := after.get(what, {}))
    ]


def _certificates(snapshot: Snapshot) -> frozenset[Certificate]:
    ca, ledger = snapshot.ca, snapshot.ledger
    authorities = [
        ca.current,
        *ca.others.values(),
        *(one.chain for one in ca.prepared),
        *(one.chain for one in (ledger.entries if ledger else ())),
    ]
    leaves = [leaf.chain for leaf in snapshot.every_leaf if leaf.chain]
    return frozenset(chain[0] for chain in (*authorities, *leaves) if chain)


def _facts(snapshot: Snapshot, known: frozenset[Certificate]) -> dict[str, Mapping[str, Any]]:
    """Public facts by object. known: the certificates that exist."""

    def told(chain: Chain | None) -> str | None:
        if not chain:
            return None
        return named(chain[0]) if chain[0] in known else f"{chain[0].subject} (to be made)"

    ca, names, ledger = snapshot.ca, snapshot.names, snapshot.ledger
    found: dict[str, Mapping[str, Any]] = {
        names.kafka: {"generated": snapshot.reconciliation.generated},
        **{f"KafkaNodePool {names.namespace}/{pool}": {"replicas": size} for pool, size in snapshot.pools.replicas.items()},
        names.certificate_secret: {
            "ca.crt": told(ca.current), "beside it": sorted(filter(None, map(told, ca.others.values()))), "generation": ca.certificate_generation,
        },
        names.key_secret: {"prepared": sorted(filter(None, (told(one.chain) for one in ca.prepared))), "generation": ca.key_generation},
    }  # fmt: skip
    if ledger is not None:
        stop = ledger.journal.stop if ledger.journal else None
        states = {told(entry.chain) or "": entry.state.value for entry in ledger.entries}
        found[names.ledger] = {
            **states,
            "layout": ledger.layout.value,
            "stops after": stop.after.value if stop else None,
        }
    for leaf in snapshot.every_leaf:
        own = leaf.chain[0] if leaf.chain else None
        which = None if own is None else own.sha256[:12] if own in known else "to be issued"
        found[names.secret(leaf.secret)] = {
            "certificate": which, "issuer": own.issuer if own else None, "generation": leaf.generation,
        }  # fmt: skip
    return found
