# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The message while a flow waits for nothing but the next restart of its processes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.holds import describe_held_authorities

from .. import patient
from ..builders import OLD, PODS, a_journal, books_of, cluster
from .asking import situation

OLD_NAME = named(OLD.certificate)
STAYS = f"{OLD_NAME} stays trusted until these have restarted for any reason"
BY = f", on {patient.RETIRE_BY:%Y-%m-%d} at the latest"
WAITING = patient.WAITING


def known(**changes: Any) -> Snapshot:
    books = books_of(WAITING)
    return replace(WAITING, ledger=replace(books, **changes))


@pytest.mark.parametrize(
    ("snapshot", "told"),
    [
        pytest.param(WAITING, f"{STAYS}{BY}: {', '.join(PODS)}", id="all nodes, and until when"),
        pytest.param(patient.HALF_WAITING, f"{STAYS}{BY}: {', '.join(PODS[1:])}", id="those that are left"),
        pytest.param(patient.ALL_RESTARTED, "", id="nobody"),
        pytest.param(known(held=()), "", id="nobody holds a leaf"),
        pytest.param(known(journal=a_journal()), "", id="the CA leaves at once"),
        pytest.param(known(entries=books_of(WAITING).entries[1:]), "", id="the CA has left"),
        pytest.param(cluster(), "", id="no flow"),
    ],
)
def test_what_is_still_held(snapshot: Snapshot, told: str) -> None:
    assert describe_held_authorities(situation(snapshot)) == ((told,) if told else ())
