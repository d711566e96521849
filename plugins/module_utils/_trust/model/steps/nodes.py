# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Steps that pause the operator, let it go on and wait for its verdict; that make running processes restart or read
again; and that scale node pools.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import ClassVar, TypeVar

from ...._pki.certificates import Certificate
from ..components import Component
from ..decision import Look, StandIn, Step
from ..goals import Phase
from ..ledger import Ledger, RememberedCertificate
from ..listeners import ObservedListener, Unanswered
from ..names import counted, listed, named
from ..snapshot import Pod, Snapshot
from .leaves import IssueLeaves


def _with_pause(paused: bool, snapshot: Snapshot) -> Snapshot:
    pause = replace(
        snapshot.reconciliation.pause, is_set=paused, is_ours=paused, is_confirmed=paused, has_left_mark=False
    )
    return replace(snapshot, reconciliation=replace(snapshot.reconciliation, pause=pause))


def _look_remembered(snapshot: Snapshot) -> Look:
    """A call asks running nodes before a pause too. Otherwise passes would pause and resume without an end while the
    gate of the next step is closed.
    """
    return Look.REMEMBERED if snapshot.nodes.pods else Look.NONE


@dataclass(frozen=True, kw_only=True)
class Pause(Step):
    """Pause the Kafka resource and wait until the operator confirms it."""

    #: The purpose of the pause, as a sentence.
    purpose: str
    #: A call shows no line when the step begins.
    is_announced: ClassVar[bool] = False

    def sentence(self) -> str:
        return "pause the operator"

    @property
    def awaited(self) -> str:
        return "the operator, which confirms the pause"

    def describe_as_left(self) -> str:
        return self.purpose

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _with_pause(True, snapshot)

    def look(self, snapshot: Snapshot) -> Look:
        return _look_remembered(snapshot)


@dataclass(frozen=True, kw_only=True)
class PauseAndReload(Pause):
    """Pause the Kafka resource. Until the operator confirms the pause, have the listeners for clients of these brokers
    read their stored leaves, before the nodes restart. If a node does not take the request, it reads the leaves in its
    restart, so nothing depends on it. The listeners that gates look at present the same as before.
    """

    #: UIDs of the pods of the brokers.
    uids: frozenset[str]
    #: A call shows a line when the step begins.
    is_announced: ClassVar[bool] = True

    def sentence(self) -> str:
        reload = f"have {counted(len(self.uids), 'node')} read the stored certificates on listeners for clients"
        return f"pause the operator, and {reload} until it confirms the pause"


@dataclass(frozen=True, kw_only=True)
class Resume(Step):
    """End the pause by this collection."""

    #: A call shows no line when the step begins.
    is_announced: ClassVar[bool] = False

    def sentence(self) -> str:
        return "let the operator go on"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return _with_pause(False, snapshot)

    def look(self, snapshot: Snapshot) -> Look:
        return _look_remembered(snapshot)


@dataclass(frozen=True, kw_only=True)
class AwaitVerdict(Step):
    """Wait for the end of the operator's next reconcile, and so for its verdict on the stored Secrets."""

    #: The name of the request to reconcile now; empty if the operator does so by itself, after a pause.
    request: str = ""
    #: A call shows no line when the step begins.
    is_announced: ClassVar[bool] = False

    def sentence(self) -> str:
        return "wait until the operator has reconciled the stored Secrets"

    @property
    def awaited(self) -> str:
        return "the operator's next reconcile"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        """A forecast assumes that the operator says the same as before of the same Secrets."""
        before = snapshot.reconciliation
        state = replace(
            before, operator=replace(before.operator, has_observed=True), pause=replace(before.pause, is_ending=False),
            request=self.request or before.request,
        )  # fmt: skip
        return replace(snapshot, reconciliation=state)


@dataclass(frozen=True, kw_only=True)
class AwaitLeaves(Step):
    """Wait until the operator has replaced these ended leaves; it does so at the beginning of its next reconcile."""

    #: Names of the Secrets of the leaves.
    secrets: tuple[str, ...]

    def sentence(self) -> str:
        return (
            f"wait until the operator has issued {counted(len(self.secrets), 'certificate')} in the place of ended "
            "certificates"
        )

    @property
    def awaited(self) -> str:
        return f"{counted(len(self.secrets), 'certificate')} of the operator"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        generation = snapshot.ca.certificate_generation
        issue = IssueLeaves(phase=self.phase, secrets=self.secrets, issuer=snapshot.ca.current, generation=generation)
        return issue.effect(snapshot, stand_in)


Remembered = TypeVar("Remembered", bound=RememberedCertificate)


