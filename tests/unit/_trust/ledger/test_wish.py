# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wish in a source of CAs: a row for each thing that people put into one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import MOST_IN_A_CHAIN
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.target import (
    Target,
    Wish,
    is_heeded,
    is_renewal,
    later_authorities,
    resolve,
    rotation_of,
    supplied_for,
    wish_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import CaSource, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Backup, Snapshot

from ....tools.support.certificates import DAY, NOW, YEAR, Entity, key, make
from ....tools.support.intents import an_intent, changed_intent
from ..authorities import (
    EARLY,
    EXPIRED,
    IDENTIFIED,
    IMPOSTOR,
    INTERMEDIATE,
    NEW,
    OLD,
    RENEWED,
    ROOT,
    THIRD,
    chain_of,
    link_of,
    name_of,
)
from ..builders import a_backup, changed, cluster, prepared, secrets
from ..ledgers import UNUSED, a_journal, entry, ledger
from ..nodes import PODS, a_leaf
from ..of_users import presenter
from ..requested import a_request, answered, with_requests

BELOW = chain_of(INTERMEDIATE, ROOT)
NEIGHBOUR = make("Another Issuing CA", key(8), ROOT)
SHORTER = make("cluster-ca v0", key(0), path_length=1, end=NOW + YEAR / 2)
LONG_ROOT = make("Corporate Root", key(6), end=NOW + 9 * YEAR)
LATER_BELOW, EARLIER_BELOW = (
    make("Corporate Issuing CA", key(7), ROOT, end=NOW + end_in) for end_in in (2 * YEAR, YEAR / 2)
)
IN_BELOW = cluster(ca=secrets(BELOW), ledger=ledger(entry(BELOW, generations={0})))
FIRST = cluster(ca=secrets(None), ledger=None, pods=(), leaves=())
SORTED = sorted((NEW, THIRD), key=lambda one: one.certificate.sha256)
#: The leaf that tells which CA signs is missing.
FIRST_OF_NODES = changed(FIRST, missing={"demo-cluster-operator-certs": Component.CLUSTER_OPERATOR})
BOTH_KNOWN = cluster(ledger=ledger(entry(OLD, generations={0}), entry(NEW, UNUSED)))


def holding(*authorities: Entity, where: Snapshot | None = None, **fields: Any) -> Snapshot:
    source = CaSource("Secret kafka/roots, entry ca.crt", tuple(one.certificate for one in authorities))
    return replace(where or cluster(), source=replace(source, **fields))


def confirming(*authorities: Entity, goal: Goal = Goal.RECONCILE, **fields: Any) -> Intent:
    return an_intent(goal, confirmed_roots=frozenset(one.certificate.sha256 for one in authorities), **fields)


def wish(snapshot: Snapshot, *confirmed: Entity, **fields: Any) -> Wish:
    found = wish_of(snapshot, confirming(*confirmed, **fields), snapshot.ledger or Ledger())
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("snapshot", "meant", "beside"),
    [
        pytest.param(holding(OLD), (OLD,), (), id="the CA in use"),
        pytest.param(holding(NEW), (NEW,), (), id="another one"),
        pytest.param(holding(OLD, NEW), (OLD,), (NEW,), id="another one beside the CA in use"),
        pytest.param(holding(RENEWED), (RENEWED,), (), id="a renewal"),
        pytest.param(holding(OLD, RENEWED), (RENEWED,), (), id="a renewal beside the CA in use"),
        pytest.param(holding(RENEWED, NEW), (RENEWED,), (NEW,), id="a renewal and another one"),
        pytest.param(holding(SHORTER), (OLD,), (), id="an earlier certificate of the CA in use"),
        pytest.param(holding(ROOT, INTERMEDIATE), (INTERMEDIATE, ROOT), (), id="an intermediate and its root, in any order"),
        pytest.param(holding(ROOT, where=IN_BELOW), (INTERMEDIATE, ROOT), (), id="the root above the CA in use"),
        pytest.param(holding(ROOT, NEIGHBOUR, where=IN_BELOW), (NEIGHBOUR, ROOT), (), id="another one below the same root"),
        *(
            pytest.param(holding(below, LONG_ROOT, where=cluster(ca=secrets(chain_of(INTERMEDIATE, LONG_ROOT)))), (meant, LONG_ROOT), (), id=told)
            for below, meant, told in (
                (LATER_BELOW, LATER_BELOW, "a renewal below its root"), (EARLIER_BELOW, INTERMEDIATE, "an earlier certificate below its root")
            )
        ),
        pytest.param(
            holding(OLD, ROOT, INTERMEDIATE, where=cluster(ledger=ledger(entry(OLD, generations={0}), entry(ROOT)))), (OLD,), (INTERMEDIATE,),
            id="another one below a root that is trusted by itself",
        ),
        pytest.param(holding(NEW, THIRD), (), (NEW, THIRD), id="two, and neither is in use"),
        pytest.param(holding(OLD, NEW, THIRD), (OLD,), (NEW, THIRD), id="two beside the CA in use"),
        pytest.param(holding(NEW, EXPIRED, EARLY), (NEW,), (), id="what has ended or has yet to begin does not count"),
        pytest.param(holding(EXPIRED), (), (), id="nothing that is valid"),
        pytest.param(holding(NEW, where=FIRST), (NEW,), (), id="the first CA of a cluster"),
        pytest.param(holding(NEW, THIRD, where=FIRST_OF_NODES), (), (NEW, THIRD), id="two for the first CA"),
        pytest.param(holding(NEW, THIRD, where=FIRST), (SORTED[0],), (SORTED[1],), id="two for the first CA, and there is no leaf to ask for"),
        pytest.param(holding(NEW, THIRD, where=changed(FIRST, leaves=(a_leaf(),))), (), (NEW, THIRD), id="two for the first CA, and a leaf is stored"),
        pytest.param(
            holding(NEW, THIRD, where=changed(FIRST, presenters=(presenter(authorities=frozenset()),))), (SORTED[0],), (SORTED[1],),
            id="two for the first CA, and a program presents no certificate of it",
        ),
        *(
            pytest.param(
                holding(NEW, THIRD, where=changed(FIRST, presenters=(presenter(issuer=issuer),))), (), (NEW, THIRD),
                id=f"two for the first CA, and a program presents a certificate of {'another' if issuer else 'what is unknown'}",
            )
            for issuer in (OLD, None)
        ),
        pytest.param(
            holding(INTERMEDIATE, ROOT, where=cluster(ca=secrets(INTERMEDIATE))), (INTERMEDIATE,), (), id="the CA in use, with a root that is not stored"
        ),
        pytest.param(
            with_requests(holding(NEW, THIRD, where=FIRST), answered(issuer=THIRD)), (THIRD,), (NEW,), id="the same, and the issuer has signed with one"
        ),
        pytest.param(
            with_requests(holding(OLD, NEW), answered(issuer=NEW)), (NEW,), (), id="the issuer has signed with the other one"
        ),
        pytest.param(
            with_requests(holding(OLD, ROOT, INTERMEDIATE), answered(issuer=INTERMEDIATE)), (INTERMEDIATE, ROOT), (), id="it has signed with one below a root"
        ),
        pytest.param(
            with_requests(holding(ROOT, INTERMEDIATE, NEIGHBOUR, where=IN_BELOW), answered("a", INTERMEDIATE), answered("b", NEIGHBOUR)),
            (NEIGHBOUR, ROOT), (), id="it has signed with the CA in use and with another one below its root",
        ),
        pytest.param(
            with_requests(holding(OLD, NEW), a_request(issuer=NEW)), (OLD,), (NEW,), id="it was asked for, and has not signed"
        ),
        pytest.param(
            with_requests(holding(OLD, NEW), replace(answered(issuer=NEW), outdated="other names")), (OLD,), (NEW,),
            id="what it has signed is of no use",
        ),
        pytest.param(
            with_requests(holding(OLD, NEW, THIRD), answered("a", NEW), answered("b", THIRD)), (OLD,), (NEW, THIRD),
            id="it signs with two of them",
        ),
        pytest.param(
            with_requests(holding(OLD), answered(issuer=NEW)), (OLD,), (), id="it has signed with one that is not here"
        ),
    ],
)  # fmt: skip
def test_a_source_means_these_cas(snapshot: Snapshot, meant: tuple[Entity, ...], beside: tuple[Entity, ...]) -> None:
    """Every CA is confirmed here, whatever is meant."""
    found = wish(snapshot, NEW, THIRD, INTERMEDIATE, NEIGHBOUR, ROOT, RENEWED)
    assert (found.issuing_ca, found.authority) == (chain_of(*meant) if meant else (),) * 2
    assert {chain[0] for chain in found.additional_cas} == {one.certificate for one in beside}
    assert found.unconfirmed_cas == ()


