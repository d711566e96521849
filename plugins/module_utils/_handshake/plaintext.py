# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The parts of TLS 1.2 that are sent in the clear: the certificates, and the CAs of which a server asks certificates
(RFC 5246 section 7.4).

The ssl module shows neither the names in a CertificateRequest nor the certificates of a handshake that failed. This
module reads the same bytes beside the ssl module. It answers nothing, and checks every length before it uses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .._errors import MalformedHandshake

#: Bytes of one direction that are looked at.
MAXIMUM_FLIGHT = 1 << 18
_MAXIMUM_RECORD = 1 << 14
_MAXIMUM_MESSAGE = 1 << 17
_CHANGE_CIPHER_SPEC, _ALERT, _HANDSHAKE = 20, 21, 22
_CERTIFICATE, _CERTIFICATE_REQUEST = 11, 13
#: ServerKeyExchange and ClientKeyExchange.
_KEY_EXCHANGES = frozenset({12, 16})


@dataclass(frozen=True)
class Flight:
    """The messages of one direction, up to where encryption begins.

    certificates: DER, as sent; None when there was no such message. authorities: DER names; None when no certificate
    was asked for. exchanged: this side has sent its part of the key exchange.
    """

    certificates: tuple[bytes, ...] | None = None
    authorities: tuple[bytes, ...] | None = None
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
        """All bytes that are left, as a list of vectors, none of which may be empty."""
        found = []
        while self.left:
            content = self.take(self.number(size))
            if not content:
                raise MalformedHandshake("an entry of a list is empty")
            found.append(content)
        return tuple(found)

    def end(self) -> None:
        if self.left:
            raise MalformedHandshake("there are bytes behind the end of a message")


def read_flight(data: bytes) -> Flight:
    """The messages of one direction that have arrived in full. Raises MalformedHandshake and no other error."""
    if len(data) > MAXIMUM_FLIGHT:
        raise MalformedHandshake("it is longer than any handshake")
    found: dict[int, tuple[bytes, ...]] = {}
    exchanged = False
    for kind, body in _messages(_handshake_bytes(data)):
        exchanged = exchanged or kind in _KEY_EXCHANGES
        if kind not in (_CERTIFICATE, _CERTIFICATE_REQUEST):
            continue
        if kind in found:
            raise MalformedHandshake("a message came twice")
        found[kind] = _certificates(body) if kind == _CERTIFICATE else _authorities(body)
    return Flight(found.get(_CERTIFICATE), found.get(_CERTIFICATE_REQUEST), exchanged)


def _handshake_bytes(data: bytes) -> bytes:
    """The bytes of the handshake protocol, without the headers of the records."""
    cursor, found = _Cursor(data), bytearray()
    while cursor.left >= 5:
        kind, major, _minor, size = (cursor.number(width) for width in (1, 1, 1, 2))
        if kind not in (_CHANGE_CIPHER_SPEC, _ALERT, _HANDSHAKE) or major != 3 or size > _MAXIMUM_RECORD:
            raise MalformedHandshake("a record is not one of a handshake")
        if kind == _CHANGE_CIPHER_SPEC or size > cursor.left:
            break
        content = cursor.take(size)
        if kind == _HANDSHAKE:
            found += content
    return bytes(found)


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
    found = cursor.vector(3).vectors(3)
    cursor.end()
    return found


def _authorities(body: bytes) -> tuple[bytes, ...]:
    cursor = _Cursor(body)
    cursor.vector(1)  # certificate types
    cursor.vector(2)  # signature algorithms
    found = cursor.vector(2).vectors(2)
    cursor.end()
    return found
