# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""When a request to the server of an issuer is worth another try."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Protocol

from ..._errors import ServerFailure
from ..._strimzi.apply.work import Clock
from .api import Api, Call, Reply

#: How often a request is sent at most, and seconds before the second time, then doubled. The server is no part of the
#: control plane. If it is away for longer, the call fails, and the next run asks it again.
_TRIES = 4
_FIRST_DELAY = 1.0
#: If a server wants to be left alone for longer, the call does not wait for it: the next run asks it again.
_LONGEST_DELAY = 20.0


class Connection(Protocol):
    """A connection to a server: it sends a request and returns the answer."""

    @property
    def api(self) -> Api:
        """The API of the server."""

    @property
    def server(self) -> str:
        """The name of the server for people."""

    def send(self, call: Call) -> Reply:
        """Send a request. Raises ServerFailure if there is no answer of the API."""


class PatientCalls:
    """Sends a request a few times if need be. To sign a request once more than needed leaves an unused certificate."""

    def __init__(
        self,
        connection: Connection,
        clock: Clock,
        alive: Callable[[], None],
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """The function ``alive`` is called before each request, because requests may take long. The function ``jitter``
        gives a number from 0 to 1.
        """
        self.server = connection.server
        self._connection = connection
        self._clock = clock
        self._alive = alive
        self._jitter = jitter

    def send(self, call: Call) -> Reply:
        """Send a request. The answer is a success or a refusal. Raises ServerFailure for all others."""
        for number in range(1, _TRIES):
            try:
                return self._send_once(call)
            except ServerFailure as failure:
                # If there were no jitter, all clients would return to a server at the same moment.
                delay = _FIRST_DELAY * 2.0 ** (number - 1) * (0.5 + self._jitter())
                delay = delay if failure.wait is None else failure.wait + self._jitter()
                if not failure.transient or delay > _LONGEST_DELAY:
                    raise
            self._clock.sleep(delay)
        return self._send_once(call)

    def _send_once(self, call: Call) -> Reply:
        self._alive()
        reply, api = self._connection.send(call), self._connection.api
        if 200 <= reply.status < 300 or (api.is_refusal(reply) and not api.settings_remedy(reply)):
            return reply
        raise api.failure(self.server, call, reply)