@pytest.mark.parametrize(
    ("snapshot", "asked"),
    [
        pytest.param(holding(OLD), (), id="the CA in use"),
        pytest.param(holding(RENEWED), (), id="a renewal: it widens the trust of no pod"),
        pytest.param(holding(IMPOSTOR), (IMPOSTOR,), id="the name of the CA in use with another key"),
        pytest.param(holding(NEW), (NEW,), id="a new one"),
        pytest.param(holding(OLD, NEW), (NEW,), id="a new one beside the CA in use"),
        pytest.param(holding(OLD, NEW, where=BOTH_KNOWN), (), id="one of the ledger"),
        pytest.param(holding(NEW, where=BOTH_KNOWN), (), id="one of the ledger alone"),
        pytest.param(holding(NEW, where=FIRST), (NEW,), id="the first CA"),
        pytest.param(holding(ROOT, INTERMEDIATE), (INTERMEDIATE,), id="of a chain the CA that issues"),
        pytest.param(holding(OLD, ROOT, INTERMEDIATE), (INTERMEDIATE,), id="the same beside the CA in use"),
    ],
)
def test_new_cas_of_a_source_wait_for_confirmation(snapshot: Snapshot, asked: tuple[Entity, ...]) -> None:
    found = wish(snapshot)
    assert found.unconfirmed_cas == tuple(one.certificate for one in asked)
    assert not {chain[0] for chain in found.additional_cas} & set(found.unconfirmed_cas)
    assert (found.authority == ()) is (found.issuing_ca[0] in found.unconfirmed_cas)
    confirmed = wish(snapshot, *asked)
    assert confirmed.unconfirmed_cas == ()
    assert confirmed.authority == found.issuing_ca
    assert set(found.unconfirmed_cas) <= {chain[0] for chain in (confirmed.authority, *confirmed.additional_cas)}


