# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A user moves from the User Operator's certificates to those of another issuer, or back, and no Secret that programs read goes away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .._errors import Conflict, OperatorSilent, StepError
from .._kube.resources import SECRETS
from .._trust.model.goals import Phase
from . import names
from .actions import Action
from .kafka import PAUSED, condition
from .resources import KAFKA_USERS
from .user_authentication import Authentication, SeenUser, UserStep, refuse, refuse_another_secret, steps_left
from .user_secrets import ClientsCa, read_user_secret
from .user_waiting import limit_of
from .work import Work
from .writes import version

#: How often an object that another writer changes at the same time is read again.
_TRIES = 10
#: Seconds between two looks.
_PAUSE = 2.0
#: Seconds after which the User Operator has heard that a Secret is not its own any more. Nothing shows that: a paused user gets no new status.
_HEARING = 10.0
_FREE: Mapping[str, None] = {names.PAUSE_RECONCILIATION: None, names.PAUSED_FOR_AUTHENTICATION: None}


@dataclass
class ChangeOfAuthentication:
    """A change of the authentication of a KafkaUser, and where it takes place."""

    namespace: str
    user: str
    #: The Secret of the user.
    secret: str
    clients_ca: ClientsCa
    work: Work
    #: Takes the Lease; the change calls it before its first write.
    before_write: Callable[[], None]
    #: Whether the key of the clients CA is kept elsewhere.
    kept_elsewhere: bool = False

    def see(self) -> SeenUser:
        """Raises KubeError, StepError."""
        client = self.work.client
        resource = client.get_or_none(KAFKA_USERS, self.namespace, self.user)
        if resource is None:
            raise StepError(
                f"KafkaUser {self.namespace}/{self.user}", "does not exist", "Correct user or user_namespace."
            )
        secret = client.get_or_none(SECRETS, self.namespace, self.secret)
        found = SeenUser(resource, secret, kept_elsewhere=self.kept_elsewhere)
        if secret is None or not found.is_operated:
            return found
        certificate = read_user_secret(secret, self.clients_ca, self.work.clock.now())
        good = certificate.is_current and not certificate.problem
        return replace(found, has_certificate=good)

    def carry_out(self, wanted: Authentication) -> SeenUser:
        """Until nothing is left; interrupted anywhere, it goes on from what is stored. Raises KubeError, StepError, OperatorSilent."""
        seen = self._see_permitted(wanted)
        if self.work.dry_run:
            for step in steps_left(seen, wanted):
                self._record(step, seen, wanted)
                if step is UserStep.LET_GO:
                    self._record_hearing(None)
            return seen
        tries = _TRIES
        while steps := steps_left(seen, wanted):
            try:
                self._do(steps[0], seen, wanted)
            except Conflict:
                tries -= 1
                if not tries:
                    raise
            seen = self._see_permitted(wanted)
        return seen

    def _see_permitted(self, wanted: Authentication) -> SeenUser:
        seen = self.see()
        refuse(seen, wanted, self.work.scope.cluster)
        refuse_another_secret(seen, self.secret)
        return seen

    def _do(self, step: UserStep, seen: SeenUser, wanted: Authentication) -> None:
        if step is UserStep.AWAIT_LOOK:
            self._wait(step, lambda now: not condition(now.resource, PAUSED))
        elif step is UserStep.AWAIT_PAUSE:
            self._wait(step, lambda now: condition(now.resource, PAUSED))
        elif step is UserStep.AWAIT:
            self._wait(step, lambda now: not steps_left(now, wanted))
        else:
            self.before_write()
            self.work.alive()
            self._write(step, seen, wanted)
        self._record(step, seen, wanted)
        if step is UserStep.LET_GO:
            self.work.clock.sleep(_HEARING)
            self._record_hearing(_HEARING)

    def _write(self, step: UserStep, seen: SeenUser, wanted: Authentication) -> None:
        if step is UserStep.LET_GO and seen.secret is not None:
            self.work.client.patch(
                SECRETS,
                self.namespace,
                self.secret,
                _let_go(seen.secret, self.work.scope.cluster),
                resource_version=version(seen.secret),
            )
            return
        patch: dict[str, Any] = {"metadata": {"annotations": dict(_FREE)}}
        if step is UserStep.PAUSE:
            marks = {names.PAUSE_RECONCILIATION: "true", names.PAUSED_FOR_AUTHENTICATION: wanted.value}
            patch = {"metadata": {"annotations": marks}}
        if step is UserStep.CHANGE:
            patch["spec"] = {"authentication": {"type": wanted.value}}
        resource_version = version(seen.resource)
        self.work.client.patch(KAFKA_USERS, self.namespace, self.user, patch, resource_version=resource_version)

    def _wait(self, step: UserStep, is_done: Callable[[SeenUser], bool]) -> None:
        clock = self.work.clock
        deadline = clock.monotonic() + limit_of(self.work)
        while not is_done(self.see()):
            if clock.monotonic() >= deadline:
                raise OperatorSilent(
                    f"KafkaUser {self.namespace}/{self.user}:",
                    f"this has not come true within {limit_of(self.work):.0f} s: {step.value}",
                    "Look at its status and at the User Operator's log; then run the task again, it continues where it stopped.",
                )
            self.work.alive()
            clock.sleep(_PAUSE)

    def _record_hearing(self, seconds: float | None) -> None:
        """seconds: None where the wait is yet to come."""
        heard = "the User Operator hears that it is not its own any more"
        self.work.record(
            Action("wait", f"Secret {self.namespace}/{self.secret}", heard, Phase.USE.value, seconds=seconds)
        )

    def _record(self, step: UserStep, seen: SeenUser, wanted: Authentication) -> None:
        is_wait = step in (UserStep.AWAIT_LOOK, UserStep.AWAIT_PAUSE, UserStep.AWAIT)
        target = f"Secret {self.namespace}/{self.secret}" if step is UserStep.LET_GO else seen.label
        before = after = None
        if step is UserStep.CHANGE:
            before, after = {"authentication": seen.authentication}, {"authentication": wanted.value}
        self.work.record(Action("wait" if is_wait else "update", target, step.value, Phase.USE.value, before, after))


def _let_go(secret: Mapping[str, Any], cluster: str) -> dict[str, Any]:
    """A merge patch. Owners that are no KafkaUser stay. What is kept is found by its label, as long as programs may read it."""
    owners = secret["metadata"].get("ownerReferences") or []
    others = [owner for owner in owners if owner.get("kind") != KAFKA_USERS.kind]
    gone = (names.KIND_LABEL, names.CLUSTER_LABEL, names.MANAGED_BY_LABEL)
    return {
        "metadata": {
            "labels": {**dict.fromkeys(gone), names.KEPT_OF: cluster},
            "ownerReferences": others,
        }
    }