class RollReason(str, Enum):
    """Why processes restart."""

    #: They are to trust the next CA.
    TRUST = "trust"
    #: The Secrets that they read at start have changed, and the operator restarts them by itself.
    USE = "use"
    #: The same, but this collection restarts them in a pause of the operator, which finds nothing to restart after it.
    UPTAKE = "uptake"
    #: They are to give up a leaf that is not stored any more.
    LEAF = "leaf"
    #: They are to give up a CA that has left.
    RETIRE = "retire"
    #: The caller asks for the restart.
    MANUAL = "manual"
    #: They restart at the same time and in place: nodes with ended certificates and nodes with new certificates refuse
    #: each other (docs/operator.md, "Expired certificates").
    ENDED = "ended"


#: The reasons of restarts by which processes take up Secrets that have changed.
TAKING_UP = frozenset({RollReason.USE, RollReason.UPTAKE})
_TO_PRESENT = ("so that it presents certificates of", "so that they present certificates of")
#: The purpose of a restart of one pod, and of several.
_SO_THAT = {
    RollReason.TRUST: ("so that it trusts", "so that they trust"),
    RollReason.USE: _TO_PRESENT,
    RollReason.UPTAKE: _TO_PRESENT,
    RollReason.LEAF: (
        "so that it presents nothing but its stored certificates of",
        "so that they present nothing but their stored certificates of",
    ),
    RollReason.RETIRE: ("so that it stops trusting", "so that they stop trusting"),
    RollReason.MANUAL: ("beside", "beside"),
    RollReason.ENDED: (
        "in place, so that it presents its stored certificates of",
        "at the same time and in place, so that they present their stored certificates of",
    ),
}
#: After the switch every process presents a certificate of the next CA already.
_SWITCHED = ("so that it takes up the switch to", "so that they take up the switch to")


@dataclass(frozen=True, kw_only=True)
class Roll(Step):
    """Have pods replaced, or wait for the operator if it replaces them by itself."""

    #: Why the pods restart. The reason decides who restarts them, and in which order.
    reason: RollReason
    #: UIDs of the pods; empty if the operator has still to replace leaves.
    uids: frozenset[str]
    #: The CA of the restart; None if it is for none.
    authority: Certificate | None

    def sentence(self) -> str:
        switched = self.reason in TAKING_UP and self.phase is Phase.RETIRE
        one, several = _SWITCHED if switched else _SO_THAT[self.reason]
        purpose = one if len(self.uids) == 1 else several
        about = f" {purpose} {named(self.authority)}" if self.authority else ""
        return f"restart {counted(len(self.uids), 'pod')}{about}"

    @property
    def awaited(self) -> str:
        return counted(len(self.uids), "pod")

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        """Before the restarts the operator issues every leaf of an earlier generation, and each ended leaf of these
        pods.
        """
        if self.reason is RollReason.ENDED:
            return self._effect_in_place(snapshot)
        if any(not pod.ready for pod in snapshot.nodes.pods):
            snapshot = _without_failure(snapshot)
        generation, ended = snapshot.ca.certificate_generation, self._find_ended_leaves(snapshot)
        behind = tuple(
            leaf.secret for leaf in snapshot.leaves.stored if leaf.generation != generation or leaf.secret in ended
        )
        if behind:
            issue = IssueLeaves(phase=self.phase, secrets=behind, issuer=snapshot.ca.current, generation=generation)
            snapshot = issue.effect(snapshot, stand_in)
        pods = {pod: _as_restarted(pod, snapshot) if pod.uid in self.uids else pod for pod in snapshot.nodes.pods}
        started = frozenset(now.uid for before, now in pods.items() if now.uid != before.uid)
        return snapshot.with_nodes(pods=tuple(pods.values())).assuming(started)

    def _find_ended_leaves(self, snapshot: Snapshot) -> frozenset[str]:
        """The Secrets of the ended leaves of these pods, if the operator can issue others."""
        if snapshot.ca.in_use_elsewhere:
            return frozenset()
        read = {name for pod in snapshot.nodes.pods if pod.uid in self.uids for name in pod.leaves}
        stored = ((leaf.secret, leaf.chain) for leaf in snapshot.leaves.stored if leaf.secret in read)
        return frozenset(secret for secret, chain in stored if chain and chain[0].has_ended(snapshot.now))

    def _effect_in_place(self, snapshot: Snapshot) -> Snapshot:
        """The pods stay, with their annotations: only the answers of their new processes show the stored leaves. From
        then on the operator can ask them. The request of a killed call for a restart is taken back.
        """
        pods = (
            replace(pod, awaits_restart=False) if pod.uid in self.uids and pod.asked_here else pod
            for pod in snapshot.nodes.pods
        )
        snapshot = snapshot.with_nodes(pods=tuple(pods))
        return _without_failure(_with_ready(self.uids, _with_started(self.uids, snapshot)))

    def look(self, snapshot: Snapshot) -> Look:
        """A call asks running nodes first. If nodes have read their leaf or their trust again, or refuse the CA, they
        need no restart. If no node can read again, the call still has to know, before any node restarts, which restarts
        to leave out.

        If the leaf of a process has ended, the process takes no other leaf without a restart, and its earlier answer
        counts: no look delays the restart of nodes that are away already.
        """
        if self.reason is RollReason.ENDED:
            return _look_remembered(snapshot)
        able = bool(snapshot.reached_whole & self.uids)
        asks = able or self.avoidable_restart or self.reason in (RollReason.RETIRE, RollReason.LEAF)
        return Look.FRESH if asks else Look.NONE

    @property
    def changes_what_nodes_say(self) -> bool:
        """After a restart in place another process answers from the same pod."""
        return self.reason is RollReason.ENDED

    @property
    def restarts(self) -> frozenset[str]:
        return self.uids


