# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The interface to the API server: requests and watch streams over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol


class Answer(Protocol):
    """The answer to a request. headers: names in upper or lower case."""

    @property
    def status(self) -> int: ...

    @property
    def body(self) -> dict[str, Any]: ...

    @property
    def headers(self) -> Mapping[str, str]: ...


@dataclass(frozen=True, repr=False)
class Response:
    """An answer. The body may hold a Secret: no repr."""

    status: int
    body: dict[str, Any]
    headers: Mapping[str, str]


class Transport(Protocol):
    """The interface that the client uses. It raises TransportError on failures of the network; an HTTP status is no
    error here.
    """

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        timeout: float | None = None,
    ) -> Answer:
        """Sends a request and returns its answer. content_type: of the body; of a request without one, that of the answer. timeout: seconds; the
        transport's own by default.
        """

    def stream(
        self, path: str, *, query: Mapping[str, str] | None = None, timeout: float | None = None
    ) -> Iterator[dict[str, Any]]:
        """Watch events {type, object} until the server ends the stream, or is silent for ``timeout`` seconds.

        A refused watch is an event too: type ERROR, object a Status with ``code``.
        """
