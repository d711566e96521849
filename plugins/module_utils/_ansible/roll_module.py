# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A module call that restarts pods: those of a flow, or others for a reason of the caller's own."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from .._engine.restart import Chosen, restart
from .._trust.model.snapshot import Component
from .flow_module import FlowModule
from .module import SystemClock
from .times import time_text

#: How much the clock of a time's writer may be ahead of the one here.
CLOCKS_DIFFER = timedelta(minutes=5)


class RollModule(FlowModule):
    """A call that restarts pods."""

    def restart(self, reason: str) -> dict[str, Any]:
        """Restart the pods that the options choose, for this reason."""
        self.require_library_of_strategy()
        work = self.work()
        work.tell(f"restarting for this reason: {reason}")
        seen = restart(
            work, self._chosen(), self._since(), lambda: self.take_lease(work.client),
            ignores_windows=self.params["ignore_maintenance_windows"],
        )  # fmt: skip
        return self.described(seen)

    def _since(self) -> datetime | None:
        since = self.time("since")
        if since is not None and since > SystemClock().now() + CLOCKS_DIFFER:
            self.fail(
                f"since: {time_text(since)} is still to come. Pods that this task makes would be older than that, and the same task would "
                "restart them again. Give a time that is over."
            )
        return since

    def _chosen(self) -> Chosen:
        """The pods that the options choose. An empty list, such as a template may give, chooses none."""
        pods, components = self.params["pods"], self.params["components"]
        if pods is not None:
            return Chosen(pods=frozenset(pods))
        return Chosen(components=frozenset(map(Component, ("kafka",) if components is None else components)))
