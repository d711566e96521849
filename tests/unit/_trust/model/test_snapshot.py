# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A snapshot knows its pods and listeners by their UID, as it is and after it was changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import CaSecrets

from ..builders import INTERMEDIATE, NEW, OLD, ROOT, a_pod, chain_of, cluster, names_of, others, prepared, secrets

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


def test_what_running_processes_said_can_be_put_aside() -> None:
    asked = cluster(pods=(a_pod("a"),), listeners=(A9090,))
    assert asked.as_stored() == cluster(pods=(a_pod("a"),))
    assert asked.as_stored().listeners_by_uid == {}


@pytest.mark.parametrize(
    ("ca", "projected"),
    [
        (secrets(None), frozenset()),
        (secrets(OLD), names_of(OLD)),
        (secrets(OLD, others=others(NEW)), names_of(OLD, NEW)),
        # A certificate that leads to a root is no anchor, unless it has an entry of its own.
        (secrets(chain_of(INTERMEDIATE, ROOT)), names_of(INTERMEDIATE)),
        (secrets(OLD, prepared=(prepared(NEW),)), names_of(OLD)),
    ],
    ids=["nothing", "one", "two", "a chain", "one that is only prepared"],
)
def test_the_trust_anchors_in_the_certificate_secret(ca: CaSecrets, projected: frozenset[str]) -> None:
    assert ca.projected == projected
    assert cluster().with_ca(current=ca.current, others=ca.others).ca.projected == projected
