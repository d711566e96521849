# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger put into other Secrets, in the middle of a flow, killed before and after each write: no state is ever lost."""

from __future__ import annotations

from itertools import permutations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Layout

from ..flows.test_layouts import SECRETS
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.watched_cluster import WatchedCluster
from .stories import have_fast_keys

PAIRS = [(one.value, two.value) for one, two in permutations(Layout, 2)]


#: Of the clients CA as well; there in one direction, and in the others where there is more time.
CASES = [
    *(pytest.param(CaKind.CLUSTER, *pair, id="-".join(("cluster", *pair))) for pair in PAIRS),
    *(
        pytest.param(CaKind.CLIENTS, *pair, id="-".join(("clients", *pair)), marks=() if pair == ("single", "split") else pytest.mark.long)
        for pair in PAIRS
    ),
]  # fmt: skip


def begin(patch: pytest.MonkeyPatch, ca: CaKind, layout: str) -> WatchedCluster:
    """Two CAs are trusted, and a flow is in flight."""
    cluster = ClientsCluster() if ca is CaKind.CLIENTS else WatchedCluster()
    have_fast_keys(cluster, patch)
    if isinstance(cluster, ClientsCluster):
        cluster.begin()
        assert cluster.run(Goal.RECONCILE).outcome.decision.done
    else:
        cluster.create()
    convert(cluster, layout)
    cluster.run(Goal.REPLACE_KEY, until=Phase.PREPARE)
    return cluster


def convert(cluster: WatchedCluster, layout: str | None) -> None:
    wanted = Layout(layout) if layout else None
    assert cluster.run(Goal.RECONCILE, until=Phase.PREPARE, layout=wanted).outcome.decision.done


def killed(cluster: WatchedCluster, layout: str, number: int, after: bool) -> bool:
    """Whether there is a write of this number."""
    transport = cluster.permitted = KillingTransport(cluster.memory.api, number, after)
    try:
        convert(cluster, layout)
    except Killed:
        return True
    finally:
        cluster.permitted = cluster.memory.api
        assert transport.unconditional == []
    return False


@pytest.mark.parametrize("after", [True, False])
@pytest.mark.parametrize(("ca", "before", "wanted"), CASES)
def test_killed_anywhere_and_asked_for_again(
    ca: CaKind, before: str, wanted: str, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = 1
    while True:
        cluster = begin(monkeypatch, ca, before)
        entries = cluster.ledger
        if not killed(cluster, wanted, number, after):
            break
        assert cluster.ledger == entries
        convert(cluster, wanted)
        assert (cluster.ledgers, cluster.ledger) == (SECRETS[Layout(wanted)], entries)
        number += 1
    assert number > 2


@pytest.mark.parametrize(("ca", "before", "wanted"), CASES)
def test_killed_anywhere_and_never_asked_for_again(
    ca: CaKind, before: str, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of the two layouts counts then is kept, alone, and the flow comes to its end in it."""
    found = set()
    for after in (False, True):
        number = 1
        while True:
            cluster = begin(monkeypatch, ca, before)
            if not killed(cluster, wanted, number, after):
                break
            convert(cluster, None)
            kept = frozenset(cluster.ledgers)
            cluster.finish(Goal.REPLACE_KEY)
            assert cluster.ledgers == kept
            found.add(kept)
            number += 1
    assert found == {frozenset(SECRETS[Layout(one)]) for one in (before, wanted)}
