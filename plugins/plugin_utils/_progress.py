# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The progress of a module while it works, in lines for a terminal and a log of AWX alike."""

from __future__ import annotations

import json
import os
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

display = Display()

#: Seconds between looks at the progress file.
LOOK = 0.2
#: Seconds without a line. Then a sign of life says in full what the module is at.
HEARTBEAT = 30.0
#: Seconds between later, short signs of life, as long as the module is at the same work.
SHORT_HEARTBEAT = 120.0

#: The page with an entry for each condition that holds a flow.
RUNBOOK = "docs/stops.md"


def with_runbook(result: dict[str, Any]) -> dict[str, Any]:
    """The result. If the call was held, its message ends with the names of the conditions in the runbook."""
    conditions = list(dict.fromkeys(violation["gate"] for violation in result.get("violations") or ()))
    if not (result.get("failed") and conditions):
        return result
    return {**result, "msg": f"{result['msg']} {RUNBOOK}: {', '.join(conditions)}"}


class FollowedModule(ActionBase):  # type: ignore[misc]  # ansible-core has no types
    """Runs the module of the same name and shows its progress while it works.

    The module appends entries to a file, one JSON object in a line. That works if it runs on this machine, as it
    normally does. Elsewhere the module works just as well, silently.
    """

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        super().run(tmp, task_vars)
        arguments = dict(self._task.args)
        handle, path = tempfile.mkstemp(prefix="strimzi.")
        os.close(handle)
        finished = threading.Event()
        hosts = (task_vars or {}).get("ansible_play_hosts_all") or ()
        # Clusters of several contexts can have one name; the names of their hosts differ.
        cluster = f"{arguments.get('namespace')}/{arguments.get('cluster')}"
        name = str((task_vars or {})["inventory_hostname"]) if len(hosts) > 1 else cluster
        teller = threading.Thread(target=self._tell, args=(path, name, finished), daemon=True)
        teller.start()
        try:
            if self._connection.transport == "local":
                arguments["progress_file"] = path
            result: dict[str, Any] = self._execute_module(
                self._task.resolved_action, module_args=arguments, task_vars=task_vars
            )
            return with_runbook(result)
        finally:
            finished.set()
            teller.join()
            os.unlink(path)

    @staticmethod
    def _tell(path: str, name: str, finished: threading.Event) -> None:
        """Show each new line at once, after the name of the cluster or its host, and a sign of life if there was none
        for a while.
        """
        last, doing = time.monotonic(), _Doing("look at the cluster", "", time.monotonic())
        with open(path, encoding="utf-8") as progress:
            while True:
                ended = finished.is_set()
                for entry in _entries(progress):
                    if "line" in entry:
                        display.display(f"[{name}] {entry['line']}")
                        last = time.monotonic()
                    else:
                        doing = doing.followed_by(entry["begins"], entry["awaited"], is_shown=entry["is_shown"])
                if ended:
                    return
                now = time.monotonic()
                if now - last >= doing.heartbeat:
                    last = now
                    display.display(f"[{name}] {doing.sign_of_life(now)}")
                finished.wait(LOOK)


def _entries(progress: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The entries that the module has appended since the last look."""
    for line in progress:
        yield json.loads(line)


@dataclass
class _Doing:
    """The present work of the module."""

    #: The work, as a sentence.
    sentence: str
    #: The object of its wait, in a few words; empty if it waits for nothing but its own work.
    awaited: str
    #: The beginning of this work, in seconds of the monotonic clock.
    since: float
    #: Whether a line has shown the sentence.
    is_shown: bool = False

    @property
    def heartbeat(self) -> float:
        """Seconds without a line after which a sign of life is due."""
        return SHORT_HEARTBEAT if self.is_shown else HEARTBEAT

    def followed_by(self, sentence: str, awaited: str, *, is_shown: bool) -> _Doing:
        """The next work. A wait for the same object goes on, whatever has changed in its details."""
        is_same = awaited == self.awaited and (bool(awaited) or sentence == self.sentence)
        if is_same:
            return replace(self, is_shown=self.is_shown or is_shown)
        return _Doing(sentence, awaited, time.monotonic(), is_shown)

    def sign_of_life(self, now: float) -> str:
        """The sentence once, then a short form of it."""
        if not self.is_shown:
            self.is_shown = True
            return f"still waiting, {now - self.since:.0f} s so far: {self.sentence}"
        minutes = f"{max(now - self.since, 60) / 60:.0f} min"
        return f"… still waiting for {self.awaited} ({minutes})" if self.awaited else f"… still at work ({minutes})"
