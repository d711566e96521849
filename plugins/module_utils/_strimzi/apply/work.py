# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The tools for carrying out steps: client, cluster, clock, settings, conditional writes, and the record of actions.

Actions, done or planned, are public facts: subjects, fingerprints, states, and no content.

The only verbs are create, merge patch and delete. A merge patch names only keys of this collection, and carries the
resource version that it was decided on (I6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from ..._errors import KubeError, ResourceTypeMissing
from ..._kube.client import KubeClient, Remembered
from ..._kube.resources import Resource, managers_of
from ..._pki.certificates import Certificate
from ..._pki.keys import PrivateKey
from ..._trust.model.components import Component
from ..._trust.model.intent import NO_WISHES, Wishes
from ..._trust.model.listeners import ObservedListener
from ..._trust.model.snapshot import NodeAnswers
from ..cluster.observe import Observation, observe
from ..names import OLDER_VERSION, CaKind, ClusterNames
from ..secret_data import encode
from ..settings import Settings
from .restarts import RestartCount, SharedCount
from .written import Written

if TYPE_CHECKING:
    from ..._kube.pod_access import CommandRunner, PortOpener
    from ..._trust.model.steps.nodes import RollReason
    from ..user_certificate import UserCertificate


def public_fact(certificate: Certificate) -> str:
    """A certificate as a public fact: its subject and the start of its SHA-256."""
    return f"{certificate.subject} {certificate.sha256[:16]}"


@dataclass(frozen=True)
class Target:
    """The object of an action."""

    #: The kind of the object; empty if ``name`` is an issuer or several objects in words.
    kind: str
    #: The namespace of the object; empty if it has none.
    namespace: str
    #: The name of the object.
    name: str

    @classmethod
    def in_words(cls, name: str) -> Target:
        """An issuer, or several objects, as sentences name them."""
        return cls("", "", name)

    def __str__(self) -> str:
        name = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind} {name}" if self.kind else name


@dataclass(frozen=True)
class Action:
    """A write, restart, reload or wait."""

    #: Either create, update, delete, restart, reload or wait.
    verb: str
    #: The object of the action.
    target: Target
    #: The effect of the action on the object, in words.
    what: str
    #: The phase of the flow at the time of the action.
    phase: str
    #: Public facts about the object before the action; None if there are none.
    before: Mapping[str, Any] | None = None
    #: Public facts about the object after the action; None if there are none.
    after: Mapping[str, Any] | None = None
    #: How long the action took; None if it was not timed.
    seconds: float | None = None
    #: At the restart of a Kafka node, the largest number of nodes that were away at once, this node included.
    away: int | None = None
    #: At the restart of a Kafka node in a round, the number of the round in its call, from 1 on; None elsewhere.
    round_number: int | None = None
    #: At a restart, why the pod restarts; None elsewhere.
    reason: RollReason | None = None
    #: At a restart, the component of the pod; None elsewhere.
    component: Component | None = None
    #: Whether the object is the ledger. The ledger records the effect of the actions before it.
    of_ledger: bool = False
    #: When it was recorded, UTC.
    at: datetime | None = field(default=None, compare=False)

    @property
    def object(self) -> str:
        """The object of the action as sentences name it."""
        return str(self.target)

    @property
    def is_change(self) -> bool:
        return self.verb != "wait"

    def as_result(self) -> dict[str, Any]:
        """The same keys for every action, whether it was done or would be."""
        seconds = None if self.seconds is None else round(self.seconds, 1)
        return {
            "verb": self.verb,
            "object": self.object,
            "kind": self.target.kind or None,
            "namespace": self.target.namespace or None,
            "name": self.target.name if self.target.kind else None,
            "what": self.what,
            "phase": self.phase,
            "seconds": seconds,
            "away": self.away,
            "round": self.round_number,
            "reason": self.reason.value if self.reason else None,
            "component": self.component.value if self.component else None,
            "of_ledger": self.of_ledger,
        }


class Clock(Protocol):
    """Time as the apply layer sees it; the decisions get ``now`` from it through the snapshot."""

    def now(self) -> datetime:
        """The time of day, aware, UTC."""

    def monotonic(self) -> float:
        """Seconds of a clock that only goes forward."""

    def sleep(self, seconds: float) -> None:
        """Let so many seconds pass."""


class LookLive(Protocol):
    """Asks the running nodes."""

    def __call__(self, observation: Observation) -> tuple[ObservedListener, ...] | None:
        """The answers of their listeners; None if no node is reachable."""


