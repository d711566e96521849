# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that make CAs, switch the operator to another one, and hand the CA to or from it."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.authority_order import (
    AuthorityOrder,
    LinkPlan,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import Renewal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Beginning, FlowOptions
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaDefects,
    LinkCertificates,
    PreparedAuthority,
    Reconciliation,
    Snapshot,
    StateSecrets,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    PrepareAgain,
    PrepareAuthority,
    PutBack,
    RaiseKeyGeneration,
    RestoreKey,
    RestoreSecrets,
    SetGenerated,
    Switch,
    TidyKeys,
)

from .....tools.support.certificates import Entity
from .....tools.support.golden import GoldenFiles
from ... import linked, renewal, unlinked
from ...authorities import INTERMEDIATE, NEW, OLD, RENEWED, ROOT, THIRD, chain_of, name_of, names_of
from ...builders import a_backup, cluster, others, prepared, secrets
from ...of_users import PAYMENTS, presenter, presenting, users
from ...served import served
from ...stand_in import MadeHere

BELOW = chain_of(INTERMEDIATE, ROOT)


def to_new(leaving: Certificate | None = None) -> Switch:
    return Switch(authority=prepared(NEW, linked.LINK), generation=1, key_generation=1, leaving=leaving)


def test_steps_about_the_ca_in_words(golden: GoldenFiles) -> None:
    steps: list[Step] = [
        PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=chain_of(OLD), generation=1),
        PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=chain_of(OLD), generation=1, links=LinkPlan()),
        PrepareAuthority(goal=Goal.CREATE, replaces=(), generation=0),
        PrepareAuthority(goal=Goal.RENEW, replaces=chain_of(OLD), generation=0, path_length=1),
        PrepareAuthority(goal=Goal.RENEW, replaces=chain_of(OLD), generation=0, path_length=2),
        PrepareAuthority(goal=Goal.RENEW, replaces=chain_of(OLD), generation=0),
        PrepareAuthority(goal=Goal.RENEW, replaces=chain_of(OLD), generation=0, supplied=chain_of(RENEWED)),
        PrepareAuthority(goal=Goal.RENEW, replaces=chain_of(OLD, ROOT), generation=0, supplied=chain_of(RENEWED, ROOT)),
        PrepareAgain(chain=BELOW),
        RestoreSecrets(backup=a_backup(secrets(BELOW)), damaged=frozenset({StateSecrets.KEY})),
        to_new(),
        to_new(OLD.certificate),
        PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=BELOW, generation=1),
        PrepareAuthority(goal=Goal.RENEW, replaces=BELOW, generation=1),
        Switch(authority=replace(prepared(INTERMEDIATE), chain=BELOW), generation=1, key_generation=1),
        PutBack(chain=BELOW, generation=0, key_generation=0),
        PutBack(chain=chain_of(OLD), generation=0, key_generation=0),
        RestoreKey(certificate=OLD.certificate, key_generation=0),
        TidyKeys(prepared=names_of(NEW), kept_keys=frozenset(), phase=Phase.USE),
        SetGenerated(generated=True, ca="cluster CA", phase=Phase.RETIRE),
        SetGenerated(generated=False, ca="cluster CA", phase=Phase.PREPARE),
        RaiseKeyGeneration(generation=7),
    ]
    assert any("2026-05-31 12:00" in step.sentence() for step in steps)
    golden.compare_said("steps", "\n".join(step.sentence() for step in steps))


