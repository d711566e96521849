# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "Retire": an unused CA leaves the trust, processes forget it, and its key and link certificates leave the key
Secret.

Chapter "Abort": a flow in flight is undone, and its replaced CA is used again.

Chapter "Hand over": the CA goes to the operator, or comes from it.

The adoption of a CA that another writer put into the place of the CA in use, if not every process has started with it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from ..._pki.building import authority_generation
from ..evidence.parties import pods_trusting_removed, possible_holders_of_undone
from ..evidence.stored import find_namesake
from ..ledger.enrolment import find_adoption, pods_yet_to_restart
from ..ledger.journal import beginning_of, given_up_ca, is_stored, stop_of
from ..model.channels import name_channels
from ..model.decision import Steps, Turn, Violation, Wait
from ..model.goals import Goal, Phase
from ..model.ledger import Layout, Ledger, TrustState
from ..model.names import named
from ..model.snapshot import IssuedBy, Snapshot
from ..model.steps.authority import PrepareAgain, PutBack, RaiseKeyGeneration, SetGenerated, TidyKeys
from ..model.steps.leaves import ForgetRequests
from ..model.steps.nodes import Pause, Reload, Roll, RollReason
from ..model.steps.trust import DeleteLedger, RemoveMarks, Withdraw, WriteLedger
from .pause import nodes_of, pause_first, retires_when_restarted, why_trust_not_reloaded
from .situation import Situation
from .switch import await_readers


def withdraw(at: Situation) -> Turn:
    """Take a CA out of the certificate Secret, behind the removal gate (I2); wait if that gate is closed. The
    operator's own CA leaves by a switch only, and the next CA does not leave.

    This happens in a pause: a reconcile under way could put the CA into the trust bundle once more, unseen.
    """
    held: list[Violation] = []
    for entry in at.ledger.entries if at.snapshot.nodes.pods else ():
        is_leaving = entry.state is TrustState.PHASE_OUT
        if not (is_leaving or entry.fingerprint == at.intent.trust.leaving_ca) or at.awaits_trust(entry):
            continue
        closed = at.why_it_stays(entry.fingerprint)
        may_go = is_leaving and entry.certificate != at.current and not at.is_next(entry)
        if may_go and not closed and entry.fingerprint in at.snapshot.ca.projected:
            return pause_first(at, Withdraw(certificate=entry.certificate))
        held += closed
    for removed in at.ledger.removed_cas:
        # The CA was put back while processes are made to forget it. They cannot as long as it is there.
        if removed.is_back and removed.fingerprint in at.snapshot.ca.projected:
            closed = at.why_it_stays(removed.fingerprint)
            if not closed and removed.certificate != at.current:
                return pause_first(at, Withdraw(certificate=removed.certificate))
            held += closed
    return Wait(violations=tuple(held), phase=Phase.RETIRE)


def forget_removed_authorities(at: Situation) -> Steps:
    """Have processes forget a CA that has left: nodes read their trust again if they can, all others restart. If a CA
    was put back, and may not be taken out again, it stays known.
    """
    for removed in at.ledger.removed_cas:
        if removed.is_back:
            continue
        waiting = removed.awaited_pods & at.snapshot.uids
        nodes = nodes_of(at.snapshot, pods_trusting_removed(removed, at.snapshot) & waiting)
        why, old = why_trust_not_reloaded(at, removed.certificate), named(removed.certificate)
        if nodes and (readers := await_readers(at)):
            return readers
        if nodes and not why:
            others = name_channels(at.snapshot.left_by_reload)
            until = f"; {others} know it until the next restart of their node" if others else ""
            because = f"{old} is taken from the listeners by having them read their trust again{until}."
            return (Reload(uids=nodes, authority=removed.certificate, because=because),)
        # If all listeners of a node refuse the CA, the node does not restart; components have to restart.
        restarted = waiting if nodes else waiting - nodes_of(at.snapshot, waiting)
        if restarted:
            avoidable = f"Nodes are restarted to forget {old}: {why}" if nodes else ""
            return (
                Roll(
                    reason=RollReason.RETIRE, uids=restarted, authority=removed.certificate, phase=Phase.RETIRE,
                    avoidable_restart=avoidable,
                ),
            )  # fmt: skip
    return ()


