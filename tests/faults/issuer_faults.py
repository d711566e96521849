# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of what issuers do wrong: what begins it, what people are told, what ends it.

The internal issuer has no column. It signs in the same process with a key that was compared with its CA, at the time of the run, and
keeps nothing: none of this can happen to it. What is wrong with its CA is refused before (``_trust/preconditions``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import Enum

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName

from ..tools.support.authorities import root
from ..tools.support.certificates import key
from ..tools.support.misissuing import Mistake
from .issuer_happenings import (
    VICTIM,
    Course,
    Happening,
    again,
    ahead,
    another_token,
    answers,
    answers_in_time,
    answers_well,
    api_permits,
    api_refuses,
    approved,
    deleted,
    expired,
    four_minutes_pass,
    garbage,
    gets_back,
    hangs,
    idle,
    later,
    lenient,
    loses,
    names,
    no_verdict,
    one_below,
    policy_back,
    policy_lost,
    previous,
    reissued,
    renamed,
    reply_lost,
    reversed,
    reversed_above,
    right_again,
    sealed,
    secret_deleted,
    strict,
    token_ends,
    unapproved,
    unsealed,
    verdict,
    without_root,
    work_again,
)


class Ends(Enum):
    """How a run ends in which the issuer does this."""

    #: It does no harm.
    HEEDLESS = "is of no consequence"
    #: The request stays open.
    WAITING = "is waited for"
    #: The request has failed, and a run makes another request in an hour.
    FAILED = "fails the request"
    #: The run ends with an error, and the next run goes on.
    STOPPED = "stops the run"


@dataclass(frozen=True)
class Cell:
    ends: Ends
    #: The parts of the message: the object, the cause and the remedy.
    said: tuple[str, str, str]
    begins: Happening
    #: The happening by which the cause goes away.
    cured: Happening = right_again
    #: Whether it happens when the new leaves are in use already.
    late: bool = False


@dataclass(frozen=True)
class NotPossible:
    #: An issuer of this kind cannot do that.
    why: str


@dataclass(frozen=True)
class Fault:
    """A row of the table: a fault, and what happens with each kind of issuer."""

    name: str
    external: Cell | NotPossible
    cert_manager: Cell | NotPossible
    vault: Cell | NotPossible

    def __iter__(self) -> Iterator[tuple[str, Cell | NotPossible]]:
        yield from (("external", self.external), ("cert-manager", self.cert_manager), ("vault", self.vault))


_JUDGED = f"{VICTIM}: The certificate that came back is refused"
_CORRECT = "Correct what the issuer makes of the request. The next request goes out on "


def mistaken(name: str, cause: str, mistake: Mistake) -> Fault:
    def begins(course: Course) -> None:
        course.issuer.signing.mistake = mistake

    cell = Cell(Ends.FAILED, (_JUDGED, cause, _CORRECT), begins)
    return Fault(name, cell, cell, cell)


def unavailable(name: str, status: int, errors: tuple[str, ...], cause: str, remedy: str) -> Fault:
    """Vault cannot be asked; with the HTTP status and the words of its API description."""
    cell = Cell(Ends.STOPPED, (_SIGN, cause, remedy), answers(status, *errors), answers_well)
    return Fault(name, _NO_SERVER, _NO_SERVER, cell)


_SIGN = "cannot sign with issuer kafka-2026 of mount pki by role kafka"
_REQUEST = f"CertificateRequest kafka/{VICTIM}-"
_WAITS = "no other work waits, and the next run goes on"
_NO_OFFICE = NotPossible(
    "an office answers with a certificate alone: one that refuses puts nothing back, and the request stays open"
)
_NO_SERVER = NotPossible("no request goes to a server of this issuer: it reads what lies in the Kubernetes API")
_NO_APPROVER = NotPossible("no approver is there: what the role does not permit is invalid")
_API_LIMIT = "Run again when the API server is healthy"
_API_TOKEN = "whether they have expired"
_ANSWERED_TWICE = Cell(Ends.HEEDLESS, ("", "", ""), again)
_ROOTLESS = Cell(Ends.HEEDLESS, ("", "", ""), without_root)
_AHEAD = Cell(Ends.WAITING, (VICTIM, "its certificate is valid in ", "clocks differ"), ahead, four_minutes_pass)
_PREVIOUS = Cell(Ends.FAILED, (_JUDGED, "it does not carry the requested public key", _CORRECT), previous)

CERTIFICATES = [
    mistaken("wrong key", "it does not carry the requested public key", lambda one: replace(one, key=key(881).public_key)),
    mistaken("wrong SAN", "its alternative names are not the requested names", lambda one: replace(one, names=names(VICTIM))),
    mistaken("no SAN", "its alternative names are not the requested names", lambda one: replace(one, names=None)),
    mistaken("other subject", "its subject is CN=else", lambda one: replace(one, subject=DistinguishedName("else").as_name())),
    mistaken("other CA", "no trusted certificate for CN=Other", lambda one: replace(one, issuer=root("Other"))),
    mistaken(
        "a CA below the right one", "a CA below CN=Kafka CA 1,O=io.strimzi that the certificate chain lacks",
        lambda one: replace(one, issuer=one_below(one.issuer)),
    ),
    mistaken("other DN with the same key", "no trusted certificate for CN=Kafka CA 2", lambda one: replace(one, issuer=renamed(one.issuer))),
    mistaken("expired at once", "CN=demo-kafka,O=io.strimzi expired on ", expired),
    mistaken("not yet valid", "CN=demo-kafka,O=io.strimzi is not valid before ", lambda one: later(one, timedelta(hours=2))),
]  # fmt: skip

FAULTS = [
    Fault(
        "denied",
        _NO_OFFICE,
        Cell(
            Ends.FAILED, (_REQUEST, "was denied: no such names here", "Ask the approvers of requests"),
            verdict("Denied", "True", "policy", "no such names here"), no_verdict,
        ),
        _NO_APPROVER,
    ),
    Fault(
        "invalid",
        Cell(
            Ends.FAILED, (VICTIM, "The file that was put back is unusable: no readable certificate", "Put back the certificate with its chain in PEM form"),
            garbage,
        ),
        Cell(
            Ends.FAILED, (_REQUEST, "is invalid: a week at most", "Let Issuer corporate permit what the request asks for"),
            verdict("InvalidRequest", "True", "policy", "a week at most"), no_verdict,
        ),
        Cell(Ends.FAILED, (f"refuses the request {VICTIM}-", "not allowed by this role", "Correct the role kafka in Vault"), strict, lenient),
    ),
    Fault(
        "failed",
        _NO_OFFICE,
        Cell(
            Ends.FAILED, (_REQUEST, "has failed: the key is away", "Correct Issuer corporate as this says"),
            verdict("Ready", "False", "Failed", "the key is away"), no_verdict,
        ),
        Cell(
            Ends.STOPPED, (_SIGN, "it has failed inside (HTTP 500: the key is away)", "Look into the log of the server"),
            answers(500, "the key is away"), answers_well,
        ),
    ),
    Fault(
        "never answers",
        Cell(Ends.WAITING, ("Secrets kafka/demo-issuing-<component>", _WAITS, "export them with strimzi_csr"), idle, work_again),
        Cell(Ends.WAITING, (_REQUEST, "is not approved", "cmctl approve -n kafka"), unapproved, approved),
        Cell(Ends.STOPPED, ("Vault at 127.0.0.1:", "did not answer within", "Run again when it is less busy"), hangs, answers_in_time),
    ),
    Fault(
        "is pending for ever",
        _NO_OFFICE,
        Cell(
            Ends.WAITING, (_REQUEST, "is pending: no Ready condition", "Issuer corporate does not exist in namespace kafka: create it"),
            verdict("Ready", "False", "Pending", "no Ready condition"), no_verdict,
        ),
        NotPossible("it answers at once or not at all"),
    ),
    Fault(
        "answers twice",
        _ANSWERED_TWICE,
        replace(_ANSWERED_TWICE, begins=reissued),
        replace(_ANSWERED_TWICE, begins=reply_lost),
    ),
    Fault("answers an old request", _PREVIOUS, _PREVIOUS, _PREVIOUS),
    *CERTIFICATES,
    Fault(
        "chain reversed",
        Cell(Ends.FAILED, (_JUDGED, "it is a CA certificate", _CORRECT), reversed),
        Cell(Ends.FAILED, (_JUDGED, "it is a CA certificate", _CORRECT), reversed),
        Cell(Ends.HEEDLESS, ("", "", ""), reversed_above),
    ),
    Fault("root missing", _ROOTLESS, _ROOTLESS, _ROOTLESS),
    Fault(
        "CSR object deleted",
        Cell(Ends.HEEDLESS, ("", "", ""), secret_deleted),
        Cell(Ends.FAILED, (_REQUEST, "was deleted", "Find the program or person that removes requests"), deleted),
        NotPossible("it keeps no object: the request is answered in the same exchange"),
    ),
    Fault(
        "sealed",
        _NO_SERVER,
        Cell(
            Ends.FAILED, (_REQUEST, "has failed: Vault failed to sign certificate", "Correct Issuer corporate as this says"),
            verdict("Ready", "False", "Failed", "Vault failed to sign certificate"), no_verdict,
        ),
        Cell(Ends.STOPPED, (_SIGN, "it is sealed, or under maintenance (HTTP 503: Vault is sealed)", "vault operator unseal"), sealed, unsealed),
    ),
    Fault(
        "rate-limited",
        Cell(
            Ends.STOPPED, ("create Secret kafka/demo-issuing-", "too many requests", _API_LIMIT),
            api_refuses("create secrets", 429, "too many requests"), api_permits,
        ),
        Cell(
            Ends.STOPPED, ("create CertificateRequest kafka/demo-", "too many requests", _API_LIMIT),
            api_refuses("create certificaterequests", 429, "too many requests"), api_permits,
        ),
        Cell(Ends.STOPPED, (_SIGN, "it has had too many requests", "Raise the rate limit quota"), answers(429, "rate limit quota exceeded"), answers_well),
    ),
    Fault(
        "token expired",
        Cell(
            Ends.STOPPED, ("create Secret kafka/demo-issuing-", "does not accept the credentials", _API_TOKEN),
            api_refuses("create secrets", 401, "Unauthorized"), api_permits,
        ),
        Cell(
            Ends.STOPPED, ("create CertificateRequest kafka/demo-", "does not accept the credentials", _API_TOKEN),
            api_refuses("create certificaterequests", 401, "Unauthorized"), api_permits,
        ),
        Cell(Ends.STOPPED, (_SIGN, "it does not accept the token, which has ended or was revoked", "Give another token"), token_ends, another_token),
    ),
    Fault(
        "permission lost in the middle",
        Cell(Ends.STOPPED, ("Secret", "is forbidden", "verbs: [create], apiGroups: [''], resources: [secrets]"), loses("create secrets"), gets_back),
        Cell(
            Ends.STOPPED,
            ("create CertificateRequest kafka/demo-", "is forbidden", "verbs: [create], apiGroups: ['cert-manager.io'], resources: [certificaterequests]"),
            loses("create certificaterequests"), gets_back,
        ),
        Cell(
            Ends.STOPPED,
            (
                _SIGN, "none of the policies of its token (kafka-leaves, default) permits it",
                'path "pki/issuer/kafka-2026/sign/kafka" { capabilities = ["update"] }',
            ),
            policy_lost, policy_back,
        ),
    ),
    Fault(
        "permission to look lost in the middle",
        NotPossible("who may not list Secrets cannot begin either"),
        Cell(Ends.STOPPED, ("CertificateRequest objects in namespace kafka", "is forbidden", "verbs: [list]"), loses("list certificaterequests"), gets_back),
        NotPossible("nothing is asked of it afterwards"),
    ),
    Fault(
        "permission to clear away lost in the middle",
        NotPossible("requests are entries of Secrets, which are patched"),
        Cell(Ends.STOPPED, ("CertificateRequest kafka/demo-", "is forbidden", "verbs: [delete]"), loses("delete certificaterequests"), gets_back, late=True),
        NotPossible("it keeps nothing"),
    ),
    Fault("clock four minutes ahead", _AHEAD, _AHEAD, _AHEAD),
]  # fmt: skip

#: Every other answer of the API that is no success ("Vault / OpenBao PKI" of the description: errors may be empty).
STATUSES = [
    unavailable("path missing or not to be seen", 404, (), "it has no such path, or the token may not see it", "Check url, mount and vault_namespace"),
    unavailable("wrong method", 405, ("unsupported operation",), "the path takes no POST", "it must be a secrets engine of the type pki"),
    unavailable("replication lag", 412, (), "has not caught up with its primary", "give the url of the primary"),
    unavailable("standby", 429, (), "or this node is a standby", "give the url of the active node"),
    unavailable("secondary for disaster recovery", 472, (), "a secondary for disaster recovery", "Give the url of the primary cluster"),
    unavailable("performance standby", 473, (), "a performance standby", "give the url of the active node"),
    unavailable("not initialized", 501, (), "it is not initialized", "Initialize and unseal it"),
    unavailable("third party behind it failed", 502, (), "something that it needs, or a proxy before it, has failed", "vault status"),
    unavailable("maintenance", 503, (), "or under maintenance (HTTP 503)", "vault operator unseal"),
    unavailable("a proxy waited in vain", 504, (), "a proxy before it got no answer", "vault status"),
    unavailable("unknown role", 400, ("unknown role: kafka",), "it is not set up for that", "Create this role in the mount"),
    unavailable("unknown issuer", 500, ("unable to find PKI issuer for reference: kafka-2026",), "it is not set up for that", "Correct issuer.name"),
]  # fmt: skip
