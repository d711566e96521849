# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The chapter "Recover": nodes with ended certificates come back with new certificates. Nodes with ended certificates
and nodes with new certificates refuse each other, so these nodes restart at the same time. One after the other they
would leave the quorum and the partitions without a majority until the last has restarted. The operator cannot ask them,
and restarts none (docs/operator.md, "Expired certificates"). They restart in place, because a deleted pod loses an
ephemeral volume; and in a pause, because the operator deletes a pod with a long start.

If the CA in use has ended too, it is renewed in the same pause, before these nodes restart. A renewal keeps the key, so
JVMs accept their certificates before and after it, and clients of OpenSSL and Go accept the nodes from their restart
on.

The operator issues the next certificates in maintenance windows alone. Outside a window this collection issues them
with the key of the CA in use, or of the CA that takes its place if the CA in use has ended.

If the key of that CA is kept elsewhere, its issuer signs nothing more under it. So nodes come back with certificates of
the CA in its place: of its renewal, or of the next CA of a flow that replaces it. That CA is in the trust bundle before
the restart, and nodes read it in the restart. A flow without another CA for its place leads back to it, or has just put
it there: then the issuer renews it and signs, and the flow goes on.

A listener that brokers do not use takes its new leaf without a restart. So clients outside are served again while the
call waits for the operator to confirm the pause; a failing operator may take minutes for that.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from ..._pki.certificates import Certificate
from ..evidence.parties import (
    leaves_of,
    may_present_ended,
    nodes_to_recover,
    presenting_ended,
    unanswered,
)
from ..evidence.stored import (
    has_listeners_alone,
    is_reissued_by_operator,
    restarted_by_operator,
    restarted_with_next_leaf,
    why_not_ours,
)
from ..ledger.journal import describe_stop, in_flight, may_lead_flow
from ..ledger.target import why_not_made_here
from ..model.components import Component
from ..model.decision import Condition, Step, Steps, Turn, Violation, Wait, steps_of
from ..model.goals import Goal, Phase
from ..model.intent import Intent
from ..model.ledger import Journal
from ..model.listeners import CONTROL_PLANE
from ..model.names import listed, named
from ..model.snapshot import Pod, Snapshot, StoredLeaf
from ..model.steps.nodes import AwaitLeaves, Pause, PauseAndReload, Roll, RollReason
from ..model.steps.trust import Project
from .due import due_reasons_under, ended_leaves
from .expiring import describe_supply
from .leaves import Want, put_leaves, rewrite_leaves
from .order import settle_key
from .pause import leaves_operator_waits_for, pause_first, waits_for_window, why_not_in_place, why_not_reloaded
from .prepare import prepare
from .requests import ask_for_leaves, await_issuer, secrets_without_leaf
from .situation import Situation
from .switch import await_arrival, project, switch, with_clients_in_need, write_bundle


def restart_ended(at: Situation) -> Turn:
    """Restart the nodes with ended certificates, once their next certificates are stored, and so are the certificates
    of components that the operator does not issue.
    """
    nodes = at.snapshot.nodes
    if at.snapshot.users is not None:
        # Nodes present certificates of the cluster CA.
        return ()
    ended, doubtful = frozenset(presenting_ended(at.snapshot)), may_present_ended(at.snapshot)
    if nodes.in_place_obstacles is None:
        # Before this step the call asks the nodes, and their answers decide. Until then a pause of an earlier call
        # stays.
        ended |= doubtful
    elif doubtful and nodes.listeners is None and not is_explained(at.snapshot):
        return Wait(violations=(_unknown_answers(at, doubtful),))
    pods = tuple(pod for pod in nodes.pods if pod.uid in ended)
    of = scope_of(ended, at.snapshot)
    roll = Roll(
        reason=RollReason.ENDED, uids=ended, authority=at.current, phase=Phase.PREPARE,
        because=f"{of.because}; {of.away}.",
    )  # fmt: skip
    if lacking := _find_nodes_without_next_leaf(at, pods):
        if awaits_successor(at):
            return _await_leaves_of_successor(at, lacking, roll)
        return _await_leaves(at, lacking)
    if issued := _issue_unserved(at):
        return issued
    if not pods:
        return ()
    if has_listeners_alone(at.snapshot):
        # Nodes without TLS among each other do not refuse each other: the operator can ask them, and restarts one after
        # the other.
        return _await_restarts(at, ended & restarted_by_operator(at.snapshot))
    return pause_first(at, roll) if at.is_paused else _pause_and_reload(at, ended, roll)


