# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A replacement whose link certificate Vault signs, killed around that moment, then run again: same end, same restarts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing import links
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.kinds import issuer_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.operator import clusters
from ..tools.support.asked_issuers import ByVault
from ..tools.support.authorities import Authority, root
from ..tools.support.fake_vault.server import FakeVault, serving
from ..tools.support.killing import IssuerCalls, Killed, KillingTransport
from ..tools.support.misissuing import Signing
from ..tools.support.watched_cluster import CLUSTER, KEYS, NAMESPACE, WatchedCluster, assert_only
from .stories import have_fast_keys


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[WatchedCluster, ByVault]]:
    """A cluster whose CA Vault keeps."""
    cluster, corporate = (
        WatchedCluster(),
        replace(root("Corporate Root", path_length=1, outlives_rewriting=True), elsewhere=True),
    )
    have_fast_keys(cluster, monkeypatch)
    with serving(FakeVault()) as vault:
        issuer = ByVault(Signing(corporate, cluster.memory, ""), vault)
        issuer.permit(links=True)
        cluster.create(manifests=clusters.dual_role(CLUSTER, NAMESPACE, replicas=2))
        cluster.issuer = issuer.settings
        cluster.finish(Goal.REPLACE_KEY, corporate, external_issuer=issuer.reference)
        cluster.look_away()
        yield cluster, issuer


def replaced(cluster: WatchedCluster, issuer: ByVault, old: str, supplied: Authority | None = None) -> None:
    cluster.finish(
        Goal.REPLACE_KEY, supplied, external_issuer=issuer.reference, link_issuer=issuer.linker, replaces=old
    )


def killed(cluster: WatchedCluster, issuer: ByVault, old: str, supplied: Authority | None = None) -> None:
    with pytest.raises(Killed):
        replaced(cluster, issuer, old, supplied)


@pytest.mark.parametrize(
    ("at", "after"), [(1, False), (1, True), (2, True)], ids=["before", "after", "after the way back"]
)
def test_killed_at_the_call(
    kept: tuple[WatchedCluster, ByVault], at: int, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The link certificate that Vault had signed is of a key that is gone: Vault signs another one, for another key. Of a CA that it keeps too it signs
    two, and both once more.
    """
    cluster, issuer = kept
    supplied = replace(root("Next Root", outlives_rewriting=True), elsewhere=True) if at == 2 else None
    if supplied is not None:
        issuer.follow(supplied)
        issuer.permit(links=True)
        cluster.issuer = issuer.settings
    old, guard = cluster.current, KillingTransport(cluster.memory.api)
    cluster.permitted = guard
    calls = IssuerCalls(guard, at, after)
    monkeypatch.setattr(links, "issuer_of", lambda work: calls.through(issuer_of(work)))
    killed(cluster, issuer, old, supplied)
    assert calls.made == ["link"] * at
    assert set(cluster.secret(KEYS)) == {"ca.key"}
    guard.killed, calls.at = False, None
    replaced(cluster, issuer, old, supplied)
    assert (cluster.paid, issuer.certified) == (cluster.cost(Goal.REPLACE_KEY), at * (1 + after))
    assert_only(cluster, cluster.current)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_the_write(kept: tuple[WatchedCluster, ByVault], after: bool) -> None:
    """With the write the link is in the cluster, and the issuer is not asked again."""
    cluster, issuer = kept
    old, guard = cluster.current, _AtTheLink(cluster.memory.api, after=after)
    cluster.permitted = guard
    killed(cluster, issuer, old)
    assert any(key.endswith(".link.crt") for key in cluster.secret(KEYS)) is after
    cluster.permitted = KillingTransport(cluster.memory.api)
    replaced(cluster, issuer, old)
    assert (cluster.paid, issuer.certified) == (cluster.cost(Goal.REPLACE_KEY), 2 - after)
    assert_only(cluster, cluster.current)


class _AtTheLink(KillingTransport):
    """Ends at the write that has the link in it."""

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        entries = (arguments.get("body") or {}).get("data") or {}
        if any(key.endswith(".link.crt") for key in entries):
            self.at = self.writes + 1
        return super().request(method, path, **arguments)
