# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "Leaves": leaves are issued in the place of others, and taken up by a restart or by reading again.

Where a leaf changes under a running process, its Raft client and its agent go on presenting what the process was started
with (docs/operator.md, "Where the reload ends"): the ledger remembers it, and the process restarts before it ends,
unless something else restarts it first.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..._leaves.trigger import is_signed_by
from ..._pki.certificates import Certificate, Chain
from ..evidence.clients import without_outside_clients
from ..evidence.stored import issuers_of, why_not_ours
from ..gates.arrival import describe_possible_refusals
from ..ledger.memory import nodes_yet_to_read, note_held
from ..model.goals import Goal, Phase
from ..model.intent import Selection
from ..model.ledger import HeldLeaf
from ..model.names import named
from ..model.snapshot import Component, StoredLeaf
from ..model.states import TrustState
from ..model.steps.base import Steps
from ..model.steps.books import WriteLedger
from ..model.steps.nodes import Reload, Roll, RollReason
from .after_switch import await_readers
from .due import due_leaves, ending_under_next
from .first_use import may_be_used
from .in_place import nodes_of, why_not_in_place, why_not_reloaded, why_restarted_later
from .issuing import issue
from .operator_reissue import misnamed_leaves, needed_by_operator
from .pause import pause_first, restarted_by_operator
from .requests import leaves_to_await, secrets_without_leaf
from .retirement import RESTART_BEFORE, is_ending, is_patient
from .situation import Situation

#: Where the operator cannot issue leaves with the names that it wants, it stands still until they are there, and is not paused for them: it
#: has to see them first.
_FOR_LISTENERS = "listeners have changed, and the operator restarts nodes for that."


@dataclass(frozen=True)
class _Order:
    """Leaves to be issued."""

    secrets: tuple[str, ...]
    issuer: Chain
    link: Certificate | None = None
    #: The reason for this step where there is another way, as a sentence.
    because: str = ""
    #: The reason why processes restart with these leaves, as a sentence; empty where they reload.
    restarting: str = ""
    #: The obstacle to a reload in the place of that restart, as a sentence; empty where there is none.
    avoidable: str = ""
    #: Whether the operator must see these leaves all at once: the step needs a pause.
    unseen: bool = False


def replace_leaves(at: Situation) -> Steps:
    """Issue leaves that are due for renewal and, in a replacement, leaves of the next CA in the place of all others.

    Where nodes are to read them again this happens in a pause: the operator would restart nodes whose leaf has changed.
    """
    return _replaced(at, _renewal(at) or _renewal_of_next(at) or _first_use(at))


def renew_leaves(at: Situation) -> Steps:
    """Issue leaves that are due for renewal, and no other."""
    return _replaced(at, _renewal(at))


def _replaced(at: Situation, order: _Order | None) -> Steps:
    if order is None:
        return ()
    issued = issue(
        at, order.secrets, order.issuer, Phase.USE, link=order.link, because=order.because, avoidable=order.avoidable
    )
    if not issued or order.restarting:
        return pause_first(at, *issued) if order.unseen else issued
    return pause_first(at, *(note(at, order.secrets, Phase.USE) or issued))


def note(at: Situation, secrets: tuple[str, ...], phase: Phase) -> Steps:
    """The ledger remembers what processes hold before it is replaced. phase: that in which it is replaced."""
    noted = note_held(at.snapshot, at.ledger, secrets)
    return (WriteLedger(ledger=noted, before=at.ledger, phase=phase),) if noted != at.ledger else ()


def _renewal(at: Situation) -> _Order | None:
    current, leaves = at.snapshot.ca.current, _due(at)
    due = tuple(sorted(leaf.secret for leaf in leaves))
    if not due:
        return None
    if unusable := tuple(sorted(leaf.secret for leaf in leaves if why_not_ours(leaf, at.ledger))):
        # Processes may have started with such a leaf or with the one before it. They restart, and wait for no other leaf.
        return _Order(unusable, current, restarting="no process can use what is stored.")
    if at.ledger.undone is not None and not is_patient(at):
        # Their Raft clients give up its certificates by a restart only.
        # A pod that starts after the pause has none of its leaves: it could be told of none that started before.
        restarting = "nodes give up the CA that the flow is undone for."
        return _Order(due, current, restarting=restarting, unseen=not at.snapshot.leaves.misnamed)
    if at.snapshot.leaves.misnamed:
        return _Order(due, current, restarting=_FOR_LISTENERS)
    why = why_not_in_place(at)
    sentence = f"Nodes are restarted with their renewed certificates: {why}" if why else ""
    return _Order(due, current, restarting=sentence, avoidable=sentence)


