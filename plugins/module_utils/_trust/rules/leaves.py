# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "Leaves": leaves are issued in the place of others, and processes take them up by a restart or by reading
again. A rule issues leaves only if they can be signed here or are here already.

If a leaf changes under a running process, a channel beyond the reload goes on presenting the leaf of the process's
start (docs/operator.md, "Where the reload ends"). The ledger remembers that leaf, and the process restarts before the
leaf ends, unless another reason restarts it first.

After a switch each leaf gets the generation of the CA in use, or the operator would issue it again.

Scaling a node pool: if the operator cannot issue leaves, new nodes get theirs first. The operator deletes node Secrets
of nodes that no node pool has, so it is paused until the pool asks for these nodes (docs/operator.md, "Leaves",
"Pause").
"""

from __future__ import annotations

from collections.abc import Iterator
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
from ..ledger.update import nodes_yet_to_read, note_former
from ..model.channels import name_channels
from ..model.components import Component
from ..model.decision import Steps, Turn, Wait
from ..model.goals import Goal, Phase
from ..model.intent import Selection
from ..model.ledger import FormerLeaf, TrustState
from ..model.names import listed, named
from ..model.snapshot import StoredLeaf
from ..model.steps.leaves import IssueLeaves, RechainLeaves
from ..model.steps.nodes import Reload, Roll, RollReason, SetReplicas
from ..model.steps.trust import WriteLedger
from .due import due_leaves, ending_under_next, leaves_that_end_with_ca, misnamed_leaves
from .expiring import describe_renewal_of_authority
from .pause import (
    RESTART_BEFORE,
    is_ending,
    latest_restart,
    leaves_operator_waits_for,
    nodes_of,
    pause_first,
    restarts_in_pause,
    restarts_to_give_up,
    retires_when_restarted,
    why_leaves_not_reloaded,
    why_not_reloaded,
    why_restarted_later,
)
from .requests import leaves_to_await, secrets_without_leaf
from .situation import Situation
from .switch import await_readers, may_be_used


@dataclass(frozen=True)
class Uptake:
    """How processes take up new leaves."""

    #: Whether listeners read them again. If not, processes restart with them.
    by_reload: bool = False
    #: Whether the operator must see all of these leaves at once, or nothing but their uptake. The step needs a pause
    #: then.
    in_pause: bool = False
    #: The obstacle to a reload in the place of the restart, as a sentence; empty if there is none.
    obstacle: str = ""


_BY_RESTART = Uptake()
#: The operator would restart nodes with a changed leaf.
_BY_RELOAD = Uptake(by_reload=True, in_pause=True)


@dataclass(frozen=True)
class Want:
    """Leaves that are wanted in their Secrets, all of the same CA and for the same reason."""

    #: The Secrets of the leaves.
    secrets: tuple[str, ...]
    #: The signing CA, with its chain.
    issuer: Chain
    #: The phase of the flow for these leaves.
    phase: Phase = Phase.USE
    #: The link certificate that nodes present behind these leaves; None if they need none.
    link: Certificate | None = None
    #: The reason for this step if there is another way, as a sentence.
    because: str = ""
    #: How processes take them up.
    uptake: Uptake = _BY_RESTART


def put_leaves(at: Situation, want: Want | None) -> Steps:
    """Put all of these leaves into their Secrets, or none: nodes that take up some of them would have to restart again
    for the others. Before listeners read leaves again, the ledger notes the leaves with which processes have started.
    """
    if want is None or not want.secrets or secrets_without_leaf(at, want.secrets, want.issuer):
        return ()
    issue = IssueLeaves(
        secrets=want.secrets,
        issuer=want.issuer,
        generation=at.generation,
        link=want.link,
        phase=want.phase,
        because=want.because,
        avoidable_restart=want.uptake.obstacle,
    )
    noted = note_former(at.snapshot, at.ledger, want.secrets) if want.uptake.by_reload else at.ledger
    step = issue if noted == at.ledger else WriteLedger(ledger=noted, before=at.ledger, phase=want.phase)
    return pause_first(at, step) if want.uptake.in_pause else (step,)


def _how_taken_up(at: Situation, purpose: str) -> Uptake:
    """Listeners read leaves again if they can; otherwise nodes restart, and ``purpose`` says what for."""
    why = why_leaves_not_reloaded(at)
    return _by_restart(at, f"Nodes are restarted {purpose}: {why}") if why else _BY_RELOAD


def _by_restart(at: Situation, obstacle: str) -> Uptake:
    """Nodes restart with the leaves. The operator restarts them as soon as it sees the leaves, so it is paused if this
    collection restarts them.
    """
    return Uptake(in_pause=restarts_in_pause(at), obstacle=obstacle)


_RENEWED = "with their renewed certificates"


def replace_leaves(at: Situation) -> Steps:
    """Issue leaves that are due for renewal and, in a replacement, leaves of the next CA in the place of all others."""
    return put_leaves(at, _want_due(at) or _want_due_under_next(at) or _want_first_use(at))


def renew_leaves(at: Situation) -> Steps:
    """Issue leaves that are due for renewal, and no other."""
    return put_leaves(at, _want_due(at))


def await_renewed_authority(at: Situation) -> Turn:
    """Wait for the schedule that renews the CA in use: it also renews the leaves that could not outlive that CA."""
    ending = leaves_that_end_with_ca(at.snapshot, at.intent)
    renewed_by = describe_renewal_of_authority(at.snapshot) if ending and at.flow_in_flight is None else ""
    if not renewed_by:
        return ()
    authority, secrets = at.snapshot.ca.current[0], listed([leaf.secret for leaf in ending])
    sentence = (
        f"{named(authority)} ends on {authority.not_after:%Y-%m-%d}, and certificates of it as well ({secrets}): "
        f"{renewed_by}, renews it with them"
    )
    return Wait(left_for_later=(sentence,))


def _want_due(at: Situation) -> Want | None:
    """The due leaves of the CA in use. If no process can use some of the stored leaves, these come first: processes may
    have started with such a leaf or with the leaf before it, so they restart, and wait for no other leaf.
    """
    due = _find_issuable_leaves(at)
    unusable = tuple(leaf for leaf in due if why_not_ours(leaf, at.ledger))
    secrets = tuple(sorted(leaf.secret for leaf in unusable or due))
    uptake = _BY_RESTART if unusable else _how_due_is_taken_up(at)
    return Want(secrets, at.snapshot.ca.current, uptake=uptake) if secrets else None


def _how_due_is_taken_up(at: Situation) -> Uptake:
    if at.snapshot.leaves.misnamed:
        # The operator restarts nodes for changed listeners. If it cannot issue leaves with its wanted names, it stands
        # still until they are there. It is not paused for them: it has to see them first.
        return _BY_RESTART
    undone = at.ledger.undone_ca
    if undone is not None and _nodes_may_present_leaves_of(at, undone) and restarts_to_give_up(at):
        # A channel beyond the reload gives up the certificates of this CA by a restart only. A pod that starts after
        # the pause has none of them; for pods that started before, nothing shows which leaf they have.
        return Uptake(in_pause=True)
    return _how_taken_up(at, _RENEWED)


def _find_issuable_leaves(at: Situation) -> tuple[StoredLeaf, ...]:
    """The due leaves that may be issued. If a leaf of another CA is stored, some process may not know the CA in use:
    that leaf stays until the trust gate is open.
    """
    due = due_leaves(at.snapshot, at.intent, at.ledger)
    current = at.snapshot.ca.current
    others = {leaf.secret for leaf in due if not is_signed_by(leaf.chain, current[0])}
    if not others or at.ledger.undone_ca is not None or not at.gates.trust(at.snapshot, at.ledger, current):
        return due
    return tuple(leaf for leaf in due if leaf.secret not in others)


def _nodes_may_present_leaves_of(at: Situation, fingerprint: str) -> bool:
    """Whether a running node presents a leaf of this CA, or an unknown leaf."""
    nodes = {pod.name for pod in at.snapshot.nodes.pods if pod.component is Component.KAFKA}
    seen = (presented.authorities for presented in at.pod_presentations if presented.party in nodes)
    return any(authorities is None or fingerprint in authorities for authorities in seen)


def _want_due_under_next(at: Situation) -> Want | None:
    """The due leaves of the next CA, behind its link certificate, if the flow stops with them in use and the operator
    on the CA before.
    """
    successor, stop = at.successor, at.flow_in_flight.options.stop if at.flow_in_flight is not None else None
    if successor is None or stop is None or stop.after is not Phase.USE:
        return None
    link, chain = successor.introduction.link, successor.entry.chain
    if link is None or successor.prepared.key_is_elsewhere:
        return None
    due = ending_under_next(at.snapshot, at.intent, chain)
    if not due or at.gates.trust(at.snapshot, at.ledger, successor.introduction.form):
        return None
    return Want(due, chain, link=link, uptake=_how_taken_up(at, _RENEWED))


def _want_first_use(at: Situation) -> Want | None:
    """Leaves of the next CA behind its link certificate, while the operator stays on the CA that every party trusts.

    The operator keeps these leaves, because they end with ``ca.crt`` and have its generation, and restarts the nodes
    because they changed. It presents its own leaf alone, so this leaf comes later. None is issued while a process would
    not come back with its stored leaf: others would have restarted by then.
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
        f"{named(successor.entry.certificate)} is introduced by a link certificate that "
        f"{at.snapshot.ca.current[0].subject} has signed: no pod has to restart to trust it first. "
        f"{describe_possible_refusals(successor.introduction.form, at.snapshot, at.ledger)}"
    ).rstrip()
    return Want(
        secrets,
        successor.entry.chain,
        link=successor.introduction.link,
        because=because,
        uptake=_how_next_is_taken_up(at, successor.entry.certificate),
    )


