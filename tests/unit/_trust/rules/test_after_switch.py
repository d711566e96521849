# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients that know only the replaced CA: they get time after the switch where nodes lead them on from memory, and the plan says who is refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Journal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaUsers,
    InPlaceObstacles,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Reload, Roll
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import AwaitClients
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.retire import forget_removed_authorities
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.switch import (
    await_readers,
    describe_refused_clients,
)

from ....tools.support.certificates import NOW, make
from ....tools.support.golden import GoldenFiles
from ....tools.support.intents import changed_intent
from .. import linked, renewal
from ..authorities import NEW, OLD, SHORT, chain_of, link_of
from ..builders import PAUSED, changed, prepared, secrets
from ..ledgers import a_journal
from .asking import REPLACE_KEY, situation

MINUTE = timedelta(minutes=1)
IN_PLACE = {"in_place_obstacles": InPlaceObstacles()}


def reading(since: Journal | None, before: Snapshot = linked.TIDIED, **fields: Any) -> Snapshot:
    """After the switch, with this journal."""
    return changed(before, ledger=replace(before.ledger_or_empty, journal=since), **{**IN_PLACE, **fields})


def since(minutes: int, **fields: Any) -> Journal:
    return a_journal(read_since=NOW - minutes * MINUTE, **fields)


def until(minutes: int) -> Steps:
    return (AwaitClients(certificate=NEW.certificate, earliest_use=NOW + minutes * MINUTE, phase=Phase.RETIRE),)


@pytest.mark.parametrize(
    ("snapshot", "intent", "expected"),
    [
        pytest.param(reading(since(1)), REPLACE_KEY, until(1), id="what a mounted Secret takes"),
        pytest.param(reading(since(2)), REPLACE_KEY, (), id="it is over"),
        pytest.param(reading(since(10)), REPLACE_KEY, (), id="it has been over for long"),
        pytest.param(
            reading(since(2)), changed_intent(REPLACE_KEY, client_grace=10 * MINUTE), until(8), id="more is wanted"
        ),
        pytest.param(reading(since(0)), changed_intent(REPLACE_KEY, client_grace=0 * MINUTE), (), id="none is wanted"),
        pytest.param(reading(since(1)), Intent(Goal.RECONCILE), until(1), id="whatever the run is for"),
        pytest.param(reading(a_journal()), REPLACE_KEY, (), id="nodes lead from their Secrets"),
        pytest.param(reading(since(1, finished_at=NOW)), REPLACE_KEY, (), id="the flow has finished"),
        pytest.param(reading(None), REPLACE_KEY, (), id="no flow"),
        pytest.param(reading(since(1), reconciliation=PAUSED), REPLACE_KEY, (), id="a pause is not made longer"),
        pytest.param(reading(since(1), pods=()), REPLACE_KEY, (), id="there is no node to connect to"),
        pytest.param(reading(since(1), ca=secrets(None)), REPLACE_KEY, (), id="no CA"),
    ],
)
def test_clients_get_time_to_read_the_ca_in_use(snapshot: Snapshot, intent: Intent, expected: Steps) -> None:
    assert await_readers(situation(snapshot, intent)) == expected


@pytest.mark.parametrize(
    ("in_place", "then"),
    [(InPlaceObstacles(), Reload), (InPlaceObstacles(reload="no Kafka library."), Roll)],
    ids=["reload", "restart"],
)
def test_nodes_go_on_from_memory_until_then(in_place: InPlaceObstacles, then: type) -> None:
    """All know the CA that has left."""
    known = changed(linked.TIDIED, pods=linked.USED.nodes.pods, in_place_obstacles=in_place)
    assert forget_removed_authorities(situation(reading(since(1), known, in_place_obstacles=in_place))) == until(1)
    (step,) = forget_removed_authorities(situation(reading(since(2), known, in_place_obstacles=in_place)))
    assert isinstance(step, then)


FORTH, BACK = link_of(NEW, OLD), link_of(OLD, NEW)
BRIEF = make("cluster-ca v0", OLD.key, NEW, end=NOW + 10 * MINUTE).certificate
BRIEF_FORTH = make("cluster-ca v1", NEW.key, OLD, path_length=0, end=NOW + 10 * MINUTE).certificate


def with_links(*links: Any, **fields: Any) -> Snapshot:
    return changed(linked.ALONE.with_ca(prepared=(prepared(NEW, *links),)), **{**IN_PLACE, **fields})


def elsewhere(before: Snapshot) -> Snapshot:
    (waits,) = before.ca.prepared
    return before.with_ca(prepared=(replace(waits, key_is_elsewhere=True),))


@pytest.mark.parametrize(
    ("snapshot", "end"),
    [
        pytest.param(with_links(FORTH, BACK), min(FORTH.not_after, BACK.not_after), id="both link certificates"),
        pytest.param(
            with_links(BRIEF_FORTH, BACK), BRIEF_FORTH.not_after, id="the certificate of the next CA ends first"
        ),
        pytest.param(with_links(FORTH, BRIEF), BRIEF.not_after, id="until the caller says"),
        pytest.param(elsewhere(with_links(FORTH)), None, id="one link certificate"),
        pytest.param(
            elsewhere(with_links(FORTH, in_place_obstacles=InPlaceObstacles(stamps="no permission."))),
            None,
            id="one link certificate, and nodes restart",
        ),
        pytest.param(
            with_links(FORTH, BACK, now=BACK.not_after - MINUTE).with_ca(prepared=(prepared(NEW, FORTH, BRIEF),)),
            BRIEF.not_after,
            id="the time is over",
        ),
        pytest.param(with_links(), None, id="none"),
    ],
)
def test_the_plan_says_who_is_refused_after_the_switch(
    snapshot: Snapshot, end: datetime | None, golden: GoldenFiles
) -> None:
    at = situation(snapshot)
    assert at.successor is not None
    sentence = describe_refused_clients(at, at.successor)
    assert end is None or f"{end:%Y-%m-%d %H:%M}" in sentence
    golden.compare_said("steps", sentence, golden.row)


def test_only_jvms_are_led_on_from_a_ca_with_path_length_0(golden: GoldenFiles) -> None:
    """Clients got no time to read the CA after its renewal."""
    snapshot = with_links(link_of(NEW, SHORT), link_of(SHORT, NEW)).with_ca(current=chain_of(SHORT))
    at = situation(snapshot)
    assert at.successor is not None
    golden.compare_said("steps", describe_refused_clients(at, at.successor))


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(with_links(FORTH, BACK, pods=()), id="there is no node to connect to"),
        pytest.param(with_links(FORTH, BACK, users=CaUsers()), id="leaves are sent alone"),
        pytest.param(with_links(FORTH, BACK, ledger=replace(linked.ALONE.ledger_or_empty, journal=None)), id="no flow"),
        pytest.param(
            with_links(FORTH, BACK, ledger=replace(linked.ALONE.ledger_or_empty, journal=a_journal(is_abort=True))), id="on the way back",
        ),
        pytest.param(renewal.HALTED, id="the key stays"),
    ],
)  # fmt: skip
def test_the_plan_names_no_refused_client_where_none_could_be_refused(snapshot: Snapshot) -> None:
    at = situation(snapshot)
    successor = at.successor or situation(with_links(FORTH)).successor
    assert successor is not None
    assert describe_refused_clients(at, successor) == ""
