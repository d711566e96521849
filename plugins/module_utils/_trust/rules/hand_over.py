# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "Hand over": the CA is given to the operator, or taken from it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from ..._pki.authorities import authority_generation
from ..model.goals import Goal, Phase
from ..model.ledger import Layout, Ledger
from ..model.snapshot import IssuedBy, Snapshot
from ..model.steps.authority import RaiseKeyGeneration, SetGenerated
from ..model.steps.base import Steps
from ..model.steps.books import DeleteLedger, RemoveMarks, WriteLedger
from ..model.steps.requests import ForgetRequests
from .pause import pause_first
from .situation import Situation

#: The operator looks every two minutes; handing back may take somewhat longer, with restarts of nodes.
_SOON = timedelta(days=1)


def hand_over(at: Situation) -> Steps:
    """The downgrade flow: true generations, then the operator's CA, then no ledger; or no ledger alone, where the caller keeps the CA."""
    if at.intent.goal is not Goal.DOWNGRADE:
        return ()
    if at.intent.keeps_authority:
        return _leave(at.snapshot)
    if at.snapshot.reconciliation.generated:
        return _close(at.snapshot.ledger) if at.snapshot.ledger is not None else ()
    return raise_key_generation(at) or (_given(at.snapshot),)


def _leave(snapshot: Snapshot) -> Steps:
    """The CA stays user-managed, and the records of this collection go; the ledger last, because it is what a killed call goes on by."""
    if snapshot.ledger is None:
        return ()
    (closing,) = _close(snapshot.ledger)
    if isinstance(closing, WriteLedger):
        return (closing,)
    requests = tuple(sorted(snapshot.leaves.requests))
    forgotten = (ForgetRequests(secrets=requests, phase=Phase.RETIRE),) if requests else ()
    return (*forgotten, RemoveMarks(), closing)


def _given(snapshot: Snapshot) -> SetGenerated:
    """With the restarts that follow at once."""
    foretold = foresee_operator_renewal(snapshot)
    given = SetGenerated(generated=True, ca=snapshot.names.ca, phase=Phase.RETIRE)
    if not foretold:
        return given
    at_once = frozenset() if snapshot.reconciliation.windows else snapshot.uids
    return replace(given, renewing=at_once, because=f"{snapshot.names.certificate_secret} {foretold}")


def foresee_operator_renewal(snapshot: Snapshot) -> str:
    """A sentence without its subject, the certificate Secret, where the operator would renew or replace the CA in use as soon as it is its own; empty
    where it would keep it, or finds one that has ended (docs/operator.md, "Generated CA").
    """
    window, end = snapshot.leaves.renewal_window, snapshot.ca.current[0].not_after if snapshot.ca.current else None
    if end is None or not snapshot.now < end <= snapshot.now + window + _SOON:
        return ""
    state, names = snapshot.reconciliation, snapshot.names
    when = "in its next maintenance window" if state.windows else "in its next reconcile"
    return (
        f"holds the CA {snapshot.ca.current[0].subject}, which ends on {end:%Y-%m-%d}, in the operator's time for renewal ({window.days} days by "
        f"{names.specification}.renewalDays): {when} the operator {_renewal(snapshot)}."
    )


def _renewal(snapshot: Snapshot) -> str:
    of_users = snapshot.users.issued_by is not IssuedBy.THIS_COLLECTION
    if snapshot.reconciliation.replaces_key:
        rolls = (
            "restarts each node, and has the certificate of every user issued anew"
            if of_users
            else "restarts each node up to three times"
        )
        return (
            f"makes a new key (certificateExpirationPolicy), {rolls}, without a check that the new CA is trusted: clients that know the "
            "present one are refused"
        )
    return f"renews it, and restarts each {'node' if of_users else 'pod'} once"


def _close(ledger: Ledger) -> Steps:
    """A ledger of several Secrets becomes one first: a call that is killed then leaves all of it or nothing."""
    single = replace(ledger, layout=Layout.SINGLE, untidy=False)
    return (WriteLedger(ledger=single, before=ledger, phase=Phase.RETIRE) if single != ledger else DeleteLedger(),)


def raise_key_generation(at: Situation) -> Steps:
    """The operator names the CA of its next key ``v<key generation + 1>``. With a key generation below the number in
    the name of the CA in use, two CAs would get the same name. Another tool may have left it like that.
    """
    if at.intent.goal is not Goal.DOWNGRADE or at.intent.keeps_authority or at.current is None:
        return ()
    named = authority_generation(at.current)
    if named is None or named <= at.snapshot.ca.key_generation:
        return ()
    return pause_first(at, RaiseKeyGeneration(generation=named))