@dataclass(frozen=True, repr=False)
class NodeAccess:
    """The ways to running nodes."""

    #: Asks the listeners of nodes about their certificates and their trust.
    look_live: LookLive
    #: Makes the way to ports of pods.
    open_ports: Callable[[], PortOpener]
    #: Makes the way to commands in pods.
    run_commands: Callable[[], CommandRunner]
    #: The reason why nodes cannot reload, as a sentence; empty if they can.
    reload_obstacle: Callable[[], str] = field(default=lambda: "")
    #: The reason why the last look has asked no node; empty if it has.
    why_unasked: Callable[[], str] = field(default=lambda: "")


def _show_no_line(line: str) -> None:
    """Show no line."""


@dataclass(frozen=True, repr=False)
class Display:
    """The output of a call for people who watch it."""

    #: Shows one line for each event.
    report: Callable[[str], None] = field(default=_show_no_line)
    #: Shows the next work of the call, as a sentence. If it takes long, the second argument names the awaited object in
    #: a few words; else it is empty. The third argument is whether a line shows the sentence already.
    begin: Callable[[str, str, bool], None] = field(default=lambda sentence, awaited, is_shown: None)
    #: Takes each action as soon as it is done, for the events of the Kafka resource.
    announce: Callable[[Action], None] = field(default=lambda action: None)


@dataclass(frozen=True)
class LeftBehind:
    """The half-done things of a call at its failure, as sentences; empty if it leaves nothing."""

    #: The pauses of the operator and of users that stay.
    pauses: str = ""
    #: The CA that this call has made user-managed without a ledger.
    unadopted_ca: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.pauses, self.unadopted_ca)))


@dataclass(repr=False)
class WrittenTrail:
    """The written part of the audit trail of a call."""

    #: The ConfigMap as the call has stored it last; None if the next entry needs a reading of it.
    stored: Mapping[str, Any] | None = None
    #: The number of actions of the call, from the first, that have their entries.
    recorded: int = 0


@dataclass(repr=False)
class Work:
    """Everything for carrying out a step."""

    #: The client of the Kubernetes API.
    client: KubeClient
    #: The cluster, and the CA of the call.
    scope: ClusterNames
    #: The clock by which the call reads times and waits.
    clock: Clock
    #: The limits of time, and the ways to other programs.
    settings: Settings
    #: Whether the call writes nothing, and records the writes that it would make.
    dry_run: bool = False
    #: The wishes of the caller. The intent of a flow is made from them.
    wishes: Wishes = NO_WISHES
    #: The key of the supplied CA; None if the caller supplies no CA, or keeps the key elsewhere.
    supplied_key: PrivateKey | None = None
    #: Whether the caller chooses the keys of leaves. If not, the call leaves the keys of requests to the calls that
    #: make requests.
    chooses_keys: bool = True
    #: The output for people who watch.
    display: Display = Display()
    #: Renews the Lease; waits call it regularly.
    renew_lease: Callable[[], None] = field(default=lambda: None)
    #: Releases the Lease; a wait in which other runs may work calls it first.
    release_lease: Callable[[], None] = field(default=lambda: None)
    #: The ways to the running nodes; None if the call goes by stored evidence, and sends nodes nothing.
    nodes: NodeAccess | None = None
    #: The answers of the nodes from an earlier call; None if none has handed them over.
    earlier_answers: NodeAnswers | None = None
    #: The actions of the call so far, in order; in a dry run the actions that it would take. The list is right also
    #: after a step that fails half-way.
    actions: list[Action] = field(default_factory=list)
    #: The restarts of this call beside its plan.
    restarts: RestartCount = field(default_factory=RestartCount)
    #: In how many rounds this call has begun to restart Kafka nodes, in all of its rolls.
    rounds: int = 0
    #: The count of restarts from an earlier call of the play; None if none has handed it over.
    shared_count: SharedCount | None = None
    #: The first observation of the call; None before that.
    first: Observation | None = None
    #: The half-done things that this call would leave if it failed now.
    left_behind: LeftBehind = LeftBehind()
    #: The fields that this call, or an earlier call of this collection, has written.
    written: Written = field(default_factory=Written)
    #: The written part of the audit trail of this call; None before its first entry.
    trail: WrittenTrail | None = None
    #: The Secrets of users as this call has read them.
    user_secrets: Remembered[UserCertificate] = field(default_factory=Remembered)
    #: Sentences that the call shows people, whether it fails or not.
    warnings: list[str] = field(default_factory=list)

    def observe(self) -> Observation:
        """The stored cluster now. Raises KubeError, also if another run has taken the Lease over. On a slow API server
        this takes longer than the Lease lasts, so the Lease is renewed first.
        """
        self.renew_lease()
        around = self.settings.surroundings
        if self.scope.ca is CaKind.CLIENTS:
            # Imported only for the CA of users' certificates.
            from ..users.observe import observe_clients_ca

            return observe_clients_ca(self.client, self.scope, self.clock.now(), around, self.user_secrets)
        return observe(self.client, self.scope, self.clock.now(), around)

    def look_live(self, observation: Observation) -> tuple[ObservedListener, ...] | None:
        """The answers of the running nodes of this observation; None if the call cannot ask them. Raises KubeError, as
        ``observe``.
        """
        self.renew_lease()
        return self.nodes.look_live(observation) if self.nodes is not None else None

    def validity(self, observation: Observation) -> timedelta:
        """How long a CA or a leaf is valid if the call makes or requests it now."""
        return self.wishes.new_ca.validity or observation.snapshot.leaves.validity

    def record(self, action: Action) -> None:
        """Record an action as soon as it is done, so the result has it also if the next action fails."""
        self.actions.append(replace(action, at=self.clock.now()))
        if not self.dry_run:
            self.display.announce(action)

    def record_restart(self, action: Action) -> None:
        """Record an awaited restart, and show it by its number in the plan."""
        self.record(action)
        shown = self.restarts.count(action.target.name, action.reason, seconds=action.seconds)
        self.tell(shown.sentence())

    def tell(self, line: str) -> None:
        """Show one line to people who watch."""
        self.display.report(line)