def test_the_fingerprint_of_another_ca_confirms_no_new_ca() -> None:
    assert wish(holding(NEW), THIRD).authority == ()


def test_a_new_ca_is_confirmed_by_its_sha_256_alone() -> None:
    found = wish_of(holding(NEW), changed_intent(confirming(), confirmed_roots=frozenset({name_of(NEW)})), ledger())
    assert found is not None
    assert found.authority == ()


def test_a_replaced_ca_is_not_trusted_again() -> None:
    done = a_journal(finished_at=NOW)
    books = ledger(entry(NEW, generations={1}), journal=done)
    snapshot = holding(OLD, NEW, THIRD, where=cluster(ca=secrets(NEW), ledger=books))
    assert wish(snapshot, THIRD).additional_cas == (chain_of(THIRD),)
    assert wish(snapshot).unconfirmed_cas == (THIRD.certificate,)


def test_a_ca_that_the_ledger_remembers_as_replaced_is_not_trusted_again() -> None:
    """No backup is there: it was switched off, or another program has deleted it."""
    done = a_journal(replaces=name_of(INTERMEDIATE), finished_at=NOW)
    books = replace(ledger(entry(NEW, generations={1}), journal=done), replaced_cas=(name_of(OLD),))
    snapshot = holding(OLD, NEW, THIRD, where=cluster(ca=secrets(NEW), ledger=books))
    assert wish(snapshot, OLD, THIRD).additional_cas == (chain_of(THIRD),)


