# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "Leaves": leaves are issued in the place of others, and processes take them up by a restart or by reading
again. A rule issues leaves only where they can be signed here or are at hand.

Where a leaf changes under a running process, a channel that a reload does not reach goes on presenting the leaf that
the process started with (docs/operator.md, "Where the reload ends"): the ledger remembers that leaf, and the process
restarts before it ends, unless something else restarts it first.

After a switch each leaf gets the generation of the CA in use, or the operator would issue it again.

Scaling a node pool: where the operator cannot issue, new nodes get their certificates first. The operator
deletes node Secrets of nodes that no node pool has, so it is paused until the pool asks for them
(docs/operator.md, "Leaves", "Pause").
"""

from __future__ import annotations

from dataclasses import dataclass

from ..._leaves.trigger import is_signed_by
from ..._pki.certificates import Certificate, Chain
from ..evidence.stored import (
    issuers_of,
    operator_leaves,
    restarted_by_operator,
    why_not_ours,
    without_outside_clients,
)
from ..gates.gates import select_refusals
from ..gates.verifiers import describe_possible_refusals
from ..ledger.update import nodes_yet_to_read, note_held
from ..model.channels import name_channels
from ..model.components import Component
from ..model.decision import Steps, Turn, Wait
from ..model.goals import Goal, Phase
from ..model.intent import Selection
from ..model.ledger import HeldLeaf, TrustState
from ..model.names import listed, named
from ..model.snapshot import StoredLeaf
from ..model.steps.leaves import IssueLeaves, RechainLeaves
from ..model.steps.nodes import Reload, Roll, RollReason, SetReplicas
from ..model.steps.trust import WriteLedger
from .due import (
    describe_renewal_of_authority,
    due_leaves,
    ending_under_next,
    leaves_that_end_with_ca,
    misnamed_leaves,
)
from .pause import (
    RESTART_BEFORE,
    is_ending,
    latest_restart,
    leaves_operator_waits_for,
    nodes_of,
    pause_first,
    restarts_to_give_up,
    retires_when_restarted,
    why_not_in_place,
    why_not_reloaded,
    why_restarted_later,
)
from .requests import leaves_to_await, secrets_without_leaf
from .situation import Situation
from .switch import await_readers, may_be_used


def issue(
    at: Situation,
    secrets: tuple[str, ...],
    issuer: Chain,
    phase: Phase,
    *,
    link: Certificate | None = None,
    because: str = "",
    avoidable: str = "",
) -> Steps:
    """All of them or none: nodes that take up some of them would have to restart again for the others."""
    if not secrets or secrets_without_leaf(at, secrets, issuer):
        return ()
    return (
        IssueLeaves(
            secrets=secrets,
            issuer=issuer,
            generation=at.generation,
            link=link,
            phase=phase,
            because=because,
            avoidable_restart=avoidable,
        ),
    )


#: Where the operator cannot issue leaves with the names that it wants, it stands still until they are there, and is not
#: paused for them: it has to see them first.
_FOR_LISTENERS = "listeners have changed, and the operator restarts nodes for that."


@dataclass(frozen=True)
class _Order:
    """Leaves to be issued."""

    #: The Secrets of the leaves to issue.
    secrets: tuple[str, ...]
    #: The CA that signs them, with its chain.
    issuer: Chain
    #: The link certificate that nodes present behind these leaves; None where they need none.
    link: Certificate | None = None
    #: The reason for this step where there is another way, as a sentence.
    because: str = ""
    #: The reason why processes restart with these leaves, as a sentence; empty where they reload.
    restart_reason: str = ""
    #: The obstacle to a reload in the place of that restart, as a sentence; empty where there is none.
    reload_obstacle: str = ""
    #: Whether the operator must see these leaves all at once: the step needs a pause.
    needs_pause: bool = False


def replace_leaves(at: Situation) -> Steps:
    """Issue leaves that are due for renewal and, in a replacement, leaves of the next CA in the place of all others.

    Where nodes are to read them again this happens in a pause: the operator would restart nodes whose leaf has changed.
    """
    return _take_order(at, _order_renewal(at) or _order_renewal_under_next(at) or _order_first_use(at))


def renew_leaves(at: Situation) -> Steps:
    """Issue leaves that are due for renewal, and no other."""
    return _take_order(at, _order_renewal(at))


def await_renewed_authority(at: Situation) -> Turn:
    """Wait for the schedule that renews the CA in use: it also renews the leaves that could not outlive that CA."""
    ending = leaves_that_end_with_ca(at.snapshot, at.intent)
    renewed_by = describe_renewal_of_authority(at.snapshot) if ending and at.flow_in_flight is None else ""
    if not renewed_by:
        return ()
    authority, secrets = at.snapshot.ca.current[0], listed([leaf.secret for leaf in ending])
    told = f"{named(authority)} ends on {authority.not_after:%Y-%m-%d}, and certificates of it as well ({secrets}): {renewed_by}, renews it with them"
    return Wait(left_for_later=(told,))


def _take_order(at: Situation, order: _Order | None) -> Steps:
    if order is None:
        return ()
    issued = issue(
        at,
        order.secrets,
        order.issuer,
        Phase.USE,
        link=order.link,
        because=order.because,
        avoidable=order.reload_obstacle,
    )
    if not issued or order.restart_reason:
        return pause_first(at, *issued) if order.needs_pause else issued
    return pause_first(at, *(note_held_leaves(at, order.secrets, Phase.USE) or issued))


def note_held_leaves(at: Situation, secrets: tuple[str, ...], phase: Phase) -> Steps:
    """The ledger remembers what processes hold before it is replaced in this phase."""
    noted = note_held(at.snapshot, at.ledger, secrets)
    return (WriteLedger(ledger=noted, before=at.ledger, phase=phase),) if noted != at.ledger else ()


def _order_renewal(at: Situation) -> _Order | None:
    current, leaves = at.snapshot.ca.current, _find_issuable_leaves(at)
    due = tuple(sorted(leaf.secret for leaf in leaves))
    if not due:
        return None
    if unusable := tuple(sorted(leaf.secret for leaf in leaves if why_not_ours(leaf, at.ledger))):
        # Processes may have started with such a leaf or with the leaf before it. They restart, and wait for
        # no other leaf.
        return _Order(unusable, current, restart_reason="no process can use the stored leaf.")
    undone = at.ledger.undone_ca
    if undone is not None and _nodes_may_hold_leaves_of(at, undone) and restarts_to_give_up(at):
        # A channel that a reload does not reach gives up its certificates by a restart only. A pod that starts after
        # the pause has none of its leaves; for pods that started before, nothing shows which leaf they have.
        restarting = "nodes give up the CA that the flow is undone for."
        return _Order(due, current, restart_reason=restarting, needs_pause=not at.snapshot.leaves.misnamed)
    if at.snapshot.leaves.misnamed:
        return _Order(due, current, restart_reason=_FOR_LISTENERS)
    why = why_not_in_place(at)
    sentence = f"Nodes are restarted with their renewed certificates: {why}" if why else ""
    return _Order(due, current, restart_reason=sentence, reload_obstacle=sentence)


def _find_issuable_leaves(at: Situation) -> tuple[StoredLeaf, ...]:
    """The leaves that are due and may be issued. Where a leaf of another CA is stored, some process may not know the CA
    in use.
    """
    found = due_leaves(at.snapshot, at.intent, at.ledger)
    current = at.snapshot.ca.current
    others = {leaf.secret for leaf in found if not is_signed_by(leaf.chain, current[0])}
    if not others or at.ledger.undone_ca is not None or not at.gates.trust(at.snapshot, at.ledger, current):
        return found
    return tuple(leaf for leaf in found if leaf.secret not in others)


def _nodes_may_hold_leaves_of(at: Situation, fingerprint: str) -> bool:
    """Whether a running node presents a leaf of this CA, or its leaf is unknown."""
    nodes = {pod.name for pod in at.snapshot.nodes.pods if pod.component is Component.KAFKA}
    seen = (presented.authorities for presented in at.pod_presentations if presented.party in nodes)
    return any(authorities is None or fingerprint in authorities for authorities in seen)


def _order_renewal_under_next(at: Situation) -> _Order | None:
    """The leaves of the next CA, behind its link certificate, where the flow stops with them in use and the operator on
    the CA before.
    """
    successor, journal = at.successor, at.flow_in_flight
    if (
        successor is None
        or journal is None
        or journal.options.stop is None
        or journal.options.stop.after is not Phase.USE
    ):
        return None
    if successor.introduction.link is None or successor.prepared.key_is_elsewhere:
        return None
    due = ending_under_next(at.snapshot, at.intent, successor.entry.chain)
    if not due or at.gates.trust(at.snapshot, at.ledger, successor.introduction.form):
        return None
    why = why_not_in_place(at)
    sentence = f"Nodes are restarted with their renewed certificates: {why}" if why else ""
    return _Order(
        due, successor.entry.chain, successor.introduction.link, restart_reason=sentence, reload_obstacle=sentence
    )


def _order_first_use(at: Situation) -> _Order | None:
    """Leaves of the next CA behind its link certificate, while the operator stays on the CA that every party trusts.

    The operator keeps these leaves, because they end with ``ca.crt`` and have its generation, and restarts the nodes
    because they changed. Its own leaf, which it presents alone, comes later. None is issued while a stored leaf is such
    that its process would not come back: others would have restarted by then.
    """
    successor = at.successor
    if successor is None or successor.introduction.link is None or not may_be_used(at, successor):
        return None
    outdated = [leaf for leaf in at.snapshot.leaves.stored if leaf.component is not Component.CLUSTER_OPERATOR]
    others = {entry.fingerprint for entry in at.ledger.entries} - {successor.entry.fingerprint}
    misnamed = {leaf.secret for leaf in misnamed_leaves(at.snapshot)}
    replaced = {leaf.secret for leaf in outdated if at.issuer_of(leaf) in others or leaf.secret in misnamed}
    # The operator keeps such a leaf in the place of a leaf that it would have to issue and cannot.
    secrets = tuple(sorted(replaced | (at.lacking_leaves - operator_leaves(at.snapshot))))
    spoilt = any(why_not_ours(leaf, at.ledger) for leaf in at.snapshot.leaves.stored if leaf.secret not in secrets)
    if not secrets or spoilt or at.gates.trust(at.snapshot, at.ledger, successor.introduction.form):
        return None
    because = (
        f"{named(successor.entry.certificate)} is introduced by a link certificate that {at.snapshot.ca.current[0].subject} "
        f"has signed: no pod has to restart to trust it first. {describe_possible_refusals(successor.introduction.form, at.snapshot, at.ledger)}"
    ).rstrip()
    link, why = successor.introduction.link, why_not_in_place(at)
    if misnamed:
        return _Order(secrets, successor.entry.chain, link, because, restart_reason=_FOR_LISTENERS)
    if restarts_to_give_up(at):
        later = why_restarted_later(at, successor.entry.certificate)
        return _Order(
            secrets,
            successor.entry.chain,
            link,
            because,
            "nodes take it up and the old CA leaves.",
            reload_obstacle=later,
        )
    avoidable = f"Nodes are restarted to take up {named(successor.entry.certificate)}: {why}" if why else ""
    return _Order(secrets, successor.entry.chain, link, because, restart_reason=avoidable, reload_obstacle=avoidable)


def issue_missing(at: Situation) -> Steps:
    """Issue leaves whose Secrets are missing, where the caller asks for it, from the CA in use, as the operator would;
    and wherever the operator cannot, because the key is kept elsewhere.
    """
    if at.current is None:
        return ()
    helpless = Selection() if at.snapshot.ca.is_kept_elsewhere(at.current) else None
    wanted, missing = at.intent.issuing.missing_leaves or helpless, at.snapshot.leaves.missing
    secrets = tuple(sorted(name for name, component in missing.items() if wanted and wanted.has(name, component)))
    return issue(at, secrets, at.snapshot.ca.current, Phase.USE)


def issue_operator_leaf(at: Situation) -> Steps:
    """Issue the operator's own leaf from the next CA when every process trusts that CA itself, because the operator
    presents its leaf alone.
    """
    successor = at.successor
    if successor is None or successor.introduction.link is None:
        return ()
    own = operator_leaves(at.snapshot)
    # An operator without a leaf does nothing by which pods would show that they have taken theirs up.
    if successor.entry.state is not TrustState.TRUSTED_IN_USE_ALL and own.isdisjoint(at.lacking_leaves):
        return ()
    others = {leaf.secret for leaf in at.snapshot.leaves.stored if not at.is_of(leaf, successor.entry.certificate)}
    outdated = tuple(sorted(own & (others | at.lacking_leaves)))
    # Clients outside the cluster never meet it.
    inside, chain = without_outside_clients(at.snapshot), successor.entry.chain
    if not outdated or at.gates.trust(inside, at.ledger, chain) or at.gates.alone(inside, at.ledger, chain):
        return ()
    return issue(at, outdated, chain, Phase.USE)


def await_restarts(at: Situation) -> Turn:
    """Wait for the operator, which restarts every process whose Secret or generation has changed since it was started;
    where nodes keep what they were started with, the restarts to come for any reason are left.
    """
    behind, current = restarted_by_operator(at.snapshot), at.current
    leaves_behind = any(leaf.generation != at.generation for leaf in at.snapshot.leaves.stored)
    if current is None or not (behind or leaves_behind) or not _is_ours(at, current) or leaves_operator_waits_for(at):
        return Wait(left_for_later=_describe_holders(at))
    about = at.successor.entry.certificate if at.successor else current
    return (Roll(reason=RollReason.USE, uids=behind, authority=about, phase=at.phase),)


def _describe_holders(at: Situation) -> tuple[str, ...]:
    """A sentence that names the CA that stays trusted, the pods that need it, and until when."""
    journal = at.flow_in_flight
    if journal is None or not retires_when_restarted(at):
        return ()
    replaced, latest = at.ledger.find(journal.replaces), latest_restart(at, journal)
    uids = frozenset(uid for held in at.ledger.held_leaves for uid in held.holders)
    pods = ", ".join(sorted(pod.name for pod in at.snapshot.nodes.pods if pod.uid in uids))
    if replaced is None or not pods:
        return ()
    until = f", on {latest:%Y-%m-%d} at the latest" if latest is not None else ""
    return (f"{named(replaced.certificate)} stays trusted until these have restarted for any reason{until}: {pods}",)


def _is_ours(at: Situation, current: Certificate) -> bool:
    """Whether these restarts belong to a flow; restarts that the operator makes for its own reasons are not waited for.
    Where another program else keeps the key, no leaf changes but by a flow.
    """
    if (
        at.flow_in_flight is not None
        or at.intent.goal is Goal.RENEW_LEAVES
        or at.snapshot.ca.is_kept_elsewhere(current)
    ):
        return True
    own = frozenset({current.fingerprint})
    return any(seen.authorities not in (None, own) for seen in at.presentations)


def reload_leaves(at: Situation) -> Steps:
    """Have listeners read their new leaf. Nodes that the operator restarts anyway are left out: they start with it."""
    waiting = nodes_yet_to_read(at.snapshot, at.ledger) - restarted_by_operator(at.snapshot)
    if not waiting:
        return ()
    if readers := await_readers(at):
        return readers
    why = why_not_reloaded(at)
    if not why:
        return (Reload(uids=waiting, authority=None, phase=Phase.USE, because=_describe_reload(at)),)
    avoidable = f"Nodes are restarted with their renewed certificates: {why}"
    return (
        Roll(reason=RollReason.LEAF, uids=waiting, authority=at.current, phase=Phase.USE, avoidable_restart=avoidable),
    )


def _describe_reload(at: Situation) -> str:
    others = name_channels(at.snapshot.left_by_reload)
    if not others:
        return "Nodes read their new certificates again, without a restart."
    return (
        f"Listeners read their new certificates again, without a restart; {others} present the old certificates until "
        f"the next restart of their node, which a run asks for {RESTART_BEFORE.days} days before these end."
    )


def _is_to_leave(held: HeldLeaf, at: Situation) -> bool:
    """Whether this leaf is of the CA whose key is replaced and which is to leave now, and not of the CA that the flow
    leads, or leads back, to. While the flow awaits certificates of the next CA no pod restarts for this leaf: each node
    restarts with its own certificate.
    """
    if (
        at.flow_in_flight is None
        or at.flow_in_flight.goal is not Goal.REPLACE_KEY
        or not restarts_to_give_up(at)
        or leaves_to_await(at)
    ):
        return False
    return at.flow_in_flight.successor not in issuers_of((held.certificate,), at.ledger)


def restart_holders(at: Situation) -> Steps:
    """Restart nodes that hold a leaf which ends soon, or whose CA is to leave now: a channel that a reload does not
    reach presents it until then.

    When the cluster is handed back, restart every node that holds any: no ledger will remember them.
    """
    handing_back = at.intent.goal is Goal.DOWNGRADE and not at.intent.parameters.keeps_authority
    held = (leaf for leaf in at.ledger.held_leaves if handing_back or _is_to_leave(leaf, at) or is_ending(leaf, at))
    uids = frozenset(uid for leaf in held for uid in leaf.holders) & at.snapshot.uids
    nodes = nodes_of(at.snapshot, uids) - restarted_by_operator(at.snapshot)
    if not nodes:
        return ()
    about = at.successor.entry.certificate if at.successor else at.current
    return (Roll(reason=RollReason.LEAF, uids=nodes, authority=about, phase=Phase.USE),)


def rewrite_leaves(at: Situation) -> Steps:
    """In a pause, leaves that the CA in use has issued are kept and get its chain; all others are issued again.

    The trust gate judges once more (I3): the trust may have changed since the switch. A node that does not answer now
    has agreed to the switch, and without these leaves the operator would issue others of the same CA and restart every
    node.
    """
    outdated = [leaf for leaf in at.snapshot.leaves.stored if leaf.generation != at.generation]
    current = at.current
    if current is None or not outdated:
        return ()
    if select_refusals(at.gates.trust(without_outside_clients(at.snapshot), at.ledger, at.snapshot.ca.current)):
        return ()
    kept = tuple(sorted(leaf.secret for leaf in outdated if _is_kept(leaf, current, at)))
    if kept:
        return pause_first(at, RechainLeaves(secrets=kept, generation=at.generation, phase=at.phase))
    secrets = tuple(sorted(leaf.secret for leaf in outdated))
    issued = issue(at, secrets, at.snapshot.ca.current, at.phase)
    if not issued:
        return ()
    noted = note_held_leaves(at, secrets, at.phase) if _are_reloaded(at) else ()
    return pause_first(at, *(noted or issued))


def _is_kept(leaf: StoredLeaf, current: Certificate, at: Situation) -> bool:
    """Where the key is kept elsewhere, leaves from before a renewal are kept too: new leaves would need requests, and
    be no better.
    """
    return at.is_of(leaf, current) or (at.snapshot.ca.is_kept_elsewhere(current) and is_signed_by(leaf.chain, current))


def rewrite_for_the_operator(at: Situation) -> Steps:
    """The same where the operator would issue these leaves, and cannot because the key is kept elsewhere: it stands
    still until they are there.
    """
    return rewrite_leaves(at) if at.current and at.snapshot.ca.is_kept_elsewhere(at.current) else ()


def restore_links(at: Situation) -> Steps:
    """Put the link certificates of the CA in use behind leaves of nodes that the operator, which knows no links, has
    issued; and take them off where any of them has ended. Nothing restarts for it, because the leaf stays the same
    (docs/operator.md, "After the switch"). Leaves that are about to be replaced are left alone.
    """
    ca, current = at.snapshot.ca, at.current
    if current is None or at.successor is not None or ca.links_in_use is None:
        return ()
    wanted = ca.behind_nodes(ca.current, at.snapshot.now)
    others = {ca.current, (*ca.links_in_use.both, *ca.current)} - {wanted}
    late = tuple(
        sorted(
            leaf.secret
            for leaf in at.snapshot.leaves.stored
            if leaf.component is Component.KAFKA and leaf.generation == at.generation
            if leaf.chain and leaf.chain[1:] in others and leaf.chain[0].signed_by(current)
        )
    )
    return (RechainLeaves(secrets=late, generation=at.generation, phase=at.phase),) if late else ()


def _are_reloaded(at: Situation) -> bool:
    """Whether nodes read these leaves again. Where a replaced key is to be given up at once they restart instead,
    unless a reload reaches them as a whole.
    """
    replacing = at.flow_in_flight is not None and at.flow_in_flight.goal is Goal.REPLACE_KEY
    return not why_not_in_place(at) and (not replacing or not restarts_to_give_up(at))


def scale(at: Situation) -> Steps:
    """Nothing while a certificate is still to come."""
    scaling, current = at.intent.parameters.scaling, at.snapshot.ca.current
    before = at.snapshot.pools.replicas.get(scaling.pool) if scaling else None
    if scaling is None or before is None or before == scaling.replicas:
        return ()
    step = SetReplicas(pool=scaling.pool, before=before, replicas=scaling.replicas, phase=Phase.USE)
    if not at.snapshot.ca.in_use_elsewhere or scaling.replicas < before:
        return (step,)
    missing = tuple(sorted(at.snapshot.leaves.missing))
    issued = issue(at, missing, current, Phase.USE)
    return pause_first(at, *issued, step) if issued or not missing else ()
