# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "Hand over": the CA is given to the operator, or taken from it."""

from __future__ import annotations

from dataclasses import replace

from ..._pki.authorities import authority_generation
from ..model.goals import Goal, Phase
from ..model.ledger import Layout, Ledger
from ..model.steps.authority import RaiseKeyGeneration, SetGenerated
from ..model.steps.base import Steps
from ..model.steps.books import DeleteLedger, WriteLedger
from .pause import in_pause
from .situation import Situation


def hand_over(at: Situation) -> Steps:
    """The downgrade flow: true generations, then the operator's CA, then no ledger."""
    if at.intent.goal is not Goal.DOWNGRADE:
        return ()
    if at.snapshot.reconciliation.generated:
        return _close(at.snapshot.ledger) if at.snapshot.ledger is not None else ()
    return raise_key_generation(at) or (SetGenerated(generated=True, ca=at.snapshot.names.ca, phase=Phase.RETIRE),)


def _close(ledger: Ledger) -> Steps:
    """A ledger of several Secrets becomes one first: a call that is killed then leaves all of it or nothing."""
    single = replace(ledger, layout=Layout.SINGLE, untidy=False)
    return (WriteLedger(ledger=single, before=ledger, phase=Phase.RETIRE) if single != ledger else DeleteLedger(),)


def raise_key_generation(at: Situation) -> Steps:
    """The operator names the CA of its next key ``v<key generation + 1>``. With a key generation below the number in
    the name of the CA in use, two CAs would get the same name. Another tool may have left it like that.
    """
    if at.intent.goal is not Goal.DOWNGRADE or at.current is None:
        return ()
    named = authority_generation(at.current)
    if named is None or named <= at.snapshot.ca.key_generation:
        return ()
    return in_pause(at, RaiseKeyGeneration(generation=named))
