# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A TLS handshake over any byte stream, and an observation of it. It does not verify the certificates of the other
side.

The ssl module does not show the names in a CertificateRequest. If a handshake failed, it does not show the certificates
either. TLS 1.2 sends both in the clear (RFC 5246 section 7.4), so this module reads the same bytes beside the ssl
module. It answers nothing, and checks every length before use.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any

from .._errors import CertificateError, MalformedHandshake
from .._kube.response_time import PROMPT, ResponseTime
from .._pki.certificates import MOST_IN_A_CHAIN, Certificate, certificate_from_der, length_problem
from .._tls.alerts import Alert, alert_of
from .._tls.failures import cause_of
from .tls import ByteStream, Deadline, TlsOverStream

#: The most bytes to read of one direction.
MAXIMUM_FLIGHT = 1 << 18
_MAXIMUM_RECORD = 1 << 14
_MAXIMUM_MESSAGE = 1 << 17
_CHANGE_CIPHER_SPEC, _ALERT, _HANDSHAKE = 20, 21, 22
_CERTIFICATE, _CERTIFICATE_REQUEST = 11, 13
#: ServerKeyExchange and ClientKeyExchange.
_KEY_EXCHANGES = frozenset({12, 16})


@dataclass(frozen=True)
class Flight:
    """The messages of one direction, up to the beginning of encryption."""

    #: DER, as sent; None if there was no such message.
    certificates: tuple[bytes, ...] | None = None
    #: DER names; None if the server requested no certificate.
    authorities: tuple[bytes, ...] | None = None
    #: Whether this side has sent its part of the key exchange.
    exchanged: bool = False


class _Cursor:
    """Reads forward in bytes that have all arrived."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def take(self, size: int) -> bytes:
        if size > self.left:
            raise MalformedHandshake("a length is larger than what contains it")
        self._at += size
        return self._data[self._at - size : self._at]

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def vector(self, size: int) -> _Cursor:
        """A vector: its length stands in the first ``size`` bytes."""
        return _Cursor(self.take(self.number(size)))

    def vectors(self, size: int) -> tuple[bytes, ...]:
        """The remaining bytes as a list of vectors. Refuses an empty vector."""
        contents = []
        while self.left:
            content = self.take(self.number(size))
            if not content:
                raise MalformedHandshake("an entry of a list is empty")
            contents.append(content)
        return tuple(contents)

    def end(self) -> None:
        if self.left:
            raise MalformedHandshake("there are bytes behind the end of a message")


def read_flight(data: bytes) -> Flight:
    """The messages of one direction, if they have arrived in full. Raises MalformedHandshake and no other error."""
    if len(data) > MAXIMUM_FLIGHT:
        raise MalformedHandshake("it is longer than any handshake")
    messages: dict[int, tuple[bytes, ...]] = {}
    exchanged = False
    for kind, body in _messages(_handshake_bytes(data)):
        exchanged = exchanged or kind in _KEY_EXCHANGES
        if kind not in (_CERTIFICATE, _CERTIFICATE_REQUEST):
            continue
        if kind in messages:
            raise MalformedHandshake("a message came twice")
        messages[kind] = _certificates(body) if kind == _CERTIFICATE else _authorities(body)
    return Flight(messages.get(_CERTIFICATE), messages.get(_CERTIFICATE_REQUEST), exchanged)


def _handshake_bytes(data: bytes) -> bytes:
    """The bytes of the handshake protocol, without the headers of the records."""
    cursor, handshake = _Cursor(data), bytearray()
    while cursor.left >= 5:
        kind, major, _minor, size = (cursor.number(width) for width in (1, 1, 1, 2))
        if kind not in (_CHANGE_CIPHER_SPEC, _ALERT, _HANDSHAKE) or major != 3 or size > _MAXIMUM_RECORD:
            raise MalformedHandshake("a record does not belong to a handshake")
        if kind == _CHANGE_CIPHER_SPEC or size > cursor.left:
            break
        content = cursor.take(size)
        if kind == _HANDSHAKE:
            handshake += content
    return bytes(handshake)


def _messages(data: bytes) -> Iterator[tuple[int, bytes]]:
    cursor = _Cursor(data)
    while cursor.left >= 4:
        kind, size = cursor.number(1), cursor.number(3)
        if size > _MAXIMUM_MESSAGE:
            raise MalformedHandshake("a message is too long")
        if size > cursor.left:
            return
        yield kind, cursor.take(size)


def _certificates(body: bytes) -> tuple[bytes, ...]:
    cursor = _Cursor(body)
    certificates = cursor.vector(3).vectors(3)
    cursor.end()
    return certificates


def _authorities(body: bytes) -> tuple[bytes, ...]:
    cursor = _Cursor(body)
    cursor.vector(1)  # certificate types
    cursor.vector(2)  # signature algorithms
    names = cursor.vector(2).vectors(2)
    cursor.end()
    return names


#: Certificates are public: a listener may send a certificate without having its key.
_UNPROVEN = "it did not prove that it has the key of the certificate that it sent"
#: Seconds for a listener to say something by itself after a handshake of TLS 1.3, before it gets a question. If the API
#: server passes on what it says, the wait is one answer of the API server longer.
_PATIENCE, _ANSWERS = 1.0, 1


class HandshakeOutcome(str, Enum):
    """The end of a handshake."""

    #: The listener went on after our certificate.
    ACCEPTED = "accepted"
    #: The listener sent an alert.
    REFUSED = "refused"
    #: The connection ended without an alert.
    CLOSED = "closed"
    #: The listener gave no answer in time.
    TIMED_OUT = "timed out"
    #: The listener sent something that is no handshake, or the TLS library failed without an alert.
    NOT_UNDERSTOOD = "not understood"
    #: There was no connection to the listener.
    NOT_REACHED = "not reached"


@dataclass(frozen=True)
class Handshake:
    """The end of a TLS handshake with a listener."""

    #: How the handshake ended.
    outcome: HandshakeOutcome
    #: The fatal alert from the listener; None if it sent none.
    alert: Alert | None = None
    #: The common TLS version of both sides, ``TLSv1.2`` or ``TLSv1.3``; None if the handshake did not get so far.
    version: str | None = None
    #: The chain exactly as the listener sent it; None if it sent no readable chain, or did not prove that it has the
    #: key of this certificate.
    presented: tuple[Certificate, ...] | None = None
    #: Whether this side sent its certificate: it does so only if the server asks for one.
    offered: bool = False
    #: DER names of the CAs in the server's certificate request; None if it requested no certificate, or if TLS 1.3 hid
    #: the request.
    acceptable: tuple[bytes, ...] | None = None
    #: The failure, without a full stop; empty if there is none.
    detail: str = ""

    def __str__(self) -> str:
        ending = f"refused with the alert {self.alert}" if self.alert else self.outcome.value
        return f"{ending}: {self.detail}" if self.detail else ending


class _Ended(Exception):
    """The conversation is over."""

    def __init__(self, outcome: HandshakeOutcome, detail: str = "", alert: Alert | None = None) -> None:
        super().__init__(detail)
        self.outcome = outcome
        self.detail = detail
        self.alert = alert


class _Recorder:
    """A stream that keeps the bytes of both directions."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self.received, self.sent = bytearray(), bytearray()
        self.last_flight = 0

    def send(self, data: bytes, timeout: float) -> None:
        self.last_flight = len(data)
        self.sent += data
        # If a listener has closed, it may have sent its reason before.
        with suppress(ConnectionError):
            self._stream.send(data, timeout)

    def recv(self, timeout: float) -> bytes:
        data = self._stream.recv(timeout)
        self.received += data
        return data


