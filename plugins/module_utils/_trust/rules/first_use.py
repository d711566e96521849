# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The conditions before the next CA is used: the ledger says that it is trusted, and processes and clients have had the
time to read it.
"""

from __future__ import annotations

from ..._pki.certificates import Chain
from ..._pki.defects import named_verifiers
from ..evidence.stored import presenting_pods
from ..gates.arrival import STRICT, renewed_arrives_at, usable_from, why_refused_by_strangers
from ..model.goals import Phase
from ..model.names import named
from ..model.states import TRUSTED_STATES, TrustState
from ..model.steps.base import Steps
from ..model.steps.trust import AwaitClients
from .publish import is_published
from .situation import Situation, Successor


def may_be_used(at: Situation, successor: Successor) -> bool:
    """Whether its leaves may be presented, as far as the ledger says and clients that cannot be asked are concerned."""
    return _is_trusted(at, successor) and not _await_first_use(at, successor)


def await_arrival(at: Situation) -> Steps:
    """Clients that read the CA certificate Secret get the time to take up the next CA, where they could refuse it."""
    successor = at.successor
    return _await_first_use(at, successor) if successor is not None and _is_trusted(at, successor) else ()


def await_clients(at: Situation, successor: Successor, form: Chain, phase: Phase, why: str) -> Steps:
    """Wait until clients have had the time to read the next CA, where they could refuse this form without it.

    why: told where no option says how much time they get.
    """
    until = usable_from(successor.entry, form, at.snapshot, at.intent.client_grace)
    # Clients verify what processes of the cluster present.
    if until is None or until <= at.snapshot.now or not presenting_pods(at.snapshot):
        return ()
    told = why if why_refused_by_strangers(form, at.snapshot) else ""
    return (AwaitClients(certificate=successor.entry.certificate, until=until, because=told, phase=phase),)


def _is_trusted(at: Situation, successor: Successor) -> bool:
    return successor.entry.state in TRUSTED_STATES and is_published(at, successor.entry)


def _await_first_use(at: Situation, successor: Successor) -> Steps:
    if successor.entry.state is not TrustState.TRUSTED_UNUSED:
        return ()
    form, new = successor.introduction.form, named(successor.entry.certificate)
    reason = why_refused_by_strangers(form, at.snapshot)
    why = f"Clients that know only the CA in use could refuse {new} ({reason}): they get time to read it first."
    return _await_renewed(at, successor) or await_clients(at, successor, form, Phase.TRUST, why)


def _await_renewed(at: Situation, successor: Successor) -> Steps:
    """Clients get the time to read the CA in use as it was renewed, where a link certificate leads them on from it."""
    current = at.ledger.find(at.current.fingerprint) if at.current else None
    if successor.introduction.link is None or current is None or not presenting_pods(at.snapshot):
        return ()
    until = renewed_arrives_at(current, at.intent.client_grace)
    if until is None or until <= at.snapshot.now:
        return ()
    because = f"{named_verifiers(STRICT)} accept certificates of the next CA as soon as they have read {named(current.certificate)}."
    return (AwaitClients(certificate=current.certificate, until=until, because=because),)
