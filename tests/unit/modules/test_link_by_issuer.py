# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A call that leaves a CA in Vault: the issuer that it names is asked for the link certificate, and a refusal is a warning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from ...tools.support.asked_issuers import ByVault
from ...tools.support.authorities import root
from ...tools.support.fake_vault.server import FakeVault, serving
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.misissuing import Signing
from . import stages
from .running import Ended, call

CORPORATE, FOLLOWING = (
    replace(root(name, path_length=1, outlives_rewriting=True), elsewhere=True)
    for name in ("Corporate Root", "Next Root")
)


def replaced(memory: MemoryCluster, issuer: ByVault, **options: Any) -> Ended:
    one = issuer.settings
    named = {
        "type": "vault",
        "url": one.url,
        "mount": one.mount,
        "role": one.role,
        "name": one.issuer_ref,
        "linked_by": one.linked_by,
    }
    ended = call(
        "strimzi_ca", memory, state="replaced", issuer={**named, "login": {"type": "token", "token": issuer.token}}, fresh_for_hours=0,
        client_grace=0, spare_leaves=0, **options,
    )  # fmt: skip
    assert not ended.failed, ended.result.get("msg")
    assert issuer.token not in ended.output
    return ended


def told_of_links(ended: Ended) -> list[str]:
    return [one for one in ended.warnings if "link certificate" in one]


@pytest.fixture
def left() -> Iterator[tuple[MemoryCluster, ByVault]]:
    """A cluster whose CA is in Vault."""
    memory = stages.managed()
    with serving(FakeVault()) as vault:
        issuer = ByVault(Signing(CORPORATE, memory, ""), vault)
        issuer.permit(links=True)
        moved = replaced(memory, issuer, certificate=CORPORATE.pem.decode())
        # It has certified the CA before.
        assert (told_of_links(moved), issuer.certified) == ([], 1)
        issuer.permit()
        vault.seen.clear()
        yield memory, issuer


def test_the_issuer_is_asked(left: tuple[MemoryCluster, ByVault]) -> None:
    memory, issuer = left
    issuer.permit(links=True)
    planned = replaced(memory, issuer, check=True)
    assert f"signed by {issuer.reference}" in str(planned.result["plan"])
    assert issuer.certified == 0
    ended = replaced(memory, issuer)
    assert (told_of_links(ended), issuer.certified) == ([], 1)


def test_a_missing_permission_is_a_warning_with_the_rule_that_is_missing(
    left: tuple[MemoryCluster, ByVault], golden: GoldenFiles
) -> None:
    memory, issuer = left
    (warning,) = told_of_links(replaced(memory, issuer))
    golden.compare_said("calls", warning)


def test_the_next_ca_that_vault_keeps_too_is_certified_by_the_one_in_use(left: tuple[MemoryCluster, ByVault]) -> None:
    memory, issuer = left
    issuer.follow(FOLLOWING)
    issuer.permit(links=True)
    planned = replaced(memory, issuer, certificate=FOLLOWING.pem.decode(), check=True)
    assert issuer.reference in str(planned.result["plan"])
    assert issuer.certified == 0
    ended = replaced(memory, issuer, certificate=FOLLOWING.pem.decode())
    assert (told_of_links(ended), issuer.certified) == ([], 2)


def test_an_issuer_that_certifies_no_cas_is_not_asked(left: tuple[MemoryCluster, ByVault]) -> None:
    memory, issuer = left
    ended = call("strimzi_ca", memory, state="replaced", fresh_for_hours=0, client_grace=0, spare_leaves=0)
    assert (ended.failed, told_of_links(ended), issuer.certified) == (False, [], 0)
