# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Waivers: the only way past an outside client that cannot be seen. Each names one client, ends, and says why.

Processes of the cluster itself cannot be waived: a waiver is looked for among outside clients only.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model.clients import LONGEST_WAIVER, Waiver
from ..model.intent import Intent
from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation


def waivers_hold(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Precondition: every waiver that is given names an outside client, has a reason, and ends neither before now nor
    too late."""
    for waiver in snapshot.outside.waivers:
        for message, remedy in _problems(waiver, snapshot):
            yield Violation(Condition.WAIVERS_HOLD, f"the waiver for {waiver.client}", message, remedy)


def _problems(waiver: Waiver, snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    ended, latest = waiver.until <= snapshot.now, snapshot.now + LONGEST_WAIVER
    if _is_of_the_cluster(waiver.client, snapshot):
        yield (
            "names a part of the cluster; only clients outside of it can be waived.",
            "Take it out; what a process of the cluster lacks is brought to it by a restart.",
        )
    if not waiver.reason.strip():
        yield "has no reason.", "Say who decided it and why, for the audit."
    if ended:
        yield (
            f"ended on {waiver.until:%Y-%m-%d %H:%M} UTC.",
            "Bring the client to trust the new CA and take the waiver out, or decide anew until when it holds.",
        )
    if waiver.until > latest:
        yield (
            f"ends on {waiver.until:%Y-%m-%d %H:%M} UTC, more than {LONGEST_WAIVER.days} days from now.",
            f"Give a time until {latest:%Y-%m-%d %H:%M} UTC at most.",
        )


def _is_of_the_cluster(client: str, snapshot: Snapshot) -> bool:
    pods = {pod.name for pod in snapshot.nodes.pods}
    names = {f"{snapshot.names.namespace}/{pod}" for pod in pods} | pods
    kind, _space, name = client.partition(" ")
    return client == "the Cluster Operator" or (kind.lower() == "pod" and name in names) or client in names