class WriteVerb(str, Enum):
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, repr=False)
class Write:
    """A conditional write."""

    #: Whether the write creates, updates or deletes.
    verb: WriteVerb
    #: The resource of the object.
    resource: Resource
    #: Name of the object.
    name: str
    #: The effect of the write on the object, in words.
    what: str
    #: The object to create, or the merge patch.
    body: Mapping[str, Any] | None = None
    #: The resource version that the object must still have; None if the write needs none.
    resource_version: str | None = None
    #: Public facts about the object before the write; None if there are none.
    before: Mapping[str, Any] | None = None
    #: Public facts about the object after the write; None if there are none.
    after: Mapping[str, Any] | None = None
    #: Namespace of the object; empty for the namespace of the cluster.
    namespace: str = ""
    #: Whether the object is the ledger.
    of_ledger: bool = False

    def action(self, namespace: str, phase: str) -> Action:
        """The write as an action of a call on a cluster in this namespace."""
        target = Target(self.resource.kind, self.namespace or namespace, self.name)
        return Action(self.verb.value, target, self.what, phase, self.before, self.after, of_ledger=self.of_ledger)


def write_all(writes: tuple[Write, ...], work: Work, phase: str) -> None:
    """Carry the writes out in their order; in a dry run only record them.

    Each is sent only while this run owns the Lease: many slow writes outlive it, and another run may have taken it. A
    second write to an object rests on the result of the first.
    """
    versions: dict[tuple[Resource, str, str], str] = {}
    for write in writes:
        if not work.dry_run:
            work.renew_lease()
            key = write.resource, write.namespace, write.name
            versions[key] = _send_and_record(
                replace(write, resource_version=versions.get(key, write.resource_version)), work, phase
            )
        work.record(write.action(work.scope.namespace, phase))


def _send_and_record(write: Write, work: Work, phase: str) -> str:
    """The resource version after the write. If a write was done and its answer was lost, the write is recorded before
    its error is raised: the caller looks again, and finds nothing to do again.
    """
    try:
        return _send(write, work)
    except KubeError as error:
        if error.outcome_unknown:
            # The first error says that another look helps; an error of this look may say that none does.
            with suppress(KubeError):
                stored = find_object(work.client, write.resource, write.namespace or work.scope.namespace, write.name)
                if _is_done(write, stored):
                    _note_write(write, stored, work)
                    work.record(write.action(work.scope.namespace, phase))
        raise


def find_object(client: KubeClient, resource: Resource, namespace: str, name: str) -> Mapping[str, Any] | None:
    """The object, from a list with its name; None if there is none. The Roles let pods, StrimziPodSets and node pools
    be listed and not read by their names (docs/rbac.yml). Raises KubeError.
    """
    listed = client.list(resource, namespace, field_selector=f"metadata.name={name}").items
    return listed[0] if listed else None