@pytest.mark.parametrize(
    ("backups", "again"),
    [
        pytest.param((), (OLD, THIRD), id="none"),
        pytest.param((a_backup(secrets(OLD)),), (THIRD,), id="of that CA"),
        pytest.param((a_backup(secrets(chain_of(OLD, ROOT))),), (THIRD,), id="of that CA and a root above it"),
        pytest.param(
            (a_backup(secrets(INTERMEDIATE), ledger=ledger(journal=a_journal(replaces=name_of(OLD), finished_at=NOW))),), (THIRD,),
            id="of the CA that replaced it",
        ),
        pytest.param(
            (a_backup(secrets(INTERMEDIATE), ledger=ledger(journal=a_journal(replaces=name_of(OLD), is_abort=True))),), (OLD, THIRD),
            id="of a time when a flow to it was undone",
        ),
        pytest.param(
            (a_backup(secrets(INTERMEDIATE), ledger=replace(ledger(), replaced_cas=(name_of(OLD),))),), (THIRD,),
            id="of the CA after that",
        ),
        pytest.param((a_backup(secrets(None), ledger=None),), (OLD, THIRD), id="of nothing"),
        pytest.param((a_backup(secrets(NEW)),), (OLD, THIRD), id="of the CA in use"),
    ],
)  # fmt: skip
def test_a_ca_that_an_earlier_flow_replaced_is_not_trusted_again(
    backups: tuple[Backup, ...], again: tuple[Entity, ...]
) -> None:
    """The last flow replaced another CA since: a backup still knows it."""
    done = a_journal(replaces=name_of(INTERMEDIATE), finished_at=NOW)
    where = cluster(ca=secrets(NEW), ledger=ledger(entry(NEW, generations={1}), journal=done), backups=backups)
    snapshot = holding(OLD, NEW, THIRD, where=where)
    assert {chain[0] for chain in wish(snapshot, OLD, THIRD).additional_cas} == {one.certificate for one in again}
    assert set(wish(snapshot).unconfirmed_cas) == {one.certificate for one in again}


def test_a_leaving_ca_is_not_trusted_again() -> None:
    assert wish(holding(OLD, NEW), NEW, leaving_ca=name_of(NEW)).additional_cas == ()
    below = holding(OLD, ROOT, INTERMEDIATE)
    assert wish(below, INTERMEDIATE, leaving_ca=name_of(INTERMEDIATE)).additional_cas == ()


HEEDED = {Goal.CREATE, Goal.RENEW, Goal.REPLACE_KEY, Goal.RECONCILE}


@pytest.mark.parametrize("goal", Goal)
def test_only_some_goals_heed_the_ca_source(goal: Goal) -> None:
    """A first CA is made where there is none; where there is one, a creation only looks at it."""
    assert (wish_of(holding(NEW), Intent(goal), ledger()) is not None) is (goal in HEEDED - {Goal.CREATE})
    assert (wish_of(holding(NEW, where=FIRST), Intent(goal), Ledger()) is not None) is (goal in HEEDED)


@pytest.mark.parametrize(
    ("snapshot", "heeded"),
    [
        pytest.param(holding(OLD, NEW, where=cluster(pods=())), True, id="it is there, and no pod runs"),
        pytest.param(holding(RENEWED, where=cluster(pods=())), True, id="a renewal of it"),
        pytest.param(holding(INTERMEDIATE, where=changed(IN_BELOW, pods=())), True, id="it has a root above it"),
        pytest.param(holding(ROOT, where=changed(IN_BELOW, pods=())), False, id="the root above it alone"),
        pytest.param(holding(NEW, where=cluster(pods=())), False, id="another one"),
        pytest.param(holding(OLD, NEW), False, id="pods run"),
        pytest.param(cluster(pods=()), False, id="no source"),
    ],
)
def test_the_creation_of_the_first_ca_goes_on_with_its_source_until_pods_run(snapshot: Snapshot, heeded: bool) -> None:
    assert is_heeded(snapshot, Intent(Goal.CREATE), ledger()) is heeded


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(holding(NEW, where=cluster(ledger=ledger(journal=a_journal()))), id="a flow in flight"),
        pytest.param(holding(NEW, where=cluster(ca=secrets(prepared=(prepared(THIRD),)))), id="a prepared CA"),
        pytest.param(holding(NEW, problem="does not exist."), id="it cannot be read"),
        pytest.param(cluster(), id="none is named"),
    ],
)
def test_the_source_asks_for_no_new_ca(snapshot: Snapshot) -> None:
    assert wish_of(snapshot, confirming(NEW), snapshot.ledger or Ledger()) is None
    assert not resolve(snapshot, confirming(NEW), snapshot.ledger or Ledger()).needs_new_ca


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        (holding(OLD), Target(False, replaces=name_of(OLD))),
        (holding(RENEWED), Target(True, replaces=name_of(OLD))),
        (holding(NEW), Target(True, replaces=name_of(OLD))),
        (holding(OLD, NEW), Target(False, replaces=name_of(OLD))),
        (holding(ROOT, INTERMEDIATE, where=IN_BELOW), Target(False, replaces=name_of(INTERMEDIATE))),
        (holding(NEW, THIRD), Target(False)),
        (cluster(), Target(False)),
    ],
)
def test_reconcile_begins_the_flow_that_the_source_means(snapshot: Snapshot, expected: Target) -> None:
    assert resolve(snapshot, confirming(NEW, THIRD), ledger()) == expected