@dataclass(frozen=True)
class Scope:
    """The consequences of ended certificates, and of the restart that ends them, in words."""

    #: The nodes, as an object.
    them: str
    #: The other nodes and the operator, until the restart, as sentences.
    others: str
    #: The restart, as a clause about the recovery.
    restart: str
    #: The nodes, or the cluster, during the restart, as a clause.
    away: str
    #: The restart that a person must not begin before, as a sentence.
    before: str
    #: Why these nodes restart, as a clause.
    because: str


_ALL = Scope(
    them="them",
    others="The Cluster Operator cannot ask these nodes, and restarts none.",
    restart="it restarts these nodes at the same time and in place",
    away="the cluster is away for about a minute",
    before="Restart none of them before.",
    because="Their certificates have ended: they refuse each other, and open connections are all that is left of the "
    "cluster",
)
_ONE = Scope(
    them="it",
    others="The other nodes serve as before. The Cluster Operator cannot ask this node, and may restart it by itself "
    "once its next certificate is stored.",
    restart="it restarts this node in place",
    away="the node is away for about a minute, while the other nodes go on",
    before="Do not restart it before its next certificate is stored.",
    because="Its certificate has ended: every new connection to it is refused",
)
_SEVERAL = Scope(
    them="them",
    others="The other nodes serve as before. The Cluster Operator cannot ask these nodes, and may restart them by "
    "itself, one after the other, once their next certificates are stored.",
    restart="it restarts these nodes at the same time and in place",
    away="these nodes are away for about a minute, while the other nodes go on, but for partitions and quorums in "
    "which these nodes have the majority",
    before="Restart none of them before.",
    because="Their certificates have ended: every new connection to them is refused",
)


def scope_of(ended: Collection[str], snapshot: Snapshot) -> Scope:
    """The consequences if these nodes present ended certificates: one of several is away for a moment as in any
    restart, all of them are the cluster.
    """
    every = [pod for pod in snapshot.nodes.pods if pod.component is Component.KAFKA]
    if len(ended) == len(every):
        return _ALL
    return _ONE if len(ended) == 1 else _SEVERAL


def _await_restarts(at: Situation, behind: frozenset[str], because: str = "") -> Steps:
    """Wait for the operator: it restarts these pods by itself. In a pause it does nothing: the flow in flight ends the
    pause first.
    """
    if not behind or at.snapshot.reconciliation.pause.is_set:
        return ()
    return (Roll(reason=RollReason.USE, uids=behind, authority=at.current, phase=Phase.PREPARE, because=because),)


def await_operator(at: Situation) -> Steps:
    """Once the nodes are back, wait for the delayed work of the operator. If an issuer has the key, the rules of the
    flow wait for that issuer, and no restart is waited for: without an answer the operator may stand still.
    """
    return () if at.snapshot.ca.in_use_elsewhere else _find_restarts_to_come(at)


def _find_restarts_to_come(at: Situation) -> Steps:
    """The restarts that the operator makes by itself once the nodes are back. It issues leaves of other components in
    the place of ended leaves, and restarts their pods. It restarts the nodes once more, one after the other, if their
    annotations do not say which leaf and which generation they have taken up.

    The rules of a flow in flight wait for its own restarts, unless the flow rests until the next maintenance window or
    an issuer has the key: only pods with ended leaves are found here then. No pod is found as long as a silent node may
    present an ended leaf: the operator could not ask that node.
    """
    snapshot, silent = at.snapshot, {node.uid for node in unanswered(at.snapshot)}
    if snapshot.users is not None:
        return ()
    if at.current is None or silent & may_present_ended(snapshot) or leaves_operator_waits_for(at):
        return ()
    flow_goes_on = in_flight(snapshot.ledger) is not None and not waits_for_window(snapshot, at.intent)
    if flow_goes_on and not snapshot.ca.in_use_elsewhere:
        return _await_restarts(at, restarted_with_next_leaf(snapshot))
    why = why_not_in_place(at)
    reason = f"The operator does not learn which certificates nodes have taken up, and restarts these once more: {why}"
    behind = restarted_by_operator(snapshot) | restarted_with_next_leaf(snapshot)
    return _await_restarts(at, behind, because=reason if why and behind & may_present_ended(snapshot) else "")


