# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients outside the cluster get time to read a CA before it is used, and none a certificate under the name of a process of the cluster."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.clients import (
    MOUNTED_SECRET,
    describe_clients_left_behind,
    describe_possible_refusals,
    link_followed_since,
    namesakes,
    renewed_arrives_at,
    usable_from,
    why_refused_by_strangers,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ....tools.support.certificates import NOW, Entity, key, make
from .. import linked
from ..builders import (
    DAY,
    HOUR,
    INTERMEDIATE,
    NEW,
    OLD,
    RENEWED,
    ROOT,
    SHORT,
    THIRD,
    books_of,
    chain_of,
    cluster,
    entry,
    ledger,
    linked_form,
    others,
    secrets,
)
from ..of_users import users

LONG = make("cluster-ca v0", key(0))
ONE_BELOW = f"{SHORT.certificate.subject} allows 0 CAs below it (path length constraint), and there are 1"
STRANGE = f"no trusted certificate for {NEW.certificate.subject}, the issuer of the leaf"


@pytest.mark.parametrize(
    ("current", "form", "why"),
    [
        pytest.param(OLD, linked_form(NEW, OLD), "", id="linked, and the CA in use allows one below it"),
        pytest.param(LONG, linked_form(NEW, LONG), "", id="linked, and the CA in use says nothing about it"),
        pytest.param(SHORT, linked_form(NEW, SHORT), ONE_BELOW, id="linked, and the CA in use allows none"),
        pytest.param(OLD, chain_of(NEW), STRANGE, id="a new key without a link"),
        pytest.param(OLD, chain_of(RENEWED), "", id="a renewal"),
    ],
)
def test_where_clients_that_know_only_the_ca_in_use_could_refuse_the_next(
    current: Entity, form: Chain, why: str
) -> None:
    """A single kind of verifier that could refuse it is enough. A renewal validates by name and key."""
    snapshot = cluster(ca=secrets(current))
    assert why_refused_by_strangers(form, snapshot) == why
    waits = MOUNTED_SECRET if why else timedelta()
    assert usable_from(entry(NEW, published_at=NOW), form, snapshot, None) == NOW + waits


def test_who_knows_the_ca_in_use_need_not_know_the_root_above_it() -> None:
    """OpenSSL looks for a root unless it is told otherwise, so such a client could refuse any leaf of an intermediate CA."""
    snapshot = cluster(ca=secrets(chain_of(INTERMEDIATE, ROOT)))
    assert why_refused_by_strangers(chain_of(INTERMEDIATE, ROOT), snapshot).startswith(
        f"no trusted certificate for {ROOT.certificate.subject}"
    )


@pytest.mark.parametrize("current", [OLD, SHORT])
@pytest.mark.parametrize("grace", [timedelta(), timedelta(seconds=7), DAY])
def test_the_time_that_the_caller_wants_is_given_in_any_case(grace: timedelta, current: Entity) -> None:
    snapshot, form = cluster(ca=secrets(current)), linked_form(NEW, current)
    assert usable_from(entry(NEW, published_at=NOW - HOUR), form, snapshot, grace) == NOW - HOUR + grace


@pytest.mark.parametrize("grace", [None, timedelta()])
def test_what_was_not_published_never_arrives(grace: timedelta | None) -> None:
    assert usable_from(entry(NEW), linked_form(NEW, OLD), cluster(), grace) is None


def test_a_client_may_have_taken_any_certificate_of_the_ca_in_use() -> None:
    """Of two with one name OpenSSL takes the first, and ``ca-<date>.crt`` comes before ``ca.crt``."""
    beside = cluster(ca=secrets(OLD, others=others(SHORT, NEW)))
    assert why_refused_by_strangers(linked_form(NEW, OLD), beside) == ONE_BELOW
    assert why_refused_by_strangers(linked_form(NEW, OLD), cluster(ca=secrets(OLD, others=others(RENEWED)))) == ""


def test_where_there_is_no_ca_nobody_knows_one() -> None:
    assert why_refused_by_strangers(chain_of(NEW), cluster(ca=secrets(None))) == ""


