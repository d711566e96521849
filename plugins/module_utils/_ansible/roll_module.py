# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A module call that restarts pods: those of a flow, or others for a reason of the caller's own."""

from __future__ import annotations

from typing import Any

from .._engine.restart import Chosen, restart
from .._trust.model.snapshot import Component
from .flow_module import FlowModule


class RollModule(FlowModule):
    """A call that restarts pods."""

    def restart(self, reason: str) -> dict[str, Any]:
        """Restart the pods that the options choose, for this reason."""
        self.require_library_of_strategy()
        work = self.work()
        work.tell(f"restarting for this reason: {reason}")
        seen = restart(work, self._chosen(), self.time("since"), lambda: self.take_lease(work.client))
        return self.described(seen)

    def _chosen(self) -> Chosen:
        """The pods that the options choose. An empty list, such as a template may give, chooses none."""
        pods, components = self.params["pods"], self.params["components"]
        if pods is not None:
            return Chosen(pods=frozenset(pods))
        return Chosen(components=frozenset(map(Component, ("kafka",) if components is None else components)))