def tidy_keys(at: Situation) -> Steps:
    """Remove the entries of a prepared CA after the switch to it, and a kept key if its CA has left the ledger and no
    probe needs it.

    The link certificates of the CA in use stay, because leaves are presented behind them. The stored leaves decide
    that, and no clock does: the links cannot be made again.
    """
    ca = at.snapshot.ca
    current = at.current.fingerprint if at.current else None
    switched = frozenset(authority.fingerprint for authority in ca.prepared if authority.fingerprint == current)
    of_ledger = {entry.fingerprint for entry in at.ledger.entries} | {
        authority.fingerprint for authority in ca.prepared
    }
    stale = (ca.kept_keys - of_ledger - _find_cas_refused_by_probes(at)) | (
        ca.kept_keys & frozenset({current} if current else ())
    )
    in_use = frozenset(name for name, links in ca.links.items() if links == ca.links_in_use)
    unused = ((frozenset(ca.kept_links) - of_ledger) | switched) - in_use
    if not switched and not stale and not unused:
        return ()
    return (TidyKeys(prepared=switched, kept_keys=stale, links=unused, phase=at.phase),)


def _find_cas_refused_by_probes(at: Situation) -> frozenset[str]:
    """Fingerprints of the removed CAs that listeners refuse by the evidence of a probe alone: other CAs have the same
    names.
    """
    lingering = (entry for entry in at.ledger.removed_cas if entry.awaited_pods & at.snapshot.uids)
    return frozenset(
        entry.fingerprint for entry in lingering if find_namesake(entry.certificate, at.snapshot) is not None
    )


def undo_replacement(at: Situation) -> Steps:
    """Before the switch the next CA is given up. After it the replaced CA becomes the next CA: every party trusts it
    still, so the way back is an ordinary replacement. If that CA ends on the way, it is given up.
    """
    begun, current = at.flow_in_flight, at.current
    if begun is None or current is None:
        return ()
    prepared = frozenset(authority.fingerprint for authority in at.snapshot.ca.prepared)
    if given_up := prepared & {given_up_ca(at.snapshot, at.ledger)}:
        return (TidyKeys(prepared=given_up, kept_keys=frozenset(), links=given_up, phase=Phase.PREPARE),)
    old = at.ledger.find(begun.successor) if begun.is_abort else None
    if old is None or current.fingerprint != begun.replaces or old.fingerprint in prepared:
        return ()
    return (PrepareAgain(chain=old.chain),)


