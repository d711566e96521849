# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Waiting for clients outside the cluster to which the operator is bringing the CAs that a gate asks for.

The operator looks at Connect, MirrorMaker 2 and Bridge every two minutes, copies what their resource selects from the
CA certificate Secret, and restarts them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..evidence.clients import with_copies_updated
from ..gates.gates import Violations
from ..ledger.projection import is_projected, is_withdrawn
from ..model.goals import Phase
from ..model.snapshot import Snapshot
from ..model.states import TrustState
from ..model.steps.base import Steps
from ..model.steps.trust import AwaitOutside
from .after_switch import with_clients_in_need
from .situation import Situation


def await_outside(at: Situation) -> Steps:
    """Wait where only outside clients are in the way, and no longer when the operator has brought their copies up to
    date.

    A client whose copy the operator does not change holds the flow with its violation instead: it would be waited for
    in vain.
    """
    if not at.snapshot.outside.clients:
        return ()
    then = with_copies_updated(at.snapshot)
    for now, later, phase in _obstacles(at, then):
        if now and not later:
            clients = tuple(violation.subject for violation in now)
            return (AwaitOutside(clients=clients, settled=then.outside.clients, phase=phase),)
    return ()


def _obstacles(at: Situation, then: Snapshot) -> Iterator[tuple[Violations, Violations, Phase]]:
    """The violations of each gate now, and when the copies are up to date, with the phase that the gate stands before."""
    successor, gates, ledger = at.successor, at.gates, at.ledger
    if successor is not None and is_projected(at.snapshot, successor.entry.fingerprint):
        form, chain = successor.introduction.form, successor.entry.chain
        yield gates.trust(at.snapshot, ledger, form), gates.trust(then, ledger, form), Phase.TRUST
        if successor.introduction.link is not None:
            needing = with_clients_in_need(at.snapshot, successor), with_clients_in_need(then, successor)
            yield gates.trust(needing[0], ledger, chain), gates.trust(needing[1], ledger, chain), Phase.RETIRE
    for entry in ledger.entries:
        if entry.state is TrustState.PHASE_OUT and not is_withdrawn(at.snapshot, entry.fingerprint):
            closed = gates.removal(at.snapshot, ledger, entry.fingerprint)
            yield closed, gates.removal(then, ledger, entry.fingerprint), Phase.RETIRE
