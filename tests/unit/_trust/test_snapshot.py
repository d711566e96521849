# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a snapshot knows of its pods and listeners by their UID, as it is and after it was changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.observed import ObservedListener

from .builders import a_pod, cluster

A9090, A9091, B9090 = (
    ObservedListener("a", "1", 9090),
    ObservedListener("a", "1", 9091),
    ObservedListener("b", "2", 9090),
)


@pytest.mark.parametrize(
    ("listeners", "known"),
    [
        (None, {}),
        ((), {}),
        ((A9090, A9091, B9090), {"1": (A9090, A9091), "2": (B9090,)}),
        ((A9091, B9090, A9090), {"1": (A9091, A9090), "2": (B9090,)}),
    ],
    ids=["nobody looked", "nothing seen", "together", "apart"],
)
def test_listeners_by_uid(
    listeners: tuple[ObservedListener, ...] | None, known: dict[str, tuple[ObservedListener, ...]]
) -> None:
    assert cluster(listeners=listeners).listeners_by_uid == known


def test_another_snapshot_does_not_keep_what_this_one_knew() -> None:
    before = cluster(pods=(a_pod("a"),), listeners=(A9090,))
    assert (before.uids, set(before.listeners_by_uid)) == ({a_pod("a").uid}, {"1"})
    after = replace(before, pods=(a_pod("b"),), listeners=(B9090,))
    assert (after.uids, set(after.listeners_by_uid)) == ({a_pod("b").uid}, {"2"})
