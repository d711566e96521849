"""An API server that fails as real ones do, at calls that a test chooses."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import TransportError

from .memory_api import Response


class Fault(Enum):
    """A failure of one call. Of a watch, a lost answer is a connection that breaks off."""

    INTERNAL_ERROR = "500"
    TOO_MANY_REQUESTS = "429"
    UNAVAILABLE = "503"
    RESET = "reset"
    TIMEOUT = "time-out"
    LOST_ANSWER = "done, but the answer was lost"
    UNAUTHORIZED = "401"


#: The failures that pass.
PASSING = tuple(fault for fault in Fault if fault is not Fault.UNAUTHORIZED)

#: Decides about a call: its number from 1, its method and its path.
Choose = Callable[[int, str, str], Fault | None]

_STATUSES = {
    Fault.INTERNAL_ERROR: (500, "InternalError", "etcdserver: request timed out", {}),
    Fault.TOO_MANY_REQUESTS: (429, "TooManyRequests", "the server has received too many requests", {"Retry-After": "7"}),
    Fault.UNAVAILABLE: (503, "ServiceUnavailable", "the server is currently unable to handle the request", {}),
    Fault.UNAUTHORIZED: (401, "Unauthorized", "Unauthorized", {}),
}  # fmt: skip
#: Seconds until a client gives an answer up.
_GIVEN_UP = 60.0


def at_call(number: int, fault: Fault) -> Choose:
    """This call fails, once."""
    return lambda current, method, path: fault if current == number else None


def always(fault: Fault, *methods: str) -> Choose:
    return lambda current, method, path: fault if method in methods else None


def now_and_then(share: float, seed: int, most_in_a_row: int = 20) -> Choose:
    """This share of all calls fails, in ways of all kinds, and never more than so many one after the other."""
    chance, row = random.Random(seed), 0

    def choose(number: int, method: str, path: str) -> Fault | None:
        nonlocal row
        fails = chance.random() < share and row < most_in_a_row
        row = row + 1 if fails else 0
        return chance.choice(PASSING) if fails else None

    return choose


class FaultyApi:
    """Fails where ``choose`` says so; every call counts: reads, writes and watches. calls: their methods and paths. gone: nothing gets through any more.
    passes: takes the seconds that a call took in vain.
    """

    def __init__(
        self,
        api: Any,
        choose: Choose = lambda number, method, path: None,
        passes: Callable[[float], None] = lambda seconds: None,
    ) -> None:
        self._api, self._choose, self._passes = api, choose, passes
        self.calls: list[tuple[str, str]] = []
        self.gone = False

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        fault = self._next(method, path)
        if fault in _STATUSES:
            return _status(fault)
        if fault is Fault.LOST_ANSWER:
            self._api.request(method, path, **arguments)
        if fault is not None:
            raise self._lost(fault)
        return self._api.request(method, path, **arguments)

    def stream(self, path: str, **arguments: Any) -> Iterator[Any]:
        fault = self._next("WATCH", path)
        if fault in _STATUSES:
            answer = _status(fault)
            yield {"type": "ERROR", "object": {**answer.body, "code": answer.status}}
            return
        if fault is not None:
            raise self._lost(fault)
        yield from self._api.stream(path, **arguments)

    def _next(self, method: str, path: str) -> Fault | None:
        self.calls.append((method, path))
        if self.gone:
            raise TransportError("the API server k8s:6443 cannot be reached (refused)", sent=False)
        return self._choose(len(self.calls), method, path)

    def _lost(self, fault: Fault) -> TransportError:
        if fault is Fault.TIMEOUT:
            self._passes(_GIVEN_UP)
            return TransportError(f"the API server k8s:6443 did not answer within {_GIVEN_UP:g} s", timed_out=True)
        return TransportError("the connection to the API server k8s:6443 broke off (reset)")


def _status(fault: Fault) -> Response:
    code, reason, message, headers = _STATUSES[fault]
    return Response(code, {"kind": "Status", "code": code, "reason": reason, "message": message}, headers)
