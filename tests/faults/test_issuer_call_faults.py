# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Issuers whose answers fail for a moment, once at each call and now and then at a share of them: of Vault the HTTP, of the others what the API
server is asked about their requests. Judged by the restarts of the plan; a single failure ends no run.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.https import connection
from ansible_collections.trustops.strimzi.plugins.module_utils._kube._kubernetes import urllib3
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import Response
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.faults import PASSING, Choose, Fault, FaultyApi, at_call, now_and_then
from .issuer_happenings import Course, begun
from .test_kill_issuer_calls import signed_again

#: Runs that may end with an error at a share of failures, before Vault is well again.
_RUNS = 12
_STATUSES = {Fault.INTERNAL_ERROR: 500, Fault.TOO_MANY_REQUESTS: 429, Fault.UNAVAILABLE: 503}


class FaultyPool:
    """Connections to Vault that fail where ``choose`` says so. calls: method and URL of all."""

    def __init__(
        self, pool: Any, choose: Choose, calls: list[tuple[str, str]], passes: Callable[[float], None]
    ) -> None:
        self._pool, self._choose, self._calls, self._passes = pool, choose, calls, passes

    def request(self, method: str, url: str, **arguments: Any) -> Any:
        self._calls.append((method, url))
        fault = self._choose(len(self._calls), method, url)
        if fault in _STATUSES:
            later = {"Retry-After": "7"} if fault is Fault.TOO_MANY_REQUESTS else {}
            return urllib3.HTTPResponse(b'{"errors": ["later"]}', status=_STATUSES[fault], headers=later)
        if fault is Fault.TIMEOUT:
            self._passes(30.0)
            raise urllib3.exceptions.ReadTimeoutError(self._pool, url, "timed out")
        if fault is Fault.LOST_ANSWER:
            self._pool.request(method, url, **arguments)
        if fault is not None:
            raise urllib3.exceptions.ProtocolError("Connection aborted.", ConnectionResetError("reset"))
        return self._pool.request(method, url, **arguments)


def failing(course: Course, kind: str, choose: Choose) -> list[tuple[str, str]]:
    """From here on the calls that have to do with the issuer fail as this says; they are counted in the list."""
    memory = course.cluster.memory

    def passes(seconds: float) -> None:
        memory.seconds += seconds

    if kind == "vault":
        calls: list[tuple[str, str]] = []
        pool = connection.pool
        course.patch.setattr(connection, "pool", lambda *of: FaultyPool(pool(*of), choose, calls, passes))
        return calls
    api = _OfTheIssuer(course.cluster.permitted, choose, passes)
    course.cluster.permitted = api
    return api.calls


class _OfTheIssuer(FaultyApi):
    """Counts the calls alone that are about requests of certificates."""

    def request(self, method: str, path: str, **arguments: Any) -> Response:
        if "certificaterequests" in path or "/secrets/demo-issuing-" in path:
            return super().request(method, path, **arguments)  # type: ignore[no-any-return]
        return self._api.request(method, path, **arguments)  # type: ignore[no-any-return]


def finished(course: Course) -> int:
    """After how many runs the flow was at its end, and nothing has restarted beyond the plan."""
    runs = 0
    while runs < _RUNS:
        runs += 1
        with suppress(StepError):
            if course.run().outcome.decision.done:
                break
        course.issuer.work()
    assert max(course.cluster.counts().values()) <= course.cluster.cost(Goal.REPLACE_KEY, "unlinked").restarts
    return runs


def undisturbed(kind: str, patch: pytest.MonkeyPatch) -> tuple[list[tuple[str, str]], int]:
    """The calls and the runs that it takes."""
    with patch.context() as own, begun(kind, own) as course:
        calls = failing(course, kind, lambda number, method, path: None)
        runs = finished(course)
        assert signed_again(course) == 0
        return calls, runs


def fails_once(kind: str, number: int, fault: Fault, patch: pytest.MonkeyPatch) -> tuple[int, int]:
    """The runs that it takes, and the certificates that were given once more than needed."""
    with patch.context() as own, begun(kind, own) as course:
        failing(course, kind, at_call(number, fault))
        return finished(course), signed_again(course)


@pytest.mark.parametrize(
    "kind",
    ["vault", pytest.param("cert-manager", marks=pytest.mark.long), pytest.param("external", marks=pytest.mark.long)],
)
@pytest.mark.parametrize(
    "fault",
    [pytest.param(one, id=one.value, marks=() if one is Fault.LOST_ANSWER else pytest.mark.long) for one in PASSING],
)
def test_each_call_fails_once(kind: str, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, runs = undisturbed(kind, monkeypatch)
    assert calls
    for number, call in enumerate(calls, 1):
        needed, again = fails_once(kind, number, fault, monkeypatch)
        assert needed == runs, f"call {number}: {call}"
        # Vault signs whatever it is asked, and its answer is lost.
        assert again <= (kind == "vault" and fault is Fault.LOST_ANSWER), f"call {number}: {call}"
    print(f"\n{kind}: {fault.value} at each of {len(calls)} calls, all ended the same")


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 6))])
@pytest.mark.parametrize("share", [0.3, pytest.param(0.6, marks=pytest.mark.long)])
def test_a_share_of_the_calls_of_vault_fails(share: float, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is said of a pause, because none is left: leaves are awaited before anything is written."""
    with begun("vault", monkeypatch) as course:
        with monkeypatch.context() as own:
            failing(replace(course, patch=own), "vault", now_and_then(share, seed))
            finished(course)
            assert not course.cluster.paused
        assert finished(course) == 1
        signed_again(course)
