# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that nobody needs any more leave the key Secret."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import PreparedAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import TidyKeys
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.base import Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.tidy import tidy

from ..builders import NEW, OLD, RENEWED, THIRD, cluster, names_of, prepared, secrets
from .asking import RECONCILE, situation, turns

NOBODY = frozenset[str]()


def tidied(prepared: frozenset[str], kept: frozenset[str], phase: Phase = Phase.RETIRE) -> Steps:
    return (TidyKeys(prepared=prepared, kept_keys=kept, phase=phase),)


def test_its_turn() -> None:
    """The old key is kept as long as its CA is trusted."""
    assert turns(tidy) == {
        "linked RESUMED": tidied(names_of(NEW), names_of(OLD, NEW)),
        "unlinked RESUMED": tidied(names_of(NEW), names_of(NEW), Phase.USE),
        "unlinked REMOVED": tidied(NOBODY, names_of(OLD)),
        "renewal READ": tidied(names_of(RENEWED), names_of(RENEWED)),
    }


@pytest.mark.parametrize(
    ("kept", "waiting", "expected"),
    [
        pytest.param(names_of(THIRD), (), tidied(NOBODY, names_of(THIRD), Phase.USE), id="of a CA that left"),
        pytest.param(names_of(OLD), (), tidied(NOBODY, names_of(OLD), Phase.USE), id="of the CA in use: it is ca.key"),
        pytest.param(names_of(NEW), (prepared(NEW),), (), id="of a CA that waits"),
        pytest.param(NOBODY, (prepared(NEW),), (), id="a CA that waits"),
        pytest.param(NOBODY, (), (), id="nothing is kept"),
    ],
)
def test_which_keys_are_stale(kept: frozenset[str], waiting: tuple[PreparedAuthority, ...], expected: Steps) -> None:
    assert tidy(situation(cluster(ca=secrets(prepared=waiting, kept_keys=kept)), RECONCILE)) == expected


def test_the_key_of_a_ca_in_use_that_the_books_lack_is_stale() -> None:
    unknown = cluster(ca=secrets(kept_keys=names_of(OLD)), ledger=Ledger())
    assert tidy(situation(unknown, RECONCILE)) == tidied(NOBODY, names_of(OLD), Phase.USE)


def test_before_the_first_ca_nothing_is_stale() -> None:
    assert tidy(situation(cluster(ca=secrets(None, prepared=(prepared(NEW),))))) == ()
