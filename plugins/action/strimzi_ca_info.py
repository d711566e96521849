# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

from ansible_collections.trustops.strimzi.plugins.plugin_utils._progress import FollowedModule


class ActionModule(FollowedModule):
    """Shows what the module of the same name does while it works. In check mode it passes the hash of a flow's plan on,
    as ``set_stats`` would: later nodes of a workflow in AWX get it as an extra variable.
    """

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        result = super().run(tmp, task_vars)
        if self._task.check_mode and self._task.args.get("goal") and result.get("plan_hash"):
            data = {"strimzi_plan_hash": result["plan_hash"]}
            result["ansible_stats"] = {"data": data, "per_host": False, "aggregate": False}
        return result
