# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The CAs before and after a run, and which of the removed ones are still trusted by a pod."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.run import Run
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.times import days_left

Authority = dict[str, Any]

#: RFC 4514: an attribute stands between two commas that are not escaped; an escaped character.
_ATTRIBUTE = re.compile(r"(?:[^,\\]|\\.)+")
_ESCAPED = re.compile(r"\\(.)")


def describe_authorities(run: Run, now: datetime) -> dict[str, Any]:
    """``cas``: of the ledger as it is now. ``removed``: those that this run removed, or that some pod still trusts."""
    before = {ca["sha256"]: ca for ca in run.first["cas"]}
    kept = {ca["sha256"] for ca in run.last["cas"]}
    lingering = {ca["sha256"]: ca for ca in run.last["removed"]}
    gone = {**{sha256: ca for sha256, ca in before.items() if sha256 not in kept}, **lingering}
    trusting = {pod for ca in lingering.values() for pod in ca.get("pods") or []}
    knowing = {pod for ca in lingering.values() for pod in ca.get("lingering") or []}
    return {
        "cas": [{**ca, **_added(ca, before, now)} for ca in run.last["cas"]],
        "removed": [_gone(ca, before, lingering, now) for ca in gone.values()],
        "cas_before": [{**ca, "name": common_name(ca["subject"])} for ca in run.first["cas"]],
        "removed_ca_trusted_by": len(trusting),
        "removed_ca_known_by": sorted(knowing),
    }


def _added(ca: Mapping[str, Any], before: Mapping[str, Authority], now: datetime) -> Authority:
    state = before[ca["sha256"]]["state"] if ca["sha256"] in before else None
    return {
        "name": common_name(ca["subject"]),
        "days_left": days_left(ca.get("not_after"), now),
        "state_before": state,
    }


def _gone(
    ca: Mapping[str, Any], before: Mapping[str, Authority], lingering: Mapping[str, Authority], now: datetime
) -> Authority:
    """Public facts of a CA that left the ledger; ``pods`` trust it until they restart; of the pods in ``lingering``
    every channel but the listeners does.
    """
    facts = {key: ca.get(key) for key in ("subject", "sha256", "fingerprint", "not_before", "not_after")}
    found = lingering.get(ca["sha256"], {})
    left = {key: sorted(found.get(key) or []) for key in ("pods", "lingering")}
    return {**facts, **_added(ca, before, now), "state": None, **left}


def common_name(subject: str) -> str:
    """The common name of an RFC 4514 name as people read it; the whole name when it has none."""
    for attribute in _ATTRIBUTE.findall(subject):
        if attribute.upper().startswith("CN="):
            return _ESCAPED.sub(r"\1", attribute[3:])
    return subject
