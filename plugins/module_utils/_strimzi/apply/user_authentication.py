# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A user moves from the User Operator's certificates to another issuer's, or back. Every Secret that programs read
stays (docs/operator.md, "Users").

The User Operator deletes the Secret of a user if it finds another authentication. So a pause keeps the User Operator
from the user, the Secret loses its labels and its owner, and only then does the authentication change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from typing import Any

from ..._errors import Conflict, OperatorSilent, StepError
from ..._kube.client import KubeClient
from ..._kube.resources import SECRETS
from ..._trust.model.decision import Violation
from ..._trust.model.goals import Phase
from ..._trust.preconditions.absence import absence_of_operator, age_of_operator, deletion_of, is_too_old
from .. import names
from ..cluster.kafka import (
    PAUSED,
    condition,
    is_observed,
    is_paused_by,
    note_absent_operator,
    read_operator_status,
    why_operator_is_silent,
)
from ..cluster.observe import in_deletion
from ..cluster.pods import find_pods
from ..cluster.taken_names import describe_owner
from ..names import KAFKA_USERS, ClusterNames
from ..secret_data import is_true
from ..user_certificate import ClientsCa, UserCertificate
from ..users.reading import existing_kafka
from ..users.secrets import read_user_secret
from ..users.users import Authentication
from .user_pausing import PAUSE, TRIES, countdown_of, limit_of
from .work import Action, Target, Work, Write, WriteVerb, version, write_all

Object = Mapping[str, Any]

_OPAQUE = "Opaque"
#: Seconds for the User Operator to hear that a Secret is not its own any more, from an API server that answers at once.
#: Nothing shows when it has heard: a paused user gets no new status. It hears by a watch, or by a new list and watch if
#: the watch has just ended.
HEARING, ANSWERS_OF_HEARING = 10.0, 3


class UserStep(Enum):
    """A remaining step for a user, as a person would say it."""

    AWAIT_LOOK = "the User Operator has looked at it since an earlier pause"
    PAUSE = "pause reconciliation"
    AWAIT_PAUSE = "the User Operator confirms the pause"
    LET_GO = "take the labels and the owner off, so that the User Operator leaves it alone"
    AWAIT_HEARING = "the User Operator hears that it is not its own any more"
    CHANGE = "change the authentication"
    RESUME = "resume reconciliation"
    AWAIT = "the User Operator has seen the change"


@dataclass(frozen=True)
class SeenUser:
    """A KafkaUser with the Secret of its certificate."""

    #: The KafkaUser.
    resource: Object
    #: The Secret of the User Operator for its certificate; None if it does not exist.
    secret: Object | None
    #: The certificate in that Secret; None if the User Operator does not take the Secret for its own.
    certificate: UserCertificate | None = None
    #: Whether the key of the clients CA is kept elsewhere.
    kept_elsewhere: bool = False
    #: The User Operator's Secret for it, found by its owner, if neither the status nor the caller names it; empty if
    #: there is none.
    owned_secret: str = ""
    #: Seconds until the User Operator has heard of the write that detached a kept Secret.
    hears_in: float = HEARING

    @property
    def label(self) -> str:
        metadata = self.resource["metadata"]
        return f"{KAFKA_USERS.kind} {metadata['namespace']}/{metadata['name']}"

    @property
    def authentication(self) -> str:
        return str(((self.resource.get("spec") or {}).get("authentication") or {}).get("type") or "")

    @property
    def is_paused(self) -> bool:
        return is_true(self.resource, names.PAUSE_RECONCILIATION)

    @property
    def is_paused_here(self) -> bool:
        return is_paused_by(self.resource, names.PAUSED_FOR_AUTHENTICATION)

    @property
    def secret_in_status(self) -> str:
        """The name of the Secret in the KafkaUser's status; empty if the status names none."""
        return str((self.resource.get("status") or {}).get("secret") or "")

    @property
    def is_seen(self) -> bool:
        """Whether the User Operator has acted on the present generation of the resource."""
        ready = condition(self.resource, "Ready") and not condition(self.resource, PAUSED)
        return ready and is_observed(self.resource)

    @property
    def is_kept(self) -> bool:
        """Whether this collection has detached the Secret from the User Operator."""
        return names.KEPT_OF in self._labels

    @property
    def is_operated(self) -> bool:
        """Whether the User Operator takes the Secret for its own."""
        return self._labels.get(names.KIND_LABEL) == KAFKA_USERS.kind and names.CLUSTER_LABEL in self._labels

    @property
    def _labels(self) -> Mapping[str, str]:
        return ((self.secret or {"metadata": {}})["metadata"].get("labels")) or {}