@pytest.mark.parametrize(
    ("before", "step", "after"),
    [
        pytest.param(
            linked.SETTLED,
            PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=chain_of(OLD), generation=1, links=LinkPlan()),
            linked.PREPARED, id="the next CA waits",
        ),
        pytest.param(
            linked.SETTLED.with_ca(kept_keys=names_of(NEW)),
            PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=chain_of(OLD), generation=1, links=LinkPlan()),
            linked.PREPARED, id="the next CA waits, and its key was kept already",
        ),
        pytest.param(
            unlinked.SETTLED, PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=chain_of(OLD), generation=1),
            unlinked.PREPARED, id="the next CA waits, without a link",
        ),
        pytest.param(linked.HALTED, to_new(OLD.certificate), linked.SWITCHED, id="the old CA leaves with the switch"),
        pytest.param(
            linked.RESUMED, TidyKeys(prepared=names_of(NEW), kept_keys=names_of(OLD), phase=Phase.RETIRE),
            linked.TIDIED, id="keys leave",
        ),
        pytest.param(
            cluster(), SetGenerated(generated=True, ca="cluster CA", phase=Phase.RETIRE),
            cluster(reconciliation=Reconciliation(generated=True)), id="given to the operator",
        ),
        pytest.param(
            cluster(), RaiseKeyGeneration(generation=7), cluster(ca=secrets(key_generation=7)), id="raised"
        ),
        pytest.param(
            cluster(ca=secrets(key=NEW.certificate.public_key_sha256, key_generation=1)),
            RestoreKey(certificate=OLD.certificate, key_generation=0), cluster(), id="the key is put back",
        ),
        pytest.param(
            cluster(ca=secrets(NEW, other_entries=others(OLD), certificate_generation=1, key_generation=1)),
            PutBack(chain=chain_of(OLD), generation=0, key_generation=0),
            cluster(
                ca=secrets(
                    OLD, other_entries={f"{name_of(NEW)}.crt": chain_of(NEW)}, key=NEW.certificate.public_key_sha256,
                    prepared=(prepared(NEW),), kept_keys=names_of(NEW),
                ),
                bundle=names_of(OLD, NEW),
            ),
            id="another CA becomes the next one",
        ),
        pytest.param(
            cluster(ca=secrets(NEW, prepared=(prepared(NEW),), kept_keys=names_of(NEW), certificate_generation=1)),
            PutBack(chain=chain_of(OLD), generation=0, key_generation=0),
            cluster(
                ca=secrets(
                    OLD, other_entries={f"{name_of(NEW)}.crt": chain_of(NEW)}, key=NEW.certificate.public_key_sha256,
                    prepared=(prepared(NEW),), kept_keys=names_of(NEW),
                ),
                bundle=names_of(NEW),
            ),
            id="it was kept by a call that was killed",
        ),
        pytest.param(
            cluster(ca=secrets(NEW, other_entries={"below.crt": BELOW, "root.crt": chain_of(ROOT)}, certificate_generation=1)),
            PutBack(chain=BELOW, generation=0, key_generation=0),
            cluster(
                ca=secrets(
                    BELOW, other_entries={"root.crt": chain_of(ROOT), f"{name_of(NEW)}.crt": chain_of(NEW)},
                    key=NEW.certificate.public_key_sha256, prepared=(prepared(NEW),), kept_keys=names_of(NEW),
                ),
                bundle=names_of(NEW, INTERMEDIATE, ROOT),
            ),
            id="of a chain the CA comes back, and its root stays trusted",
        ),
    ],
)  # fmt: skip
def test_a_step_has_this_effect(before: Snapshot, step: Step, after: Snapshot) -> None:
    assert step.effect(before, MadeHere()) == after


@pytest.mark.parametrize("current", [chain_of(OLD), chain_of(INTERMEDIATE, RENEWED)], ids=["alone", "with another"])
@pytest.mark.parametrize("kept", [False, True], ids=["", "its key is kept already"])
def test_the_old_ca_stays_trusted_under_the_name_that_the_operator_would_give_it(current: Chain, kept: bool) -> None:
    old = current[0]
    keys = names_of(NEW) | ({old.fingerprint} if kept else set())
    before = unlinked.HALTED.with_ca(current=current, key=old.public_key_sha256, kept_keys=keys)
    switched = to_new().effect(before, MadeHere()).ca
    assert switched.other_entries == {old.expired_name(): current}
    assert (switched.current, switched.kept_keys) == (chain_of(NEW), {old.fingerprint, name_of(NEW)})