def _how_next_is_taken_up(at: Situation, next_ca: Certificate) -> Uptake:
    if misnamed_leaves(at.snapshot):
        return _BY_RESTART
    if restarts_to_give_up(at):
        # Nodes restart in any case, so the old CA can leave.
        return _by_restart(at, why_restarted_later(at, next_ca))
    return _how_taken_up(at, f"to take up {named(next_ca)}")


def issue_missing(at: Situation) -> Steps:
    """Issue missing leaves of the CA in use, as the operator would: if the caller asks for them, or if the operator
    cannot issue them because the key is kept elsewhere.
    """
    if at.current is None:
        return ()
    helpless = Selection() if at.snapshot.ca.is_kept_elsewhere(at.current) else None
    wanted, missing = at.intent.issuing.missing_leaves or helpless, at.snapshot.leaves.missing
    secrets = tuple(sorted(name for name, component in missing.items() if wanted and wanted.has(name, component)))
    return put_leaves(at, Want(secrets, at.snapshot.ca.current))


def issue_operator_leaf(at: Situation) -> Steps:
    """Issue the operator's own leaf of the next CA when every process trusts that CA itself: the operator presents its
    leaf alone.
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
    return put_leaves(at, Want(outdated, chain))


def await_restarts(at: Situation) -> Turn:
    """Wait for the operator: it restarts every process whose Secret or generation has changed since its start. If nodes
    keep the leaf and the trust of their start until they restart for another reason, the flow does not wait for that.
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
    pods = ", ".join(sorted(pod.name for pod in at.snapshot.nodes.pods if pod.uid in at.ledger.former_by_pod))
    if replaced is None or not pods:
        return ()
    until = f", on {latest:%Y-%m-%d} at the latest" if latest is not None else ""
    return (f"{named(replaced.certificate)} stays trusted until these have restarted for any reason{until}: {pods}",)