def describe_restarts_to_come(at: Situation) -> tuple[str, ...]:
    """The restarts that the operator makes by itself, as sentences for a call that ends before it waits for them."""
    restarts = _find_restarts_to_come(at)
    uids = frozenset[str]().union(*(step.restarts for step in restarts))
    pods = sorted(pod.name for pod in at.snapshot.nodes.pods if pod.uid in uids)
    because = " ".join(filter(None, (step.because for step in restarts)))
    kafka, made = at.snapshot.names.kafka, "by itself, also after this run."
    sentence = f"{kafka}: the Cluster Operator restarts {listed(pods)} {made} {because}"
    return (sentence.rstrip(),) if pods else ()


def _issue_unserved(at: Situation) -> Steps:
    """Issue leaves in the place of ended leaves that the operator leaves alone, because no maintenance window is open:
    a recovery waits for none. Without its own next leaf the operator could not ask a node. An ended CA signs nothing;
    its renewal brings these leaves.
    """
    snapshot, current = at.snapshot, at.current
    if current is None or current.has_ended(snapshot.now) or snapshot.ca.key != current.public_key_sha256:
        return ()
    unserved = (leaf.secret for leaf in ended_leaves(snapshot) if not is_reissued_by_operator(leaf, snapshot))
    want = Want(tuple(sorted(unserved)), snapshot.ca.current, Phase.PREPARE, because=_explain_issue(snapshot))
    return put_leaves(replace(at, resting=True), want)


def _explain_issue(snapshot: Snapshot) -> str:
    """Why this collection issues leaves in the place of the operator, as a sentence; empty if no window is the
    reason.
    """
    windows = snapshot.reconciliation.windows
    if snapshot.ca.in_use_elsewhere or windows is None or windows.is_open:
        return ""
    return (
        "No maintenance window is open, and outside a window the Cluster Operator issues no certificate in the place "
        "of an ended certificate."
    )


def _pause_and_reload(at: Situation, ended: frozenset[str], roll: Roll) -> Steps:
    """The pause before this roll. In it the brokers that have answered read their stored leaves on listeners for
    clients until the operator confirms it. No look of a gate asks such a listener, so a call cannot tell whether a node
    has read them already: each call sends the requests once more.

    The control plane keeps its leaf until the restart: the Raft client of a controller presents the leaf of its
    process's start, and on a node that is no broker only the control plane shows that this leaf has ended.
    """
    able = ended & {
        listener.uid
        for listener in at.snapshot.nodes.listeners or ()
        if listener.presents and listener.port != CONTROL_PLANE
    }
    if not able or why_not_reloaded(at):
        return pause_first(at, roll)
    return (
        PauseAndReload(
            uids=able, phase=roll.phase, purpose=roll.sentence(),
            because="Listeners that brokers do not use take their next certificates without a restart, so that "
                    "clients outside are served again before it. The listener between brokers refuses that.",
        ),
    )  # fmt: skip


def awaits_successor(at: Situation) -> bool:
    """Whether nodes wait for leaves of the CA in the place of the CA in use, which has ended, because no party issues
    leaves of the CA in use: of the next CA of the flow in flight, or of a renewal if no flow is in flight.
    """
    current = at.current
    if current is None or at.snapshot.reconciliation.generated or at.snapshot.users is not None:
        return False
    is_led_on = at.successor is not None or in_flight(at.ledger) is None
    if not is_led_on or not current.has_ended(at.snapshot.now):
        return False
    ended = {*presenting_ended(at.snapshot), *may_present_ended(at.snapshot)}
    lacking = _find_nodes_without_next_leaf(at, tuple(pod for pod in at.snapshot.nodes.pods if pod.uid in ended))
    return bool(lacking) and not _are_issued_by_operator(at.snapshot, lacking)