def steps_left(seen: SeenUser, wanted: Authentication) -> tuple[UserStep, ...]:
    """The remaining steps, in their order; none if the change is done."""
    if seen.authentication == wanted.value:
        if seen.is_paused_here:
            return UserStep.RESUME, UserStep.AWAIT
        has_certificate = seen.certificate is not None and not seen.certificate.problem
        done = seen.is_seen and (wanted is Authentication.TLS_EXTERNAL or has_certificate)
        return () if done else (UserStep.AWAIT,)
    if wanted is Authentication.TLS:
        return UserStep.CHANGE, UserStep.AWAIT
    if not seen.is_operated:
        hears = (UserStep.AWAIT_HEARING,) if seen.is_kept and seen.hears_in > 0 else ()
        return *hears, UserStep.CHANGE, UserStep.AWAIT
    reports_pause = condition(seen.resource, PAUSED)
    # An ended pause confirms nothing as long as the User Operator still reports it.
    look = (UserStep.AWAIT_LOOK,) if reports_pause and not seen.is_paused else ()
    pause = () if seen.is_paused_here else (UserStep.PAUSE,)
    waits = () if seen.is_paused_here and reports_pause else (UserStep.AWAIT_PAUSE,)
    return *look, *pause, *waits, UserStep.LET_GO, UserStep.AWAIT_HEARING, UserStep.CHANGE, UserStep.AWAIT


def refuse(seen: SeenUser, wanted: Authentication, cluster: str) -> None:
    """Refuse a change that would fail, before any write. Raises StepError."""
    labels = seen.resource["metadata"].get("labels") or {}
    if labels.get(names.CLUSTER_LABEL) != cluster:
        raise StepError(
            seen.label, f"is no user of {cluster}", f"Its label {names.CLUSTER_LABEL} names the cluster it is of."
        )
    if seen.authentication not in list(Authentication):
        raise StepError(
            seen.label,
            f"has the authentication {seen.authentication or 'none'}",
            "Here a user changes from tls to tls-external and back; change any other in its resource.",
        )
    if seen.is_paused and not seen.is_paused_here:
        raise StepError(
            seen.label,
            f"is paused ({names.PAUSE_RECONCILIATION})",
            "Have the person or program that has paused it resume it; a flow on the clients CA resumes its users by "
            "itself.",
        )
    if wanted is Authentication.TLS and seen.authentication != wanted.value:
        if seen.kept_elsewhere:
            raise StepError(
                f"{seen.label}:",
                "the User Operator could issue it no certificate: the key of the clients CA is kept elsewhere",
                "Leave it with tls-external; or first replace the clients CA by a CA whose key is here (replace_key, "
                "without a CA to supply).",
            )
        _refuse_to_overwrite(seen)


def refuse_another_secret(seen: SeenUser, secret: str) -> None:
    """Refuse if the User Operator would delete the user's Secret, because the call named another Secret. Raises
    StepError.
    """
    own_secret = seen.secret_in_status or seen.owned_secret
    if own_secret in ("", secret):
        return
    namespace = seen.resource["metadata"]["namespace"]
    raise StepError(
        seen.label,
        f"has its certificate in Secret {namespace}/{own_secret}, and not in Secret {namespace}/{secret}",
        "Give its namespace in user_namespaces, with the secret_prefix that its User Operator has in "
        "STRIMZI_SECRET_PREFIX.",
    )


def _refuse_to_overwrite(seen: SeenUser) -> None:
    if seen.secret is None:
        return
    metadata, kind = seen.secret["metadata"], seen.secret.get("type")
    name = f"Secret {metadata['namespace']}/{metadata['name']}"
    if kind != _OPAQUE:
        raise StepError(
            name,
            f"is of the type {kind}, and the User Operator could never write it: the type of a Secret cannot change",
            "Have its writer use another name, and delete this Secret when no application reads it.",
        )
    if not seen.is_kept and not seen.is_operated:
        raise StepError(
            name,
            f"belongs to another owner ({describe_owner(seen.secret)}), and the User Operator would overwrite it",
            "Have its writer use another name, and delete this Secret when no application reads it.",
        )