def pause_to_undo(at: Situation) -> Steps:
    """Pause the operator, so it puts no leaf of the given-up CA back: the ledger says then which pods may have one."""
    unwanted = at.ledger.find(at.ledger.undone_ca)
    if (
        unwanted is None
        or at.flow_in_flight is None
        or at.flow_in_flight.unsure_pods is not None
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
    """Restart the pods that may have a leaf of the given-up CA."""
    if at.flow_in_flight is None or at.flow_in_flight.unsure_pods is None or retires_when_restarted(at):
        return ()
    uids = frozenset(pod.uid for pod in possible_holders_of_undone(at.snapshot, at.ledger))
    return (Roll(reason=RollReason.LEAF, uids=uids, authority=at.current, phase=Phase.USE),) if uids else ()


#: The operator looks every two minutes; handing back may take somewhat longer, with restarts of nodes.
_SOON = timedelta(days=1)


def hand_over(at: Situation) -> Steps:
    """The downgrade flow: true generations, then the operator's CA, then no ledger; or no ledger alone, if the caller
    keeps the CA.
    """
    if at.intent.goal is not Goal.DOWNGRADE:
        return ()
    if at.intent.parameters.keeps_authority:
        return _keep_authority(at.snapshot)
    if at.snapshot.reconciliation.generated:
        return _merge_ledger(at.snapshot.ledger) if at.snapshot.ledger is not None else ()
    return raise_key_generation(at) or (_hand_over_step(at.snapshot),)


def _keep_authority(snapshot: Snapshot) -> Steps:
    """The CA stays user-managed, and the records of this collection go. The ledger goes last, because a killed call
    goes on by it.
    """
    if snapshot.ledger is None:
        return ()
    (closing,) = _merge_ledger(snapshot.ledger)
    if isinstance(closing, WriteLedger):
        return (closing,)
    requests = tuple(sorted(snapshot.leaves.requests))
    forgotten = (ForgetRequests(secrets=requests, phase=Phase.RETIRE),) if requests else ()
    return (*forgotten, RemoveMarks(), closing)


def _hand_over_step(snapshot: Snapshot) -> SetGenerated:
    """The step that hands the CA over, with the restarts that follow at once."""
    foretold = foresee_operator_renewal(snapshot)
    given = SetGenerated(generated=True, ca=snapshot.names.ca, phase=Phase.RETIRE)
    if not foretold:
        return given
    at_once = frozenset() if snapshot.reconciliation.windows else snapshot.uids
    return replace(given, renewing=at_once, because=f"{snapshot.names.certificate_secret} {foretold}")


def foresee_operator_renewal(snapshot: Snapshot) -> str:
    """A sentence without its subject, the certificate Secret, if the operator would renew or replace the CA in use as
    soon as the operator owns it; empty if it would keep the CA, or finds an ended CA (docs/operator.md, "Generated
    CA").
    """
    window, end = snapshot.leaves.renewal_window, snapshot.ca.current[0].not_after if snapshot.ca.current else None
    if end is None or not snapshot.now < end <= snapshot.now + window + _SOON:
        return ""
    state, names = snapshot.reconciliation, snapshot.names
    when = "in its next maintenance window" if state.windows else "in its next reconcile"
    return (
        f"contains the CA {snapshot.ca.current[0].subject}, which ends on {end:%Y-%m-%d}, in the operator's time for "
        f"renewal ({window.days} days by {names.specification}.renewalDays): {when} the operator "
        f"{_describe_operator_renewal(snapshot)}."
    )


def _describe_operator_renewal(snapshot: Snapshot) -> str:
    of_users = snapshot.issued_by is not IssuedBy.THIS_COLLECTION
    if snapshot.reconciliation.replaces_key:
        if of_users:
            rolls = "restarts each node, and has the certificate of every user issued again"
            refusal = "users with certificates of the present CA are refused"
        else:
            rolls = "restarts each node up to three times"
            refusal = "clients that trust only the present CA refuse the nodes"
        return (
            f"makes a new key (certificateExpirationPolicy), {rolls}, without a check that the new CA is trusted: "
            f"{refusal}"
        )
    return f"renews it, and restarts each {'node' if of_users else 'pod'} once"


def _merge_ledger(ledger: Ledger) -> Steps:
    """A ledger of several Secrets becomes a single Secret first: a killed call then leaves all of it or nothing."""
    single = replace(ledger, layout=Layout.SINGLE, has_leftovers=False)
    return (WriteLedger(ledger=single, before=ledger, phase=Phase.RETIRE) if single != ledger else DeleteLedger(),)


def raise_key_generation(at: Situation) -> Steps:
    """The operator names the CA of its next key ``v<key generation + 1>``. With a key generation below the number in
    the name of the CA in use, two CAs would get the same name. Another tool may have left it like that.
    """
    if at.intent.goal is not Goal.DOWNGRADE or at.intent.parameters.keeps_authority or at.current is None:
        return ()
    number = authority_generation(at.current)
    if number is None or number <= at.snapshot.ca.key_generation:
        return ()
    return pause_first(at, RaiseKeyGeneration(generation=number))


def put_back(at: Situation) -> Steps:
    """In a pause, the CA in use takes its place again and the other CA becomes the next CA, as if a flow had prepared
    it: so every gate has its say before its leaves are used (I3).
    """
    swap = find_adoption(at.snapshot, at.intent)
    if swap is None or not pods_yet_to_restart(at.snapshot):
        return ()
    step = PutBack(
        chain=swap.replaced.chain, generation=max(swap.replaced.generations), key_generation=at.key_generation_of_pods,
        stop=stop_of(None, at.intent, True, at.snapshot.now), beginning=beginning_of(at.snapshot, at.intent),
    )  # fmt: skip
    return pause_first(at, step)
