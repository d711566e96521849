# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract of every issuer (docs/storage.md, "Issuers"), as tests to inherit.

A test class takes ``IssuerContract`` and the contracts of what else its issuer can do, and has a fixture ``counterpart`` with what
these want. Whether issuer and counterpart are real or in memory does not matter to a test.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol, runtime_checkable

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Conflict, IssuerUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.acceptance import Acceptance
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import (
    Answer,
    IssuedCertificate,
    Issuer,
    LeafOrder,
    Refused,
    RenewingIssuer,
    Token,
    Waiting,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import build_request
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import Purpose
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.subjects import (
    LeafSubject,
    subject_of_user,
)

from .certificates import key

WEEK = timedelta(days=7)
#: Issuers let a certificate begin a little before now, because clocks differ.
CLOCKS = timedelta(hours=1)
_BOTH = frozenset({Purpose.SERVER, Purpose.CLIENT})
NODE = LeafSubject(
    DistinguishedName("demo-kafka"),
    frozenset({"demo-kafka-bootstrap.kafka.svc", "demo-kafka-0.demo-kafka-brokers", "192.0.2.4", "2001:db8::4"}),
    _BOTH,
)
#: A pure client has no alternative names.
CLIENT = LeafSubject(DistinguishedName("cluster-operator"), frozenset(), frozenset({Purpose.CLIENT}))
#: A user has no organization either.
USER = subject_of_user("orders", timedelta(days=1))
SUBJECTS = pytest.mark.parametrize("subject", [NODE, CLIENT, USER], ids=["node", "client", "user"])


class Counterpart(Protocol):
    """An issuer, and what is known of it."""

    @property
    def issuer(self) -> Issuer: ...

    @property
    def authority(self) -> Chain:
        """The CA that issues, and what lies above it."""

    def now(self) -> datetime:
        """Of the clock that the issuer goes by."""


@runtime_checkable
class Separating(Counterpart, Protocol):
    """Certificates without an organization are another matter to it."""

    @property
    def for_users(self) -> Issuer: ...


def _issuer_for(counterpart: Counterpart, subject: LeafSubject) -> Issuer:
    return counterpart.for_users if subject is USER and isinstance(counterpart, Separating) else counterpart.issuer


class Refusing(Counterpart, Protocol):
    """Its issuer does not issue everything."""

    def refused(self, order: LeafOrder) -> Answer:
        """The answer to an order that the issuer or an approver refuses, whatever that takes."""


class Delaying(Counterpart, Protocol):
    """Answers take as long as a test likes."""

    @property
    def silent(self) -> Issuer:
        """Takes requests, and issues nothing by itself."""

    def wake(self, tokens: Sequence[Token]) -> None:
        """The event that the silent issuer waited for happens; nothing happens to what it has happened to already."""


class Remembering(Counterpart, Protocol):
    """Its issuer keeps something for each request."""

    def lose(self, token: Token) -> None:
        """Another client removes it."""


class Absent(Counterpart, Protocol):
    """Its issuer can be out of reach."""

    @property
    def absent(self) -> Issuer:
        """The same issuer, when it cannot be asked."""

    @property
    def answer_while_absent(self) -> type[Answer]:
        """The answer to an earlier request while it cannot be asked."""


@dataclass(frozen=True)
class Wish:
    """An order, and the key of its request."""

    order: LeafOrder
    key: PrivateKey

    def key_of(self, found: IssuedCertificate) -> PrivateKey:
        """The key that the certificate has to fit: an issuer that makes keys brings it."""
        return found.key or self.key

    def is_met_by(self, found: IssuedCertificate) -> bool:
        return found.leaf.is_for(self.key_of(found))


def wish(subject: LeafSubject = NODE, number: int = 0, name: str = "") -> Wish:
    """number: of the key. name: by default a name that no other request has."""
    own = key(700 + number)
    csr = build_request(subject.distinguished_name, subject.names, own)
    return Wish(LeafOrder(name or f"demo-{uuid.uuid4().hex[:12]}", subject, csr, WEEK), own)


def asked(issuer: Issuer, order: LeafOrder) -> Token:
    """As a flow asks: where another client writes at that moment, it looks again and asks again."""
    for _try in range(5):
        try:
            token = issuer.request(order)
        except Conflict:
            continue
        break
    assert isinstance(token, Token), f"refused: {token.reason}"
    return token


def answers(issuer: Issuer, tokens: Sequence[Token], seconds: float = 30) -> tuple[Answer, ...]:
    """The answers, once none of the requests is waiting any more."""
    deadline = time.monotonic() + seconds
    while True:
        found = issuer.poll(tokens)
        waiting = [answer.reason for answer in found if isinstance(answer, Waiting)]
        if not waiting:
            return found
        assert time.monotonic() < deadline, f"{len(waiting)} are waiting after {seconds:.0f} s: {waiting[0]}"
        time.sleep(0.05)


def issued(issuer: Issuer, *tokens: Token) -> list[IssuedCertificate]:
    found = answers(issuer, tokens)
    certificates = [answer for answer in found if isinstance(answer, IssuedCertificate)]
    assert len(certificates) == len(tokens), f"not issued: {found}"
    return certificates


def is_told(answer: Answer) -> None:
    """The text for people is a sentence on one line, which does nothing to their terminal."""
    assert isinstance(answer, (Waiting, Refused)), answer
    texts = [answer.reason, answer.remedy] if isinstance(answer, Refused) else [answer.reason]
    for text in texts:
        assert text.endswith("."), text
        assert text.isprintable(), text
        assert len(text) < 1200, text


def said_by(answer: object) -> str:
    """The text for people, with the remedy of a refusal on a line of its own."""
    assert isinstance(answer, (Waiting, Refused)), answer
    is_told(answer)
    return f"{answer.reason}\n{answer.remedy}" if isinstance(answer, Refused) else answer.reason


class IssuerContract:
    """Of every issuer."""

    @SUBJECTS
    def test_it_issues_what_is_accepted(self, counterpart: Counterpart, subject: LeafSubject) -> None:
        wanted, issuer = wish(subject), _issuer_for(counterpart, subject)
        (found,) = issued(issuer, asked(issuer, wanted.order))
        acceptance = Acceptance(counterpart.authority, (), counterpart.now())
        assert list(acceptance.refusals(found, subject, wanted.key_of(found))) == []

    @SUBJECTS
    def test_subject_names_and_key_are_those_of_the_request(
        self, counterpart: Counterpart, subject: LeafSubject
    ) -> None:
        wanted, issuer = wish(subject), _issuer_for(counterpart, subject)
        (found,) = issued(issuer, asked(issuer, wanted.order))
        request = x509.load_pem_x509_csr(wanted.order.csr)
        certificate = x509.load_der_x509_certificate(found.leaf.der)
        assert certificate.subject == request.subject
        assert certificate.public_key() == wanted.key_of(found).public_key
        assert found.leaf.subject_alternative_names == subject.names
        assert not found.leaf.is_ca

    def test_the_chain_begins_with_the_issuing_ca(self, counterpart: Counterpart) -> None:
        (found,) = issued(counterpart.issuer, asked(counterpart.issuer, wish().order))
        assert found.chain[:1] == counterpart.authority[:1]
        assert all(below.signed_by(above) for below, above in zip(found.chain, found.chain[1:], strict=False))

    def test_it_does_not_live_longer_than_was_asked_for(self, counterpart: Counterpart) -> None:
        (found,) = issued(counterpart.issuer, asked(counterpart.issuer, wish().order))
        assert timedelta() < found.leaf.not_after - counterpart.now() <= WEEK
        assert found.leaf.not_after - found.leaf.not_before <= WEEK + CLOCKS

    def test_a_request_that_is_repeated_is_the_same(self, counterpart: Counterpart) -> None:
        """As by a run that continues a killed one."""
        order = wish().order
        assert asked(counterpart.issuer, order) == asked(counterpart.issuer, order)

    def test_many_are_answered_at_once_each_in_its_place(self, counterpart: Counterpart) -> None:
        wanted = [wish(number=number) for number in range(20)]
        tokens = [asked(counterpart.issuer, leaf.order) for leaf in wanted]
        assert len(set(tokens)) == 20
        found = issued(counterpart.issuer, *reversed(tokens))
        assert all(leaf.is_met_by(answer) for leaf, answer in zip(reversed(wanted), found, strict=True))
        assert len({answer.leaf.serial_number for answer in found}) == 20

    def test_no_question_has_no_answer(self, counterpart: Counterpart) -> None:
        assert counterpart.issuer.poll(()) == ()
        counterpart.issuer.forget(())

    def test_a_forgotten_request_can_be_forgotten_again(self, counterpart: Counterpart) -> None:
        token = asked(counterpart.issuer, wish().order)
        issued(counterpart.issuer, token)
        for _round in range(2):
            counterpart.issuer.forget((token,))

    def test_its_reference_is_a_name_on_one_line(self, counterpart: Counterpart) -> None:
        reference = counterpart.issuer.reference
        assert reference.strip() == reference != ""
        assert reference.isprintable()


class RefusalContract:
    """Of an issuer that does not issue everything."""

    def test_a_refusal_says_why_and_what_to_do(self, counterpart: Refusing) -> None:
        answer = counterpart.refused(wish().order)
        assert isinstance(answer, Refused), answer
        is_told(answer)

    def test_a_refusal_stands(self, counterpart: Refusing) -> None:
        order = wish().order
        assert counterpart.refused(order) == counterpart.refused(order)

    def test_others_are_issued_beside_it(self, counterpart: Refusing) -> None:
        token = asked(counterpart.issuer, wish().order)
        assert isinstance(counterpart.refused(wish(number=1).order), Refused)
        issued(counterpart.issuer, token)


class DelayContract:
    """Of an issuer whose answers take as long as a test likes."""

    def test_it_says_what_it_waits_for(self, counterpart: Delaying) -> None:
        tokens = [asked(counterpart.silent, wish(number=number).order) for number in range(2)]
        for _round in range(2):
            for answer in counterpart.silent.poll(tokens):
                assert isinstance(answer, Waiting), answer
                is_told(answer)

    def test_late_is_as_good_as_early(self, counterpart: Delaying) -> None:
        wanted = [wish(number=number) for number in range(2)]
        tokens = [asked(counterpart.silent, leaf.order) for leaf in wanted]
        assert [type(answer) for answer in counterpart.silent.poll(tokens)] == [Waiting, Waiting]
        late = _woken(counterpart, tokens[1])
        assert wanted[1].is_met_by(late)
        assert isinstance(counterpart.silent.poll(tokens)[0], Waiting)


def _woken(counterpart: Delaying, token: Token) -> IssuedCertificate:
    """Wakes until it is issued: cert-manager makes a second request where it has not seen yet the Secret that it wrote for the first."""
    deadline = time.monotonic() + 30
    while True:
        counterpart.wake([token])
        (found,) = counterpart.silent.poll((token,))
        if isinstance(found, IssuedCertificate):
            return found
        assert time.monotonic() < deadline, f"not issued: {found}"
        time.sleep(0.05)


class RecordContract:
    """Of an issuer whose tokens are stored from run to run, where people can reach them."""

    @pytest.mark.parametrize(
        "value", [b"", b"\xff\x00", b"{}", b"[]", b"null", b'"text"', b'{"name": 1}', b"[" * 100_000]
    )
    def test_a_record_that_was_spoilt_is_asked_for_again(self, counterpart: Counterpart, value: bytes) -> None:
        wanted, spoilt = wish(), Token(value)
        good = asked(counterpart.issuer, wanted.order)
        issued(counterpart.issuer, good)
        bad, found = answers(counterpart.issuer, (spoilt, good))
        assert isinstance(bad, Refused)
        is_told(bad)
        assert isinstance(found, IssuedCertificate)
        counterpart.issuer.forget((spoilt,))


class ForgettingContract:
    """Of an issuer that keeps something until it is told to forget it."""

    def test_a_request_that_is_not_waited_for_any_more_can_be_forgotten(self, counterpart: Delaying) -> None:
        token = asked(counterpart.silent, wish().order)
        counterpart.silent.forget((token,))
        assert isinstance(counterpart.silent.poll((token,))[0], Refused)

    def test_another_request_of_the_same_name_is_refused(self, counterpart: Remembering) -> None:
        """The run that made the first request may still wait for its answer."""
        first = wish()
        token = asked(counterpart.issuer, first.order)
        answer = counterpart.issuer.request(wish(number=1, name=first.order.name).order)
        assert isinstance(answer, Refused)
        is_told(answer)
        (found,) = issued(counterpart.issuer, token)
        assert found.leaf.is_for(first.key)

    def test_a_lost_request_can_be_forgotten(self, counterpart: Remembering) -> None:
        tokens = [asked(counterpart.issuer, wish(number=number).order) for number in range(2)]
        counterpart.lose(tokens[0])
        counterpart.issuer.forget(tokens)
        assert [type(answer) for answer in counterpart.issuer.poll(tokens)] == [Refused, Refused]


class MemoryContract:
    """Of an issuer that keeps something for each request."""

    def test_the_same_order_gives_one_certificate(self, counterpart: Remembering) -> None:
        order = wish().order
        (certificate,) = issued(counterpart.issuer, asked(counterpart.issuer, order))
        (other,) = issued(counterpart.issuer, asked(counterpart.issuer, order))
        assert certificate == other

    def test_a_lost_request_is_made_again(self, counterpart: Remembering) -> None:
        wanted = [wish(number=number) for number in range(3)]
        tokens = [asked(counterpart.issuer, leaf.order) for leaf in wanted]
        issued(counterpart.issuer, *tokens)
        counterpart.lose(tokens[1])
        found = counterpart.issuer.poll(tokens)
        assert [type(answer) for answer in found] == [IssuedCertificate, Refused, IssuedCertificate]
        is_told(found[1])
        assert isinstance(asked(counterpart.issuer, wanted[1].order), Token)


class StandingContract:
    """Of an issuer that makes the keys, and renews by itself what it was once asked for."""

    def test_an_unfit_certificate_is_issued_again(self, counterpart: Counterpart) -> None:
        order = wish().order
        (first,) = issued(counterpart.issuer, asked(counterpart.issuer, order))
        again = replace(order, unfit=frozenset({first.leaf.sha256}))
        token = asked(counterpart.issuer, again)
        (second,) = issued(counterpart.issuer, token)
        assert second.leaf != first.leaf
        assert second.key != first.key
        assert asked(counterpart.issuer, again) == token
        assert issued(counterpart.issuer, token) == [second]

    def test_forgetting_does_not_end_what_is_in_use(self, counterpart: Counterpart) -> None:
        token = asked(counterpart.issuer, wish().order)
        found = issued(counterpart.issuer, token)
        counterpart.issuer.forget((token,))
        assert issued(counterpart.issuer, token) == found

    def test_a_review_finds_what_was_issued_and_nothing_to_correct(self, counterpart: Counterpart) -> None:
        order, issuer = wish().order, counterpart.issuer
        assert isinstance(issuer, RenewingIssuer)
        found = issued(issuer, asked(issuer, order))
        kept = issuer.review((order,))[order.name]
        assert [kept.answer] == found
        assert (kept.correction, kept.differs, kept.trouble) == (None, "", "")


class AbsenceContract:
    """Of an issuer that can be out of reach."""

    def test_nothing_is_recorded_while_it_is_away(self, counterpart: Absent) -> None:
        with pytest.raises(IssuerUnavailable) as raised:
            counterpart.absent.request(wish().order)
        assert str(raised.value).endswith(".")
        assert raised.value.remedy.endswith(".")

    def test_no_request_is_lost_while_it_is_away(self, counterpart: Absent) -> None:
        wanted = wish()
        token = asked(counterpart.issuer, wanted.order)
        (answer,) = counterpart.absent.poll((token,))
        assert isinstance(answer, counterpart.answer_while_absent)
        if isinstance(answer, Waiting):
            is_told(answer)
        (found,) = issued(counterpart.issuer, token)
        assert wanted.is_met_by(found)