def _is_ours(at: Situation, current: Certificate) -> bool:
    """Whether these restarts belong to a flow; the flow does not wait for restarts that the operator makes for its own
    reasons. If the key is kept elsewhere, no leaf changes but by a flow.
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


def _find_leaves_to_leave(at: Situation) -> Iterator[FormerLeaf]:
    """The former leaves that are to leave now: in a replacement of the key, each former leaf of another CA than the CA
    that the flow leads to, or back to. While the flow awaits certificates of that CA no pod restarts for a former leaf:
    each node restarts with its certificate of that CA.
    """
    begun = at.flow_in_flight
    if begun is None or begun.goal is not Goal.REPLACE_KEY or not restarts_to_give_up(at) or leaves_to_await(at):
        return
    for former in at.ledger.former_leaves:
        if begun.successor not in issuers_of((former.certificate,), at.ledger):
            yield former


def restart_holders(at: Situation) -> Steps:
    """Restart nodes with a former leaf if it ends soon, or if its CA is to leave now: a channel beyond the reload
    presents it until the restart.

    When the cluster is handed back, restart every node with a former leaf: no ledger will remember them.
    """
    handing_back = at.intent.goal is Goal.DOWNGRADE and not at.intent.parameters.keeps_authority
    ending = (leaf for leaf in at.ledger.former_leaves if handing_back or is_ending(leaf, at))
    leaving = (*ending, *_find_leaves_to_leave(at))
    uids = frozenset(uid for leaf in leaving for uid in leaf.holders) & at.snapshot.uids
    nodes = nodes_of(at.snapshot, uids) - restarted_by_operator(at.snapshot)
    if not nodes:
        return ()
    about = at.successor.entry.certificate if at.successor else at.current
    return (Roll(reason=RollReason.LEAF, uids=nodes, authority=about, phase=Phase.USE),)


def rewrite_leaves(at: Situation) -> Steps:
    """In a pause, keep the leaves of the CA in use and put its chain behind them; issue all others again.

    The trust gate judges once more (I3): the trust may have changed since the switch. A missing answer closes nothing
    now: each node accepted these leaves before the switch. Without these leaves the operator would issue others of the
    same CA and restart every node.
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
    uptake = Uptake(by_reload=_are_reloaded(at), in_pause=True)
    return put_leaves(at, Want(secrets, at.snapshot.ca.current, at.phase, uptake=uptake))