@pytest.mark.parametrize("goal", sorted(HEEDED))
def test_no_flow_begins_with_a_ca_that_the_user_has_not_confirmed(goal: Goal) -> None:
    """No other CA is made in its place either."""
    for snapshot in (holding(NEW), holding(NEW, where=FIRST)):
        assert not resolve(snapshot, Intent(goal), snapshot.ledger or Ledger()).needs_new_ca


@pytest.mark.parametrize(
    ("new", "goal"), [(RENEWED, Goal.RENEW), (NEW, Goal.REPLACE_KEY), (IMPOSTOR, Goal.REPLACE_KEY), (IDENTIFIED, Goal.REPLACE_KEY)]
)  # fmt: skip
def test_a_renewal_is_told_by_the_leaves_that_are_there(new: Entity, goal: Goal) -> None:
    """Path validation: IDENTIFIED has the name and the key, and its identifier is not the one that leaves name."""
    snapshot = holding(new)
    assert is_renewal(new.certificate, snapshot) is (goal is Goal.RENEW)
    if new is not IDENTIFIED:
        assert rotation_of(snapshot, confirming(new), ledger()) is goal


def test_only_leaves_of_the_ca_in_use_tell_a_renewal_of_it() -> None:
    """A leaf of the root above it is none of its leaves."""
    snapshot = changed(IN_BELOW, leaves=(a_leaf(issuer=INTERMEDIATE), a_leaf(PODS[1], ROOT)))
    assert is_renewal(LATER_BELOW.certificate, snapshot)
    assert not is_renewal(LONG_ROOT.certificate, snapshot)
    assert not is_renewal(OLD.certificate, FIRST)
    assert rotation_of(holding(LATER_BELOW, LONG_ROOT, where=snapshot), confirming(), ledger()) is Goal.RENEW


def test_a_source_supplies_a_ca_without_its_key() -> None:
    supplied = supplied_for(holding(ROOT, INTERMEDIATE), confirming(INTERMEDIATE), ledger())
    assert supplied == replace(prepared(INTERMEDIATE), chain=BELOW, key_is_elsewhere=True)


def test_the_goal_of_the_caller_names_the_rotation() -> None:
    assert rotation_of(holding(RENEWED), confirming(goal=Goal.REPLACE_KEY), ledger()) is Goal.REPLACE_KEY


@pytest.mark.parametrize(
    ("snapshot", "later"),
    [
        (cluster(), ()),
        (holding(OLD), ()),
        (holding(ROOT, INTERMEDIATE, where=IN_BELOW), ()),
        (holding(OLD, NEW), (NEW,)),
        (holding(OLD, NEW, EXPIRED), (NEW,)),
        (holding(OLD, NEW, where=cluster(ca=secrets(prepared=(prepared(THIRD),)))), ()),
    ],
)
def test_cas_whose_leaves_may_come_early(snapshot: Snapshot, later: tuple[Entity, ...]) -> None:
    assert later_authorities(snapshot) == tuple(chain_of(one) for one in later)


def test_a_chain_ends_at_the_root_where_a_link_leads_on() -> None:
    """A bundle may contain the certificate that links the new root to the old one."""
    link = link_of(NEW, OLD)
    source = CaSource("roots", (OLD.certificate, link, NEW.certificate))
    assert source.issuing(NOW) == (chain_of(NEW),)
    assert source.chain_of(link) == (link, OLD.certificate)