def read_operated_kafka(
    client: KubeClient, scope: ClusterNames, now: datetime, sleep: Callable[[float], None]
) -> tuple[Mapping[str, Any], tuple[Violation, ...]]:
    """The Kafka resource, and what is in the way of a change: it is being deleted, no operator works on it, or the
    operator is too old. Raises KubeError, StepError.
    """
    kafka = existing_kafka(client, scope)
    operator = note_absent_operator(read_operator_status(kafka), kafka, find_pods(client, scope, kafka, {}).node_traces)
    absence = operator.absence or why_operator_is_silent(client, scope.namespace, now, sleep)
    name = f"Kafka {scope.namespace}/{scope.cluster}"
    violations = [deletion_of(*deleted) for deleted in in_deletion("Kafka", [kafka])]
    if absence:
        violations.append(absence_of_operator(name, scope.namespace, absence))
    if is_too_old(operator.version):
        violations.append(age_of_operator(name, operator.version))
    return kafka, tuple(violations)


_WAITS = (UserStep.AWAIT_LOOK, UserStep.AWAIT_PAUSE, UserStep.AWAIT_HEARING, UserStep.AWAIT)
_FREE: Mapping[str, None] = {names.PAUSE_RECONCILIATION: None, names.PAUSED_FOR_AUTHENTICATION: None}


