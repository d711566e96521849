"""Ends the process at a chosen write, or at a chosen call of an issuer: before it is sent, or after it was done and the reply lost."""

from __future__ import annotations

import os
import pickle
import select
import traceback
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from signal import SIGKILL
from time import monotonic
from typing import Any, NoReturn

from .memory_api import ACCESS_REVIEWS, MemoryApi
from .permissions import Restricted


class Killed(BaseException):
    """The process is gone: nothing catches this, no clean-up runs."""


class KillingTransport:
    """Counts writes. at: number of the write (from 1) at which to end; None never. after: the write is done.

    From then on nothing gets through, whatever the dead process would still like to do.
    """

    def __init__(self, api: MemoryApi | Restricted, at: int | None = None, after: bool = False) -> None:
        self.api, self.at, self.after = api, at, after
        self.writes = 0
        self.killed = False
        self.unconditional: list[str] = []

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        if self.killed:
            raise Killed
        if method == "GET" or path == ACCESS_REVIEWS:
            return self.api.request(method, path, **arguments)
        self.writes += 1
        self._note_condition(method, path, arguments.get("body") or {})
        self.killed = self.writes == self.at
        if self.killed and not self.after:
            raise Killed
        response = self.api.request(method, path, **arguments)
        if self.killed:
            raise Killed
        return response

    def stream(
        self, path: str, *, query: Mapping[str, str] | None = None, timeout: float | None = None
    ) -> Iterator[Any]:
        return self.api.stream(path, query=query, timeout=timeout)

    def _note_condition(self, method: str, path: str, body: Mapping[str, Any]) -> None:
        """I6: a write says what it was decided on."""
        metadata = body.get("metadata") or {}
        asks_only = set(metadata.get("annotations") or {}) == {"trustops.strimzi/reconcile-request"}
        conditional = method == "POST" or metadata.get("resourceVersion") or body.get("preconditions")
        if not conditional and not asks_only:
            self.unconditional.append(f"{method} {path}")


#: Seconds after which a copy is killed and made again, and how often. A thread that a copy begins may never start: where a thread of the process ends
#: just then, the C library of the copy can wait for a lock of that thread for ever (fork(2), "NOTES").
_LONGEST, _ATTEMPTS = 150.0, 3


def _report_of(child: int, reader: int) -> bytes:
    """The report of a copy, which has ended then; empty where it stands still."""
    report, until = b"", monotonic() + _LONGEST
    try:
        while select.select([reader], [], [], max(0.0, until - monotonic()))[0]:
            if not (part := os.read(reader, 1 << 16)):
                return report
            report += part
        return b""
    finally:
        os.close(reader)
        with suppress(ProcessLookupError):
            os.kill(child, SIGKILL)
        os.waitpid(child, 0)


class Copies:
    """Copies of the process, one for each chosen call: what leads to a call runs once for all of them.

    In a copy that call fails or is the last; the process itself goes on to the next.
    """

    def __init__(self, numbers: Container[int]) -> None:
        """numbers: of the calls."""
        self._numbers = numbers
        #: The report of each copy, by the number of its call: whether all went well, and what ``then`` returned or raised.
        self._reports: dict[int, tuple[bool, Any]] = {}
        #: In a copy, the pipe to the process that goes on.
        self._report: int | None = None

    @property
    def is_one(self) -> bool:
        """Whether this process is a copy."""
        return self._report is not None

    def begins_at(self, number: int) -> bool:
        """Forks at a chosen call, in a process that is no copy. True in the copy; in the process that goes on, the copy has ended by then."""
        if self.is_one or number not in self._numbers:
            return False
        for _attempt in range(_ATTEMPTS):
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(reader)
                self._report = writer
                return True
            os.close(writer)
            if report := _report_of(child, reader):
                self._reports[number] = pickle.loads(report)
                return False
        raise AssertionError(f"no copy of call {number} came to its end")

    def run(
        self, flow: Callable[[], object], then: Callable[[], Any], ends: type[BaseException] | None = None
    ) -> dict[int, Any]:
        """Runs the flow here and in each copy. Returns what ``then`` returned in each copy, by the number of the call at which it began.

        Afterwards no copy begins any more. then: what follows in a copy; it returns what pickle can send. ends: the error with which the flow ends
        there; None where it comes to its end. Raises AssertionError with what any copy has raised.
        """
        try:
            flow()
        except BaseException as problem:
            if not self.is_one:
                raise
            self._leave(then if ends and isinstance(problem, ends) else None)
        if self.is_one:
            self._leave(None if ends else then)
        self._numbers = ()
        failed = {number: said for number, (is_well, said) in self._reports.items() if not is_well}
        assert not failed, "\n".join(f"in the copy of call {number}: {said}" for number, said in failed.items())
        return {number: found for number, (_is_well, found) in self._reports.items()}

    def _leave(self, then: Callable[[], Any] | None) -> NoReturn:
        """then: None where the flow did not end as it was to."""
        assert self._report is not None
        report = pickle.dumps((False, f"the flow did not end as it was to\n{traceback.format_exc()}"))
        try:
            if then:
                report = pickle.dumps((True, then()))
        except BaseException:
            report = pickle.dumps((False, traceback.format_exc()))
        finally:
            with open(self._report, "wb") as pipe:
                pipe.write(report)
            os._exit(0)


class ForkingTransport(KillingTransport):
    """Kills a copy of the process at each chosen write, while the process goes on to the next.

    numbers: of the writes (from 1). after: the write is done.
    """

    def __init__(self, api: MemoryApi | Restricted, numbers: Container[int], after: bool = False) -> None:
        super().__init__(api, None, after)
        self._copies = Copies(numbers)

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        is_write = method != "GET" and path != ACCESS_REVIEWS
        if is_write and self._copies.begins_at(self.writes + 1):
            self.at = self.writes + 1
        return super().request(method, path, **arguments)

    def kill_copies(self, run: Callable[[], object], then: Callable[[], Any]) -> dict[int, Any]:
        """Runs the flow to its end, and each copy as far as its write. Returns what ``then`` returned, by the numbers of these writes.

        then: what follows in a copy that was killed; what it raises fails the test.
        """
        return self._copies.run(run, then, Killed)


@dataclass
class IssuerCalls:
    """Counts calls of an issuer."""

    #: The transport to the API server, which passes nothing on after the kill.
    guard: KillingTransport
    #: Number of the call (from 1) at which to end; None never.
    at: int | None = None
    #: The issuer has done it.
    after: bool = False
    made: list[str] = field(default_factory=list)

    def through(self, issuer: Any) -> Any:
        """The same issuer, whose calls are counted."""
        return _Counted(issuer, self)

    def call(self, name: str, done: Callable[[], Any]) -> Any:
        if self.guard.killed:
            raise Killed
        self.made.append(name)
        if len(self.made) != self.at:
            return done()
        if self.after:
            done()
        self.guard.killed = True
        raise Killed


class _Counted:
    def __init__(self, issuer: Any, calls: IssuerCalls) -> None:
        self._issuer, self._calls = issuer, calls

    def __getattr__(self, name: str) -> Any:
        return getattr(self._issuer, name)

    def request(self, order: Any) -> Any:
        return self._calls.call("request", lambda: self._issuer.request(order))

    def poll(self, tokens: Any) -> Any:
        return self._calls.call("poll", lambda: self._issuer.poll(tokens))

    def forget(self, tokens: Any) -> Any:
        return self._calls.call("forget", lambda: self._issuer.forget(tokens))

    def link(self, order: Any) -> Any:
        return self._calls.call("link", lambda: self._issuer.link(order))