def _due(at: Situation) -> tuple[StoredLeaf, ...]:
    """The leaves that are due and may be issued. Where a leaf of another CA is stored, some process may not know the CA in use."""
    found = due_leaves(at.snapshot, at.intent, at.ledger)
    current = at.snapshot.ca.current
    others = {leaf.secret for leaf in found if not is_signed_by(leaf.chain, current[0])}
    if not others or at.ledger.undone is not None or not at.gates.trust(at.snapshot, at.ledger, current):
        return found
    return tuple(leaf for leaf in found if leaf.secret not in others)


def _renewal_of_next(at: Situation) -> _Order | None:
    """The leaves of the next CA, behind its link certificate, where the flow stops with them in use and the operator on the CA before."""
    successor, journal = at.successor, at.begun
    if successor is None or journal is None or journal.stop is None or journal.stop.after is not Phase.USE:
        return None
    if successor.introduction.link is None or successor.prepared.elsewhere:
        return None
    due = ending_under_next(at.snapshot, at.intent, successor.entry.chain)
    if not due or at.gates.trust(at.snapshot, at.ledger, successor.introduction.form):
        return None
    why = why_not_in_place(at)
    sentence = f"Nodes are restarted with their renewed certificates: {why}" if why else ""
    return _Order(due, successor.entry.chain, successor.introduction.link, restarting=sentence, avoidable=sentence)


def _first_use(at: Situation) -> _Order | None:
    """Leaves of the next CA behind its link certificate, while the operator stays on the CA that every party trusts.

    The operator keeps these leaves, because they end with ``ca.crt`` and have its generation, and restarts the nodes
    because they changed. Its own leaf, which it presents alone, comes later. None is issued while a stored leaf is such that its process would not
    come back: others would have restarted by then.
    """
    successor = at.successor
    if successor is None or successor.introduction.link is None or not may_be_used(at, successor):
        return None
    outdated = [leaf for leaf in at.snapshot.leaves.stored if leaf.component is not Component.CLUSTER_OPERATOR]
    others = {entry.fingerprint for entry in at.ledger.entries} - {successor.entry.fingerprint}
    misnamed = {leaf.secret for leaf in misnamed_leaves(at.snapshot)}
    secrets = tuple(sorted(leaf.secret for leaf in outdated if at.issuer_of(leaf) in others or leaf.secret in misnamed))
    spoilt = any(why_not_ours(leaf, at.ledger) for leaf in at.snapshot.leaves.stored if leaf.secret not in secrets)
    if not secrets or spoilt or at.gates.trust(at.snapshot, at.ledger, successor.introduction.form):
        return None
    because = (
        f"{named(successor.entry.certificate)} is introduced by a link certificate that {at.snapshot.ca.current[0].subject} "
        f"has signed: no pod has to restart to trust it first. {describe_possible_refusals(successor.introduction.form, at.snapshot, at.ledger)}"
    ).rstrip()
    link, why = successor.introduction.link, why_not_in_place(at)
    if misnamed:
        return _Order(secrets, successor.entry.chain, link, because, restarting=_FOR_LISTENERS)
    if not is_patient(at):
        later = why_restarted_later(at, successor.entry.certificate)
        return _Order(
            secrets, successor.entry.chain, link, because, "nodes take it up and the old CA leaves.", avoidable=later
        )
    avoidable = f"Nodes are restarted to take up {named(successor.entry.certificate)}: {why}" if why else ""
    return _Order(secrets, successor.entry.chain, link, because, restarting=avoidable, avoidable=avoidable)


def issue_missing(at: Situation) -> Steps:
    """Issue leaves whose Secrets are missing, where the caller asks for it, from the CA in use, as the operator would; and
    wherever the operator cannot, because the key is kept elsewhere.
    """
    if at.current is None:
        return ()
    helpless = Selection() if at.snapshot.ca.is_kept_elsewhere(at.current) else None
    wanted, missing = at.intent.issuing or helpless, at.snapshot.leaves.missing
    secrets = tuple(sorted(name for name, component in missing.items() if wanted and wanted.has(name, component)))
    return issue(at, secrets, at.snapshot.ca.current, Phase.USE)


