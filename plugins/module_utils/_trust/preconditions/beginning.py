# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Questions about the beginning of a flow: whether a flow is under way already, whether the call begins anything, and whether that restarts Kafka nodes.

The forecast knows each restart, and asks the preconditions before each step, so they cannot ask it; a test compares the two. All phases of a flow count, also
where the call ends before the last of them, because a flow in flight goes on whatever the state of the cluster is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from ..._pki.building import authority_generation
from ..._pki.certificates import Certificate, Chain
from ..evidence.stored import holding_pods, why_trust_is_unknown
from ..gates.gates import GATES
from ..ledger.enrolment import enrol_authorities, find_adoption, pods_yet_to_restart
from ..ledger.journal import in_flight, retirement_of
from ..ledger.target import resolve, wish_of
from ..model.components import Component
from ..model.goals import Goal, Retire
from ..model.intent import Intent, Spread
from ..model.ledger import LedgerEntry, TrustState
from ..model.snapshot import InPlaceObstacles, Snapshot, StoredLeaf
from ..model.steps.authority import PrepareAuthority
from ..rules.due import due_leaves
from ..rules.pause import RESTART_BEFORE, nodes_of, why_not_annotated
from ..rules.prepare import is_refused, prepare
from ..rules.retire import foresee_operator_renewal
from ..rules.situation import Situation


def is_starting(snapshot: Snapshot) -> bool:
    """Whether no flow is under way yet: only then must the cluster be in good health."""
    return not in_flight(snapshot.ledger) and not snapshot.ca.prepared and not snapshot.reconciliation.pause.is_ours