def test_a_chain_leads_from_ca_to_ca_and_round_no_circle() -> None:
    below = make("Local Issuing CA", key(8), INTERMEDIATE)
    source = CaSource("roots", (ROOT.certificate, OLD.certificate, below.certificate, INTERMEDIATE.certificate))
    assert source.chain_of(below.certificate) == chain_of(below, INTERMEDIATE, ROOT)
    links = link_of(NEW, OLD), link_of(OLD, NEW)
    assert CaSource("roots", links).chain_of(links[0]) == links


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_a_chain_is_no_longer_than_a_verifier_takes(more: int) -> None:
    made = [ROOT]
    for number in range(MOST_IN_A_CHAIN + more - 1):
        made.append(make(f"CA {number}", key(20 + number), made[-1]))
    source = CaSource("roots", tuple(one.certificate for one in made))
    assert len(source.chain_of(made[-1].certificate)) == MOST_IN_A_CHAIN + min(more, 0)


def test_roots_that_have_certified_each_other_may_both_issue() -> None:
    links = link_of(NEW, OLD), link_of(OLD, NEW)
    source = CaSource("roots", (OLD.certificate, *links, NEW.certificate))
    assert set(source.issuing(NOW)) == {chain_of(OLD), chain_of(NEW)}
    below = make("issuing CA", key(4), NEW)
    deeper = replace(source, certificates=(*source.certificates, below.certificate))
    assert deeper.issuing(NOW) == (chain_of(below, NEW),)
    both = (*deeper.certificates, link_of(THIRD, OLD), link_of(OLD, THIRD), THIRD.certificate)
    assert replace(source, certificates=both).issuing(NOW) == (chain_of(below, NEW),)


def test_the_certificate_of_a_root_that_the_ca_below_names_counts() -> None:
    """As openssl names serial number and issuer: the operator would refuse a chain with the renewed root, and takes one without a root."""
    old, new = (make("Corporate Root", key(70), end=NOW + years * YEAR) for years in (3, 9))
    named = x509.AuthorityKeyIdentifier(
        old.certificate.subject_key_identifier,
        [x509.DirectoryName(x509.load_der_x509_certificate(old.certificate.der).issuer)],
        old.certificate.serial_number,
    )
    below = make("Corporate Issuing CA", key(71), old, authority_identifier=named)
    source = CaSource("roots", tuple(one.certificate for one in (new, below, old)))
    assert source.issuing(NOW) == (chain_of(below, old),)
    assert CaSource("roots", (new.certificate, below.certificate)).issuing(NOW) == (chain_of(below),)


def test_dates_count_to_the_second() -> None:
    source = CaSource("roots", (NEW.certificate,))
    begin, end = NEW.certificate.not_before, NEW.certificate.not_after
    moments = (begin - timedelta(seconds=1), begin, end - timedelta(seconds=1), end)
    assert [bool(source.issuing(one)) for one in moments] == [False, True, True, False]
    assert end - begin > DAY


TWO = holding(NEW, THIRD)
OPERATORS = a_leaf("demo-cluster-operator-certs", OLD, component=Component.CLUSTER_OPERATOR)


@pytest.mark.parametrize(
    ("snapshot", "secret"),
    [
        pytest.param(TWO, PODS[0], id="two, and neither is in use"),
        pytest.param(
            changed(TWO, leaves=(*TWO.leaves.stored, OPERATORS)),
            OPERATORS.secret,
            id="the operator's before those of nodes",
        ),
        pytest.param(changed(TWO, leaves=()), "", id="there is no leaf"),
        pytest.param(
            changed(TWO, missing={"a": Component.CLUSTER_OPERATOR}), PODS[0], id="a missing one is issued anyway"
        ),
        pytest.param(holding(NEW, THIRD, ROOT), PODS[0], id="three, and none is in use"),
        pytest.param(holding(EXPIRED), "", id="none that is valid"),
        pytest.param(
            holding(NEW, THIRD, where=FIRST_OF_NODES),
            "demo-cluster-operator-certs",
            id="before the first CA, and one is missing",
        ),
        pytest.param(holding(OLD, NEW, THIRD), "", id="one is in use"),
        pytest.param(holding(NEW), "", id="one"),
        pytest.param(holding(NEW, THIRD, where=FIRST), "", id="before the first CA"),
        pytest.param(with_requests(TWO, answered(issuer=THIRD)), "", id="it has come back"),
        pytest.param(with_requests(TWO, answered(issuer=THIRD, recorded=False)), PODS[0], id="it is not recorded yet"),
    ],
)
def test_a_sample_leaf_is_chosen_where_several_new_cas_may_sign(snapshot: Snapshot, secret: str) -> None:
    assert wish(snapshot, NEW, THIRD).sample_secret == secret