def _is_done(write: Write, stored: Mapping[str, Any] | None) -> bool:
    """Whether the object, as it is now, is as the write wanted it, and was not before."""
    if stored is None or write.verb is WriteVerb.DELETE:
        return stored is None and write.verb is WriteVerb.DELETE
    # A list leaves kind and version out of the objects of Kubernetes itself.
    wanted = {part: value for part, value in (write.body or {}).items() if part not in ("apiVersion", "kind")}
    return version(stored) != write.resource_version and contains(stored, wanted)


def _note_write(write: Write, stored: Mapping[str, Any] | None, work: Work) -> None:
    """Note the object after the write, or None if it is deleted. From here on the call sees when another program writes
    it back.
    """
    key = write.resource.kind, write.namespace or work.scope.namespace, write.name
    if stored is None:
        work.written.note(key, None)
    else:
        work.written.note(key, dict(write.body or {}), str(stored["metadata"].get("uid") or ""))


def contains(stored: Any, wanted: Any) -> bool:
    """Whether a merge patch (RFC 7386), or an object to create, would change nothing. Additions by the API server or
    another program do not count.
    """
    if isinstance(wanted, list) and isinstance(stored, list) and len(stored) == len(wanted):
        return all(map(contains, stored, wanted))
    if not isinstance(wanted, Mapping):
        return bool(stored == wanted)
    return isinstance(stored or {}, Mapping) and all(
        contains((stored or {}).get(key), value) for key, value in wanted.items()
    )


def _send(write: Write, work: Work) -> str:
    """The resource version after the write; of a deleted object its last version."""
    namespace, body, before = write.namespace or work.scope.namespace, dict(write.body or {}), write.resource_version
    if write.verb is WriteVerb.DELETE:
        work.client.delete(write.resource, namespace, write.name, resource_version=before)
        _note_write(write, None, work)
        return before or ""
    answer: Mapping[str, Any]
    if write.verb is WriteVerb.CREATE:
        answer = work.client.create(write.resource, namespace, body)
    else:
        answer = _patch(write, namespace, work.client)
    _note_write(write, answer, work)
    return version(answer)


def _patch(write: Write, namespace: str, client: KubeClient) -> Mapping[str, Any]:
    """The object after the patch. If v1beta2 is no longer served, no object has a field of that version any more, and a
    patch through v1 loses none.
    """
    body, before = dict(write.body or {}), write.resource_version
    try:
        return client.patch(write.resource, namespace, write.name, body, resource_version=before)
    except ResourceTypeMissing:
        if write.resource.version != OLDER_VERSION:
            raise
        return client.patch(replace(write.resource, version="v1"), namespace, write.name, body, resource_version=before)


def as_stored(resource: Resource, stored: Mapping[str, Any] | None) -> Resource:
    """The resource in the version of Strimzi's API through which a patch of this object loses none of its fields.

    If an API server patches an object through v1, it first drops the fields that only v1beta2 knows, whatever the patch
    is about (docs/operator.md, "The API before v1"). The object names each program that has written through v1beta2,
    the operator up to 0.51 among them, with that version. If it names no writer at all, it may have such fields too.
    """
    older, managers = replace(resource, version=OLDER_VERSION), managers_of(stored)
    if managers and all(manager.get("apiVersion") != older.api_version for manager in managers):
        return resource
    return older


def version(existing: Mapping[str, Any]) -> str:
    return str(existing["metadata"]["resourceVersion"])


def secret_patch(
    entries: Mapping[str, bytes | None], annotations: Mapping[str, str | None] | None = None
) -> dict[str, Any]:
    """A merge patch of a Secret: None removes the entry or annotation."""
    patch: dict[str, Any] = {}
    if entries:
        patch["data"] = {key: None if value is None else encode(value) for key, value in entries.items()}
    if annotations:
        patch["metadata"] = {"annotations": dict(annotations)}
    return patch


def new_secret(
    work_labels: Mapping[str, str],
    name: str,
    entries: Mapping[str, bytes],
    annotations: Mapping[str, str],
    type_: str = "Opaque",
) -> dict[str, Any]:
    """A Secret in the form for Strimzi: found by its labels (docs/operator.md, "CA Secrets")."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": type_,
        "metadata": {"name": name, "labels": dict(work_labels), "annotations": dict(annotations)},
        "data": {key: encode(value) for key, value in entries.items()},
    }
