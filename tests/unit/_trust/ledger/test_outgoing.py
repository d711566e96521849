# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal keeps until when programs may present a certificate of the CA that is replaced: what they have read is seen before the switch."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import GATES
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.journal import note_outgoing
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.update import update_ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import Presenter, Renewal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Journal, Outgoing
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ....tools.support.certificates import DAY, NOW, YEAR
from ....tools.support.intents import an_intent
from ..authorities import NEW, OLD, THIRD
from ..builders import changed, secrets
from ..ledgers import a_journal
from ..of_users import STAGES, presenter, presenting

KNOWN = Outgoing(frozenset({"Pod kafka/a orders"}), NOW + YEAR)
SWITCHED = replace(KNOWN, is_complete=True)


def program(name: str, days: int | None = 10, **fields: Any) -> Presenter:
    """It has read a certificate that ends so many days from now; None where the certificate is unknown."""
    ends_at = None if days is None else NOW + days * DAY
    return presenter(
        name, renewal=Renewal.BY_HAND, **{"certificate_source": f"{name} orders", "ends_at": ends_at, **fields}
    )


def noted(stage: str, *programs: Presenter, journal: Journal | None = None, **fields: Any) -> Outgoing | None:
    seen = changed(STAGES[stage], presenters=presenting(*programs), **fields)
    return note_outgoing(seen, journal or a_journal(), seen.ledger_or_empty).outgoing_certificates


@pytest.mark.parametrize(
    ("programs", "readers", "days"),
    [
        pytest.param([], [], 0, id="none"),
        pytest.param([presenter()], [], 0, id="users read nothing"),
        pytest.param([program("a", 10), program("b", 20)], ["a orders", "b orders"], 20, id="the last end counts"),
        pytest.param([program("a", 10), program("b", None)], ["a orders"], 10, id="one has not read it"),
        pytest.param([program("a", 10), program("a", None)], [], 0, id="a copy that it has not read"),
        pytest.param([program("a", None), program("a", 10)], [], 0, id="the same in another order"),
        pytest.param(
            [program("a", 10), program("a", 20, certificate_source="a y")], ["a orders", "a y"], 20, id="of two users"
        ),
        pytest.param([program("a", 10, certificate_source="")], [], 0, id="another program writes what it reads"),
        pytest.param([program("a", -10)], ["a orders"], -10, id="ended already"),
    ],
)
def test_the_journal_notes_before_the_switch_which_certificates_programs_have_read(
    programs: list[Presenter], readers: list[str], days: int
) -> None:
    expected = Outgoing(frozenset(readers), NOW + days * DAY) if readers else None
    assert noted("trusted", *programs) == expected


def test_outgoing_certificates_are_not_recorded_before_the_next_ca_is_trusted() -> None:
    assert noted("published", program("a"), journal=a_journal(outgoing_certificates=KNOWN)) is None


@pytest.mark.parametrize("successor", ["0" * 40, "f" * 40])
def test_outgoing_certificates_stay_as_they_are_while_another_ca_is_in_use(successor: str) -> None:
    """The CA in use is neither the replaced CA nor its successor."""
    found = noted("switched", program("b"), journal=a_journal(outgoing_certificates=KNOWN, successor=successor))
    assert found == KNOWN


def test_outgoing_certificates_are_updated_until_the_switch() -> None:
    again = noted("trusted", program("b"), journal=a_journal(outgoing_certificates=SWITCHED))
    assert again == Outgoing(frozenset({"b orders"}), NOW + 10 * DAY)


@pytest.mark.parametrize(("life", "end"), [(YEAR, NOW + YEAR + DAY), (10 * DAY, NOW + YEAR)], ids=["longer", "shorter"])
def test_a_certificate_may_have_been_on_its_way_at_the_switch(life: timedelta, end: Any) -> None:
    found = noted("switched", program("b"), journal=a_journal(outgoing_certificates=KNOWN), longest_life=life)
    assert found == replace(KNOWN, ends_at=end, is_complete=True)


@pytest.mark.parametrize("known", [None, SWITCHED])
def test_after_that_nothing_is_noted(known: Outgoing | None) -> None:
    assert noted("switched", program("b"), journal=a_journal(outgoing_certificates=known)) == known


def test_a_ca_that_is_none_of_the_flow_says_nothing() -> None:
    assert noted("switched", journal=a_journal(outgoing_certificates=KNOWN), ca=secrets(THIRD)) == KNOWN


def test_no_flow_waits_after_a_renewal_with_the_same_key() -> None:
    assert noted("trusted", program("a"), journal=a_journal(Goal.RENEW)) is None


def test_there_is_room_for_so_many_names() -> None:
    """Programs that are left out trust the CA until they read again."""
    found = noted("trusted", *(program(f"{number:0991}") for number in range(120)))
    assert found is not None
    assert (len(found.readers), min(found.readers)[-9:]) == (100, "00 orders")
    exactly = noted("trusted", program("x" * (100_000 - 7)))
    assert exactly is not None
    assert noted("trusted", program("x" * (100_001 - 7))) is None


def journal_of(snapshot: Snapshot, **intent: Any) -> Journal:
    journal = update_ledger(snapshot, an_intent(**{"goal": Goal.RECONCILE, **intent}), GATES)[0].journal
    assert journal is not None
    return journal


def with_journal(stage: str, **fields: Any) -> Snapshot:
    seen = STAGES[stage]
    return replace(seen, ledger=replace(seen.ledger_or_empty, journal=a_journal(**fields)))


def test_a_pass_over_the_ledger_keeps_the_outgoing_certificates_in_the_journal() -> None:
    seen = changed(STAGES["trusted"], presenters=presenting(program("a")))
    assert journal_of(seen).outgoing_certificates == Outgoing(frozenset({"a orders"}), NOW + 10 * DAY)


def test_an_abort_does_not_keep_the_readers_of_the_flow() -> None:
    """The flow back replaces the other CA."""
    turned = journal_of(with_journal("switched", outgoing_certificates=SWITCHED), goal=Goal.ABORT)
    assert (turned.is_abort, turned.outgoing_certificates) == (True, None)


def test_the_record_of_readers_ends_with_the_flow() -> None:
    seen = with_journal("issued", outgoing_certificates=SWITCHED)
    books = seen.ledger_or_empty
    left = replace(books, entries=tuple(one for one in books.entries if one.certificate == NEW.certificate))
    done = journal_of(replace(seen, ledger=left, ca=secrets(NEW, certificate_generation=1)))
    assert (done.finished_at, done.outgoing_certificates) == (NOW, None)
    assert books.find(OLD.certificate.fingerprint) is not None
