# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""What a step leads to, when the operator does its part and every restart succeeds: for forecasts only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from ansible_collections.trustops.strimzi.plugins.module_utils._trust import steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import HeldByProcesses
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside import settled
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import (
    CaSecrets,
    Chain,
    Component,
    Pod,
    PreparedAuthority,
    Snapshot,
)

#: A CA that left the trust, or a leaf that left its Secret.
Held = TypeVar("Held", bound=HeldByProcesses)


class StandIn(Protocol):
    """Certificates that do not exist yet, so that the gates have something to validate. Nothing of it is kept."""

    def authority(self, step: steps.PrepareAuthority) -> PreparedAuthority:
        """The CA that this step would make."""

    def leaf(self, issuer: Chain) -> Chain:
        """A leaf of a CA that this cluster has, or that ``authority`` made."""


def after(step: steps.Step, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
    """The next snapshot. Pure as long as the stand-in is."""
    return _EFFECTS[type(step)](step, snapshot, stand_in)


def _with_ca(snapshot: Snapshot, **changes: Any) -> Snapshot:
    return replace(snapshot, ca=replace(snapshot.ca, **changes))


def _prepare(step: steps.PrepareAuthority, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
    made = stand_in.authority(step)
    return _with_ca(
        snapshot, prepared=(*snapshot.ca.prepared, made), kept_keys=snapshot.ca.kept_keys | {made.fingerprint}
    )


def _project(step: steps.Project, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
    added = {f"{chain[0].fingerprint}.crt": chain for chain in step.chains}
    return _with_ca(snapshot, others={**snapshot.ca.others, **added})


def _withdraw(step: steps.Withdraw, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
    return _with_ca(snapshot, others=_without(snapshot.ca, step.fingerprint))


def _without(ca: CaSecrets, fingerprint: str) -> dict[str, Chain]:
    return {key: chain for key, chain in ca.others.items() if chain[0].fingerprint != fingerprint}


def _await_bundle(step: steps.AwaitBundle, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
    return snapshot if snapshot.bundle is None else replace(snapshot, bundle=snapshot.ca.projected)


def _publish(step: steps.Publish, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
    published = frozenset(certificate.fingerprint for chain in step.chains for certificate in chain)
    return replace(snapshot, published=published)


def _promote(step: steps.Promote, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
    ca = snapshot.ca
    promoted = next(authority for authority in ca.prepared if authority.fingerprint == step.fingerprint)
    chain = promoted.bridge if step.bridged else promoted.chain
    others, kept = _without(ca, chain[0].fingerprint), ca.kept_keys
    if ca.current:
        others[ca.current[0].expired_name()] = ca.current
        kept = kept | {ca.current[0].fingerprint} if ca.key != promoted.key else kept
    return _with_ca(
        snapshot, current=chain, others=others, key=promoted.key, kept_keys=kept,
        certificate_generation=step.generation,
    )  # fmt: skip


def _tidy(step: steps.TidyKeys, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
    left = tuple(a for a in snapshot.ca.prepared if a.fingerprint not in step.prepared)
    return _with_ca(snapshot, prepared=left, kept_keys=snapshot.ca.kept_keys - step.prepared - step.kept_keys)


def _issue(step: steps.IssueLeaves, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
    chain = stand_in.leaf(snapshot.ca.current)
    leaves = tuple(
        replace(leaf, chain=chain, generation=step.generation) if leaf.secret in step.secrets else leaf
        for leaf in snapshot.leaves
    )
    # What a running process presents is no longer what is stored.
    pods = tuple(
        replace(pod, presents_stored=pod.presents_stored and not set(pod.leaves) & set(step.secrets))
        for pod in snapshot.pods
    )
    return replace(snapshot, leaves=leaves, pods=pods)


def _keep(step: steps.KeepLeaves, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
    leaves = (
        replace(leaf, generation=step.generation) if leaf.secret in step.secrets else leaf for leaf in snapshot.leaves
    )
    return replace(snapshot, leaves=tuple(leaves))


def _rechain(step: steps.RechainLeaves, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
    leaves = (
        replace(leaf, chain=(leaf.chain[0], *snapshot.ca.current), generation=step.generation)
        if leaf.secret in step.secrets and leaf.chain
        else leaf
        for leaf in snapshot.leaves
    )
    return replace(snapshot, leaves=tuple(leaves))


def _stamp(step: steps.StampPods, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
    pods = (
        replace(pod, generation=step.generation, presents_stored=True) if pod.component is Component.KAFKA else pod
        for pod in snapshot.pods
    )
    return replace(snapshot, pods=tuple(pods))


def _reload(step: steps.Reload, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
    if snapshot.ledger is None:
        return snapshot
    removed = tuple(_left_behind(one, step) for one in snapshot.ledger.removed)
    held = tuple(_left_behind(one, step) for one in snapshot.ledger.held)
    return replace(snapshot, ledger=replace(snapshot.ledger, removed=removed, held=held))


def _left_behind(known: Held, step: steps.Reload) -> Held:
    """What listeners have read again is left with the rest of their processes."""
    read = known.awaiting & step.uids
    return replace(known, awaiting=known.awaiting - read, lingering=known.lingering | read)


def _roll(step: steps.Roll, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
    """The operator has issued what is not of the present generation before anything restarts."""
    generation = snapshot.ca.certificate_generation
    behind = tuple(leaf.secret for leaf in snapshot.leaves if leaf.generation != generation)
    if behind:
        snapshot = _issue(steps.IssueLeaves(behind, generation), snapshot, stand_in)
    pods = tuple(_restarted(pod, generation) if pod.uid in step.uids else pod for pod in snapshot.pods)
    return replace(snapshot, pods=pods)


def _restarted(pod: Pod, generation: int) -> Pod:
    return replace(pod, uid=f"{pod.uid}'", generation=generation, presents_stored=True, ready=True, terminating=False)


def _paused(paused: bool, snapshot: Snapshot) -> Snapshot:
    state = replace(snapshot.reconciliation, paused=paused, paused_by_us=paused, pause_effective=paused)
    return replace(snapshot, reconciliation=state)


def _generated(step: steps.SetGenerated, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
    return replace(snapshot, reconciliation=replace(snapshot.reconciliation, generated=step.generated))


def _restore_key(step: steps.RestoreKey, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
    return _with_ca(snapshot, key=snapshot.ca.current[0].public_key_sha256)


_EFFECTS: dict[type, Callable[[Any, Snapshot, StandIn], Snapshot]] = {
    steps.WriteLedger: lambda step, snapshot, stand_in: replace(snapshot, ledger=step.ledger),
    steps.DeleteLedger: lambda step, snapshot, stand_in: replace(snapshot, ledger=None),
    steps.Project: _project,
    steps.Withdraw: _withdraw,
    steps.AwaitBundle: _await_bundle,
    steps.AwaitOutside: lambda step, snapshot, stand_in: settled(snapshot),
    steps.Publish: _publish,
    steps.PrepareAuthority: _prepare,
    steps.Promote: _promote,
    steps.RestoreKey: _restore_key,
    steps.TidyKeys: _tidy,
    steps.SetGenerated: _generated,
    steps.TrueKeyGeneration: lambda step, snapshot, stand_in: _with_ca(snapshot, key_generation=step.generation),
    steps.IssueLeaves: _issue,
    steps.KeepLeaves: _keep,
    steps.RechainLeaves: _rechain,
    steps.StampPods: _stamp,
    steps.Reload: _reload,
    steps.Pause: lambda step, snapshot, stand_in: _paused(True, snapshot),
    steps.Resume: lambda step, snapshot, stand_in: _paused(False, snapshot),
    steps.Roll: _roll,
}
