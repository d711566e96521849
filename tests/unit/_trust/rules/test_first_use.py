# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Before the next CA is used: the books say that it is trusted, and clients that nobody can ask had their time."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.base import Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import AwaitClients
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.switch import await_arrival, may_be_used

from ....support.certificates import NOW
from ....support.intents import changed_intent
from .. import linked, unlinked
from ..builders import ANY, HOUR, NEW, OLD, UNTRUSTED, books_of, changed, name_of, names_of
from .asking import REPLACE_KEY, situation, turns

NEW_NAME = named(NEW.certificate)
REFUSED = f"no trusted certificate for {NEW.certificate.subject}, the issuer of the leaf"


def wait(until: timedelta, because: str = "") -> Steps:
    return (AwaitClients(certificate=NEW.certificate, until=NOW + until, because=because),)


#: Two minutes, which a mounted Secret takes.
USUAL = wait(
    timedelta(seconds=120),
    f"Clients that know only the CA in use could refuse {NEW_NAME} ({REFUSED}): they get time to read it first.",
)


def within(grace: timedelta) -> Intent:
    return changed_intent(REPLACE_KEY, client_grace=grace)


def agreed(before: Snapshot, **fields: Any) -> Snapshot:
    """With other fields of the next CA's entry."""
    entry = books_of(before).find(name_of(NEW))
    assert entry is not None
    return replace(before, ledger=books_of(before).with_entry(replace(entry, **fields)))


LINKED_NOW = agreed(linked.TRUSTED, published_at=NOW)


def test_its_turn() -> None:
    assert turns(await_arrival) == {"unlinked PUBLISHED_NOW": USUAL}


@pytest.mark.parametrize(
    ("snapshot", "intent", "expected"),
    [
        pytest.param(unlinked.PUBLISHED_NOW, within(timedelta(0)), (), id="no time is wanted"),
        pytest.param(unlinked.TRUSTED, within(2 * HOUR), wait(HOUR, USUAL[0].because), id="more time is wanted"),
        pytest.param(LINKED_NOW, REPLACE_KEY, (), id="the link serves everybody"),
        pytest.param(LINKED_NOW, within(HOUR), wait(HOUR), id="the link serves everybody, and time is wanted"),
        pytest.param(unlinked.TRUSTED, REPLACE_KEY, (), id="they had their time"),
        pytest.param(agreed(unlinked.PUBLISHED_NOW, state=UNTRUSTED), REPLACE_KEY, (), id="not trusted inside yet"),
        pytest.param(agreed(unlinked.PUBLISHED_NOW, state=ANY), REPLACE_KEY, (), id="in use already"),
        pytest.param(changed(unlinked.PUBLISHED_NOW, pods=()), REPLACE_KEY, (), id="nobody is there to connect to"),
        pytest.param(replace(unlinked.PUBLISHED_NOW, bundle=names_of(OLD)), REPLACE_KEY, (), id="not in the bundle"),
        pytest.param(unlinked.SETTLED, REPLACE_KEY, (), id="no next CA"),
    ],
)
def test_clients_get_time(snapshot: Snapshot, intent: Intent, expected: Steps) -> None:
    at = situation(snapshot, intent)
    assert await_arrival(at) == expected
    if expected and at.successor:
        assert not may_be_used(at, at.successor)


def cleared(ago: timedelta, before: Snapshot = linked.TRUSTED) -> Snapshot:
    """The CA in use was renewed: so long ago clients could read a certificate of it that allows no CA below it for the last time."""
    current = books_of(before).find(name_of(OLD))
    assert current is not None
    return replace(before, ledger=books_of(before).with_entry(replace(current, cleared_at=NOW - ago)))


@pytest.mark.parametrize(
    ("snapshot", "intent", "left"),
    [
        pytest.param(cleared(timedelta()), REPLACE_KEY, timedelta(seconds=120), id="just now"),
        pytest.param(cleared(timedelta(seconds=50)), REPLACE_KEY, timedelta(seconds=70), id="the rest of the time"),
        pytest.param(cleared(timedelta(seconds=120)), REPLACE_KEY, None, id="they had their time"),
        pytest.param(cleared(HOUR), within(3 * HOUR), 2 * HOUR, id="more time is wanted"),
        pytest.param(cleared(timedelta()), within(timedelta(0)), None, id="no time is wanted"),
        pytest.param(changed(cleared(timedelta()), pods=()), REPLACE_KEY, None, id="nobody is there to connect to"),
        pytest.param(cleared(timedelta(), unlinked.TRUSTED), REPLACE_KEY, None, id="nothing leads on from it"),
    ],
)
def test_clients_get_time_to_read_the_renewed_ca_in_use(
    snapshot: Snapshot, intent: Intent, left: timedelta | None
) -> None:
    at = situation(snapshot, intent)
    found = [
        step for step in await_arrival(at) if isinstance(step, AwaitClients) and step.certificate == OLD.certificate
    ]
    assert [step.until - NOW for step in found] == ([] if left is None else [left])
    assert at.successor is not None
    assert left is None or not may_be_used(at, at.successor)


@pytest.mark.parametrize(
    ("snapshot", "may"),
    [
        pytest.param(linked.TRUSTED, True, id="trusted and published"),
        pytest.param(unlinked.PUBLISHED_NOW, False, id="published just now"),
        pytest.param(agreed(linked.TRUSTED, state=UNTRUSTED), False, id="not trusted by the books"),
        pytest.param(replace(linked.TRUSTED, bundle=names_of(OLD)), False, id="not in the bundle"),
        pytest.param(changed(linked.TRUSTED, published=names_of(OLD)), False, id="not in the bundle for clients"),
    ],
)
def test_when_it_may_be_used(snapshot: Snapshot, may: bool) -> None:
    at = situation(snapshot)
    assert at.successor is not None
    assert may_be_used(at, at.successor) is may