def _is_kept(leaf: StoredLeaf, current: Certificate, at: Situation) -> bool:
    """Whether the leaf stays as it is. If the key is kept elsewhere, leaves from before a renewal stay too: new leaves
    would need requests, and be no better.
    """
    return at.is_of(leaf, current) or (at.snapshot.ca.is_kept_elsewhere(current) and is_signed_by(leaf.chain, current))


def rewrite_for_the_operator(at: Situation) -> Steps:
    """The same if the operator would issue these leaves, and cannot because the key is kept elsewhere: it stands still
    until they are there.
    """
    return rewrite_leaves(at) if at.current and at.snapshot.ca.is_kept_elsewhere(at.current) else ()


def restore_links(at: Situation) -> Steps:
    """Put the link certificates of the CA in use behind the leaves that the operator has issued to nodes, because it
    knows no links; and take them off if any of them has ended. Nothing restarts for it, because the leaf stays the same
    (docs/operator.md, "After the switch"). Leaves about to be replaced are left alone.
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
    """Whether nodes read these leaves again. If they have to give up a replaced key at once, they restart instead,
    unless a reload reaches them as a whole.
    """
    replacing = at.flow_in_flight is not None and at.flow_in_flight.goal is Goal.REPLACE_KEY
    return not why_leaves_not_reloaded(at) and (not replacing or not restarts_to_give_up(at))


def scale(at: Situation) -> Steps:
    """Set the number of nodes of a pool. If new nodes need leaves that the operator cannot issue, these come first, in
    the same pause; the pool waits as long as any of them is still to come.
    """
    scaling, current = at.intent.parameters.scaling, at.snapshot.ca.current
    before = at.snapshot.pools.replicas.get(scaling.pool) if scaling else None
    if scaling is None or before is None or before == scaling.replicas:
        return ()
    step = SetReplicas(pool=scaling.pool, before=before, replicas=scaling.replicas, phase=Phase.USE)
    if not at.snapshot.ca.in_use_elsewhere or scaling.replicas < before:
        return (step,)
    missing = tuple(sorted(at.snapshot.leaves.missing))
    issued = put_leaves(at, Want(missing, current))
    return pause_first(at, *issued, step) if issued or not missing else ()
