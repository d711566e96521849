# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Secrets that count as damaged, the backup that may come back, and the states that are worth a backup."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    Backup,
    CaDefects,
    CaUsers,
    Reconciliation,
    Snapshot,
    StateSecrets,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.restore import (
    find_damage,
    is_sound,
    restore_secrets,
    why_unfit,
)

from ....tools.support.certificates import DAY, HOUR, Entity, key, make
from ....tools.support.golden import GoldenFiles
from ..authorities import INTERMEDIATE, NEW, OLD, RENEWED, ROOT, THIRD, chain_of, name_of, names_of
from ..builders import a_backup, cluster, others, prepared, secrets
from ..ledgers import PHASE_OUT, UNTRUSTED, a_journal, entry, ledger
from ..nodes import PODS, a_leaf, a_pod, leaves, pods

CERTIFICATE, KEY, LEDGER = StateSecrets.CERTIFICATE, StateSecrets.KEY, StateSecrets.LEDGER
BOOKS = ledger(entry(OLD, generations=(1,)))
KEPT = a_backup(secrets(certificate_generation=1, key_generation=1))
EDITED = Ledger(problems=("x.state is no state.",))
BEGUN = ledger(entry(OLD, generations=(1,)), entry(NEW, UNTRUSTED), journal=a_journal())
#: Their key generation was raised by hand after the backup was made.
LATER = tuple(a_pod(name, 1, key_generation=2) for name in PODS)


def seen(*backups: Backup, **fields: Any) -> Snapshot:
    """The CA has its first generation after 0, and so it is known to pods and certificates."""
    usual: dict[str, Any] = {
        "ca": secrets(certificate_generation=1, key_generation=1), "ledger": BOOKS, "leaves": leaves(generation=1),
        "pods": tuple(a_pod(name, 1, key_generation=1) for name in PODS), "backups": backups,
    }  # fmt: skip
    return cluster(**{**usual, **fields})


def restored(snapshot: Snapshot) -> list[tuple[str, set[StateSecrets]]]:
    return [(step.backup.name[-1], set(step.damaged)) for step in restore_secrets(snapshot)]


DAMAGED = [
    pytest.param({}, set(), id="nothing"),
    pytest.param({"ca": secrets(None)}, {CERTIFICATE, KEY}, id="both CA Secrets"),
    pytest.param({"ca": secrets(None, key=OLD.certificate.public_key_sha256, key_generation=1)}, {CERTIFICATE}, id="certificate"),
    pytest.param({"ca": secrets(certificate_generation=1, key=None)}, {KEY}, id="key"),
    pytest.param({"ca": secrets(certificate_generation=1, key_generation=1, key=THIRD.certificate.public_key_sha256)}, {KEY}, id="another key"),
    pytest.param({"ca": secrets(key_generation=1)}, {CERTIFICATE}, id="lower generation"),
    pytest.param({"ca": secrets(certificate_generation=1)}, {KEY}, id="lower generation of the key"),
    pytest.param({"ca": secrets(certificate_generation=2, key_generation=1)}, set(), id="a later generation"),
    pytest.param({"ca": secrets(certificate_generation=1, key_generation=5)}, set(), id="a later generation of the key"),
    pytest.param({"ca": secrets(certificate_generation=1), "pods": pods(1)}, set(), id="pods know no generation of the key"),
    pytest.param({"ca": secrets(chain_of(RENEWED, ROOT), certificate_generation=1, key_generation=1)}, set(), id="another certificate of its key"),
    pytest.param({"pods": LATER}, set(), id="pods know a later generation of the key than the backup"),
    pytest.param({"pods": LATER, "ca": secrets(certificate_generation=1, key=None)}, {KEY}, id="key, and pods know a later generation of it"),
    pytest.param(
        {"ca": secrets(certificate_generation=1, key_generation=1, defects=CaDefects(unnumbered_generations=("Secret x, annotation y",)))},
        {CERTIFICATE, KEY}, id="no generation",
    ),
    pytest.param({"ca": secrets(THIRD, key_generation=1)}, {CERTIFICATE, KEY}, id="an earlier pair"),
    pytest.param({"ca": secrets(THIRD, certificate_generation=1, key_generation=1)}, {CERTIFICATE, KEY}, id="another pair of this generation"),
    pytest.param({"ca": secrets(THIRD, certificate_generation=2, key_generation=2)}, set(), id="a later pair"),
    pytest.param({"ledger": None}, {LEDGER}, id="no ledger"),
    pytest.param({"ledger": EDITED}, {LEDGER}, id="an edited ledger"),
    pytest.param({"ca": secrets(certificate_generation=1, key_generation=1, kept_keys=frozenset({name_of(OLD)}), key=None)}, set(), id="kept key"),
    pytest.param(
        {"ca": secrets(certificate_generation=1, key_generation=1, key=NEW.certificate.public_key_sha256, prepared=(prepared(NEW),))}, set(),
        id="half-way through a switch",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "damaged"), DAMAGED)
