# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Work beside a flow: jobs that run again and again, and the operators that serve users."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..tools.operator.api import ApiError
from ..tools.operator.connect import ConnectDouble
from ..tools.operator.user_operator import UserOperatorDouble
from .tier import Tier

#: Seconds between two looks of an operator; a real one takes two minutes.
_PERIOD = 3.0


@dataclass(frozen=True)
class UserOperators:
    users: UserOperatorDouble
    connects: ConnectDouble


@contextmanager
def user_operators(tier: Tier) -> Iterator[UserOperators]:
    """Users get certificates, and KafkaConnects that log in with them are restarted."""
    place = (tier.cluster.kube, tier.cluster.namespace, tier.name)
    operators = UserOperators(UserOperatorDouble(*place), ConnectDouble(*place))

    def reconcile() -> None:
        try:
            operators.users.reconcile()
            operators.connects.reconcile()
        except ApiError as error:
            print(f"the operators of users: {error}", flush=True)

    with again_and_again(reconcile, _PERIOD):
        yield operators


@contextmanager
def again_and_again(work: Callable[[], None], pause: float) -> Iterator[None]:
    """pause: in seconds. An error ends the work, and is raised at the end."""
    stopped, failed = threading.Event(), list[Exception]()

    def run() -> None:
        try:
            while True:
                work()
                if stopped.wait(pause):
                    return
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
