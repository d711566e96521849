# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether running nodes can take a change up without a restart, and what is said where they cannot."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component, InPlace
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.pause import (
    nodes_of,
    why_not_in_place,
    why_not_reloaded,
)

from ....support.intents import changed_intent
from ..builders import PODS, a_pod, cluster, pods, uids_of
from .asking import RECONCILE, situation

LOOKED = "it is unknown whether nodes can be told to read their certificates again."


@pytest.mark.parametrize(
    ("seen", "spread", "reloaded", "in_place"),
    [
        pytest.param(InPlace(), Spread.AUTO, "", "", id="nothing is in the way"),
        pytest.param(InPlace(), Spread.RELOAD, "", "", id="wanted"),
        pytest.param(InPlace(), Spread.RESTART, *["spread=restart asks for it."] * 2, id="not wanted"),
        pytest.param(None, Spread.AUTO, LOOKED, LOOKED, id="nobody looked"),
        pytest.param(InPlace(reload="no."), Spread.AUTO, "no.", "no.", id="nodes cannot be told"),
        pytest.param(InPlace(stamps="never."), Spread.AUTO, "", "never.", id="the operator would restart them anyway"),
        pytest.param(InPlace("no.", "never."), Spread.RELOAD, "no.", "no.", id="both"),
    ],
)
def test_why_not(seen: InPlace | None, spread: Spread, reloaded: str, in_place: str) -> None:
    at = situation(cluster(in_place=seen), changed_intent(RECONCILE, spread=spread))
    assert (why_not_reloaded(at), why_not_in_place(at)) == (reloaded, in_place)


@pytest.mark.parametrize("component", [one for one in Component if one is not Component.KAFKA])
def test_only_nodes_can_read_again(component: Component) -> None:
    snapshot = cluster(pods=(*pods(), a_pod("other", component=component)))
    assert nodes_of(snapshot, snapshot.uids) == uids_of()
    assert nodes_of(snapshot, uids_of(PODS[0]) | {"gone"}) == uids_of(PODS[0])
