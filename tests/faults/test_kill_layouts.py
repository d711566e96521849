# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger put into other Secrets, in the middle of a flow, killed before and after each write: no state is ever lost."""

from __future__ import annotations

from functools import partial
from itertools import permutations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Layout

from ..flows.test_layouts import SECRETS
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.watched_cluster import WatchedCluster
from .courses import kill
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
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.PREPARE)
    return cluster


def convert(cluster: WatchedCluster, layout: str | None) -> None:
    wanted = Layout(layout) if layout else None
    assert cluster.run(Goal.RECONCILE, last_phase=Phase.PREPARE, layout=wanted).outcome.decision.done


@pytest.mark.parametrize(("ca", "before", "wanted"), CASES)
def test_killed_anywhere_whichever_layout_counts_then_is_kept(
    ca: CaKind, before: str, wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Alone, and the flow comes to its end in it, where the other one is not asked for again. Where it is, it has every entry."""
    found = set[frozenset[str]]()
    for after in (False, True):
        cluster = begin(monkeypatch, ca, before)
        killed = kill(
            cluster, range(1, 100), partial(convert, cluster, wanted), partial(go_on, cluster, wanted, cluster.ledger), after=after
        )  # fmt: skip
        found |= {*killed.values(), go_on(cluster, wanted, cluster.ledger)}
    assert found == {frozenset(SECRETS[Layout(one)]) for one in (before, wanted)}


def go_on(cluster: WatchedCluster, wanted: str, entries: dict[str, bytes]) -> frozenset[str]:
    """The Secrets that the ledger is kept in where its layout is not asked for again."""
    assert cluster.ledger == entries
    start = cluster.memory.moment()
    convert(cluster, wanted)
    assert (cluster.ledgers, cluster.ledger) == (SECRETS[Layout(wanted)], entries)
    cluster.memory.go_to(start)
    cluster.checker.go_on_from_here()
    convert(cluster, None)
    kept = frozenset(cluster.ledgers)
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.ledgers == kept
    return kept
