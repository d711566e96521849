# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chapter "Prepare": which CA is made next, under which name, and whether a link certificate comes with it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import ROTATIONS, Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import PreparedAuthority, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import PrepareAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.prepare import prepare

from ....support.certificates import Entity
from .. import unlinked
from ..builders import INTERMEDIATE, NEW, OLD, ROOT, THIRD, UNUSED, chain_of, cluster, entry, ledger, others, secrets
from .asking import RENEW, REPLACE_KEY, situation, turns

CREATE = Intent(Goal.CREATE)
FIRST = cluster(ca=secrets(None), ledger=None, bundle=None, pods=(), leaves=())
BELOW = chain_of(INTERMEDIATE, ROOT)


def settled_with(authority: Entity | Chain, *beside: Entity, **generations: int) -> Snapshot:
    ca = secrets(authority, others=others(*beside), **generations)
    books = ledger(entry(ca.current, generations={0}), *(entry(one, UNUSED) for one in beside))
    return cluster(ca=ca, ledger=books)


def supplying(*chain: Entity) -> Intent:
    made = PreparedAuthority(chain_of(*chain), chain[0].certificate.public_key_sha256)
    return replace(REPLACE_KEY, supplied=made)


def test_its_turn() -> None:
    made = PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=chain_of(OLD), generation=1, linked=True)
    assert turns(prepare) == {"linked SETTLED": (made,), "unlinked SETTLED": (made,)}


@pytest.mark.parametrize(
    ("snapshot", "intent", "generation"),
    [
        # A renewal keeps name and key, so that nobody has to learn a new name.
        (settled_with(OLD, key_generation=6), RENEW, 0),
        (settled_with(NEW), RENEW, 1),
        (settled_with(BELOW, key_generation=4), RENEW, 4),
        # A new key takes a number that no CA here has, neither in its name nor as key generation.
        (settled_with(OLD), REPLACE_KEY, 1),
        (settled_with(NEW), REPLACE_KEY, 2),
        (settled_with(OLD, key_generation=6), REPLACE_KEY, 7),
        (settled_with(OLD, THIRD), REPLACE_KEY, 3),
        (settled_with(OLD, certificate_generation=9), REPLACE_KEY, 1),
        (settled_with(BELOW), REPLACE_KEY, 1),
        # Without a number in its name, one that no CA before it can have had.
        (settled_with(BELOW, certificate_generation=9), REPLACE_KEY, 10),
        (FIRST, CREATE, 0),
    ],
)
def test_the_number_of_the_next_ca(snapshot: Snapshot, intent: Intent, generation: int) -> None:
    (made,) = prepare(situation(snapshot, intent))
    assert isinstance(made, PrepareAuthority)
    assert (made.goal, made.replaces, made.generation) == (intent.goal, snapshot.ca.current, generation)


@pytest.mark.parametrize(
    ("snapshot", "intent", "linked"),
    [
        pytest.param(cluster(), REPLACE_KEY, True, id="a new key"),
        pytest.param(cluster(), supplying(NEW), True, id="a supplied root"),
        pytest.param(cluster(), supplying(INTERMEDIATE, ROOT), False, id="a supplied CA below another"),
        pytest.param(cluster(ca=secrets(key=None)), REPLACE_KEY, False, id="no key to certify it with"),
        pytest.param(cluster(), RENEW, False, id="the same key"),
        pytest.param(FIRST, CREATE, False, id="the first CA"),
    ],
)
def test_who_is_certified_by_the_ca_in_use(snapshot: Snapshot, intent: Intent, linked: bool) -> None:
    (made,) = prepare(situation(snapshot, intent))
    assert isinstance(made, PrepareAuthority)
    assert made.linked is linked


@pytest.mark.parametrize(
    ("snapshot", "intent"),
    [
        pytest.param(cluster(), CREATE, id="a cluster that has a CA needs no first one"),
        *(pytest.param(cluster(), Intent(goal), id=goal.value) for goal in Goal if goal not in ROTATIONS),
        pytest.param(unlinked.PREPARED, RENEW, id="one is prepared already"),
        pytest.param(unlinked.FINISHED, REPLACE_KEY, id="one has just been put in place"),
    ],
)
def test_nothing_is_made(snapshot: Snapshot, intent: Intent) -> None:
    assert prepare(situation(snapshot, intent)) == ()