class _Conversation:
    """A handshake under way; the bytes of both directions are kept."""

    def __init__(
        self, stream: ByteStream, context: ssl.SSLContext, deadline: Deadline, response_time: ResponseTime
    ) -> None:
        self._deadline = deadline
        self._patience = response_time.within(_PATIENCE, _ANSWERS)
        self.recorder = _Recorder(stream)
        self._over = TlsOverStream(self.recorder, context)
        self.tls = self._over.tls

    def shake_hands(self) -> None:
        """Shake hands. Raises _Ended if the handshake is not complete on this side."""
        while not self._done(self.tls.do_handshake):
            self._exchange(self._deadline)
        self._over.flush(self._deadline)

    def hear(self, prompt: bytes) -> None:
        """Wait for data or a ticket. The listener sends them only if it has accepted our certificate. Raises _Ended.

        TLS 1.3 is complete for the client before the server has looked at its certificate: a refusal arrives with the
        first read. Data and session tickets come only later (RFC 8446 section 4.6.1). If a listener sends nothing by
        itself, it is prompted, but not at once: an unread prompt can hide its alert.
        """
        prompts = [prompt] if prompt else []
        while not self._done(lambda: self.tls.read(1)):
            if self.tls.session is not None and self.tls.session.has_ticket:
                return
            try:
                self._exchange(self._deadline.within(self._patience) if prompts else self._deadline)
            except _Ended as ended:
                if ended.outcome is not HandshakeOutcome.TIMED_OUT or not prompts:
                    raise
                self.tls.write(prompts.pop())

    def _done(self, step: Any) -> bool:
        try:
            if step() == b"":
                raise _Ended(HandshakeOutcome.CLOSED, "it ended the connection")
        except ssl.SSLWantReadError:
            return False
        except ssl.SSLZeroReturnError:
            raise _Ended(HandshakeOutcome.CLOSED, "it ended the connection") from None
        except ssl.SSLError as error:
            alert = alert_of(error)
            if alert is None:
                raise _Ended(HandshakeOutcome.NOT_UNDERSTOOD, f"it {cause_of(error)}") from None
            raise _Ended(HandshakeOutcome.REFUSED, alert=alert) from None
        return True

    def _exchange(self, deadline: Deadline) -> None:
        try:
            self._over.flush(self._deadline)
            more = self._over.receive(deadline)
        except TimeoutError:
            raise _Ended(HandshakeOutcome.TIMED_OUT, "no answer in time") from None
        except ConnectionError as error:
            raise _Ended(HandshakeOutcome.CLOSED, f"the connection broke off, {type(error).__name__}") from None
        if not more:
            raise _Ended(HandshakeOutcome.CLOSED, "it closed the connection without an alert")
        if len(self.recorder.received) > MAXIMUM_FLIGHT:
            raise _Ended(HandshakeOutcome.NOT_UNDERSTOOD, "it sends more than any handshake has")


