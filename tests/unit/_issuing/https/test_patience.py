# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the server of an issuer is asked again, how often, and after what time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import ServerFailure
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.https.api import Api, Call, Reply
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.https.patience import PatientCalls
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.vault.api import VAULT

from ....tools.support.vault_mount import QuickClock

CALL = Call("path", {}, "do it")
GOOD = Reply(200, {"data": {}})


@dataclass
class Scripted:
    """Answers in order."""

    answers: list[Reply | ServerFailure]
    server: str = "Vault x"
    api: Api = VAULT
    sent: list[Call] = field(default_factory=list)

    def send(self, call: Call) -> Reply:
        self.sent.append(call)
        answer = self.answers.pop(0)
        if isinstance(answer, ServerFailure):
            raise answer
        return answer


def slept(answers: Sequence[Reply | ServerFailure], jitter: float = 0.5) -> tuple[list[float], Reply | None]:
    """How long was waited each time, and the answer in the end."""
    connection, clock = Scripted(list(answers)), QuickClock()
    calls = PatientCalls(connection, clock, lambda: None, lambda: jitter)
    try:
        found = calls.send(CALL)
    except ServerFailure:
        found = None
    assert len(connection.sent) == len(clock.slept) + 1
    return clock.slept, found


BROKEN = ServerFailure("It", "broke off", "Run again.", transient=True)


@pytest.mark.parametrize("status", [200, 204, 400, 403])
def test_a_final_reply_is_returned_at_once(status: int) -> None:
    reply = Reply(status, {})
    assert slept([reply]) == ([], reply)


def test_the_delay_doubles() -> None:
    assert slept([Reply(503, {}), BROKEN, Reply(500, {}), GOOD]) == ([1.0, 2.0, 4.0], GOOD)


@pytest.mark.parametrize(("jitter", "delays"), [(0.0, [0.5, 1.0, 2.0]), (1.0, [1.5, 3.0, 6.0])])
def test_clients_do_not_return_all_at_the_same_moment(jitter: float, delays: list[float]) -> None:
    assert slept([BROKEN, BROKEN, BROKEN, GOOD], jitter) == (delays, GOOD)


def test_after_four_tries_it_is_given_up() -> None:
    assert slept([BROKEN] * 4) == ([1.0, 2.0, 4.0], None)


def test_a_server_says_how_long_it_wants_to_be_left_alone() -> None:
    assert slept([Reply(429, {}, wait=7.0), Reply(429, {}, wait=0.0), GOOD]) == ([7.5, 0.5], GOOD)


def test_a_long_time_is_not_waited_for() -> None:
    assert slept([Reply(429, {}, wait=20.0)]) == ([], None)


def test_a_lasting_failure_is_not_retried() -> None:
    assert slept([ServerFailure("It", "is not trusted", "Give a CA.")]) == ([], None)
    assert slept([Reply(404, {})]) == ([], None)


@pytest.mark.parametrize("status", [400, 403])
def test_an_unknown_role_is_no_answer(status: int) -> None:
    assert slept([Reply(status, {}, "unknown role: kafka")]) == ([], None)