def test_only_damaged_secrets_are_restored(fields: dict[str, Any], damaged: set[StateSecrets]) -> None:
    assert restored(seen(KEPT, **fields)) == ([("1", damaged)] if damaged else [])


@pytest.mark.parametrize(("fields", "damaged"), DAMAGED)
def test_afterwards_nothing_is_damaged(fields: dict[str, Any], damaged: set[StateSecrets]) -> None:
    snapshot = seen(KEPT, **fields)
    for step in restore_secrets(snapshot):
        snapshot = step.effect(snapshot, pytest.fail)  # type: ignore[arg-type]
    assert restored(snapshot) == []


BELOW = chain_of(INTERMEDIATE, ROOT)
OF_BELOW = a_backup(secrets(BELOW, certificate_generation=1, key_generation=1))


@pytest.mark.parametrize(
    ("fields", "damaged"),
    [
        pytest.param({"certificate_generation": 1}, set(), id="nothing"),
        pytest.param({"certificate_generation": 1, "key": None}, {KEY}, id="key"),
        pytest.param({"certificate_generation": 0}, {CERTIFICATE}, id="lower generation"),
    ],
)
def test_of_a_chain_the_ca_that_issues_is_compared(fields: dict[str, Any], damaged: set[StateSecrets]) -> None:
    """No process shows its generation."""
    ca = secrets(BELOW, key_generation=1, **fields)
    snapshot = seen(OF_BELOW, ca=ca, leaves=(), ledger=OF_BELOW.ledger, pods=pods(7), users=CaUsers())
    assert restored(snapshot) == ([("1", damaged)] if damaged else [])


def test_a_later_backup_of_the_same_ca_keeps_no_ledger_away() -> None:
    later = replace(
        OF_BELOW, name="Secret kafka/demo-cluster-ca-backup-2", kept_at=OF_BELOW.kept_at + HOUR, ledger=None
    )
    lost = seen(later, OF_BELOW, ca=OF_BELOW.ca, leaves=leaves(INTERMEDIATE, 1), ledger=None)
    assert restored(lost) == [("1", {LEDGER})]


def test_leaves_show_which_ca_below_another_has_this_generation() -> None:
    kept = OF_BELOW
    snapshot = seen(
        kept, ca=secrets(THIRD, certificate_generation=1, key_generation=1), leaves=leaves(INTERMEDIATE, 1), ledger=kept.ledger
    )  # fmt: skip
    assert restored(snapshot) == [("1", {CERTIFICATE, KEY})]


UNFIT = [
    pytest.param(a_backup(secrets(NEW, certificate_generation=1)), {}, id="the ledger names another CA"),
    pytest.param(
        a_backup(secrets(NEW, certificate_generation=1)), {"leaves": ()}, id="the ledger alone names another CA"
    ),
    pytest.param(
        a_backup(secrets(NEW, certificate_generation=1)), {"ledger": None}, id="the certificates are of another CA"
    ),
    pytest.param(a_backup(), {"ledger": None}, id="the pods know a later generation"),
    pytest.param(a_backup(), {"ledger": EDITED}, id="an edited ledger says nothing"),
    pytest.param(a_backup(secrets(certificate_generation=1, key=None)), {}, id="without its key"),
    pytest.param(a_backup(secrets(None)), {}, id="without a CA"),
    pytest.param(
        a_backup(secrets(certificate_generation=1, defects=CaDefects(problems=("x",)))), {}, id="with problems"
    ),
    pytest.param(
        a_backup(secrets(certificate_generation=1, defects=CaDefects(unnumbered_generations=("x",)))),
        {},
        id="without generations",
    ),
    pytest.param(
        KEPT, {"leaves": (*leaves(generation=1), a_leaf("one-more", NEW))}, id="one certificate is of another CA"
    ),
]


@pytest.mark.parametrize(("backup", "fields"), UNFIT)
def test_a_backup_that_does_not_fit_stays_where_it_is(backup: Backup, fields: dict[str, Any]) -> None:
    lost = seen(backup, ca=secrets(None), **fields)
    assert restored(lost) == []
    assert why_unfit(lost, backup, frozenset({CERTIFICATE, KEY}))


