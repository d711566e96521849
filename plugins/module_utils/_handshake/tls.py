# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""TLS over any byte stream, such as a forwarded port of a pod, without a socket; and its deadline."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, TypeVar


class ByteStream(Protocol):
    """Bytes to and from a listener. Raises TimeoutError after ``timeout`` seconds, ConnectionError if the connection
    broke.
    """

    def send(self, data: bytes, timeout: float) -> None: ...

    def recv(self, timeout: float) -> bytes:
        """At least one byte; empty at the end."""


@dataclass(frozen=True)
class Deadline:
    """A moment of the monotonic clock."""

    #: The reading of ``time.monotonic()`` at that moment, in seconds.
    at: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        return cls(time.monotonic() + seconds)

    def remaining(self) -> float:
        """Seconds. Raises TimeoutError if there are none."""
        seconds = self.at - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("the time is over")
        return seconds

    def within(self, seconds: float) -> Deadline:
        """The earlier of this deadline and the given number of seconds from now."""
        return Deadline(min(self.at, time.monotonic() + seconds))


#: A function that opens a new connection to one listener within a number of seconds. Raises KubeError or OSError.
Opener = Callable[[float], AbstractContextManager[ByteStream]]


Result = TypeVar("Result")

#: As much as one record of TLS can contain (RFC 8446 section 5.1).
_RECORD = 1 << 14


class TlsOverStream:
    """Carries bytes between the ssl module and the stream. Raises the errors of the stream."""

    def __init__(self, stream: ByteStream, context: ssl.SSLContext, server_name: str | None = None) -> None:
        """The certificate has to be for the server name, if the context checks names."""
        self._stream = stream
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=server_name)

    def flush(self, deadline: Deadline) -> None:
        """Send the bytes of the ssl module for the other side."""
        if data := self._outgoing.read():
            self._stream.send(data, deadline.remaining())

    def receive(self, deadline: Deadline) -> bool:
        """Hand bytes of the stream to the ssl module, or its end. Returns whether there were any."""
        data = self._stream.recv(deadline.remaining())
        if data:
            self._incoming.write(data)
        else:
            self._incoming.write_eof()
        return bool(data)


class TlsStream:
    """The bytes inside of TLS, as a byte stream. Raises ssl.SSLError and the errors of the stream below."""

    def __init__(self, stream: ByteStream, context: ssl.SSLContext, server_name: str, deadline: Deadline) -> None:
        """Returns when the handshake is complete and the certificate of the other side was verified."""
        self._over = TlsOverStream(stream, context, server_name)
        self._until_done(self._over.tls.do_handshake, deadline)

    def send(self, data: bytes, timeout: float) -> None:
        self._until_done(lambda: self._over.tls.write(data), Deadline.after(timeout))

    def recv(self, timeout: float) -> bytes:
        """At least one byte; empty if the other side has ended the conversation."""
        return self._until_done(lambda: self._over.tls.read(_RECORD), Deadline.after(timeout))

    def _until_done(self, step: Callable[[], Result], deadline: Deadline) -> Result:
        while True:
            try:
                result = step()
            except ssl.SSLWantReadError:
                self._over.flush(deadline)
                self._over.receive(deadline)
            else:
                self._over.flush(deadline)
                return result