def use_by_operator(at: Situation) -> Steps:
    """Issue the operator's own leaf from the next CA when every process trusts that CA itself, because the operator
    presents its leaf alone.
    """
    successor = at.successor
    if successor is None or successor.introduction.link is None:
        return ()
    if successor.entry.state is not TrustState.TRUSTED_IN_USE_ALL:
        return ()
    outdated = tuple(
        leaf.secret
        for leaf in at.snapshot.leaves.stored
        if leaf.component is Component.CLUSTER_OPERATOR and not at.is_of(leaf, successor.entry.certificate)
    )
    # Clients outside the cluster never meet it.
    inside, chain = without_outside_clients(at.snapshot), successor.entry.chain
    if not outdated or at.gates.trust(inside, at.ledger, chain) or at.gates.alone(inside, at.ledger, chain):
        return ()
    return issue(at, outdated, chain, Phase.USE)


def await_restarts(at: Situation) -> Steps:
    """Wait for the operator, which restarts every process whose Secret or generation has changed since it was started."""
    behind, current = restarted_by_operator(at.snapshot), at.current
    leaves_behind = any(leaf.generation != at.generation for leaf in at.snapshot.leaves.stored)
    if current is None or not (behind or leaves_behind) or not _is_ours(at, current) or _stands_still(at):
        return ()
    about = at.successor.entry.certificate if at.successor else current
    return (Roll(reason=RollReason.USE, uids=behind, authority=about, phase=at.phase),)


def _stands_still(at: Situation) -> bool:
    """Whether the operator restarts no pod: it would have to issue a leaf first, and the key of the CA is kept elsewhere; or it cannot read a leaf,
    wherever that key is (docs/operator.md, "Re-issue").
    """
    needed = needed_by_operator(at.snapshot) - set(at.snapshot.users.served)
    unreadable = any(leaf.chain is None for leaf in at.snapshot.leaves.stored)
    return unreadable or bool(secrets_without_leaf(at, tuple(sorted(needed)), at.snapshot.ca.current))


def _is_ours(at: Situation, current: Certificate) -> bool:
    """Whether these restarts belong to a flow; restarts that the operator makes for its own reasons are not waited for. Where another program
    else keeps the key, no leaf changes but by a flow.
    """
    if at.begun is not None or at.intent.goal is Goal.RENEW_LEAVES or at.snapshot.ca.is_kept_elsewhere(current):
        return True
    own = frozenset({current.fingerprint})
    return any(seen.authorities not in (None, own) for seen in at.presented)


def read_again(at: Situation) -> Steps:
    """Have listeners read their new leaf. Nodes that the operator restarts anyway are left out: they start with it."""
    waiting = nodes_yet_to_read(at.snapshot, at.ledger) - restarted_by_operator(at.snapshot)
    if not waiting:
        return ()
    if readers := await_readers(at):
        return readers
    why = why_not_reloaded(at)
    if not why:
        because = (
            "Listeners read their new certificates again, without a restart; Raft clients and agents present the old ones "
            f"until the next restart of their node, which is asked for {RESTART_BEFORE.days} days before those end."
        )
        return (Reload(uids=waiting, authority=None, phase=Phase.USE, because=because),)
    avoidable = f"Nodes are restarted with their renewed certificates: {why}"
    return (Roll(reason=RollReason.LEAF, uids=waiting, authority=at.current, phase=Phase.USE, avoidable=avoidable),)


def _is_to_leave(held: HeldLeaf, at: Situation) -> bool:
    """Whether this leaf is of the CA whose key is replaced and which is to leave now, and not of the one that the flow leads, or leads back, to.
    While certificates of the next CA are awaited no pod restarts for it: each node restarts with its own.
    """
    if at.begun is None or at.begun.goal is not Goal.REPLACE_KEY or is_patient(at) or leaves_to_await(at):
        return False
    return at.begun.successor not in issuers_of((held.certificate,), at.ledger)


def restart_holders(at: Situation) -> Steps:
    """Restart nodes that hold a leaf which ends soon, or whose CA is to leave now: their Raft clients and agents
    present it until then.

    When the cluster is handed back, restart every node that holds any: no ledger will remember them.
    """
    handing_back = at.intent.goal is Goal.DOWNGRADE and not at.intent.keeps_authority
    held = (one for one in at.ledger.held if handing_back or _is_to_leave(one, at) or is_ending(one, at))
    uids = frozenset(uid for one in held for uid in one.holders) & at.snapshot.uids
    nodes = nodes_of(at.snapshot, uids) - restarted_by_operator(at.snapshot)
    if not nodes:
        return ()
    about = at.successor.entry.certificate if at.successor else at.current
    return (Roll(reason=RollReason.LEAF, uids=nodes, authority=about, phase=Phase.USE),)
