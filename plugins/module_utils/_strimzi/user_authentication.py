# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The steps that are left until a user has certificates of another issuer instead of the User Operator's, or the other way round.

The User Operator deletes the Secret of a user whom it finds with another authentication. So a pause keeps it from the user, the Secret
loses its labels and its owner, and only then does the authentication change (docs/operator.md, "Users").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from .._errors import StepError
from . import names
from .kafka import PAUSED, condition, is_observed
from .resources import KAFKA_USERS
from .secret_data import annotation

Object = Mapping[str, Any]

_OPAQUE = "Opaque"


class Authentication(str, Enum):
    """The authentication of a user, which says who issues its certificates."""

    TLS = "tls"
    TLS_EXTERNAL = "tls-external"


class UserStep(Enum):
    """A step that is left for a user, as a person would say it."""

    AWAIT_LOOK = "the User Operator has looked at it since an earlier pause"
    PAUSE = "pause reconciliation"
    AWAIT_PAUSE = "the User Operator confirms the pause"
    LET_GO = "take the labels and the owner off, so that the User Operator leaves it alone"
    CHANGE = "change the authentication"
    RESUME = "resume reconciliation"
    AWAIT = "the User Operator has seen the change"


@dataclass(frozen=True)
class SeenUser:
    """resource: the KafkaUser. secret: the one in which the User Operator keeps its certificate, where there is one.
    has_certificate: whether that is one of the CA in use, with its key. kept_elsewhere: whether the key of that CA is.
    """

    resource: Object
    secret: Object | None
    has_certificate: bool = False
    kept_elsewhere: bool = False

    @property
    def label(self) -> str:
        metadata = self.resource["metadata"]
        return f"{KAFKA_USERS.kind} {metadata['namespace']}/{metadata['name']}"

    @property
    def authentication(self) -> str:
        return str(((self.resource.get("spec") or {}).get("authentication") or {}).get("type") or "")

    @property
    def is_paused(self) -> bool:
        return annotation(self.resource, names.PAUSE_RECONCILIATION) == "true"

    @property
    def is_paused_here(self) -> bool:
        return self.is_paused and annotation(self.resource, names.PAUSED_FOR_AUTHENTICATION) is not None

    @property
    def told_secret(self) -> str:
        """The name of the Secret of which the User Operator tells; empty where it tells of none."""
        return str((self.resource.get("status") or {}).get("secret") or "")

    @property
    def is_seen(self) -> bool:
        """Whether the User Operator has acted on what the resource says now."""
        ready = condition(self.resource, "Ready") and not condition(self.resource, PAUSED)
        return ready and is_observed(self.resource)

    @property
    def is_kept(self) -> bool:
        """Whether the Secret is one that was let go here."""
        return names.KEPT_OF in self._labels

    @property
    def is_operated(self) -> bool:
        """Whether the User Operator takes the Secret for its own."""
        return self._labels.get(names.KIND_LABEL) == KAFKA_USERS.kind and names.CLUSTER_LABEL in self._labels

    @property
    def _labels(self) -> Mapping[str, str]:
        return ((self.secret or {"metadata": {}})["metadata"].get("labels")) or {}


def steps_left(seen: SeenUser, wanted: Authentication) -> tuple[UserStep, ...]:
    """In their order; none where it is done."""
    if seen.authentication == wanted.value:
        if seen.is_paused_here:
            return UserStep.RESUME, UserStep.AWAIT
        done = seen.is_seen and (wanted is Authentication.TLS_EXTERNAL or seen.has_certificate)
        return () if done else (UserStep.AWAIT,)
    if wanted is Authentication.TLS or not seen.is_operated:
        return UserStep.CHANGE, UserStep.AWAIT
    told = condition(seen.resource, PAUSED)
    # A pause that has ended confirms nothing as long as the User Operator still says so.
    look = (UserStep.AWAIT_LOOK,) if told and not seen.is_paused else ()
    pause = () if seen.is_paused_here else (UserStep.PAUSE,)
    waits = () if seen.is_paused_here and told else (UserStep.AWAIT_PAUSE,)
    return *look, *pause, *waits, UserStep.LET_GO, UserStep.CHANGE, UserStep.AWAIT


def refuse(seen: SeenUser, wanted: Authentication, cluster: str) -> None:
    """Before anything is written. Raises StepError."""
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
            "Ask who has paused it to resume it; a flow on the clients CA resumes its users by itself.",
        )
    if wanted is Authentication.TLS and seen.authentication != wanted.value:
        if seen.kept_elsewhere:
            raise StepError(
                f"{seen.label}:",
                "the User Operator could issue it no certificate: the key of the clients CA is kept elsewhere",
                "Leave it with tls-external; or first replace the clients CA by one whose key is here (replace_key, without a CA to supply).",
            )
        _refuse_to_overwrite(seen)


def refuse_another_secret(seen: SeenUser, secret: str) -> None:
    """Where the User Operator would delete the user's Secret, because another one was taken for it. Raises StepError."""
    if seen.told_secret in ("", secret):
        return
    namespace = seen.resource["metadata"]["namespace"]
    raise StepError(
        seen.label,
        f"has its certificate in Secret {namespace}/{seen.told_secret}, and not in Secret {namespace}/{secret}",
        "Give its namespace in user_namespaces, with the secret_prefix that its User Operator has in STRIMZI_SECRET_PREFIX.",
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
            "Have its writer use another name, and delete this one when no application reads it.",
        )
    if not seen.is_kept and not seen.is_operated:
        raise StepError(
            name,
            "belongs to another owner, and the User Operator would overwrite it",
            "Have its writer use another name, and delete this one when no application reads it.",
        )
