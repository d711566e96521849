# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""What every pod presents and trusts: stored evidence, and what was seen of its listeners where somebody looked.

A pod that nobody got an answer from, or whose answer contradicts what is stored, is UNKNOWN (I5).
"""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust import evidence
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence import Presentation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger, RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.observed import (
    Acceptance,
    ObservedListener,
    accepts_live,
    present_live,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component, Pod, Snapshot


def present_all(snapshot: Snapshot, ledger: Ledger) -> tuple[Presentation, ...]:
    """What each pod presents, in their order."""
    stored = evidence.present_all(snapshot, ledger)
    if snapshot.listeners is None:
        return stored
    return tuple(
        _present(pod, seen, _listeners(pod, snapshot), ledger) if _has_listeners(pod) else seen
        for pod, seen in zip(snapshot.pods, stored, strict=True)
    )


def trusted_by(pod: Pod, snapshot: Snapshot, ledger: Ledger) -> tuple[Certificate, ...]:
    """The CAs that a pod is known to trust: since it started, and by its own answer where it was asked."""
    known = evidence.trusted_by(pod.uid, ledger)
    if snapshot.listeners is None or not _has_listeners(pod):
        return known
    return tuple(one for one in known if _accepts(pod, one.fingerprint, True, snapshot).trusted)


def still_trusting(removed: RemovedEntry, snapshot: Snapshot) -> frozenset[str]:
    """UIDs of the pods whose listeners may trust a removed CA; one that was asked has to have refused it."""
    waiting = removed.awaiting & snapshot.uids
    if snapshot.listeners is None:
        return waiting
    asked = {pod.uid for pod in snapshot.pods if _has_listeners(pod)}
    refusing = {
        pod.uid
        for pod in snapshot.pods
        if pod.uid in asked and _accepts(pod, removed.fingerprint, None, snapshot).trusted is False
    }
    return (waiting | asked) - refusing


def presenting_stored(snapshot: Snapshot) -> frozenset[str]:
    """UIDs of the nodes of which every listener was seen to present the leaf that is stored now."""
    stored = {leaf.secret: leaf.chain[0] for leaf in snapshot.leaves if leaf.chain}
    return frozenset(
        pod.uid
        for pod in snapshot.pods
        if (seen := _listeners(pod, snapshot))
        and all(one.presents and one.presents[0] in {stored.get(name) for name in pod.leaves} for one in seen)
    )


def doubts(snapshot: Snapshot, ledger: Ledger) -> tuple[str, ...]:
    """Why it is not known of some pods whether they trust a CA that they should, as sentences."""
    if snapshot.listeners is None:
        return ()
    answers = [
        _accepts(pod, known.fingerprint, True, snapshot)
        for pod in snapshot.pods
        if _has_listeners(pod)
        for known in evidence.trusted_by(pod.uid, ledger)
    ]
    return tuple(sorted({answer.why for answer in answers if not answer.trusted}))


def _has_listeners(pod: Pod) -> bool:
    return pod.component is Component.KAFKA


def _listeners(pod: Pod, snapshot: Snapshot) -> tuple[ObservedListener, ...]:
    return snapshot.listeners_by_uid.get(pod.uid, ())


def _accepts(pod: Pod, fingerprint: str, stored: bool | None, snapshot: Snapshot) -> Acceptance:
    asked = [one for one in _listeners(pod, snapshot) if one.verifies]
    return accepts_live(pod, sorted({one.port for one in asked}), fingerprint, stored, asked)


def _present(pod: Pod, stored: Presentation, listeners: tuple[ObservedListener, ...], ledger: Ledger) -> Presentation:
    ports = sorted({one.port for one in listeners})
    if not ports:
        return Presentation(pod.name, None, (), f"no listener of pod {pod.name} was asked")
    found = [present_live(pod, port, stored, listeners, ledger) for port in ports]
    unknown = next((one for one in found if one.authorities is None), None)
    if unknown is not None:
        return Presentation(pod.name, None, (), unknown.why)
    authorities = frozenset(name for one in found for name in one.authorities or ())
    chains = tuple(dict.fromkeys(chain for one in found for chain in one.chains))
    return Presentation(pod.name, authorities, chains, "handshake")
