# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Noticing that another program restarts Kafka nodes: two rolls at the same time could take down two nodes at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from .._errors import RollStuck
from .nodes import (
    Object,
    is_asked,
    is_terminating,
    name_of,
    uid_of,
)


class Others:
    """Remembers every pod that it was shown. A pod that leaves, and that this roll has not deleted, was restarted by
    another program.

    asked: UIDs that this roll is to restart. One of them that is leaving when the roll begins may have been deleted by
    an earlier run that was interrupted; it is only waited for.
    """

    def __init__(self, asked: Iterable[str]) -> None:
        self._asked = frozenset(asked)
        self._ours: set[str] = set()
        self._known: dict[str, str] | None = None

    def restarted_by_us(self, uid: str) -> None:
        self._ours.add(uid)

    def check(self, pods: Iterable[Object]) -> None:
        """Raises RollStuck when another roll is under way."""
        present = {uid_of(pod): pod for pod in pods}
        leaving = {uid for uid, pod in present.items() if is_terminating(pod)}
        if self._known is None:
            self._known = {}
            self._ours |= leaving & self._asked
        for uid, name in self._known.items():
            if uid not in present and uid not in self._ours:
                _stop(f"pod {name} is gone, and not by our doing")
        for uid in sorted(leaving - self._ours):
            _stop(f"pod {name_of(present[uid])} is leaving, and not by our doing")
        self._known = {uid: name_of(pod) for uid, pod in present.items()}

    @staticmethod
    def check_requests(items: Iterable[Object]) -> None:
        """items: pods and StrimziPodSets. Raises RollStuck when the operator has been asked for a roll."""
        for item in items:
            if is_asked(item):
                kind = item.get("kind") or "Pod"
                _stop(
                    f"{kind} {name_of(item)} carries strimzi.io/manual-rolling-update, so the operator will restart it"
                )


def _stop(cause: str) -> NoReturn:
    raise RollStuck(
        "Another roll of the Kafka nodes",
        f"is under way: {cause}",
        "Run the flow again when all nodes are Ready and none is being restarted; pods that were restarted already are not "
        "restarted again.",
    )