def test_a_lost_key_comes_from_a_backup_of_the_ca_in_use_alone() -> None:
    snapshot = seen(a_backup(secrets(NEW, certificate_generation=1)), ca=secrets(certificate_generation=1, key=None))
    assert restored(snapshot) == []


def test_the_newest_backup_that_fits_comes_back() -> None:
    later = a_backup(secrets(NEW, certificate_generation=2), number=3, age=HOUR)
    earlier = a_backup(secrets(certificate_generation=1, key_generation=1), number=2, age=2 * DAY)
    assert restored(seen(later, KEPT, earlier, ca=secrets(None))) == [("1", {CERTIFICATE, KEY})]


@pytest.mark.parametrize(
    ("age", "chosen"),
    [(HOUR, []), (DAY, [("1", {LEDGER})]), (2 * DAY, [("1", {LEDGER})])],
    ids=["later", "at once", "earlier"],
)
def test_a_ledger_from_before_a_later_backup_of_another_ca_stays_where_it_is(age: timedelta, chosen: object) -> None:
    """The CA in use is an earlier CA again, and the flow to the next CA has gone on since: no process trusts the next CA any more."""
    next_ca = a_backup(secrets(NEW, certificate_generation=2), number=2, age=age)
    begun = a_backup(secrets(certificate_generation=1, key_generation=1, prepared=(prepared(NEW),)), ledger=BEGUN)
    assert restored(seen(next_ca, begun, ledger=None)) == chosen


def test_a_ledger_that_stays_names_the_ca_of_the_later_backup(golden: GoldenFiles) -> None:
    later = a_backup(secrets(BELOW, certificate_generation=2), number=2, age=HOUR)
    golden.compare_said("stops_in_rules", why_unfit(seen(later, KEPT, ledger=None), KEPT, frozenset({LEDGER})))


def test_certificates_of_the_next_ca_are_no_obstacle() -> None:
    """The flow has issued them before it was interrupted."""
    kept = secrets(certificate_generation=1, key_generation=1, prepared=(prepared(NEW),), other_entries=others(NEW))
    mixed = (a_leaf(PODS[0], NEW, 1), *leaves(generation=1, names=PODS[1:]))
    assert restored(seen(a_backup(kept, ledger=BEGUN), ca=secrets(None), leaves=mixed, ledger=BEGUN)) == [
        ("1", {CERTIFICATE, KEY})
    ]


@pytest.mark.parametrize(
    "kept",
    [
        a_backup(
            secrets(
                certificate_generation=1, key_generation=1, prepared=(replace(prepared(INTERMEDIATE), chain=BELOW),)
            )
        ),
        replace(KEPT, ledger=ledger(entry(OLD, generations=(1,)), entry(INTERMEDIATE))),
    ],
    ids=["prepared below another", "known to the ledger"],
)
def test_certificates_of_a_ca_that_the_backup_knows_are_no_obstacle(kept: Backup) -> None:
    mixed = (a_leaf(PODS[0], INTERMEDIATE, 1), *leaves(generation=1, names=PODS[1:]))
    assert restored(seen(kept, ca=secrets(None), leaves=mixed)) == [("1", {CERTIFICATE, KEY})]


def test_the_next_ca_of_a_flow_comes_back_with_its_key() -> None:
    kept = secrets(certificate_generation=1, key_generation=1, prepared=(prepared(NEW),))
    assert restored(seen(a_backup(kept, ledger=BEGUN), ledger=BEGUN)) == [("1", {KEY})]
    assert restored(seen(a_backup(kept, ledger=BEGUN))) == [], "no flow is in flight that needs it"
    assert restored(seen(KEPT, ledger=BEGUN)) == [], "the backup does not have it"


def test_a_ca_of_the_operator_is_left_to_the_operator() -> None:
    assert restored(seen(KEPT, ca=secrets(None), reconciliation=Reconciliation(generated=True))) == []


def test_the_number_on_brokers_is_another_than_that_of_the_clients_ca() -> None:
    """It counts the restarts for the clients CA, and this collection counts its certificates."""
    snapshot = seen(KEPT, ca=secrets(None), pods=pods(7), leaves=(), users=CaUsers())
    assert restored(snapshot) == [("1", {CERTIFICATE, KEY})]


def witnesses(*issuers: Entity) -> dict[str, Certificate]:
    """The certificates of users, each of one of these CAs."""
    return {
        f"Secret kafka/user-{number}": make(f"user-{number}", key(21), issuer, ca=False).certificate
        for number, issuer in enumerate(issuers)
    }


