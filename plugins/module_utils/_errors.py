# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""All errors of this collection, except errors that one file raises and catches itself.

An error names its object, the cause and the remedy if it ends a call. ``_ansible/module.py`` makes the failure of the
module from it::

    CollectionError
    ├── OptionsError                    an option of a module, or what it leads to
    ├── StepError                       a step, or a whole call, cannot be carried out
    │   ├── ConditionUnmet              a condition of the call
    │   ├── OperatorSilent              the Cluster Operator or the User Operator
    │   ├── PausedByAnother             the Kafka resource
    │   ├── RollStuck                   a restart or reload of nodes
    │   ├── RestartsNotDue              a restart of nodes by the operator
    │   ├── NodesSilent                 nodes that do not answer
    │   ├── ReloadImpossible            nodes that do not read a change again
    │   │   └── StampsRefused           pods that cannot be annotated
    │   ├── LinkUnavailable             a link certificate
    │   └── IssuerUnavailable           an issuer
    │       └── ServerFailure
    ├── KafkaUnavailable                Kafka, or one of its nodes
    └── KubeError                       a request to the Kubernetes API failed
        ├── NotFound
        ├── ResourceTypeMissing
        ├── Conflict
        ├── AlreadyExists
        ├── Forbidden
        ├── Unauthorized
        ├── Invalid
        ├── TooLarge
        ├── Gone
        ├── Unavailable
        │   └── WebhookAway
        ├── Unreachable
        ├── TimedOut
        └── LeaseTaken

A reader of bytes knows the cause alone. Its caller names object and remedy, or takes the failure for a state. If
nothing catches such an error, it is a bug::

    Cause
    ├── CertificateError                a certificate, or a chain of certificates
    ├── PrivateKeyError
    ├── RequestError                    a certificate signing request
    ├── KeystoreError                   a PKCS#12 file or Java keystore
    ├── MalformedHandshake              the messages of a TLS handshake
    ├── CronError                       a cron expression
    ├── AnswerUnusable                  an answer of an issuer's server
    ├── ApiMissing                      an API of a Kafka node
    ├── TransportError                  the way to a server
    ├── NoMemoryFiles                   this system
    └── UnusablePair                    a certificate with its key

Two functions make text from elsewhere safe to show: the name of a CA must not command the terminal of its reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class CollectionError(Exception):
    """An error that ends a call if the call has no other way.

    Its text is the sentence of object and cause.
    """

    def __init__(self, object: str, cause: str, remedy: str) -> None:
        # The name of the object in messages.
        self.object = object
        # The reason, as the rest of a sentence. The sentence begins with the object.
        self.cause = cause.rstrip(".")
        # The way out, in whole sentences.
        self.remedy = remedy
        super().__init__(self.object, self.cause, self.remedy)

    def __str__(self) -> str:
        return f"{self.clause}."

    @property
    def clause(self) -> str:
        """Object and cause, as a part of a longer sentence."""
        return f"{self.object} {self.cause}"


class OptionsError(CollectionError):
    """An unusable option, or an option that contradicts another. The message quotes no credential."""


# Steps -------------------------------------------------------------------------------------------------------------


class StepError(CollectionError):
    """A step could not be carried out. Nothing is lost: if the flow is run again, it continues."""


class ConditionUnmet(StepError):
    """A condition of a call is not met."""

    def __init__(self, object: str, cause: str, remedy: str, violation: Mapping[str, str]) -> None:
        super().__init__(object, cause, remedy)
        # The condition, as results list violations.
        self.violations = (violation,)


class OperatorSilent(StepError):
    """An operator did not react in time."""


class PausedByAnother(StepError):
    """Another program or person has paused the operator."""


class RollStuck(StepError):
    """A pod did not come back in time, or did not follow in time."""

    def __init__(
        self,
        object: str,
        cause: str,
        remedy: str,
        violations: Sequence[Mapping[str, str]] = (),
        *,
        repetition: str = "",
        left: str = "",
    ) -> None:
        super().__init__(object, cause, f"{remedy} {repetition}{left}".rstrip())
        # The conditions that kept nodes from their restart, as results list violations.
        self.violations = violations
        # The effect of a repetition of the call on already restarted pods, as the end of the remedy; empty if the error
        # says nothing of it.
        self.repetition = repetition
        # The remedy before and after the repetition.
        self._around = remedy, left

    def with_repetition(self, repetition: str) -> RollStuck:
        """The error of a call whose repetition does something else with pods that were restarted already."""
        if not self.repetition:
            return self
        remedy, left = self._around
        return RollStuck(self.object, self.cause, remedy, self.violations, repetition=repetition, left=left)


class RestartsNotDue(StepError):
    """The operator has no reason any more for awaited restarts: another writer has put back the change for which the
    operator would have restarted pods.
    """


class NodesSilent(StepError):
    """Nodes have not answered in time."""

    def __init__(self, object: str, cause: str, remedy: str, uids: frozenset[str]) -> None:
        super().__init__(object, cause, remedy)
        # The UIDs of their pods.
        self.uids = uids


class ReloadImpossible(StepError):
    """Nodes cannot read a change again. A restart brings the same result."""


class StampsRefused(ReloadImpossible):
    """The API server refuses annotations of pods, for example because of an admission policy, although an access review
    has permitted them.
    """


class LinkUnavailable(StepError):
    """The issuer of the CA in use does not certify the next CA. Without its certificate, every party has to know the
    next CA before it is used.
    """


class IssuerUnavailable(StepError):
    """The issuer does not answer now. Nothing was recorded; the next run asks again."""


