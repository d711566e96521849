# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The API of a server that signs by HTTPS: the differences between issuers, a request and its answer, and the failures
of a server as sentences with a remedy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..._errors import ServerFailure, fit_in_line

#: Shown characters of a server's words.
_LONGEST = 400
_PEM = re.compile(r"-----BEGIN.*?(?:-----END[^-]*-----|$)", re.DOTALL)


@dataclass(frozen=True, repr=False)
class Header:
    """A header of a request. The value may be a token: no repr."""

    #: The name of the header.
    name: str
    #: The value of the header.
    value: str
    #: The name of the value in messages, such as "token".
    what: str


@dataclass(frozen=True, repr=False)
class Call:
    """A request to the API."""

    #: The path below the path of the API, quoted for a URL.
    path: str
    #: The JSON body; None for a request that reads.
    body: Mapping[str, Any] | None
    #: The purpose of the request, as messages say it after "cannot".
    doing: str
    #: The token for the request; the API takes it in a header. Empty if the request needs none.
    token: str = ""
    #: Sent texts that must not be quoted.
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Reply:
    """An answer of the server. The body may contain a token: no repr."""

    #: The HTTP status.
    status: int
    #: The JSON object; empty if the answer was empty, or a failure without JSON.
    body: Mapping[str, Any]
    #: Its errors, safe to show; may be empty.
    errors: str = ""
    #: Seconds to wait before the next request, as in ServerFailure.
    wait: float | None = None


@dataclass(frozen=True)
class State:
    """The state of a server with a certain HTTP status."""

    #: The cause of the failure, as a sentence about the server without a full stop.
    cause: str
    #: The remedy, as sentences.
    remedy: str
    #: Whether the same request may succeed later.
    transient: bool = False


@dataclass(frozen=True)
class Api:
    """The facts of an issuer's API for the HTTPS client."""

    #: The name of the server, as messages have it before its URL.
    name: str
    #: The programs with this API.
    programs: str
    #: A URL of such a server, as an example.
    example: str
    #: The path before the path of each call.
    path: str
    #: Gives the reasons in the body of an answer; None if the body is not of this API.
    reasons: Callable[[Mapping[str, Any]], Sequence[str] | None]
    #: The states of the server by HTTP status.
    states: Mapping[int, State]
    #: The statuses of a refusal. Such an answer has reasons in the form of the API.
    refusals: frozenset[int] = frozenset({400, 403})
    #: Reasons of other statuses that are a refusal too, each as status and words.
    refusing_words: tuple[tuple[int, str], ...] = ()
    #: Words of the server, each with its remedy. For them the server has to be corrected and not the request; the HTTP
    #: status does not tell.
    settings: tuple[tuple[str, str], ...] = ()
    #: The header with the token of a call; empty if there is none.
    header: str = ""
    #: The server's setting with the address for redirected clients.
    own_address: str = "the address"
    #: The option with the client certificate, as remedies name it.
    own_certificate: str = ""

    def is_refusal(self, reply: Reply) -> bool:
        """Whether the server refuses this request. A refusal means something else for each call; asking again does not
        help.
        """
        return reply.status in self.refusals or any(
            reply.status == status and words in reply.errors for status, words in self.refusing_words
        )

    def settings_remedy(self, reply: Reply) -> str:
        """How to correct the server before any request can succeed; empty if nothing of that kind is known."""
        return next((remedy for words, remedy in self.settings if words in reply.errors), "")

    def failure(self, server: str, call: Call, reply: Reply) -> ServerFailure:
        """The failure that an answer without success shows. ``server`` is the server as messages name it."""
        unknown = State("a server of this API gives no such answer", "Check url and the proxy.", reply.status >= 500)
        state = self.states.get(reply.status, unknown)
        if remedy := self.settings_remedy(reply):
            state = State("it is not set up for that", remedy)
        return ServerFailure(
            server,
            f"cannot {call.doing}: {state.cause} (HTTP {reply.status}{quoted(reply.errors)})",
            state.remedy,
            transient=state.transient,
            wait=reply.wait,
        )


def quotable(text: str, secrets: Iterable[str] = ()) -> str:
    """The words of a server as part of a sentence, without secrets: these must not be shown."""
    text = _PEM.sub("(hidden)", text)
    # A secret may begin with another. If the shorter were hidden first, the rest of the longer would stay in sight.
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "(hidden)")
    return fit_in_line(text, _LONGEST)


def quoted(errors: str) -> str:
    """The words after a colon; empty if there is nothing to quote."""
    return f": {errors}" if errors else ""