#: From before a switch from OLD to NEW, shortly before it, and after it.
NEAR = a_backup(
    secrets(certificate_generation=1, key_generation=1, prepared=(prepared(NEW),), other_entries=others(NEW))
)
NEAR_BELOW = a_backup(
    secrets(
        certificate_generation=1,
        key_generation=1,
        prepared=(replace(prepared(INTERMEDIATE), chain=BELOW),),
        other_entries=others(INTERMEDIATE),
    )
)
SWITCHED = a_backup(
    secrets(NEW, certificate_generation=2, key_generation=2, other_entries=others(OLD)), number=2, age=2 * DAY
)


@pytest.mark.parametrize(
    ("issuers", "bundle", "backups", "chosen"),
    [
        pytest.param([OLD], [], (KEPT,), "1", id="before the switch"),
        pytest.param([OLD], [], (SWITCHED,), "2", id="no user has a new certificate yet"),
        pytest.param(
            [OLD], [OLD, NEW], (SWITCHED,), "2", id="no user has a new certificate yet, and the bundle is there"
        ),
        pytest.param([NEW], [], (KEPT,), "", id="a backup from before the switch"),
        pytest.param([OLD, NEW], [], (KEPT,), "", id="one user has a new certificate"),
        pytest.param([OLD, NEW], [], (KEPT, SWITCHED), "2", id="the newest says nothing of the CA in use"),
        pytest.param([NEW], [OLD, NEW], (NEAR,), "1", id="a moment after the switch"),
        pytest.param([NEW], [NEW], (NEAR,), "", id="long after the switch"),
        pytest.param([NEW], [], (NEAR,), "", id="after the switch, and nothing shows how long"),
        pytest.param([INTERMEDIATE], [], (NEAR_BELOW,), "", id="the same, to a CA below another"),
        pytest.param([OLD], [], (NEAR,), "1", id="a moment before the switch"),
        pytest.param([], [NEW], (KEPT, SWITCHED), "2", id="without users, the bundle alone"),
        pytest.param([THIRD], [], (KEPT, SWITCHED), "", id="of a CA that no backup has"),
    ],
)
def test_certificates_of_users_show_which_clients_ca_is_accepted(
    issuers: list[Entity], bundle: list[Entity], backups: tuple[Backup, ...], chosen: str
) -> None:
    """Where its ledger is lost with its Secrets, no other object shows it."""
    lost = seen(
        *backups, ca=secrets(None), ledger=None, leaves=(), pods=pods(7), users=CaUsers(witnesses=witnesses(*issuers)),
        bundle=names_of(*bundle),
    )  # fmt: skip
    assert [name for name, _damaged in restored(lost)] == list(chosen)


@pytest.mark.parametrize(
    ("issuers", "damaged"),
    [
        pytest.param([OLD, OLD], {CERTIFICATE, KEY}, id="of the CA in use"),
        pytest.param([OLD, THIRD], None, id="of both"),
        pytest.param([THIRD, THIRD], None, id="issued again already"),
        pytest.param([], None, id="no users"),
    ],
)
@pytest.mark.parametrize("generation", [0, 1])
def test_certificates_of_users_show_that_an_earlier_clients_ca_lies_there(
    issuers: list[Entity], damaged: set[StateSecrets] | None, generation: int
) -> None:
    snapshot = seen(
        KEPT,
        ca=secrets(THIRD, certificate_generation=generation, key_generation=1),
        leaves=(),
        pods=pods(7),
        users=CaUsers(witnesses=witnesses(*issuers)),
    )
    assert restored(snapshot) == ([("1", damaged)] if damaged else [])


@pytest.mark.parametrize("users", [None, CaUsers()], ids=["cluster CA", "clients CA"])
def test_no_key_comes_back_for_a_ca_that_no_flow_has_put_there(users: CaUsers | None, golden: GoldenFiles) -> None:
    """It would have the operators issue certificates that processes may refuse."""
    earlier = a_backup(secrets(THIRD, certificate_generation=1, key_generation=1))
    swapped = seen(earlier, ca=secrets(THIRD, certificate_generation=1, key_generation=1, key=None), users=users)
    assert restored(swapped) == []
    golden.compare_said("stops_in_rules", why_unfit(swapped, earlier, frozenset({KEY})))


AFTER = secrets(THIRD, certificate_generation=2, key_generation=2)
FOLLOWED = ledger(entry(OLD, PHASE_OUT, generations=(1,)), entry(THIRD, generations=(2,)))


