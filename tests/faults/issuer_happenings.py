# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of issuers and other things that happen to them, and how each comes to an end; for the table in ``issuer_faults``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, TypeVar

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.https import connection
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.operator import clusters
from ..tools.support.asked_issuers import AskedIssuer, ByCertManager, ByHand, ByVault, asked_issuer
from ..tools.support.authorities import BEGIN, Authority, below, root
from ..tools.support.cert_manager import path_of
from ..tools.support.certificates import YEAR, Entity, key, make
from ..tools.support.fake_vault.errors import ApiError
from ..tools.support.fake_vault.server import Fault as Answered
from ..tools.support.flows import START, FlowResult
from ..tools.support.memory_api import Change, Response
from ..tools.support.misissuing import Signing, Template
from ..tools.support.permissions import forbidden
from ..tools.support.watched_cluster import CLUSTER, NAMESPACE, WatchedCluster
from .stories import have_fast_keys

#: The leaf that a fault strikes, where it does not strike all of them; the flow asks for another leaf before this one.
VICTIM = "demo-kafka-1"
A_DAY = timedelta(days=1)
One = TypeVar("One", bound=AskedIssuer)
Data = dict[str, Any]


@dataclass
class Course:
    """A cluster, the issuer, and the CA that it keeps the key of."""

    cluster: WatchedCluster
    issuer: AskedIssuer
    supplied: Authority
    patch: pytest.MonkeyPatch
    #: Takes back what a fault has put into the API server.
    leaving: Callable[[], None] = field(default=lambda: None)

    def run(self) -> FlowResult:
        self.cluster.issuer = self.issuer.settings
        return self.cluster.run(Goal.REPLACE_KEY, self.supplied, external_issuer=self.issuer.reference)

    def finish(self) -> None:
        """Runs the flow until it is done, at most three times; after every run the issuer's people do their work."""
        said: list[object] = []
        for _run in range(3):
            decision = self.run().outcome.decision
            if decision.done:
                return
            said += [*decision.violations, *decision.waiting]
            self.issuer.work()
        raise AssertionError(f"the flow has come to no end: {said}")

    def of(self, kind: type[One]) -> One:
        assert isinstance(self.issuer, kind)
        return self.issuer


@contextmanager
def begun(kind: str, patch: pytest.MonkeyPatch) -> Iterator[Course]:
    """A small cluster whose CA is about to be replaced by a CA whose key the issuer keeps: three leaves."""
    cluster = WatchedCluster()
    have_fast_keys(cluster, patch)
    cluster.create(manifests=clusters.dual_role(CLUSTER, NAMESPACE, replicas=2, components=False))
    supplied = replace(below(root("Corporate Root")), elsewhere=True)
    with ExitStack() as stack:
        issuer = stack.enter_context(asked_issuer(kind, Signing(supplied, cluster.memory, VICTIM)))
        yield Course(cluster, issuer, supplied, patch)


Happening = Callable[[Course], None]


def right_again(course: Course) -> None:
    course.issuer.signing.mistake = lambda template: template


# Certificates that are not what was asked for.


def names(*names: str) -> x509.SubjectAlternativeName:
    return x509.SubjectAlternativeName([x509.DNSName(one) for one in names])


def renamed(authority: Authority) -> Authority:
    """The same key under another name, without another CA above it."""
    made = make("Kafka CA 2", authority.keys[0], begin=BEGIN, end=START + YEAR)
    return Authority((made.certificate,), authority.keys[:1])


def one_below(authority: Authority) -> Authority:
    """A CA that the right one has certified."""
    made = make(
        "Kafka CA 1.1", key(880), Entity(authority.chain[0], authority.keys[0]), begin=BEGIN, end=START + YEAR / 2
    )
    return Authority((made.certificate, *authority.chain), (made.key, *authority.keys))


def expired(template: Template) -> Template:
    return replace(template, begin=template.begin - 2 * A_DAY, end=template.begin - A_DAY)


def later(template: Template, delay: timedelta) -> Template:
    return replace(template, begin=template.begin + timedelta(seconds=30) + delay, end=template.end + delay)


def previous(course: Course) -> None:
    """The issuer gives an earlier answer once more: a person mixes files up, a controller is restored, a proxy has a cache."""
    signing = course.issuer.signing
    signing.mistake = lambda template: replace(template, arranged=lambda pems: signing.answers[-1] or pems)


def again(course: Course) -> None:
    """The second answer to the same request is another certificate for the same key."""
    course.of(ByHand).twice = True


def reissued(course: Course) -> None:
    """A controller writes another certificate over the one that it gave."""
    course.of(ByCertManager).controllers.twice = True


def reply_lost(course: Course) -> None:
    """Vault has signed, and what lies before it fails: the request is sent once more."""
    issuer = course.of(ByVault)
    right, lost = issuer.vault.distort, []

    def distort(data: Data) -> Data:
        signed = right(data)
        if not lost:
            lost.append(data)
            raise ApiError(502)
        return signed

    issuer.vault.distort = distort


def reversed(course: Course) -> None:
    course.issuer.signing.mistake = lambda template: replace(template, arranged=lambda pems: pems[::-1])