def _are_issued_by_operator(snapshot: Snapshot, secrets: Collection[str]) -> bool:
    """Whether the operator issues each of these leaves now. In a pause it issues none."""
    leaves = (leaf for leaf in snapshot.leaves.stored if leaf.secret in secrets)
    return not snapshot.reconciliation.pause.is_set and all(is_reissued_by_operator(leaf, snapshot) for leaf in leaves)


def restarts_ended(turn: Turn) -> bool:
    """Whether these steps restart nodes with ended certificates, or begin the pause for that."""
    return any(isinstance(step, Pause) or _is_of_ended(step) for step in steps_of(turn))


def is_succeeded_in_recovery(at: Situation, intent: Intent) -> bool:
    """Whether a recovery puts another CA in the place of an ended CA before nodes restart: it renews that CA, or goes
    on with the flow in flight, which does not stop. If the key of the replaced CA is here, a replacement comes after
    the restart, unless nodes wait for leaves of the next CA.
    """
    snapshot, begun = at.snapshot, in_flight(at.snapshot.ledger)
    if begun is None:
        return intent.goal is Goal.RENEW
    replaced = snapshot.ledger_or_empty.find(begun.replaces)
    if replaced is None or _is_stopped(begun, intent) or not replaced.certificate.has_ended(snapshot.now):
        return False
    is_renewal = begun.goal is Goal.RENEW and not begun.is_abort
    return is_renewal or snapshot.ca.is_kept_elsewhere(replaced.certificate) or awaits_successor(at)


def _is_stopped(begun: Journal, intent: Intent) -> bool:
    return begun.options.stop is not None and not may_lead_flow(intent, begun)


def _is_of_ended(step: Step) -> bool:
    return isinstance(step, Roll) and step.reason is RollReason.ENDED


def put_in_place_before_restart(at: Situation) -> Steps:
    """The flow up to the leaves with which nodes restart. Before the pause the next CA comes beside the CA in use; in
    the pause it takes its place, as in every switch. The trust bundle follows in the pause too: the operator tries to
    restart nodes, and may not write the bundle before for minutes.
    """
    if at.is_paused:
        return write_bundle(at) or await_arrival(at) or steps_of(switch(at)) or rewrite_leaves(at)
    return prepare(at) or tuple(step for step in project(at) if isinstance(step, Project))


def is_explained(snapshot: Snapshot) -> bool:
    """Whether a flow in flight, with a working operator, explains why nodes present leaves that are no longer
    stored.
    """
    return in_flight(snapshot.ledger) is not None and snapshot.reconciliation.operator.failure is None


def _find_nodes_without_next_leaf(at: Situation, pods: tuple[Pod, ...]) -> tuple[str, ...]:
    """The Secrets of these nodes with a leaf that they could not present either."""

    def is_usable(leaf: StoredLeaf) -> bool:
        return (
            leaf.chain is not None
            and not leaf.chain[0].has_ended(at.snapshot.now)
            and not why_not_ours(leaf, at.ledger)
        )

    return tuple(sorted(leaf.secret for pod in pods for leaf in leaves_of(pod, at.snapshot) if not is_usable(leaf)))


def _await_leaves(at: Situation, secrets: tuple[str, ...]) -> Turn:
    """The operator issues leaves in the place of ended leaves; if the key of the CA is kept elsewhere, its issuer does.
    The leaves are stored as the operator stores them, outside a pause: it restarts no node if it cannot ask the
    listeners. In a pause from a killed call, the operator issues none, and would act on half-done work if it went on.
    Then this collection issues them, with the key of the CA in use; a switch to it is finished or taken back first. It
    does so outside a maintenance window too: the operator issues only inside.
    """
    ca, state = at.snapshot.ca, at.snapshot.reconciliation
    if _are_issued_by_operator(at.snapshot, secrets):
        return (AwaitLeaves(secrets=secrets, phase=Phase.PREPARE),)
    if at.current is None or (state.generated and state.pause.is_set):
        return ()
    if state.pause.is_set and (settled := settle_key(at)):
        return settled
    if not ca.in_use_elsewhere and ca.key != at.current.public_key_sha256:
        return ()
    if not ca.in_use_elsewhere and at.current.has_ended(at.snapshot.now):
        return Wait(violations=(_lacks_signer(at.snapshot, at.current),))
    # The CA in use issues these leaves also if a flow is about to replace it: the nodes trust it already.
    resting = replace(at, resting=True)
    # If the issuer has signed leaves of components, the call stores them in the same step: with its ended leaf the
    # operator cannot connect to a node.
    ended = tuple(leaf.secret for leaf in ended_leaves(at.snapshot))
    ready = set(ended) - set(secrets_without_leaf(resting, ended, ca.current))
    wanted, because = tuple(sorted({*secrets, *ready})), _explain_issue(at.snapshot)
    issued = put_leaves(resting, Want(wanted, ca.current, Phase.PREPARE, because=because))
    return issued or ask_for_leaves(resting) or await_issuer(resting)


