# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The facts about a flow: the content of report.json, from the results of the modules that it called."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.authorities import describe_authorities
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.channels import describe_channels, describe_proof
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.parties import describe_pods
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.rolls import describe_rolls
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.run import CHANGES, Run
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.stages import describe_phases
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.times import seconds_between
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.users import describe_users

#: The version of the structure; it is raised when a key changes its meaning or goes away.
SCHEMA = 2


def facts_of(run: Run, now: datetime) -> dict[str, Any]:
    """``now``: the end of the run, and what days left count from."""
    worked = round(sum(step["seconds"] for step in run.steps), 1)
    authorities, channels = describe_authorities(run, now), describe_channels(run)
    return {
        "schema": SCHEMA,
        "cluster": run.last["cluster"],
        "goal": run.goal,
        "ca": run.ca,
        "check_mode": run.check_mode,
        "done": run.done,
        "result": run.result,
        "started_at": run.began_at,
        "finished_at": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "seconds": seconds_between(run.began_at, now) if run.began_at else worked,
        "worked_seconds": worked,
        "writes": sum(action["verb"] in CHANGES for action in run.actions),
        **describe_rolls(run),
        **authorities,
        **describe_pods(run),
        **channels,
        "proof": describe_proof(channels["channels"], authorities["removed"]),
        "outside": run.last["outside"],
        "unmanaged": run.last["unmanaged"],
        "presenters": run.last["presenters"],
        "users": describe_users(run.users),
        "leaves": run.last["leaves"],
        "leaves_before": run.first["leaves"],
        "phases": describe_phases(run),
        "plan": run.plan,
        "planned_rolls": run.planned_rolls,
        "planned_restarts": sum(len(step["restarts"]) for step in run.plan),
        "pending": list(run.last.get("pending") or []),
        "waiting": list(run.last.get("waiting") or []),
        "violations": run.violations,
        "failure": run.failure,
        "journal": run.last.get("journal"),
        "steps": run.steps,
    }
