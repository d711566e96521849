# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The answers of running nodes as results of modules: each TLS listener is a party of its own."""

from __future__ import annotations

from typing import Any

from .._trust.evidence.live import present_live
from .._trust.evidence.stored import present_as_stored, presenting_pods
from .._trust.ledger.enrolment import as_seen
from .._trust.model.ledger import Ledger
from .._trust.model.listeners import ObservedListener
from .._trust.model.names import named
from .._trust.model.snapshot import Snapshot
from .results import label


def describe_listeners(snapshot: Snapshot | None) -> list[dict[str, Any]]:
    """The answers of the listeners. snapshot: of the last look; None where no node was asked."""
    if snapshot is None:
        return []
    ledger = as_seen(snapshot)
    known = [*(entry.certificate for entry in ledger.entries), *(removed.certificate for removed in ledger.removed)]
    names = {certificate.fingerprint: label(certificate) for certificate in known}
    issuers = _issuers(snapshot, ledger)
    return [
        _listener(one, names, *issuers.get((one.uid, one.port), ((), ""))) for one in snapshot.nodes.listeners or ()
    ]


def _listener(one: ObservedListener, names: dict[str, str], issuers: tuple[str, ...], unclear: str) -> dict[str, Any]:
    return {
        "pod": one.pod,
        "uid": one.uid,
        "port": one.port,
        "verifies": one.verifies,
        "presents": [named(certificate) for certificate in one.presents or ()],
        "issuers": [names[fingerprint] for fingerprint in issuers],
        "trusts": sorted(names[fingerprint] for fingerprint in one.accepts if fingerprint in names),
        "refuses": sorted(names[fingerprint] for fingerprint in one.refuses if fingerprint in names),
        "why": sorted({why for why in (one.why, unclear, *one.doubts.values()) if why}),
    }


def _issuers(snapshot: Snapshot, ledger: Ledger) -> dict[tuple[str, int], tuple[tuple[str, ...], str]]:
    """By UID and port, the CAs that issued the presented certificate, or why they are not known. Stored evidence tells
    apart CAs with the same key.
    """
    found = {}
    for pod, stored in zip(presenting_pods(snapshot), present_as_stored(snapshot, ledger), strict=True):
        for one in snapshot.listeners_by_uid.get(pod.uid, ()):
            seen = present_live(pod, one.port, stored, snapshot.listeners_by_uid[pod.uid], ledger)
            unclear = seen.why if seen.authorities is None else ""
            found[(pod.uid, one.port)] = (tuple(sorted(seen.authorities or ())), unclear)
    return found