def _lacks_signer(snapshot: Snapshot, authority: Certificate) -> Violation:
    """A violation if a flow leads back to an ended CA: the operator alone issues leaves of it."""
    return Violation(
        Condition.RENEWAL_COMES_IN_TIME, snapshot.names.kafka,
        f"nodes need certificates of {named(authority)}, which has ended: the Cluster Operator alone issues them, "
        "outside a pause and in a maintenance window.",
        "If no window is open, remove spec.maintenanceTimeWindows, and put it back after the recovery. Then run "
        "recover again.",
    )  # fmt: skip


def _await_leaves_of_successor(at: Situation, lacking: tuple[str, ...], roll: Roll) -> Turn:
    """Wait for the issuer: it signs the next leaves under the next CA. When the leaves of these nodes are here, and all
    else for the switch, pause the operator: in the pause the next CA comes into use, its leaves are stored, and the
    nodes restart. No node restarts before.
    """
    successor, begun = at.successor, in_flight(at.ledger)
    if begun is not None and begun.options.stop is not None and _is_stopped(begun, at.intent):
        cause, _remedy = describe_stop(begun, begun.options.stop, at.snapshot.names.ca)
        next_ = named(successor.entry.certificate) if successor is not None else "the renewed CA"
        remedy = (
            "Run the recover playbook with continue_stopped=true (strimzi_continue_stopped): nodes come back with "
            f"certificates of {next_} alone."
        )
        return Wait(violations=(Violation(Condition.NOT_STOPPED, at.snapshot.names.kafka, cause, remedy),))
    if successor is None:
        return Wait(violations=(lacks_successor(at.snapshot),))
    chain = successor.entry.chain
    needed = {*lacking, *due_reasons_under(at.snapshot, at.intent, at.ledger, chain)}
    if secrets_without_leaf(at, tuple(sorted(needed)), chain):
        return ask_for_leaves(at) or await_issuer(at)
    if waiting := await_arrival(at):
        return waiting
    closed = at.gates.trust(with_clients_in_need(at.snapshot, successor), at.ledger, chain)
    if closed := (*closed, *at.gates.alone(at.snapshot, at.ledger, chain)):
        return Wait(violations=closed)
    return () if at.is_paused else pause_first(at, replace(roll, phase=Phase.USE))


def lacks_successor(snapshot: Snapshot) -> Violation:
    """A violation if a renewal needs a certificate that this collection cannot make, and none is given."""
    current = snapshot.ca.current[0]
    playbook = "recover" if nodes_to_recover(snapshot) else "renew"
    given = f"Have it made under the name and the key of {current.subject}, and {describe_supply(snapshot, playbook)}."
    return Violation(
        Condition.SUPPLIED_FITS_THE_GOAL, "the renewed CA", f"is missing. {why_not_made_here(snapshot)}", given
    )


def _unknown_answers(at: Situation, doubtful: frozenset[str]) -> Violation:
    names = ", ".join(sorted(pod.name for pod in at.snapshot.nodes.pods if pod.uid in doubtful))
    return Violation(
        Condition.EVIDENCE, at.snapshot.names.kafka,
        f"the run cannot ask {names} for their certificates, and the certificates that they were started with are not "
        "stored any more.",
        "Give the run the right to reach ports of pods (docs/rbac.yml), or pod_access=direct, and leave out "
        "evidence=annotations.",
    )  # fmt: skip
