# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Chapter "Recover": nodes whose certificates have ended come back with new certificates.

Nodes with ended certificates and nodes with new certificates refuse each other, so these nodes restart at the same time. One after the other they
would leave the quorum and the partitions without a majority until the last has restarted; and the operator, which cannot ask them, restarts
none (docs/operator.md, "Expired certificates"). They restart in place, because a deleted pod loses an ephemeral volume, and
in a pause, because the operator deletes a pod that takes long to start.

A listener that brokers do not use takes its new leaf without a restart, so clients outside are served again before the pause, for which a failing operator may
take minutes.
"""

from __future__ import annotations

from ..evidence.parties import leaves_of, may_present_ended, presenting_ended
from ..evidence.stored import why_not_ours
from ..ledger.journal import in_flight
from ..model.decision import Condition, Steps, Turn, Violation, Wait
from ..model.goals import Phase
from ..model.snapshot import Pod, Snapshot, StoredLeaf
from ..model.steps.nodes import AwaitLeaves, ReloadOutside, Roll, RollReason
from .pause import pause_first, why_not_reloaded
from .situation import Situation


def restart_ended(at: Situation) -> Turn:
    """Restart the nodes that present ended certificates, once their next certificates are stored."""
    nodes = at.snapshot.nodes
    if at.snapshot.users is not None:
        # Nodes present certificates of the cluster CA.
        return ()
    ended, doubtful = frozenset(presenting_ended(at.snapshot)), may_present_ended(at.snapshot)
    if nodes.in_place is None:
        # Before this step the call asks the nodes, and their answers decide. Until then a pause of an earlier call stays.
        ended |= doubtful
    elif doubtful and nodes.listeners is None and not is_explained(at.snapshot):
        return Wait(held=(_unasked(at, doubtful),))
    pods = tuple(pod for pod in nodes.pods if pod.uid in ended)
    if lacking := _without_next_leaf(at, pods):
        return _await_leaves(at, lacking)
    if not pods:
        return ()
    roll = Roll(
        reason=RollReason.ENDED, uids=ended, authority=at.current, phase=Phase.PREPARE,
        because="Their certificates have ended: they refuse each other, and open connections are all that is left of the cluster. It is away "
        "until they are back, for about a minute.",
    )  # fmt: skip
    return (*_serve_outside(at, ended), *pause_first(at, roll))


def _serve_outside(at: Situation, ended: frozenset[str]) -> Steps:
    """Before the pause, have the nodes that have answered read their stored leaves on listeners for clients. No look of a gate asks such a listener, so a call
    cannot tell that a node has read them already: each call before the pause sends the requests once more.
    """
    able = ended & {one.uid for one in at.snapshot.nodes.listeners or () if one.presents}
    if at.is_paused or not able or why_not_reloaded(at):
        return ()
    return (
        ReloadOutside(
            uids=able, phase=Phase.PREPARE,
            because="Listeners that brokers do not use take their next certificates without a restart, so that clients outside are served again before it. The "
            "listener between brokers refuses that.",
        ),
    )  # fmt: skip


def is_explained(snapshot: Snapshot) -> bool:
    """Whether a flow in flight, with an operator that works, explains that nodes present leaves which are no longer stored."""
    return in_flight(snapshot.ledger) is not None and snapshot.reconciliation.failure is None


def _without_next_leaf(at: Situation, pods: tuple[Pod, ...]) -> tuple[str, ...]:
    """The Secrets of these nodes with a leaf that they could not present either."""

    def is_usable(leaf: StoredLeaf) -> bool:
        return (
            leaf.chain is not None
            and not leaf.chain[0].has_ended(at.snapshot.now)
            and not why_not_ours(leaf, at.ledger)
        )

    return tuple(sorted(leaf.secret for pod in pods for leaf in leaves_of(pod, at.snapshot) if not is_usable(leaf)))


def _await_leaves(at: Situation, secrets: tuple[str, ...]) -> Steps:
    """The operator issues leaves that have ended, once it goes on; where the key of the CA is kept elsewhere, other rules have an issuer do so."""
    if at.snapshot.ca.in_use_elsewhere:
        return ()
    return () if at.snapshot.reconciliation.paused else (AwaitLeaves(secrets=secrets, phase=Phase.PREPARE),)


def _unasked(at: Situation, doubtful: frozenset[str]) -> Violation:
    names = ", ".join(sorted(pod.name for pod in at.snapshot.nodes.pods if pod.uid in doubtful))
    return Violation(
        Condition.EVIDENCE, at.snapshot.names.kafka,
        f"the run cannot ask {names} for their certificates, and the certificates that they were started with are not stored any more.",
        "Give the run the right to reach ports of pods (docs/rbac.yml), or pod_access=direct, and leave out evidence=annotations.",
    )  # fmt: skip
