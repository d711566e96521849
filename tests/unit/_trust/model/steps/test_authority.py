# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that make CAs, switch the operator to another one, and hand the CA to or from it."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Reconciliation, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    PrepareAuthority,
    PutBack,
    RaiseKeyGeneration,
    RestoreKey,
    SetGenerated,
    Switch,
    TidyKeys,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.base import Step

from ... import linked, renewal, unlinked
from ...builders import NEW, OLD, RENEWED, chain_of, cluster, name_of, names_of, others, prepared, secrets
from ...stand_in import MadeHere

OLD_NAME, NEW_NAME = named(OLD.certificate), named(NEW.certificate)


def to_new(leaving: Certificate | None = None) -> Switch:
    return Switch(authority=prepared(NEW, linked.LINK), generation=1, key_generation=1, leaving=leaving)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (
            PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=chain_of(OLD), generation=1),
            f"prepare a CA with a new key to replace {OLD_NAME}",
        ),
        (
            PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=chain_of(OLD), generation=1, linked=True),
            f"prepare a CA with a new key to replace {OLD_NAME}, and a link certificate by that one",
        ),
        (PrepareAuthority(goal=Goal.CREATE, replaces=(), generation=0), "prepare a CA with a new key"),
        (
            PrepareAuthority(goal=Goal.RENEW, replaces=chain_of(OLD), generation=0),
            f"prepare a renewed certificate of {OLD_NAME}",
        ),
        (to_new(), f"switch the operator to {NEW_NAME}, generation 1"),
        (
            to_new(OLD.certificate),
            f"switch the operator to {NEW_NAME}, generation 1, and take {OLD_NAME} out of the trusted CAs",
        ),
        (
            PutBack(chain=chain_of(OLD), generation=0, key_generation=0),
            f"put {OLD_NAME} back into its place, and keep the CA that lies there as the next one",
        ),
        (RestoreKey(certificate=OLD.certificate, key_generation=0), f"put the key of {OLD_NAME} back"),
        (
            TidyKeys(prepared=names_of(NEW), kept_keys=frozenset(), phase=Phase.USE),
            "remove keys that are no longer needed",
        ),
        (SetGenerated(generated=True, phase=Phase.RETIRE), "give the cluster CA to the operator"),
        (SetGenerated(generated=False, phase=Phase.PREPARE), "take the cluster CA from the operator"),
        (RaiseKeyGeneration(generation=7), "raise the key generation to 7"),
    ],
)
def test_in_words(step: Step, expected: str) -> None:
    assert step.sentence() == expected


@pytest.mark.parametrize(
    ("before", "step", "after"),
    [
        pytest.param(
            linked.SETTLED,
            PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=chain_of(OLD), generation=1, linked=True),
            linked.PREPARED, id="the next CA waits",
        ),
        pytest.param(linked.HALTED, to_new(OLD.certificate), linked.SWITCHED, id="the old CA leaves with the switch"),
        pytest.param(
            linked.RESUMED, TidyKeys(prepared=names_of(NEW), kept_keys=names_of(OLD), phase=Phase.RETIRE),
            linked.TIDIED, id="keys leave",
        ),
        pytest.param(
            cluster(), SetGenerated(generated=True, phase=Phase.RETIRE),
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
            cluster(ca=secrets(NEW, others=others(OLD), certificate_generation=1, key_generation=1)),
            PutBack(chain=chain_of(OLD), generation=0, key_generation=0),
            cluster(
                ca=secrets(
                    OLD, others={f"{name_of(NEW)}.crt": chain_of(NEW)}, key=NEW.certificate.public_key_sha256,
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
                    OLD, others={f"{name_of(NEW)}.crt": chain_of(NEW)}, key=NEW.certificate.public_key_sha256,
                    prepared=(prepared(NEW),), kept_keys=names_of(NEW),
                ),
                bundle=names_of(NEW),
            ),
            id="it was kept by a call that was killed",
        ),
    ],
)  # fmt: skip
def test_what_comes_of_it(before: Snapshot, step: Step, after: Snapshot) -> None:
    assert step.effect(before, MadeHere()) == after


def test_the_old_ca_stays_trusted_under_the_name_that_the_operator_would_give_it() -> None:
    switched = to_new().effect(unlinked.HALTED, MadeHere()).ca
    assert switched.others == {OLD.certificate.expired_name(): chain_of(OLD)}
    assert (switched.current, switched.kept_keys) == (chain_of(NEW), names_of(OLD, NEW))


def test_a_renewal_has_the_key_in_place_already() -> None:
    switched = Switch(authority=prepared(RENEWED), generation=1, key_generation=0).effect(renewal.HALTED, MadeHere())
    assert switched.ca.kept_keys == names_of(RENEWED)