@dataclass
class ChangeOfAuthentication:
    """A change of the authentication of a KafkaUser, and its means."""

    #: Namespace of the KafkaUser.
    namespace: str
    #: Name of the KafkaUser.
    user: str
    #: The Secret of the user.
    secret: str
    #: The clients CA whose leaf the user gets.
    clients_ca: ClientsCa
    #: The clients and settings for the change.
    work: Work
    #: Takes the Lease; the change calls it before each write.
    before_write: Callable[[], None]
    #: Whether the key of the clients CA is kept elsewhere.
    kept_elsewhere: bool = False
    #: The time by which the User Operator has heard that the Secret is kept, by the monotonic clock. It is counted from
    #: the look at which this call has first found the Secret kept. None if it was not kept at the last look. The write
    #: that detached it, of this call or of a killed call, was no later.
    _heard_at: float | None = field(default=None, init=False)

    def read_user(self) -> SeenUser:
        """Raises KubeError, StepError."""
        client = self.work.client
        resource = client.get_or_none(KAFKA_USERS, self.namespace, self.user)
        if resource is None:
            raise StepError(
                f"KafkaUser {self.namespace}/{self.user}", "does not exist", "Correct user or user_namespace."
            )
        secret = client.get_or_none(SECRETS, self.namespace, self.secret)
        seen = SeenUser(resource, secret, kept_elsewhere=self.kept_elsewhere)
        seen = replace(seen, hears_in=self._time_to_hear(seen))
        if secret is None or not seen.is_operated:
            return seen
        return replace(seen, certificate=read_user_secret(secret).judged_by(self.clients_ca, self.work.clock.now()))

    def _find_owned_secret(self, resource: Mapping[str, Any]) -> str:
        """The name of the Secret whose owner is this KafkaUser; empty if there is none. The status of a paused user
        names no Secret.
        """

        def read(secret: Mapping[str, Any]) -> str | None:
            owners = secret["metadata"].get("ownerReferences") or ()
            is_owned = any(owner.get("uid") == resource["metadata"]["uid"] for owner in owners)
            return str(secret["metadata"]["name"]) if is_owned else None

        selector = self.work.scope.user_selector
        owned = self.work.client.each(SECRETS, self.namespace, read, label_selector=selector, metadata_only=True)
        return next(iter(owned), "")

    def _time_to_hear(self, seen: SeenUser) -> float:
        now = self.work.clock.monotonic()
        hearing = self.work.client.response_time.within(HEARING, ANSWERS_OF_HEARING)
        if not seen.is_kept or seen.is_operated:
            self._heard_at = None
            return hearing
        if self._heard_at is None:
            self._heard_at = now + hearing
        return max(0.0, self._heard_at - now)

    def carry_out(self, wanted: Authentication) -> SeenUser:
        """Carry out the change until no step is left. An interrupted change goes on from the stored state. Raises
        KubeError, StepError, OperatorSilent.
        """
        seen = self._read_permitted_user(wanted)
        if self.work.dry_run:
            for step in steps_left(seen, wanted):
                if step in _WAITS:
                    self._record_wait(step, seen)
                else:
                    self._write(step, seen, wanted)
            return seen
        tries = TRIES
        while steps := steps_left(seen, wanted):
            try:
                self._do(steps[0], seen, wanted)
            except Conflict:
                tries -= 1
                if not tries:
                    raise
            seen = self._read_permitted_user(wanted)
        return seen

    def _read_permitted_user(self, wanted: Authentication) -> SeenUser:
        seen = self.read_user()
        refuse(seen, wanted, self.work.scope.cluster)
        if seen.secret is None and not seen.secret_in_status:
            seen = replace(seen, owned_secret=self._find_owned_secret(seen.resource))
        refuse_another_secret(seen, self.secret)
        return seen

    def _do(self, step: UserStep, seen: SeenUser, wanted: Authentication) -> None:
        if step is UserStep.AWAIT_LOOK:
            self._wait(step, lambda now: not condition(now.resource, PAUSED))
        elif step is UserStep.AWAIT_PAUSE:
            self._wait(step, lambda now: condition(now.resource, PAUSED))
        elif step is UserStep.AWAIT_HEARING:
            self.work.clock.sleep(seen.hears_in)
        elif step is UserStep.AWAIT:
            self._wait(step, lambda now: not steps_left(now, wanted))
        else:
            self.before_write()
            self._write(step, seen, wanted)
            return
        self._record_wait(step, seen)

    def _write(self, step: UserStep, seen: SeenUser, wanted: Authentication) -> None:
        write_all((self._write_of(step, seen, wanted),), self.work, Phase.USE.value)

    def _write_of(self, step: UserStep, seen: SeenUser, wanted: Authentication) -> Write:
        if step is UserStep.LET_GO and seen.secret is not None:
            release = _patch_to_release(seen.secret, self.work.scope.cluster)
            return Write(
                WriteVerb.UPDATE,
                SECRETS,
                self.secret,
                step.value,
                release,
                version(seen.secret),
                namespace=self.namespace,
            )
        patch: dict[str, Any] = {"metadata": {"annotations": dict(_FREE)}}
        before = after = None
        if step is UserStep.PAUSE:
            marks = {names.PAUSE_RECONCILIATION: "true", names.PAUSED_FOR_AUTHENTICATION: wanted.value}
            patch = {"metadata": {"annotations": marks}}
        if step is UserStep.CHANGE:
            patch["spec"] = {"authentication": {"type": wanted.value}}
            before, after = {"authentication": seen.authentication}, {"authentication": wanted.value}
        return Write(
            WriteVerb.UPDATE,
            KAFKA_USERS,
            self.user,
            step.value,
            patch,
            version(seen.resource),
            before,
            after,
            self.namespace,
        )

    def _wait(self, step: UserStep, is_done: Callable[[SeenUser], bool]) -> None:
        clock, countdown = self.work.clock, countdown_of(self.work)
        while True:
            begun = clock.monotonic()
            if is_done(self.read_user()):
                return
            countdown.looked_since(begun)
            if countdown.is_over:
                raise OperatorSilent(
                    f"KafkaUser {self.namespace}/{self.user}:",
                    f"this has not come true within {limit_of(self.work):.0f} s: {step.value}",
                    "Look at its status and at the User Operator's log; then run the task again, it continues where it "
                    "stopped.",
                )
            self.work.renew_lease()
            clock.sleep(PAUSE)

    def _record_wait(self, step: UserStep, seen: SeenUser) -> None:
        kind, name = (SECRETS.kind, self.secret) if step is UserStep.AWAIT_HEARING else (KAFKA_USERS.kind, self.user)
        target = Target(kind, self.namespace, name)
        self.work.record(Action("wait", target, step.value, Phase.USE.value))


def _patch_to_release(secret: Mapping[str, Any], cluster: str) -> dict[str, Any]:
    """A merge patch. Owners of another kind than KafkaUser stay. A kept Secret is found by its label, as long as
    programs may read it.
    """
    owners = secret["metadata"].get("ownerReferences") or []
    others = [owner for owner in owners if owner.get("kind") != KAFKA_USERS.kind]
    gone = (names.KIND_LABEL, names.CLUSTER_LABEL, names.MANAGED_BY_LABEL)
    return {
        "metadata": {
            "labels": {**dict.fromkeys(gone), names.KEPT_OF: cluster},
            "ownerReferences": others or None,
        }
    }
