# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flow can be undone as long as the CA that it replaces is trusted by everybody and can sign."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.undoing import (
    Obstacle,
    obstacle_to_undoing,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Journal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from .. import linked, renewal
from .. import unlinked as stage
from ..builders import NEW, OLD, a_journal, books_of, names_of

WITHOUT_KEYS = frozenset[str]()


@pytest.mark.parametrize(
    ("snapshot", "journal", "expected"),
    [
        pytest.param(stage.TRUSTED, a_journal(), None, id="before the switch"),
        pytest.param(stage.TRUSTED.with_ca(kept_keys=WITHOUT_KEYS), a_journal(), None, id="its key is in use"),
        pytest.param(stage.SHARED, a_journal(), None, id="after the switch"),
        pytest.param(stage.SHARED.with_ca(kept_keys=WITHOUT_KEYS), a_journal(), Obstacle.KEY, id="no key"),
        pytest.param(stage.SHARED.with_ca(kept_keys=names_of(NEW)), a_journal(), Obstacle.KEY, id="another key"),
        pytest.param(
            stage.SHARED.with_ca(kept_keys=WITHOUT_KEYS, elsewhere=frozenset({OLD.certificate.public_key_sha256})), a_journal(),
            None, id="somebody else keeps its key",
        ),
        pytest.param(stage.WITHDRAWN, a_journal(), Obstacle.LEFT, id="withdrawn"),
        pytest.param(stage.REMOVED, a_journal(), Obstacle.LEFT, id="removed"),
        pytest.param(linked.LEARNED, a_journal(), Obstacle.LEFT, id="it left with the switch"),
        pytest.param(stage.TRUSTED, a_journal(old=None), Obstacle.FIRST, id="the first CA"),
    ],
)  # fmt: skip
def test_what_is_in_the_way(snapshot: Snapshot, journal: Journal, expected: Obstacle | None) -> None:
    assert obstacle_to_undoing(snapshot, journal, books_of(snapshot)) is expected


def test_after_a_renewal_the_key_is_the_same() -> None:
    seen = renewal.PHASED_OUT.with_ca(kept_keys=WITHOUT_KEYS)
    assert seen.ledger is not None
    assert seen.ledger.journal is not None
    assert obstacle_to_undoing(seen, seen.ledger.journal, seen.ledger) is None
