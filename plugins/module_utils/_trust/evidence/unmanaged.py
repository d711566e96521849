# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""``custom`` listeners: which CAs they trust is unknown. They never block a flow; the result lists what their owner must do."""

from __future__ import annotations

from ..model.snapshot import Snapshot


def describe_unmanaged_listeners(snapshot: Snapshot) -> tuple[str, ...]:
    """A sentence for each: why it matters, and what its owner has to do."""
    return tuple(
        f"{snapshot.names.kafka}: this collection neither asks nor reloads {listener}, because its owner says whom it trusts: if it verifies "
        f"clients by the {snapshot.names.ca}, have it trust a next CA with another key, by a reload or a restart of its nodes, before the phase use "
        "(until_phase=trust ends before that), or it refuses clients with new certificates; and have it give up the old CA afterwards."
        for listener in snapshot.users.unmanaged
    )