@pytest.mark.parametrize(("grace", "until"), [(None, MOUNTED_SECRET), (timedelta(), timedelta()), (DAY, DAY)])
def test_the_time_for_a_renewed_ca_begins_when_the_one_that_allows_none_below_it_has_gone(
    grace: timedelta | None, until: timedelta
) -> None:
    assert renewed_arrives_at(entry(OLD, published_at=NOW - HOUR, cleared_at=NOW), grace) == NOW + until
    assert renewed_arrives_at(entry(OLD, published_at=NOW), grace) is None


@pytest.mark.parametrize(
    ("known", "current", "beside", "since"),
    [
        pytest.param({"published_at": NOW - DAY}, OLD, (), NOW - DAY, id="since it was published"),
        pytest.param({"published_at": NOW - DAY, "cleared_at": NOW - HOUR}, OLD, (), NOW - HOUR, id="since another left"),
        pytest.param({"published_at": NOW - DAY}, OLD, (SHORT,), None, id="another is still there"),
        pytest.param({"published_at": NOW - DAY}, OLD, (RENEWED, NEW), NOW - DAY, id="others do no harm"),
        pytest.param({"published_at": NOW - DAY}, SHORT, (), None, id="it allows none below it"),
        pytest.param({"published_at": NOW - DAY}, LONG, (), NOW - DAY, id="it allows any number"),
        pytest.param({}, OLD, (), None, id="nobody knows since when it is there"),
    ],
)  # fmt: skip
def test_since_when_clients_can_be_led_on(
    known: dict[str, datetime], current: Entity, beside: tuple[Entity, ...], since: datetime | None
) -> None:
    snapshot = cluster(ca=secrets(current, others=others(*beside)))
    assert link_followed_since(entry(current, **known), snapshot) == since


@pytest.mark.parametrize(
    ("current", "known", "who"),
    [
        pytest.param(OLD, {}, set(), id="nobody"),
        pytest.param(
            OLD,
            {"cleared_at": NOW - HOUR},
            {"OpenSSL", "Go programs", "2026-06-01 11:00 UTC"},
            id="since it was renewed",
        ),
        pytest.param(SHORT, {}, {"OpenSSL", "Go programs", "from the switch on"}, id="it allows none below it"),
    ],
)
def test_the_plan_says_which_clients_may_refuse_a_link_certificate(
    current: Entity, known: dict[str, datetime], who: set[str]
) -> None:
    snapshot = cluster(ca=secrets(current))
    told = describe_possible_refusals(linked_form(NEW, current), snapshot, ledger(entry(current, **known)))
    assert bool(told) is bool(who)
    assert all(part in told for part in who)
    assert "JVMs" not in told


@pytest.mark.parametrize(
    ("snapshot", "told"),
    [
        pytest.param(linked.FINISHED, f"Clients that know only {OLD.certificate.subject}, the CA before the CA in use, have been led on", id="led on"),
        pytest.param(replace(linked.FINISHED, now=linked.LINK.not_after), "", id="no longer"),
        pytest.param(linked.SETTLED, "", id="there was none before"),
    ],
)  # fmt: skip
def test_who_knows_the_ca_before_is_led_on_until_the_next_one_is_used(snapshot: Snapshot, told: str) -> None:
    assert describe_clients_left_behind(snapshot).startswith(told)
    assert bool(describe_clients_left_behind(snapshot)) is bool(told)
    if told:
        assert told in describe_possible_refusals(linked_form(THIRD, NEW), snapshot, books_of(snapshot))


# Nobody outside the cluster is issued a certificate under the name of one of its processes.

NAMES = ("KafkaUser kafka/cluster-operator", "KafkaUser kafka/demo-kafka")


def test_each_is_named_with_the_remedy() -> None:
    found = tuple(namesakes(users(namesakes=NAMES)))
    assert tuple(one.subject for one in found) == NAMES
    assert {one.condition for one in found} == {Condition.PRESENTERS_CAN_BE_ISSUED_TO}
    assert {one.remedy for one in found} == {"Give the user another name."}


def test_others_are_let_be() -> None:
    assert tuple(namesakes(users())) == ()
