# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys: a promotion that was left half-way, and those that nobody needs any more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    Promote,
    RestoreKey,
    Step,
    TidyKeys,
)

from . import rotation as stage
from .builders import (
    NEW,
    OLD,
    PODS,
    THIRD,
    entry,
    ledger,
    name_of,
    names_of,
    others,
    secrets,
    uids_of,
)
from .rotation import ALL, UNTRUSTED, UNUSED, books_of

REPLACE_KEY, RECONCILE = Intent(Goal.REPLACE_KEY), Intent(Goal.RECONCILE)
NOBODY = frozenset[str]()


def steps(snapshot: Snapshot, intent: Intent = REPLACE_KEY) -> tuple[Step, ...]:
    found = decide(snapshot, intent)
    assert found.violations == ()
    return found.steps


HALF_PROMOTED = replace(stage.TRUSTED.ca, key=NEW.certificate.public_key_sha256, kept_keys=names_of(OLD))
WAITING = books_of(stage.TRUSTED).with_entry(entry(NEW, UNUSED, awaiting=uids_of(PODS[1], start=1)))


@pytest.mark.parametrize("intent", [REPLACE_KEY, RECONCILE])
def test_a_promotion_whose_key_is_written_goes_forward_before_anything_else(intent: Intent) -> None:
    """Without the key of ca.crt the operator does nothing: waiting for it would be in vain."""
    half = replace(stage.TRUSTED, ca=replace(HALF_PROMOTED, others={**HALF_PROMOTED.others, **others(THIRD)}))
    half = replace(half, ledger=books_of(half).with_entry(entry(THIRD, UNTRUSTED, awaiting=None)))
    assert half.ca.projected == names_of(OLD, NEW, THIRD)
    assert steps(half, intent) == (Promote(name_of(NEW), 1),)


def test_a_promotion_whose_key_is_written_goes_back_where_its_gate_no_longer_holds() -> None:
    assert steps(replace(stage.TRUSTED, ca=HALF_PROMOTED, ledger=WAITING)) == (RestoreKey(name_of(OLD)),)


@pytest.mark.parametrize(
    ("kept", "books", "stale"),
    [
        (names_of(OLD), ledger(entry(NEW, ALL, {1})), names_of(OLD)),
        (names_of(NEW), ledger(entry(NEW, ALL, {1})), names_of(NEW)),
    ],
    ids=["of a CA that left", "of the CA that issues, whose key is ca.key"],
)
def test_keys_that_nobody_needs_are_removed(kept: frozenset[str], books: Ledger, stale: frozenset[str]) -> None:
    ca = secrets(NEW, certificate_generation=1, kept_keys=kept)
    snapshot = replace(stage.FINISHED, ca=ca, ledger=books)
    assert steps(snapshot, RECONCILE) == (TidyKeys(NOBODY, stale, Phase.RETIRE),)


def test_the_key_of_a_ca_that_is_still_trusted_is_kept() -> None:
    snapshot = replace(stage.TIDIED, ca=replace(stage.TIDIED.ca, kept_keys=names_of(OLD)))
    assert steps(snapshot) == steps(stage.TIDIED)