def begins(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether the call begins anything that changes Secrets: an adoption only makes the ledger, and a hand-back without one leaves all Secrets as they are."""
    ends = hands_back(snapshot, intent) and snapshot.ledger is not None
    return ends or adds(snapshot, intent) or _leaving(snapshot, intent) is not None


def adds(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether the call brings further certificates into the Secrets of the CA."""
    makes_first = intent.goal is Goal.CREATE and resolve(snapshot, intent, snapshot.ledger_or_empty).needs_new_ca
    adopts = find_adoption(snapshot, intent) is not None
    return makes_first or adopts or issues(snapshot, intent) or bool(_brought_in(snapshot, intent))


def issues(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether the call begins a flow that issues leaves again: of another CA in the place of the CA in use, or of the same CA."""
    ledger = snapshot.ledger_or_empty
    if intent.goal is Goal.RENEW_LEAVES:
        return bool(due_leaves(snapshot, intent, ledger))
    return intent.goal is not Goal.CREATE and resolve(snapshot, intent, ledger).needs_new_ca


def hands_back(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether the call is a hand-back that has anything left to do."""
    gives = not (snapshot.reconciliation.generated or intent.parameters.keeps_authority)
    return intent.goal is Goal.DOWNGRADE and (gives or snapshot.ledger is not None)


def _brought_in(snapshot: Snapshot, intent: Intent) -> tuple[Chain, ...]:
    """The CAs that the caller or the source wants trusted beside the CA in use, and that the ledger does not have."""
    wish = wish_of(snapshot, intent, snapshot.ledger_or_empty)
    return _new_among((*intent.trust.additional_cas, *(wish.additional_cas if wish else ())), snapshot)


def _new_among(chains: Iterable[Chain], snapshot: Snapshot) -> tuple[Chain, ...]:
    ledger = snapshot.ledger_or_empty
    known = ledger.leaving_cas | {entry.fingerprint for entry in ledger.entries}
    return tuple(chain for chain in chains if chain[0].fingerprint not in known)


def _leaving(snapshot: Snapshot, intent: Intent) -> LedgerEntry | None:
    """The CA that leaves because the caller asks for it."""
    return snapshot.ledger_or_empty.find(intent.trust.leaving_ca)


def restarts_nodes(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether what the call begins restarts Kafka nodes."""
    at = Situation(snapshot, intent, enrol_authorities(snapshot, snapshot.ledger_or_empty), GATES)
    ways = (_restarts_to_rotate, _restarts_to_adopt, _restarts_to_trust, _restarts_to_forget, _restarts_to_hand_back)
    return bool(nodes_of(snapshot, snapshot.uids)) and any(way(at) for way in ways)


def _obstacles(at: Situation) -> InPlaceObstacles:
    """None before the call has asked the nodes: it asks them before it begins anything in a rebalance."""
    return at.snapshot.nodes.in_place_obstacles or InPlaceObstacles()


def _can_reload(at: Situation) -> bool:
    return at.intent.pace.spread is not Spread.RESTART and not _obstacles(at).reload


def _may_restart_instead(at: Situation) -> bool:
    """Whether nodes that cannot reload are restarted. Else the flow is held at that point (``in_place``)."""
    return at.intent.pace.spread is not Spread.RELOAD


def _restarts_to_rotate(at: Situation) -> bool:
    """For leaves of the same CA, of its renewal, or of the next CA."""
    if not issues(at.snapshot, at.intent):
        return False
    steps = prepare(at)
    if not steps:
        return _restarts_for_leaves(at, due_leaves(at.snapshot, at.intent, at.ledger))
    (step,) = (step for step in steps if isinstance(step, PrepareAuthority))
    if step.goal is Goal.RENEW and not step.precedes_replacement:
        return _restarts_for_leaves(at, at.snapshot.leaves.stored)
    return _restarts_to_replace(at, is_linked=step.links is not None or step.precedes_replacement)


def _restarts_for_leaves(at: Situation, replaced: Iterable[StoredLeaf]) -> bool:
    """A node that has read again restarts all the same where the leaf of its start ends soon, and a channel of it goes
    on with that leaf.
    """
    of_nodes = [leaf for leaf in replaced if leaf.component is Component.KAFKA]
    if not of_nodes:
        return False
    if _can_reload(at) and not _obstacles(at).stamps:
        ending = any(leaf.chain and leaf.chain[0].not_after - RESTART_BEFORE < at.snapshot.now for leaf in of_nodes)
        return ending and bool(at.snapshot.left_by_reload)
    return _may_restart_instead(at)


def _restarts_to_replace(at: Situation, *, is_linked: bool) -> bool:
    """A node takes up leaves behind a link certificate by the restart that makes it trust their CA, or by a reload where the replacement waits until
    nodes restart for another reason. Nodes that a reload reaches as a whole take up everything by that.
    """
    is_patient = _waits_for_restarts(at)
    if not at.snapshot.left_by_reload:
        stamps = _obstacles(at).stamps if holding_pods(at.snapshot) else ""
        return (not _can_reload(at) or bool(stamps)) and not is_patient and _may_restart_instead(at)
    return not (is_linked and is_patient) and not (_obstacles(at).reload and not _may_restart_instead(at))


def _waits_for_restarts(at: Situation) -> bool:
    """Whether the replacement that begins leaves the last restart of nodes to others (``retires_when_restarted``)."""
    retire = retirement_of(at.snapshot, at.intent)
    if retire is Retire.NOW or at.current is None:
        return False
    if retire is Retire.WHEN_NEEDED and (not _can_reload(at) or _obstacles(at).stamps):
        return False
    leaves = [leaf for leaf in at.snapshot.leaves.stored if leaf.component is Component.KAFKA]
    stored = (leaf.chain[0] for leaf in leaves if leaf.chain)
    known = (at.current, *stored, *(held.certificate for held in at.ledger.held_leaves))
    latest = [certificate.not_after - RESTART_BEFORE for certificate in known]
    return at.snapshot.now < min([*latest, retire] if isinstance(retire, datetime) else latest)


def _restarts_to_adopt(at: Situation) -> bool:
    """For a CA that another program has put in the place of the CA in use: its replacement begins again, without a link certificate, where nodes have yet
    to start with it; else nodes forget the CA before it.
    """
    swap = find_adoption(at.snapshot, at.intent)
    if swap is None:
        return False
    if pods_yet_to_restart(at.snapshot):
        return _restarts_to_replace(at, is_linked=False)
    return _restarts_for_trust(at, swap.replaced.certificate)


def _restarts_to_trust(at: Situation) -> bool:
    """Nodes also come to trust what another program has put beside the CA in use. A hand-back takes nothing up."""
    found = () if at.intent.goal is Goal.DOWNGRADE else _new_among(at.snapshot.ca.other_entries.values(), at.snapshot)
    for chain in (*_brought_in(at.snapshot, at.intent), *found):
        entry = LedgerEntry(chain, TrustState.UNTRUSTED, awaited_pods=at.snapshot.uids)
        seen = replace(at, ledger=at.ledger.with_entry(entry))
        if is_refused(seen, entry) and _restarts_for_trust(seen, entry.certificate, trusting=True):
            return True
    return False


def _restarts_to_forget(at: Situation) -> bool:
    leaving = _leaving(at.snapshot, at.intent)
    return leaving is not None and at.snapshot.has_verifiers and _restarts_for_trust(at, leaving.certificate)


def _restarts_for_trust(at: Situation, authority: Certificate, *, trusting: bool = False) -> bool:
    """Whether nodes restart to trust this CA, where ``trusting`` says so, and else to forget it. Processes of which more than listeners verify come to trust a
    CA by a restart alone.
    """
    cannot = not _can_reload(at) or bool(why_trust_is_unknown(authority, at.snapshot))
    if trusting and not nodes_of(at.snapshot, at.snapshot.reached_whole):
        return not (_obstacles(at).reload and not _may_restart_instead(at))
    return cannot and _may_restart_instead(at)


def _restarts_to_hand_back(at: Situation) -> bool:
    """Nodes that hold leaves which no ledger remembers from then on restart; and nodes that the operator finds behind its key generation, or whose CA it
    renews.
    """
    snapshot, current = at.snapshot, at.current
    if not hands_back(snapshot, at.intent) or at.intent.parameters.keeps_authority or snapshot.reconciliation.generated:
        return False
    holders = frozenset(uid for held in at.ledger.held_leaves for uid in held.holders)
    number = authority_generation(current) if current is not None else None
    is_behind = number is not None and number > snapshot.ca.key_generation
    compared = frozenset(pod.uid for pod in snapshot.nodes.pods if pod.key_generation is not None)
    restarted = holders | (compared if is_behind and why_not_annotated(at) else frozenset())
    renewed = bool(foresee_operator_renewal(snapshot)) and not snapshot.reconciliation.windows
    return renewed or bool(nodes_of(snapshot, restarted & snapshot.uids))
