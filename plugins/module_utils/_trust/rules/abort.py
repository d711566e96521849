# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "Abort": a flow that was begun is undone, and the CA that it was to replace is used again."""

from __future__ import annotations

from ..evidence.parties import possible_holders_of_undone
from ..ledger.undoing import is_stored
from ..model.goals import Phase
from ..model.states import TrustState
from ..model.steps.authority import PrepareAgain, TidyKeys
from ..model.steps.base import Steps
from ..model.steps.nodes import Roll, RollReason
from ..model.steps.pause import Pause
from .retirement import is_patient
from .situation import Situation


def undo_replacement(at: Situation) -> Steps:
    """Before the switch the next CA is given up. After it the one that was replaced becomes the next one: every party trusts it still, so the
    way back is that of any replacement.
    """
    unwanted, begun, current = at.ledger.undone, at.begun, at.current
    if unwanted is None or begun is None or current is None:
        return ()
    prepared = {one.fingerprint for one in at.snapshot.ca.prepared}
    if unwanted in prepared:
        given_up = frozenset({unwanted})
        return (TidyKeys(prepared=given_up, kept_keys=frozenset(), links=given_up, phase=Phase.PREPARE),)
    old = at.ledger.find(begun.successor)
    if old is None or current.fingerprint != unwanted or old.fingerprint in prepared:
        return ()
    return (PrepareAgain(chain=old.chain),)


def pause_to_undo(at: Situation) -> Steps:
    """Pause the operator, so that it puts no leaf of the CA back that is given up: the books say then which pods may have one."""
    unwanted = at.ledger.find(at.ledger.undone)
    if (
        unwanted is None
        or at.begun is None
        or at.begun.unsure is not None
        or unwanted.state is not TrustState.PHASE_OUT
    ):
        return ()
    if (
        at.is_paused
        or is_stored(at.snapshot, at.ledger, unwanted.fingerprint)
        or not possible_holders_of_undone(at.snapshot, at.ledger)
    ):
        return ()
    return (Pause(phase=at.phase, purpose="see which pods may have certificates of the CA that is given up"),)


def restart_unsure(at: Situation) -> Steps:
    """Restart the pods of which it cannot be told that they have no leaf of the CA that is given up."""
    if at.begun is None or at.begun.unsure is None or is_patient(at):
        return ()
    uids = frozenset(pod.uid for pod in possible_holders_of_undone(at.snapshot, at.ledger))
    return (Roll(reason=RollReason.LEAF, uids=uids, authority=at.current, phase=Phase.USE),) if uids else ()
