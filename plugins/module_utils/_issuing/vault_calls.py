# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Asking Vault again where another try can help (docs/issuers/vault.md)."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Protocol

from .._errors import VaultFailure
from .._strimzi.work import Clock
from .vault_errors import Call, Reply, failure, is_refusal, settings_remedy

_TRIES = 4
_FIRST_DELAY = 1.0
#: A server that wants to be left alone for longer is not waited for: the next run asks it again.
_LONGEST_DELAY = 20.0


class Connection(Protocol):
    """A connection to a server: it sends a request and returns the answer."""

    @property
    def server(self) -> str:
        """As people name it."""

    def send(self, call: Call) -> Reply:
        """Raises VaultFailure where there is no answer of Vault."""


class PatientCalls:
    """Asks a few times. To sign a request once more than needed leaves an unused certificate."""

    def __init__(
        self,
        connection: Connection,
        clock: Clock,
        alive: Callable[[], None],
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """alive: called before each request, because they may take long. jitter: from 0 to 1."""
        self.server = connection.server
        self._connection = connection
        self._clock = clock
        self._alive = alive
        self._jitter = jitter

    def send(self, call: Call) -> Reply:
        """A success or a refusal. Raises VaultFailure for all others."""
        for number in range(1, _TRIES):
            try:
                return self._once(call)
            except VaultFailure as found:
                # Without jitter, all clients of a server that was away would return at the same moment.
                delay = _FIRST_DELAY * 2.0 ** (number - 1) * (0.5 + self._jitter())
                delay = delay if found.wait is None else found.wait + self._jitter()
                if not found.transient or delay > _LONGEST_DELAY:
                    raise
            self._clock.sleep(delay)
        return self._once(call)

    def _once(self, call: Call) -> Reply:
        self._alive()
        reply = self._connection.send(call)
        if 200 <= reply.status < 300 or (is_refusal(reply) and not settings_remedy(reply)):
            return reply
        raise failure(self.server, call, reply)