def _with_ready(uids: frozenset[str], snapshot: Snapshot) -> Snapshot:
    if all(pod.ready for pod in snapshot.nodes.pods if pod.uid in uids):
        return snapshot
    pods = (replace(pod, ready=True) if pod.uid in uids else pod for pod in snapshot.nodes.pods)
    return _without_failure(snapshot.with_nodes(pods=tuple(pods)))


def _without_failure(snapshot: Snapshot) -> Snapshot:
    """The snapshot with an operator that does not fail any more: its awaited pod is back, or it can ask nodes."""
    operator = replace(snapshot.reconciliation.operator, failure=None)
    return replace(snapshot, reconciliation=replace(snapshot.reconciliation, operator=operator))


def _with_started(uids: frozenset[str], snapshot: Snapshot) -> Snapshot:
    """The snapshot with the answers of new processes in these pods: they have read the stored leaf and the trust
    bundle.
    """
    stored = {leaf.secret: leaf.chain for leaf in snapshot.leaves.stored}
    shown = {pod.uid: next(filter(None, map(stored.get, pod.leaves)), None) for pod in snapshot.nodes.pods}
    trusted = snapshot.ca.projected if snapshot.bundle is None else snapshot.bundle
    answers = snapshot.nodes.listeners and tuple(
        ObservedListener(
            listener.pod, listener.uid, listener.port, shown.get(listener.uid), trusted,
            source=listener.source, verifies=listener.verifies,
        ) if listener.uid in uids else listener
        for listener in snapshot.nodes.listeners
    )  # fmt: skip
    return snapshot.with_nodes(listeners=answers)


