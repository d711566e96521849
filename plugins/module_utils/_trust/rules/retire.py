# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "Retire": an unused CA leaves the trust, and processes forget it."""

from __future__ import annotations

from ..evidence.parties import pods_trusting_removed
from ..model.goals import Phase
from ..model.names import named
from ..model.states import TrustState
from ..model.steps.base import Steps
from ..model.steps.nodes import Reload, Roll, RollReason
from ..model.steps.trust import Withdraw
from .after_switch import await_readers
from .in_place import nodes_of, why_trust_not_reloaded
from .pause import pause_first
from .situation import Situation


def withdraw(at: Situation) -> Steps:
    """Take a CA out of the certificate Secret, behind the removal gate (I2). The operator's own CA leaves by a switch
    only, and the next CA does not leave.

    This happens in a pause: a reconcile that was under way could put the CA into the trust bundle once more, unseen.
    """
    for entry in at.ledger.entries:
        if entry.state is not TrustState.PHASE_OUT or not at.snapshot.nodes.pods or entry.certificate == at.current:
            continue
        if at.is_next(entry):
            continue
        if entry.fingerprint not in at.snapshot.ca.projected:
            continue
        if at.gates.removal(at.snapshot, at.ledger, entry.fingerprint):
            continue
        return pause_first(at, Withdraw(certificate=entry.certificate))
    return _withdraw_again(at)


def _withdraw_again(at: Situation) -> Steps:
    """Take out once more what was put back while processes are made to forget it: they could not."""
    for removed in at.ledger.removed:
        if removed.fingerprint not in at.returned or removed.certificate == at.current:
            continue
        if not at.gates.removal(at.snapshot, at.ledger, removed.fingerprint):
            return pause_first(at, Withdraw(certificate=removed.certificate))
    return ()


def forget(at: Situation) -> Steps:
    """Have processes forget a CA that has left: nodes read their trust again where they can, all others restart. One that was put back, and that
    may not be taken out again, is not forgotten by that.
    """
    for removed in at.ledger.removed:
        if removed.fingerprint in at.returned:
            continue
        waiting = removed.awaiting & at.snapshot.uids
        nodes = nodes_of(at.snapshot, pods_trusting_removed(removed, at.snapshot) & waiting)
        why, old = why_trust_not_reloaded(at, removed.certificate), named(removed.certificate)
        if nodes and (readers := await_readers(at)):
            return readers
        if nodes and not why:
            because = (
                f"{old} is taken from the listeners by having them read their trust again; Raft clients and agents know it "
                "until the next restart of their node."
            )
            return (Reload(uids=nodes, authority=removed.certificate, because=because),)
        # Nodes whose listeners all refuse the CA are not restarted; components have to restart.
        restarted = waiting if nodes else waiting - nodes_of(at.snapshot, waiting)
        if restarted:
            avoidable = f"Nodes are restarted to forget {old}: {why}" if nodes else ""
            return (
                Roll(
                    reason=RollReason.RETIRE, uids=restarted, authority=removed.certificate, phase=Phase.RETIRE,
                    avoidable=avoidable,
                ),
            )  # fmt: skip
    return ()
