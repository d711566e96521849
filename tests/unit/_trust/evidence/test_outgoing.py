# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that has not read its last certificate presents the one before, until the last of those has ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.parties import (
    known_presenters,
    presenters,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import removal_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import Presenter, Renewal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Outgoing
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ....support.certificates import NOW
from ..builders import DAY, NEW, OLD, a_journal, books_of, changed, name_of, names_of, secrets
from ..of_users import STAGES, presenter, presenting

POD = "Pod kafka/billing"
LATE = presenter(POD, renewal=Renewal.BY_HAND, authorities=names_of(OLD, NEW), reads=f"{POD} orders", why="It is late")
READ = Outgoing(frozenset({LATE.reads}), NOW, switched=True)


def seen(one: Presenter = LATE, outgoing: Outgoing | None = READ, **journal: Any) -> Snapshot:
    stage = STAGES["issued"]
    books = replace(books_of(stage), journal=a_journal(outgoing=outgoing, **journal))
    return changed(stage, ledger=books, presenters=presenting(one, current=NEW))


def holds(snapshot: Snapshot) -> bool:
    """Whether the old CA has to stay for that program."""
    gate = removal_gate(snapshot, books_of(snapshot), name_of(OLD))
    assert any(OLD.certificate.fingerprint in (one.authorities or ()) for one in presenters(snapshot)) is bool(gate)
    return bool(gate)


def test_what_has_ended_holds_nothing() -> None:
    snapshot = seen()
    assert [one.authorities for one in known_presenters(snapshot)] == [names_of(NEW), names_of(NEW)]
    assert not holds(snapshot)


@pytest.mark.parametrize("after", [timedelta(microseconds=1), 2 * DAY])
def test_until_then_it_is_said_how_long_it_holds(after: timedelta) -> None:
    snapshot = seen(outgoing=replace(READ, ends_at=NOW + after))
    assert holds(snapshot)
    *_operator, found = known_presenters(snapshot)
    end = f"{NOW + after:%Y-%m-%dT%H:%M:%SZ}"
    assert found == replace(
        LATE, why=f"It is late; this holds until {end} at most, when the last certificate that it may have has ended"
    )


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(lambda: seen(outgoing=None), id="nothing is known"),
        pytest.param(lambda: seen(outgoing=replace(READ, readers=frozenset({"x"}))), id="it was late already"),
        pytest.param(lambda: seen(outgoing=replace(READ, switched=False)), id="the switch has not been seen"),
        pytest.param(lambda: seen(finished_at=NOW), id="of a flow that has finished"),
        pytest.param(lambda: replace(seen(), ca=secrets(OLD)), id="somebody has put the old one back"),
        pytest.param(lambda: seen(replace(LATE, ends_at=NOW + DAY)), id="it has read one of the old CA since"),
        pytest.param(lambda: seen(replace(LATE, reads="")), id="somebody else writes what it reads"),
    ],
)
def test_what_is_not_known_holds(changed: Callable[[], Snapshot]) -> None:
    snapshot = changed()
    assert known_presenters(snapshot) == snapshot.users.presenters
    assert any(name_of(OLD) in (one.authorities or ()) for one in presenters(snapshot) if one.name == POD)


def test_one_of_which_nothing_can_be_told_holds() -> None:
    unknown = replace(LATE, authorities=None)
    assert known_presenters(seen(unknown))[-1] == unknown


def test_without_a_ledger_nothing_is_known() -> None:
    snapshot = replace(seen(), ledger=None)
    assert known_presenters(snapshot) == snapshot.users.presenters
