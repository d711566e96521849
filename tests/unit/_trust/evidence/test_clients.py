# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients outside the cluster: on whom the gates rely, who is waived, and what the operator makes of a copy."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import (
    clients_asked_by_gates,
    trust_without,
    unmatched_waivers,
    waiver_of,
    with_copies_updated,
    without_outside_clients,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import (
    Follows,
    OutsideClient,
    Waiver,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    Ledger,
    RemovedEntry,
    TrustState,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ....tools.support.certificates import DAY, NOW, Entity
from .. import linked
from ..authorities import IMPOSTOR, INTERMEDIATE, NEW, OLD, RENEWED, ROOT, SHORT, THIRD, chain_of, name_of
from ..builders import changed, cluster, others, secrets
from ..ledgers import entry, ledger
from ..nodes import uids_of
from ..of_users import ORDERS, users

NAME = "KafkaConnect kafka/connect"
DOUBT = "connect-0 started earlier"
#: OLD is in use, NEW published beside it.
BOOKS = ledger(entry(OLD, generations={0}), entry(NEW, TrustState.TRUSTED_UNUSED))
WAIVER = Waiver(NAME, NOW + DAY, "moves in week 51")


def a_client(*trusts: Entity, **fields: Any) -> OutsideClient:
    return replace(OutsideClient(NAME, tuple(one.certificate for one in trusts)), **fields)


def beside(*clients: OutsideClient, **fields: Any) -> Snapshot:
    return cluster(ca=secrets(other_entries=others(NEW)), outside_clients=clients, **{"ledger": BOOKS, **fields})


UNREADABLE = a_client(trusts=None, doubt="its copy does not exist")


@pytest.mark.parametrize(
    ("client", "fields", "asked"),
    [
        pytest.param(a_client(OLD), {}, True, id="has a CA of the cluster"),
        pytest.param(a_client(RENEWED), {}, True, id="has one of the same name and key"),
        pytest.param(a_client(IMPOSTOR), {}, False, id="has one of the same name only"),
        pytest.param(a_client(THIRD), {}, False, id="has none"),
        pytest.param(a_client(), {}, False, id="has nothing"),
        pytest.param(UNREADABLE, {}, True, id="its copy cannot be read"),
        pytest.param(a_client(THIRD, declared=True), {}, True, id="has none, and is said to trust the cluster"),
        pytest.param(a_client(OLD), {"ledger": None}, True, id="the cluster is about to be adopted"),
        pytest.param(a_client(OLD), {"pods": ()}, False, id="there is nothing to verify"),
        pytest.param(a_client(OLD), {"waivers": (WAIVER,)}, False, id="waived"),
        pytest.param(UNREADABLE, {"waivers": (WAIVER,)}, False, id="unknown and waived"),
        pytest.param(a_client(OLD), {"waivers": (replace(WAIVER, client="connect"),)}, True, id="another is waived"),
        pytest.param(a_client(OLD), {"waivers": (replace(WAIVER, until=NOW),)}, True, id="its waiver has ended"),
    ],
)
def test_clients_that_the_gates_ask_about(client: OutsideClient, fields: dict[str, Any], asked: bool) -> None:
    assert clients_asked_by_gates(beside(client, **fields), BOOKS) == ((client,) if asked else ())


def test_the_gates_ask_about_a_client_that_holds_the_leaving_ca() -> None:
    """The gate asks with a ledger that lacks it already."""
    assert clients_asked_by_gates(beside(a_client(NEW)), BOOKS.without_entry(name_of(NEW))) == (a_client(NEW),)


def test_gates_ask_a_client_that_trusts_the_root_above_the_intermediate_ca() -> None:
    below = ledger(entry(chain_of(INTERMEDIATE, ROOT)))
    snapshot = replace(beside(a_client(ROOT)), ledger=below)
    assert clients_asked_by_gates(snapshot, below) == (a_client(ROOT),)


def test_the_waiver_of_a_client() -> None:
    snapshot = beside(waivers=(replace(WAIVER, until=NOW), WAIVER))
    assert waiver_of(NAME, snapshot) == WAIVER
    assert waiver_of("KafkaConnect kafka/other", snapshot) is None


def test_waivers_for_clients_that_were_not_seen() -> None:
    """A wrong name, or a client that is gone. Without nodes the gates ask about no client."""
    other = replace(WAIVER, client="KafkaConnect kafka/other")
    snapshot = beside(a_client(OLD), waivers=(WAIVER, other))
    assert unmatched_waivers(snapshot) == (other,)
    assert unmatched_waivers(changed(snapshot, pods=())) == ()
    presenting = users(waivers=(replace(WAIVER, client=ORDERS), other))
    assert unmatched_waivers(presenting) == (other,)


def test_within_the_cluster_no_outside_client_counts() -> None:
    assert clients_asked_by_gates(without_outside_clients(beside(UNREADABLE)), BOOKS) == ()


@pytest.mark.parametrize("books", [BOOKS, None], ids=["adopted", "not yet"])
@pytest.mark.parametrize(
    ("client", "trusts"),
    [
        pytest.param(a_client(OLD, follows=Follows.TRUSTED), (OLD, NEW), id="every entry"),
        pytest.param(a_client(THIRD, OLD, follows=Follows.TRUSTED), (THIRD, OLD, NEW), id="and one of its own"),
        pytest.param(a_client(NEW, follows=Follows.ISSUING), (OLD,), id="ca.crt alone"),
        pytest.param(a_client(OLD), (OLD,), id="nothing"),
        pytest.param(a_client(trusts=None, follows=Follows.TRUSTED), (OLD, NEW), id="no copy yet"),
    ],
)
def test_an_updated_copy_trusts_these_cas(
    client: OutsideClient, trusts: tuple[Entity, ...], books: Ledger | None
) -> None:
    (after,) = with_copies_updated(beside(replace(client, doubt=DOUBT), ledger=books)).outside_clients.clients
    assert after == replace(client, trusts=tuple(one.certificate for one in trusts), doubt="")


def test_a_copy_gets_the_first_ca_of_the_chain_in_an_entry() -> None:
    """The first CA shows whose the entry is, also before the cluster is adopted."""
    ca = secrets(chain_of(INTERMEDIATE, ROOT), other_entries={"next.crt": chain_of(NEW, THIRD)})
    copies = (a_client(NEW, follows=Follows.ISSUING), a_client(NEW, follows=Follows.TRUSTED))
    after = with_copies_updated(cluster(ca=ca, ledger=None, outside_clients=copies)).outside_clients.clients
    assert [one.trusts for one in after] == [chain_of(INTERMEDIATE), chain_of(INTERMEDIATE, NEW)]


def test_a_copy_loses_the_cas_that_have_left_the_cluster() -> None:
    """A CA that is remembered after its removal, and a CA that is in the ledger and out of the Secret; CAs of other owners stay."""
    books = ledger(entry(NEW), removed_cas=(RemovedEntry(OLD.certificate, uids_of()),))
    snapshot = cluster(
        ca=secrets(NEW), ledger=books, outside_clients=(a_client(OLD, THIRD, NEW, follows=Follows.TRUSTED),)
    )
    assert with_copies_updated(snapshot).outside_clients.clients == (a_client(THIRD, NEW, follows=Follows.TRUSTED),)


def test_of_a_ca_that_was_renewed_a_copy_gets_the_certificate_that_is_in_use() -> None:
    """No book knows the earlier one any more."""
    snapshot = cluster(
        ca=secrets(OLD), ledger=ledger(entry(OLD)), outside_clients=(a_client(SHORT, THIRD, follows=Follows.TRUSTED),)
    )
    assert with_copies_updated(snapshot).outside_clients.clients == (a_client(THIRD, OLD, follows=Follows.TRUSTED),)


def test_a_client_that_cannot_be_read_stays_unknown() -> None:
    assert with_copies_updated(beside(UNREADABLE)).outside_clients.clients == (UNREADABLE,)


@pytest.mark.parametrize(
    ("client", "left"),
    [
        pytest.param(a_client(OLD, NEW, follows=Follows.TRUSTED), (NEW,), id="copied by the operator"),
        pytest.param(
            a_client(OLD, follows=Follows.ISSUING), (OLD,), id="copied by the operator, until the next one is ca.crt"
        ),
        pytest.param(a_client(OLD, NEW), (OLD, NEW), id="copied by hand"),
        pytest.param(a_client(trusts=None, follows=Follows.TRUSTED), None, id="unknown"),
    ],
)
def test_a_client_trusts_these_cas_without_the_leaving_ca(
    client: OutsideClient, left: tuple[Entity, ...] | None
) -> None:
    expected = None if left is None else tuple(one.certificate for one in left)
    assert trust_without(OLD.certificate, client) == expected


@pytest.mark.parametrize(("now", "counts"), [(NOW, True), (linked.LINK.not_after, False)], ids=["led on", "no longer"])
def test_gates_ask_a_client_that_knows_the_replaced_ca_while_link_certificates_are_valid(
    now: datetime, counts: bool
) -> None:
    """The ledger has that CA no more."""
    snapshot = changed(linked.FINISHED, outside_clients=(a_client(OLD),), now=now)
    assert bool(clients_asked_by_gates(snapshot, snapshot.ledger_or_empty)) is counts