def _as_restarted(pod: Pod, snapshot: Snapshot) -> Pod:
    ca = snapshot.ca
    if pod.verifies_only:
        return replace(pod, uid=f"{pod.uid}'", generation=None, ready=True, terminating=False)
    return replace(
        pod, uid=f"{pod.uid}'", generation=ca.certificate_generation, key_generation=ca.key_generation,
        presents_stored=True, ready=True, terminating=False,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class AwaitAnswers(Step):
    """Ask nodes again until they answer, or until another process has taken their place. The time limit begins again
    after each answer.
    """

    #: The silent nodes.
    nodes: tuple[Unanswered, ...]
    #: A call may decide on the step again: it does nothing twice.
    only_waits: ClassVar[bool] = True

    def sentence(self) -> str:
        return f"wait for the answer of {listed([node.sentence for node in self.nodes])}"

    @property
    def awaited(self) -> str:
        return counted(len(self.nodes), "node")

    @property
    def changes_what_nodes_say(self) -> bool:
        return True

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        """An answering node is back. If a node is not ready, and has started with another leaf than the stored leaf, it
        starts again just now.
        """
        answering = {listener.uid for listener in snapshot.nodes.listeners or ()}
        starting = frozenset(
            pod.uid
            for pod in snapshot.nodes.pods
            if pod.uid in self.uids & answering and not (pod.ready or pod.presents_stored)
        )
        return _with_ready(self.uids, _with_started(starting, snapshot)).assuming_as_started(self.uids - starting)

    @property
    def uids(self) -> frozenset[str]:
        return frozenset(node.uid for node in self.nodes)


@dataclass(frozen=True, kw_only=True)
class StampPods(Step):
    """Give pods, running and future, the annotations that the operator would give them (paused only)."""

    #: Nodes get this generation, the hash of their stored leaf and the next revision, so the operator finds nothing to
    #: restart. None if it is to restart them. Every pod gets ``key_generation``.
    generation: int | None
    #: The key generation for every pod.
    key_generation: int
    #: Whether nodes that lack these annotations restart next: running pods get the key generation alone, and all of the
    #: annotations when the StrimziPodSets bring them back.
    before_restart: bool = False
    #: A call shows no line when the step begins.
    is_announced: ClassVar[bool] = False

    def sentence(self) -> str:
        if self.generation is None:
            return f"annotate the pods with key generation {self.key_generation}"
        if self.before_restart:
            return f"have nodes come back with generation {self.generation}, so that the operator restarts none again"
        return f"tell the operator that the nodes have generation {self.generation}, so that it restarts none"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        return snapshot.with_nodes(pods=tuple(self._stamped(pod) for pod in snapshot.nodes.pods))

    def look(self, snapshot: Snapshot) -> Look:
        return Look.FRESH if snapshot.nodes.pods else Look.NONE

    def _stamped(self, pod: Pod) -> Pod:
        pod = replace(pod, key_generation=self.key_generation)
        if self.generation is None or self.before_restart or pod.component is not Component.KAFKA:
            return pod
        return replace(pod, generation=self.generation, presents_stored=True)


@dataclass(frozen=True, kw_only=True)
class Reload(Step):
    """Have the listeners of nodes read their certificates and trust again."""

    #: UIDs of the pods of the nodes.
    uids: frozenset[str]
    #: The CA that they are to refuse then, or with ``trusting`` to accept; None if only their leaf has changed.
    authority: Certificate | None
    #: Whether the listeners are to accept the CA afterwards; else they are to refuse it.
    trusting: bool = False
    #: The phase of the flow; by default the phase in which nodes give up a CA.
    phase: Phase = Phase.RETIRE

    def sentence(self) -> str:
        verb = "trust" if self.trusting else "forget"
        what = f"{verb} {named(self.authority)}" if self.authority else "read their certificates again"
        return f"have the listeners of {counted(len(self.uids), 'node')} {what}, without a restart"

    @property
    def awaited(self) -> str:
        return counted(len(self.uids), "node")

    @property
    def changes_what_nodes_say(self) -> bool:
        return True

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        snapshot = snapshot.assuming(self.uids)
        if snapshot.ledger is None:
            return snapshot
        if self.trusting and self.authority is not None and (entry := snapshot.ledger.find(self.authority.fingerprint)):
            without_pods = replace(entry, awaited_pods=(entry.awaited_pods or frozenset()) - self.uids)
            return replace(snapshot, ledger=snapshot.ledger.with_entry(without_pods))
        return replace(snapshot, ledger=with_listeners_read(snapshot.ledger, self.uids, snapshot.reached_whole))


def with_listeners_read(ledger: Ledger, uids: frozenset[str], whole: frozenset[str]) -> Ledger:
    """The ledger after the listeners of these nodes have read their certificates and trust again; of the pods in
    ``whole`` a reload reaches every channel.
    """
    removed = tuple(_keep_lingering(entry, uids, whole) for entry in ledger.removed_cas)
    former = (
        _keep_lingering(leaf, uids, whole | ledger.find_pods_with_listeners_alone(leaf))
        for leaf in ledger.former_leaves
    )
    return replace(ledger, removed_cas=removed, former_leaves=tuple(leaf for leaf in former if leaf.holders))


def _keep_lingering(entry: Remembered, uids: frozenset[str], by_listeners: frozenset[str]) -> Remembered:
    """After the reload only the rest of these processes, and no listener, knows the certificate. In the pods whose UIDs
    are ``by_listeners`` nothing knows it any more.
    """
    read = entry.awaited_pods & uids
    unread = entry.awaited_pods - read
    return replace(entry, awaited_pods=unread, lingering_pods=entry.lingering_pods | (read - by_listeners))


@dataclass(frozen=True, kw_only=True)
class SetReplicas(Step):
    """Set the number of replicas of a pool."""

    #: The name of the pool.
    pool: str
    #: The number until now.
    before: int
    #: The number from then on.
    replicas: int

    def sentence(self) -> str:
        return f"scale node pool {self.pool} from {self.before} to {self.replicas} replicas"

    def effect(self, snapshot: Snapshot, stand_in: StandIn) -> Snapshot:
        replicas = {**snapshot.pools.replicas, self.pool: self.replicas}
        return replace(snapshot, pools=replace(snapshot.pools, replicas=replicas))
