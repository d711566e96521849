# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CAs of one name: a listener tells the name alone, and a probe tells them apart where the key of the CA is here."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import why_not_told
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ..builders import (
    IMPOSTOR,
    NEW,
    OLD,
    RENEWED,
    books_of,
    cluster,
    entry,
    ledger,
    names_of,
    others,
    prepared,
    secrets,
)

ELSEWHERE = frozenset(one.certificate.public_key_sha256 for one in (OLD, IMPOSTOR))
BESIDE = cluster(ca=secrets(others=others(IMPOSTOR)))
WHY = (
    f"listeners tell the names of the CAs that they trust, {named(OLD.certificate)} has the name of {named(IMPOSTOR.certificate)}, and the key of "
    "the latter is not here for a probe."
)


@pytest.mark.parametrize(
    ("snapshot", "why"),
    [
        pytest.param(BESIDE, WHY, id="its key is not here"),
        pytest.param(BESIDE.with_ca(elsewhere=ELSEWHERE), WHY, id="its key is elsewhere"),
        pytest.param(BESIDE.with_ca(elsewhere=ELSEWHERE, kept_keys=names_of(IMPOSTOR)), WHY, id="a text stands for its key"),
        pytest.param(BESIDE.with_ca(kept_keys=names_of(IMPOSTOR)), "", id="its key is kept beside"),
        pytest.param(BESIDE.with_ca(key=IMPOSTOR.certificate.public_key_sha256), "", id="its key is ca.key"),
        pytest.param(cluster(ca=secrets(prepared=(prepared(OLD),)), ledger=ledger()), WHY, id="the other is prepared"),
        pytest.param(cluster(ca=secrets(NEW), ledger=ledger(entry(OLD))), WHY, id="the other is in the ledger"),
        pytest.param(
            replace(cluster(ca=secrets(NEW)), ledger=replace(books_of(cluster()), entries=(), removed=(RemovedEntry(OLD.certificate, frozenset()),))),
            WHY, id="the other has been removed",
        ),
        pytest.param(cluster(ca=secrets(NEW), ledger=ledger(entry(IMPOSTOR))), "", id="no other has its name"),
    ],
)  # fmt: skip
def test_which_ca_a_name_does_not_tell(snapshot: Snapshot, why: str) -> None:
    assert why_not_told(IMPOSTOR.certificate, snapshot) == why


def test_a_renewal_has_the_same_key() -> None:
    assert why_not_told(RENEWED.certificate, cluster().with_ca(key=None)) == ""