def test_of_a_chain_the_ca_that_issued_leaves_with_the_switch() -> None:
    before = unlinked.HALTED.with_ca(current=BELOW, other_entries={})
    assert to_new(INTERMEDIATE.certificate).effect(before, MadeHere()).ca.other_entries == {}
    assert to_new(ROOT.certificate).effect(before, MadeHere()).ca.other_entries == {
        INTERMEDIATE.certificate.expired_name(): BELOW
    }


@pytest.mark.parametrize(("old", "new"), [*permutations((OLD, NEW))])
def test_the_key_of_the_replaced_ca_is_kept(old: Entity, new: Entity) -> None:
    switch = Switch(authority=prepared(new), generation=1, key_generation=1)
    assert switch.effect(cluster(ca=secrets(old)), MadeHere()).ca.kept_keys == names_of(old)


@pytest.mark.parametrize("there", [NEW, THIRD, RENEWED], ids=["one", "another", "a third"])
def test_putting_the_old_ca_back_keeps_every_other_prepared_ca(there: Entity) -> None:
    every = (NEW, THIRD, RENEWED)
    before = cluster(ca=secrets(there, prepared=tuple(map(prepared, every))))
    after = PutBack(chain=chain_of(OLD), generation=0, key_generation=0).effect(before, MadeHere())
    beside = [prepared(one) for one in every if one != there]
    assert after.ca.prepared == (*beside, prepared(there))


@pytest.mark.parametrize("elsewhere", [True, False])
def test_the_key_of_a_ca_that_leaves_its_place_stays_where_it_is(elsewhere: bool) -> None:
    keys = {NEW.certificate.public_key_sha256} if elsewhere else set()
    before = cluster(ca=secrets(NEW, keys_elsewhere=frozenset(keys)))
    after = PutBack(chain=chain_of(OLD), generation=0, key_generation=0).effect(before, MadeHere())
    assert after.ca.prepared == (replace(prepared(NEW), key_is_elsewhere=elsewhere),)


class KeptElsewhere(MadeHere):
    def authority(self, order: AuthorityOrder) -> PreparedAuthority:
        return replace(super().authority(order), key_is_elsewhere=True)


@pytest.mark.parametrize("known", [frozenset(), {NEW.certificate.public_key_sha256}], ids=["", "known before"])
def test_a_ca_whose_key_is_kept_elsewhere_is_known_as_such_from_then_on(known: frozenset[str]) -> None:
    prepare = PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=chain_of(OLD), generation=1)
    after = prepare.effect(unlinked.SETTLED.with_ca(keys_elsewhere=known), KeptElsewhere()).ca
    assert [one.key_is_elsewhere for one in after.prepared] == [True]
    assert after.is_kept_elsewhere(NEW.certificate)
    assert not after.is_kept_elsewhere(OLD.certificate)


@pytest.mark.parametrize("elsewhere", [True, False])
def test_a_user_that_would_be_issued_to_here_is_wanted_from_then_on(elsewhere: bool) -> None:
    """A forecast begins before a run has looked at the users' Secrets."""
    before = users(presenters=presenting(presenter(secret="orders"), presenter(PAYMENTS)))
    stand_in = KeptElsewhere() if elsewhere else MadeHere()
    step = PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=chain_of(OLD), generation=1)
    assert step.effect(before, stand_in).user_leaves == ({"orders": None} if elsewhere else {})
    known = served("trusted")
    assert step.effect(known, stand_in).user_leaves == known.user_leaves


def test_a_renewal_has_the_key_in_place_already() -> None:
    switched = Switch(authority=prepared(RENEWED), generation=1, key_generation=0).effect(renewal.HALTED, MadeHere())
    assert switched.ca.kept_keys == names_of(RENEWED)


