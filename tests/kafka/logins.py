# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users who log in to every broker all the time, each time with what their Secret holds at that moment; and the User Operator that
issues it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from OpenSSL import SSL

from ..operator.api import ApiError
from ..operator.user_operator import UserOperatorDouble
from .tier import Tier

_PORT = 9093
#: Seconds between two passes of the User Operator, which takes two minutes; and between two rounds of logins.
_PERIOD, _PAUSE = 5.0, 0.2


@dataclass
class Logins:
    """refused: user, broker and what it said. done: how many were let in. certificates: how many different ones each user had."""

    done: int = 0
    refused: list[str] = field(default_factory=list)
    certificates: dict[str, set[bytes]] = field(default_factory=dict)


@contextmanager
def user_operator(tier: Tier) -> Iterator[UserOperatorDouble]:
    operator = UserOperatorDouble(tier.cluster.kube, tier.cluster.namespace, tier.name)

    def reconcile() -> None:
        try:
            operator.reconcile()
        except ApiError as error:
            print(f"the User Operator: {error}", flush=True)

    with _again_and_again(reconcile, _PERIOD):
        yield operator


@contextmanager
def logins(tier: Tier, users: Sequence[str], brokers: Sequence[str]) -> Iterator[Logins]:
    seen = Logins()

    def everybody() -> None:
        for user in users:
            held = tier.secret(user)
            seen.certificates.setdefault(user, set()).add(held["user.crt"])
            for broker in brokers:
                _log_in(tier, user, broker, held, seen)

    with _again_and_again(everybody, _PAUSE):
        yield seen


def _log_in(tier: Tier, user: str, broker: str, held: dict[str, bytes], seen: Logins) -> None:
    try:
        refusal = tier.shake_hands(broker, _PORT, held["user.crt"], held["user.key"]).refusal
    except (OSError, SSL.Error) as error:
        refusal = repr(error)
    if refusal:
        seen.refused.append(f"{user} by {broker}: {refusal}")
    else:
        seen.done += 1


@contextmanager
def _again_and_again(work: Callable[[], None], pause: float) -> Iterator[None]:
    """What fails ends it, and is raised at the end."""
    stopped, failed = threading.Event(), list[Exception]()

    def run() -> None:
        try:
            while not stopped.is_set():
                work()
                time.sleep(pause)
        except Exception as error:  # pylint: disable=broad-except
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join(60)
    if failed:
        raise failed[0]