@pytest.mark.parametrize(
    ("backup", "current", "damaged"),
    [
        pytest.param(a_backup(AFTER, ledger=FOLLOWED), THIRD, {LEDGER}, id="of the flow that put it there"),
        pytest.param(
            a_backup(secrets(chain_of(THIRD, ROOT), certificate_generation=2, key_generation=2), ledger=FOLLOWED),
            chain_of(THIRD, ROOT), {LEDGER}, id="of a CA below another",
        ),
        pytest.param(a_backup(AFTER, ledger=None), THIRD, set(), id="without a ledger"),
        pytest.param(a_backup(AFTER, ledger=replace(FOLLOWED, problems=("x",))), THIRD, set(), id="with a damaged ledger"),
        pytest.param(a_backup(AFTER, ledger=Ledger()), THIRD, set(), id="with an empty ledger"),
        pytest.param(a_backup(AFTER, ledger=BOOKS), THIRD, set(), id="with a ledger of the CA before"),
        pytest.param(
            a_backup(secrets(NEW, certificate_generation=2, key_generation=2), ledger=FOLLOWED), THIRD, set(),
            id="of another CA than its ledger",
        ),
        pytest.param(
            a_backup(secrets(THIRD, certificate_generation=1, key_generation=1), ledger=FOLLOWED), THIRD, set(),
            id="of the same generation as the CA before",
        ),
        pytest.param(
            a_backup(secrets(THIRD, certificate_generation=0, key_generation=0), ledger=FOLLOWED), THIRD, set(),
            id="of an earlier generation",
        ),
        pytest.param(a_backup(AFTER, ledger=FOLLOWED), OLD, set(), id="the CA in use is known"),
    ],
)  # fmt: skip
def test_a_ledger_from_before_the_last_flow_comes_back_from_a_backup_after_it(
    backup: Backup, current: Entity | Chain, damaged: set[StateSecrets]
) -> None:
    """An earlier ledger was put back by hand. The next one is taken from the flow that has put the CA in use there alone."""
    chain = chain_of(current) if isinstance(current, Entity) else current
    here = {"ca": secrets(chain, certificate_generation=2, key_generation=2), "leaves": leaves(generation=2)}
    assert (LEDGER in find_damage(seen(backup, **here), backup)) is bool(damaged)


def test_a_run_says_why_no_backup_comes_back(golden: GoldenFiles) -> None:
    strange = make("orders", key(21), THIRD, ca=False).certificate
    lost = seen(
        KEPT, ca=secrets(None), ledger=None, leaves=(), users=CaUsers(witnesses={"Secret kafka/orders": strange})
    )
    (held,) = decide(lost, Intent(Goal.RECOVER)).violations
    golden.compare_said("stops_in_rules", held)


def test_a_recovery_puts_secrets_back_before_all_else() -> None:
    (step,) = decide(seen(KEPT, ca=secrets(None)), Intent(Goal.RECOVER)).steps
    assert restore_secrets(seen(KEPT, ca=secrets(None))) == (step,)


UNSOUND = [
    {"ca": secrets(None)},
    {"ca": secrets(certificate_generation=1, key=None)},
    {"ca": secrets(certificate_generation=1, key=THIRD.certificate.public_key_sha256)},
    {"ca": secrets(certificate_generation=1, defects=CaDefects(problems=("x",)))},
    {"ca": secrets(certificate_generation=1, defects=CaDefects(unnumbered_generations=("x",)))},
    {"ca": secrets(certificate_generation=1, defects=CaDefects(exposed_entries=("x",)))},
    {"ca": secrets(certificate_generation=0)},
    {"ledger": None},
    {"ledger": EDITED},
]


@pytest.mark.parametrize("fields", UNSOUND)
def test_a_damaged_state_is_not_worth_a_backup(fields: dict[str, Any]) -> None:
    assert is_sound(seen())
    assert is_sound(seen(pods=pods(0))), "pods have yet to restart"
    assert is_sound(seen(ca=secrets(chain_of(OLD, ROOT), certificate_generation=1)))
    assert not is_sound(seen(**fields))


def test_a_state_half_way_through_a_switch_is_worth_a_backup() -> None:
    half = secrets(certificate_generation=1, key=NEW.certificate.public_key_sha256, prepared=(prepared(NEW),))
    assert is_sound(seen(ca=half))
    assert is_sound(replace(seen(), ca=replace(half, prepared=(), kept_keys=frozenset({name_of(OLD)}))))