def test_a_ca_that_is_taken_again_waits_beside_others_and_its_key_stays_where_it_is() -> None:
    key = INTERMEDIATE.certificate.public_key_sha256
    ca = secrets(NEW, prepared=(prepared(THIRD),), kept_keys=names_of(THIRD), keys_elsewhere=frozenset({key}))
    after = PrepareAgain(chain=BELOW).effect(cluster(ca=ca), MadeHere()).ca
    assert after.kept_keys == names_of(THIRD, INTERMEDIATE)
    assert after.prepared == (prepared(THIRD), PreparedAuthority(BELOW, key, key_is_elsewhere=True))


def test_the_certificates_of_users_are_outdated_after_the_switch_where_they_are_issued_again() -> None:
    kinds = [presenter(kind.value, renewal=kind) for kind in Renewal]
    after = to_new().effect(users(presenters=tuple(kinds)), MadeHere()).presenters
    changes = {
        Renewal.AT_ONCE: {"authorities": names_of(NEW)},
        Renewal.ISSUED: {"is_outdated": True},
    }
    assert list(after) == [replace(one, **changes.get(one.renewal, {})) for one in kinds]


def test_keys_and_links_go_by_their_names_and_those_of_a_ca_that_waits_stay_with_it() -> None:
    waits, links = prepared(NEW, linked.LINK, linked.LINK), LinkCertificates(linked.LINK)
    before = secrets(
        prepared=(waits,), kept_keys=names_of(OLD, NEW), kept_links={name_of(OLD): links, name_of(THIRD): links}
    )
    step = TidyKeys(prepared=frozenset(), kept_keys=names_of(OLD, THIRD), links=names_of(OLD, NEW), phase=Phase.USE)
    assert step.effect(cluster(ca=before), MadeHere()).ca == replace(
        before, kept_keys=names_of(NEW), kept_links={name_of(THIRD): links}
    )


DAMAGED = secrets(
    None, other_entries=others(THIRD), kept_keys=names_of(THIRD), keys_elsewhere=frozenset({"b"}),
    defects=CaDefects(("it is unreadable.",), is_current_unusable=True, unnumbered_generations=("an annotation",), certificate_named_for_tls="a Secret"),
)  # fmt: skip
KEPT = secrets(
    OLD, other_entries=others(NEW), certificate_generation=3, key_generation=2, prepared=(prepared(NEW),), kept_keys=names_of(NEW, THIRD),
    keys_elsewhere=frozenset("ab"), retired=("a",), flow_options=FlowOptions(precedes_replacement=True),
    beginning=Beginning(Retire.WHEN_NEEDED, is_upkeep=True),
)  # fmt: skip
LEFT = CaDefects(is_current_unusable=True, certificate_named_for_tls="a Secret")


@pytest.mark.parametrize(
    ("damaged", "back"),
    [
        (
            StateSecrets.CERTIFICATE,
            {
                "current": KEPT.current, "other_entries": {**others(THIRD), **others(NEW)}, "certificate_generation": 3,
                "defects": replace(LEFT, is_current_unusable=False), "retired": ("a",),
            },
        ),
        (
            StateSecrets.KEY,
            {
                "key": KEPT.key, "key_generation": 2, "prepared": (prepared(NEW),), "kept_keys": names_of(THIRD, NEW), "keys_elsewhere": frozenset("ab"),
                "flow_options": KEPT.flow_options, "beginning": KEPT.beginning,
            },
        ),
        (StateSecrets.LEDGER, {}),
    ],
)  # fmt: skip
def test_what_is_damaged_comes_back_as_it_was_kept_beside_what_is_there(
    damaged: StateSecrets, back: dict[str, Any]
) -> None:
    before = cluster(ca=DAMAGED, ledger=None, reconciliation=Reconciliation(request="an earlier one"))
    backup = a_backup(KEPT)
    after = RestoreSecrets(backup=backup, damaged=frozenset({damaged})).restore(before)
    ca = replace(DAMAGED, **{"defects": LEFT, **back})
    books = backup.ledger if damaged is StateSecrets.LEDGER else None
    assert after == replace(before, ca=ca, ledger=books, reconciliation=Reconciliation())