def shake_hands(
    stream: ByteStream,
    context: ssl.SSLContext,
    own: Certificate,
    *,
    deadline: Deadline,
    prompt: bytes = b"",
    response_time: ResponseTime = PROMPT,
) -> Handshake:
    """Shake hands by ``context``. It speaks a single version of TLS and has ``own`` as its certificate. A listener of
    TLS 1.3 answers to ``prompt``. The stream goes through an API server with this response time.

    Raises the errors of the stream except TimeoutError and ConnectionError.
    """
    conversation = _Conversation(stream, context, deadline, response_time)
    complete = False
    try:
        try:
            conversation.shake_hands()
        except TimeoutError:
            raise _Ended(HandshakeOutcome.TIMED_OUT, "no answer in time") from None
        complete = True
        offered_size = conversation.recorder.last_flight
        if context.maximum_version is not ssl.TLSVersion.TLSv1_2:
            conversation.hear(prompt)
        ended = _Ended(HandshakeOutcome.ACCEPTED)
    except _Ended as reason:
        ended = reason
    if context.maximum_version is ssl.TLSVersion.TLSv1_2:
        return _in_the_clear(conversation, ended, complete)
    if not complete:
        return Handshake(ended.outcome, ended.alert, detail=ended.detail)
    # Without a certificate the last flight is a hundred bytes. With a certificate, it cannot be shorter than the
    # certificate.
    offered = offered_size > len(own.der)
    presented = _unverified_chain(conversation.tls)
    detail = _with_length(presented, ended.detail)
    return Handshake(ended.outcome, ended.alert, "TLSv1.3", _chain(presented), offered, None, detail)


def _in_the_clear(conversation: _Conversation, ended: _Ended, complete: bool) -> Handshake:
    try:
        kept = conversation.recorder
        server, client = read_flight(bytes(kept.received)), read_flight(bytes(kept.sent))
    except MalformedHandshake as error:
        return Handshake(
            HandshakeOutcome.NOT_UNDERSTOOD, detail=f"{error} ({ended.detail})" if ended.detail else str(error)
        )
    if server.certificates and not (complete or _has_signed(server, client)):
        detail = f"{_UNPROVEN}; {ended.detail}" if ended.detail else _UNPROVEN
        return Handshake(ended.outcome, ended.alert, detail=detail)
    offered = bool(client.certificates)
    version = "TLSv1.2" if server.certificates else None
    chain, detail = _chain(server.certificates), _with_length(server.certificates, ended.detail)
    return Handshake(ended.outcome, ended.alert, version, chain, offered, server.authorities, detail)


def _has_signed(server: Flight, client: Flight) -> bool:
    """Whether the server has proven its key although the handshake did not succeed, such as by a refusal of our
    certificate.

    Its part of the key exchange is signed with the key of its certificate (RFC 5246 section 7.4.3). The TLS library
    answers with ours only if it has verified that signature. Without such a part, only a complete handshake proves the
    key.
    """
    return server.exchanged and client.exchanged


def _with_length(presented: tuple[bytes, ...] | None, detail: str) -> str:
    """The detail, with a chain's length if the chain does not count because of it."""
    long = length_problem(len(presented)) if presented and len(presented) > MOST_IN_A_CHAIN else ""
    return "; ".join(filter(None, (long, detail)))


def _chain(presented: tuple[bytes, ...] | None) -> tuple[Certificate, ...] | None:
    if presented and len(presented) > MOST_IN_A_CHAIN:
        return None
    try:
        return tuple(map(certificate_from_der, presented)) if presented else None
    except CertificateError:
        return None


def _unverified_chain(tls: ssl.SSLObject) -> tuple[bytes, ...]:
    """The chain as sent. Python offers it since 3.13, and under a private name since 3.10."""
    public: Any = getattr(tls, "get_unverified_chain", None)
    if public is not None:
        return tuple(public())
    private: Any = tls._sslobj  # type: ignore[attr-defined]
    return tuple(
        ssl.PEM_cert_to_DER_cert(certificate.public_bytes()) for certificate in private.get_unverified_chain() or ()
    )