class ServerFailure(IssuerUnavailable):
    """The server of an issuer does not answer, or answers with a failure."""

    def __init__(
        self, object: str, cause: str, remedy: str, *, transient: bool = False, wait: float | None = None
    ) -> None:
        super().__init__(object, cause, remedy)
        # Whether another try can help by itself.
        self.transient = transient
        # Seconds for which the server wants to be left alone.
        self.wait = wait


class KafkaUnavailable(CollectionError):
    """Kafka did not answer, or answered another question. It may help to ask again later."""


# The Kubernetes API ------------------------------------------------------------------------------------------------


class Attempted(Protocol):
    """A request as errors know it: ``_kube.resources.Attempt``."""

    @property
    def kind(self) -> str: ...

    @property
    def api_version(self) -> str: ...

    @property
    def namespace(self) -> str | None: ...

    @property
    def name(self) -> str | None: ...


class KubeError(CollectionError):
    """A failed request to the Kubernetes API. The content of an object is never part of a message."""

    def __init__(
        self,
        attempt: Attempted,
        cause: str,
        remedy: str,
        *,
        outcome_unknown: bool = False,
        is_transient: bool = False,
        retry_after: float = 0.0,
    ) -> None:
        super().__init__(f"Failed to {attempt}:", cause, remedy)
        self.attempt = attempt
        # Whether the answer to a write was lost, or the server gave up on it. If so, the write may have been done.
        self.outcome_unknown = outcome_unknown
        # Whether the failure may pass by itself.
        self.is_transient = is_transient
        # Seconds after which the server asks to be tried again; 0 if it asks nothing.
        self.retry_after = retry_after

    def __str__(self) -> str:
        return (
            f"{super().__str__()} It is not known whether it was done." if self.outcome_unknown else super().__str__()
        )


class NotFound(KubeError):
    """The object does not exist."""


class ResourceTypeMissing(KubeError):
    """The API server does not know the kind: its CRD is not installed."""


class Conflict(KubeError):
    """The object changed since it was read. Read again and decide again."""


class AlreadyExists(KubeError):
    """The object to create exists."""


class Forbidden(KubeError):
    """The server does not allow it: RBAC, a quota or an admission policy."""


class Unauthorized(KubeError):
    """The credentials are not accepted."""


class Invalid(KubeError):
    """The API server refuses the object."""


class TooLarge(KubeError):
    """The object is larger than the API server stores."""


class Gone(KubeError):
    """The resource version of a watch is too old: list again."""


class Unavailable(KubeError):
    """The API server is overloaded or failing, or another server answers."""


class WebhookAway(Unavailable):
    """A webhook that was to judge the object has not answered the API server."""


class Unreachable(KubeError):
    """The API server cannot be reached, or its answer was lost or did not come in time."""


class TimedOut(KubeError):
    """The awaited state did not come in time."""

    def __init__(
        self, attempt: Attempted, cause: str, remedy: str, *, observed: Mapping[str, Mapping[str, Any]]
    ) -> None:
        super().__init__(attempt, cause, remedy)
        # The objects as last seen, by name.
        self.observed = observed


class LeaseTaken(KubeError):
    """Another run owns the Lease."""

    def __init__(self, attempt: Attempted, run: str, cause: str, remedy: str) -> None:
        super().__init__(attempt, cause, remedy)
        # Readers look for the run. They do not look for the write, which the run prevents.
        self.object = run


# Causes alone ------------------------------------------------------------------------------------------------------


class Cause(Exception):
    """A cause without its object, as a part of a sentence. It quotes no content."""


class CertificateError(Cause):
    """The input is no certificate."""


class PrivateKeyError(Cause):
    """The input is no usable private key."""


class RequestError(Cause):
    """The input is no valid request."""


class KeystoreError(Cause):
    """The keystore cannot be used."""


class MalformedHandshake(Cause):
    """The bytes are no TLS 1.2 handshake."""


class CronError(Cause):
    """Quartz would refuse the expression."""


class AnswerUnusable(Cause):
    """The answer of an issuer's server is not what its API promises."""


class ApiMissing(Cause):
    """The Kafka node does not know a needed version of the API: its Kafka is too old."""


class TransportError(Cause):
    """The server could not be reached, or its answer was lost. The text contains address and cause only."""

    def __init__(
        self, cause: str, *, sent: bool = True, transient: bool = True, timed_out: bool = False, remedy: str = ""
    ) -> None:
        super().__init__(cause)
        # Whether the request may have reached the server.
        self.sent = sent
        # Whether another try can help by itself.
        self.transient = transient
        # Whether no answer came in the given time.
        self.timed_out = timed_out
        # The option to look at.
        self.remedy = remedy


class NoMemoryFiles(Cause):
    """This system has no memory files: it is no Linux."""


class UnusablePair(Cause):
    """OpenSSL does not take the certificate and the key together. OpenSSL's own text is left out: it may quote
    anything.
    """


def printable(text: str, keep: str = "") -> str:
    """The text, made safe to print. If a character does not print, it is written as RFC 4514 writes bytes: a backslash
    and hex digits, in UTF-8.

    Such characters are control characters, characters that turn the direction of writing, and line ends other than the
    line ends to keep.
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in keep else _escaped(character) for character in text
    )


def fit_in_line(text: str, longest: int = 300) -> str:
    """The text as part of a sentence: on one line, printable, without a full stop, and no longer than so many
    characters.
    """
    shown = printable(" ".join(text.split())).rstrip(". ")
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"


def _escaped(character: str) -> str:
    return "".join(f"\\{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
