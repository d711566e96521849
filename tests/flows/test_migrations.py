# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster moves from one keeper of its CA's key to another, and back; each move costs what docs/migrations.md says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import ExternalIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import LinkIssuer

from ..tools.support.asked_issuers import AskedIssuer, ByVault, asked_issuer
from ..tools.support.authorities import Authority, root
from ..tools.support.fake_vault.server import FakeVault, serving
from ..tools.support.misissuing import Signing
from ..tools.support.watched_cluster import KEYS, WatchedCluster, assert_only
from .cases import roles_together

PAGE = Path(__file__).parents[2] / "docs" / "migrations.md"
_ROW = re.compile(r"^\| (?P<move>[^|]+) \|[^|]*\| (?P<reload>\d) \| (?P<restart>\d) \|", re.MULTILINE)
#: Restarts of each node by the move: where nodes can be told to read again, and where not.
WRITTEN = {row["move"].strip(): (int(row["reload"]), int(row["restart"])) for row in _ROW.finditer(PAGE.read_text())}

pytestmark = pytest.mark.usefixtures("uptake")


@pytest.fixture(params=["cert-manager", *(pytest.param(one, marks=pytest.mark.long) for one in ("external", "vault"))])
def issuer(request: pytest.FixtureRequest, cluster: WatchedCluster) -> Iterator[AskedIssuer]:
    """The issuer that keeps the key of the company's CA."""
    corporate = replace(root("Corporate Root", path_length=0), elsewhere=True)
    with ExitStack() as stack:
        yield stack.enter_context(asked_issuer(request.param, Signing(corporate, cluster.memory, "")))


class Mover:
    """Makes one move after the other, and compares the cost of each with the cost in the documentation."""

    def __init__(self, cluster: WatchedCluster) -> None:
        self.cluster = cluster
        self.moves: list[str] = []

    def by(
        self, move: str, goal: Goal, supplied: Authority | None = None, *, asked: str = "the external issuer", links: LinkIssuer | None = None
    ) -> None:  # fmt: skip
        """asked: the issuer that is asked for leaves; links: the one that is asked for a link certificate."""
        self.cluster.finish(goal, supplied, replaces=self._replaced(goal), external_issuer=asked, link_issuer=links)
        self._made(move)

    def to(self, move: str, issuer: AskedIssuer) -> None:
        self.cluster.issuer, corporate = issuer.settings, issuer.signing.authority
        replaces = self.cluster.current
        for _run in range(3):
            asked = {"external_issuer": issuer.reference, "replaces": replaces}
            if self.cluster.run(Goal.REPLACE_KEY, corporate, **asked).outcome.decision.done:
                break
            issuer.work()
        assert_only(self.cluster, corporate.fingerprint)
        assert b"PRIVATE" not in self.cluster.secret(KEYS)["ca.key"]
        self.cluster.issuer = ExternalIssuer()
        self._made(move)

    def _replaced(self, goal: Goal) -> str | None:
        return self.cluster.current if goal is Goal.REPLACE_KEY else None

    def _made(self, move: str) -> None:
        self.cluster.memory.settle(3)
        assert self.cluster.ready
        assert self.cluster.paid.restarts == WRITTEN[move][0 if self.cluster.nodes else 1], move
        self.cluster.look_away()
        self.moves.append(move)


def test_from_the_operator_to_an_issuer_and_back_to_the_operator(cluster: WatchedCluster, issuer: AskedIssuer) -> None:
    cluster.deploy(roles_together(generated=True))
    cluster.look_away()
    mover = Mover(cluster)
    mover.by("operator → collection", Goal.UPGRADE)
    mover.to("collection → issuer", issuer)
    mover.by("issuer → collection", Goal.REPLACE_KEY)
    assert issuer.left() == []
    mover.by("collection → operator", Goal.DOWNGRADE)


def test_to_a_ca_of_ones_own_and_from_there_to_an_issuer(cluster: WatchedCluster, issuer: AskedIssuer) -> None:
    cluster.create()
    mover, own = Mover(cluster), root("Own Root", path_length=1)
    mover.by("collection → own CA", Goal.REPLACE_KEY, own)
    assert_only(cluster, own.fingerprint)
    mover.to("own CA → issuer", issuer)
    mover.by("issuer → own CA", Goal.REPLACE_KEY, root("Other Own Root"))
    mover.by("own CA → collection", Goal.REPLACE_KEY)


def test_from_vault_to_a_key_of_the_cluster_that_vault_certifies(cluster: WatchedCluster) -> None:
    cluster.create()
    corporate = replace(root("Corporate Root", path_length=1), elsewhere=True)
    with serving(FakeVault()) as vault:
        issuer = ByVault(Signing(corporate, cluster.memory, ""), vault)
        issuer.permit(links=True)
        mover = Mover(cluster)
        mover.to("collection → issuer", issuer)
        cluster.issuer = issuer.settings
        mover.by(
            "Vault → collection, certified by Vault", Goal.REPLACE_KEY, asked=issuer.reference, links=issuer.linker
        )


def test_from_one_ca_in_vault_to_the_next(cluster: WatchedCluster) -> None:
    cluster.create()
    corporate, following = (
        replace(root(name, path_length=1, outlives_rewriting=True), elsewhere=True)
        for name in ("Corporate Root", "Next Root")
    )
    with serving(FakeVault()) as vault:
        issuer = ByVault(Signing(corporate, cluster.memory, ""), vault)
        mover = Mover(cluster)
        mover.to("collection → issuer", issuer)
        issuer.follow(following)
        issuer.permit(links=True)
        cluster.issuer = issuer.settings
        mover.by(
            "Vault → Vault, certified by Vault",
            Goal.REPLACE_KEY,
            following,
            asked=issuer.reference,
            links=issuer.linker,
        )


def test_every_move_on_the_page_is_made_here() -> None:
    source = Path(__file__).read_text()
    assert WRITTEN
    assert all(f'"{move}"' in source for move in WRITTEN)