def reversed_above(course: Course) -> None:
    """Reverses only the certificates above the leaf: Vault returns the leaf apart from them."""
    course.issuer.signing.mistake = lambda template: replace(template, arranged=lambda pems: [pems[0], *pems[:0:-1]])


def without_root(course: Course) -> None:
    course.issuer.signing.mistake = lambda template: replace(template, arranged=lambda pems: pems[:-1])


def ahead(course: Course) -> None:
    """The issuer's clock is ahead by more than the time that clients get to read the new CA, within one run of the flow."""
    course.issuer.signing.mistake = lambda template: later(template, timedelta(minutes=4))


def four_minutes_pass(course: Course) -> None:
    course.cluster.memory.seconds += 241


# The issuer does not answer.


def idle(course: Course) -> None:
    course.of(ByHand).idle = True


def work_again(course: Course) -> None:
    course.of(ByHand).idle = False


def garbage(course: Course) -> None:
    course.issuer.signing.mistake = lambda template: replace(template, arranged=lambda pems: [b"to follow"])


def verdict(kind: str, status: str, reason: str, message: str) -> Happening:
    """cert-manager, an approver or an issuer gives the victim's request this condition."""

    def begins(course: Course) -> None:
        condition = {"type": kind, "status": status, "reason": reason, "message": message}
        course.of(ByCertManager).controllers.verdict = (condition,)

    return begins


def no_verdict(course: Course) -> None:
    """The controllers answer requests as usual again, also CAs that are there already, where they have come to no end."""
    controllers = course.of(ByCertManager).controllers
    controllers.verdict = ()
    controllers.look_again()


def unapproved(course: Course) -> None:
    course.of(ByCertManager).controllers.approving = frozenset()


def approved(course: Course) -> None:
    controllers = course.of(ByCertManager).controllers
    controllers.approving = frozenset({NAMESPACE})
    controllers.look_again()


def deleted(course: Course) -> None:
    """A person deletes the requests that wait."""
    controllers = course.of(ByCertManager).controllers
    controllers.verdict = ({"type": "Ready", "status": "False", "reason": "Pending", "message": "later"},)
    course.run()
    for name in course.issuer.left():
        course.cluster.memory.api.request("DELETE", path_of(NAMESPACE, name))
    controllers.verdict = ()


def secret_deleted(course: Course) -> None:
    course.run()
    course.cluster.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/secrets/demo-issuing-kafka")


# The Kubernetes API.


def api_refuses(what: str, status: int, message: str) -> Happening:
    def begins(course: Course) -> None:
        permitted = course.cluster.permitted
        permitted.denied = frozenset({what})
        permitted.refusal = lambda plural: Response(status, {"kind": "Status", "code": status, "message": message})

    return begins


def api_permits(course: Course) -> None:
    course.cluster.permitted.denied = frozenset()


def loses(what: str) -> Happening:
    """The administrator takes a verb out of the Role when the first request is there."""

    def begins(course: Course) -> None:
        permitted = course.cluster.permitted

        def listener(change: Change) -> None:
            if change.plural == "certificaterequests" or change.name.startswith("demo-issuing-"):
                permitted.denied = frozenset({what})

        course.cluster.memory.api.listeners.append(listener)
        course.leaving = lambda: course.cluster.memory.api.listeners.remove(listener)
        permitted.refusal = forbidden

    return begins


def gets_back(course: Course) -> None:
    course.leaving()
    api_permits(course)


# Vault.


def answers(status: int, *errors: str) -> Happening:
    """Vault answers every request to sign like this."""
    return lambda course: course.of(ByVault).vault.faults.append(Answered(status, errors, times=-1))


def answers_well(course: Course) -> None:
    course.of(ByVault).vault.faults.clear()


def hangs(course: Course) -> None:
    course.patch.setattr(connection, "_READ_TIMEOUT", 0.1)
    course.of(ByVault).vault.faults.append(Answered(200, times=-1, delay=0.5))


def answers_in_time(course: Course) -> None:
    course.patch.undo()
    have_fast_keys(course.cluster, course.patch)
    answers_well(course)


def sealed(course: Course) -> None:
    course.of(ByVault).vault.sealed = True


def unsealed(course: Course) -> None:
    course.of(ByVault).vault.sealed = False


def token_ends(course: Course) -> None:
    issuer = course.of(ByVault)
    issuer.vault.tokens.issued.pop(issuer.token)


def another_token(course: Course) -> None:
    issuer = course.of(ByVault)
    issuer.token = issuer.vault.tokens.make("kafka-leaves", "default")


def policy_lost(course: Course) -> None:
    """The token's policy permits only reading from the moment when Vault signs the first certificate."""
    issuer = course.of(ByVault)
    right = issuer.vault.distort

    def distort(data: Data) -> Data:
        issuer.permit("read")
        issuer.vault.distort = right
        return right(data)

    issuer.vault.distort = distort


def policy_back(course: Course) -> None:
    course.of(ByVault).permit()


def strict(course: Course) -> None:
    issuer = course.of(ByVault)
    role = issuer.vault.mounts[issuer.mount].roles[issuer.role]
    role.update(allow_any_name=False, allowed_domains=["elsewhere.example"])


def lenient(course: Course) -> None:
    issuer = course.of(ByVault)
    issuer.vault.mounts[issuer.mount].roles[issuer.role].update(allow_any_name=True)
