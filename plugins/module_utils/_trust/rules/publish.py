# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "Publish": every CA of the ledger is where processes and clients read it."""

from __future__ import annotations

from ..ledger.projection import is_projected
from ..ledger.wish import wish_of
from ..model.goals import Phase
from ..model.ledger import LedgerEntry
from ..model.states import TrustState
from ..model.steps.base import Steps
from ..model.steps.trust import AwaitBundle, Project, Publish, WriteBundle
from .pause import pause_first
from .situation import Situation


def project(at: Situation) -> Steps:
    """Every CA of the ledger is in the certificate Secret; a CA on its way out only if it is needed again. One that has just left
    is trusted again when every process has forgotten it.
    """
    if at.current is None:
        return ()
    known = (
        entry.chain
        for entry in at.ledger.entries
        if entry.state is not TrustState.PHASE_OUT or at.gates.removal(at.snapshot, at.ledger, entry.fingerprint)
    )
    projected, wish = at.snapshot.ca.projected, wish_of(at.snapshot, at.intent, at.ledger)
    asked = (*known, *at.intent.trusting, *(wish.beside if wish else ()))
    needed = tuple(chain for chain in asked if chain[0].fingerprint not in projected | at.ledger.leaving)
    every = projected | {chain[0].fingerprint for chain in needed}
    return (Project(chains=needed), AwaitBundle(present=every, phase=Phase.PREPARE)) if needed else ()


def await_bundle(at: Situation) -> Steps:
    """The trust bundle follows the certificate Secret at the operator's next reconcile."""
    bundle, projected = at.snapshot.bundle, at.snapshot.ca.projected
    if bundle is None:
        return ()
    leaving = tuple(
        entry.certificate
        for entry in at.ledger.entries
        if entry.fingerprint not in projected and entry.fingerprint in bundle
    )
    if projected <= bundle and not leaving:
        return ()
    return (AwaitBundle(present=projected, absent=leaving, phase=Phase.RETIRE if leaving else Phase.PREPARE),)


def write_bundle(at: Situation) -> Steps:
    """In a pause, bring the trust bundle in step with the certificate Secret. The pods that exist when it has shrunk
    are those that may know the CA which has left.
    """
    if at.snapshot.bundle in (None, at.snapshot.ca.projected):
        return ()
    return pause_first(at, WriteBundle(phase=at.phase))


def publish(at: Situation) -> Steps:
    """The bundle for clients holds the CAs that processes read; once there is one it is kept, whichever caller runs the flow."""
    if not _is_wanted(at) or at.current is None:
        return ()
    chains = tuple(entry.chain for entry in at.ledger.entries if is_projected(at.snapshot, entry.fingerprint))
    wanted = frozenset(certificate.fingerprint for chain in chains for certificate in chain)
    if not chains or at.snapshot.outside.published == wanted:
        return ()
    growing = at.snapshot.outside.published is None or bool(wanted - at.snapshot.outside.published)
    return (Publish(chains=chains, phase=Phase.PREPARE if growing else Phase.RETIRE),)


def is_published(at: Situation, entry: LedgerEntry) -> bool:
    """Whether processes and clients can read this CA where they read CAs; before that no leaf of it is presented (I3)."""
    if not is_projected(at.snapshot, entry.fingerprint):
        return False
    published = at.snapshot.outside.published or frozenset()
    return not _is_wanted(at) or all(certificate.fingerprint in published for certificate in entry.chain)


def _is_wanted(at: Situation) -> bool:
    return at.intent.publish or at.snapshot.outside.published is not None
