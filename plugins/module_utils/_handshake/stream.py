# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The stream that a handshake goes over, and its deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol


class ByteStream(Protocol):
    """Bytes to and from a listener. Raises TimeoutError after ``timeout`` seconds, ConnectionError when it broke."""

    def send(self, data: bytes, timeout: float) -> None: ...

    def recv(self, timeout: float) -> bytes:
        """At least one byte; empty at the end."""


@dataclass(frozen=True)
class Deadline:
    """A moment of the monotonic clock."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        return cls(time.monotonic() + seconds)

    def remaining(self) -> float:
        """Seconds. Raises TimeoutError when there are none."""
        seconds = self.at - time.monotonic()
        if seconds <= 0:
            raise TimeoutError("the time is over")
        return seconds

    def within(self, seconds: float) -> Deadline:
        """The earlier of this one and so many seconds from now."""
        return Deadline(min(self.at, time.monotonic() + seconds))


#: Opens a new connection to one listener within so many seconds. Raises KubeError or OSError.
Opener = Callable[[float], AbstractContextManager[ByteStream]]
