# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that bring CAs to where processes and clients read them, and take them out again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.base import Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import (
    AwaitBundle,
    AwaitClients,
    AwaitOutside,
    Project,
    Publish,
    Withdraw,
    WriteBundle,
)

from .....support.certificates import NOW, Entity
from ... import linked
from ...builders import HOUR, INTERMEDIATE, NEW, OLD, ROOT, THIRD, chain_of, changed, cluster, names_of, secrets
from ...stand_in import MadeHere

OLD_NAME, NEW_NAME = named(OLD.certificate), named(NEW.certificate)
APP = OutsideClient("Secret kafka/app", chain_of(NEW))
SETTLED = cluster()


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (
            Project(chains=(chain_of(NEW), chain_of(INTERMEDIATE, ROOT))),
            f"put {NEW_NAME}, {named(INTERMEDIATE.certificate)} among the trusted CAs",
        ),
        (Withdraw(certificate=OLD.certificate), f"take {OLD_NAME} out of the trusted CAs"),
        (
            AwaitBundle(present=names_of(OLD, NEW), phase=Phase.PREPARE),
            "wait until the operator's trust bundle holds 2 CAs",
        ),
        (
            AwaitBundle(present=names_of(NEW), absent=(THIRD.certificate,), phase=Phase.RETIRE),
            f"wait until the operator's trust bundle holds 1 CA and no longer {named(THIRD.certificate)}",
        ),
        (WriteBundle(phase=Phase.RETIRE), "bring the trust bundle in step"),
        (
            Publish(chains=(chain_of(OLD), chain_of(NEW)), phase=Phase.PREPARE),
            f"publish {OLD_NAME}, {NEW_NAME} to clients",
        ),
        (
            Publish(chains=(chain_of(INTERMEDIATE, ROOT),), phase=Phase.PREPARE),
            f"publish {named(INTERMEDIATE.certificate)} to clients",
        ),
        (
            AwaitOutside(clients=("one", "two"), settled=(), phase=Phase.TRUST),
            "wait until one, two trust what the operator copies from the cluster's CAs",
        ),
        (
            AwaitOutside(clients=("one",), settled=(), phase=Phase.TRUST),
            "wait until one trusts what the operator copies from the cluster's CAs",
        ),
        (
            AwaitClients(certificate=NEW.certificate, until=NOW + HOUR),
            f"give clients until 13:00:00 UTC to read {NEW_NAME}",
        ),
    ],
)
def test_in_words(step: Step, expected: str) -> None:
    assert step.sentence() == expected


def beside(*chains: Chain) -> Snapshot:
    return replace(SETTLED, ca=secrets(others={f"{chain[0].fingerprint}.crt": chain for chain in chains}))


LAGS = replace(linked.LEARNED, bundle=names_of(OLD, NEW))


@pytest.mark.parametrize(
    ("before", "step", "after"),
    [
        pytest.param(
            beside(chain_of(THIRD)), Project(chains=(chain_of(NEW), chain_of(INTERMEDIATE, ROOT))),
            beside(chain_of(THIRD), chain_of(NEW), chain_of(INTERMEDIATE, ROOT)), id="put beside others",
        ),
        pytest.param(
            beside(chain_of(THIRD), chain_of(NEW)), Withdraw(certificate=THIRD.certificate), beside(chain_of(NEW)),
            id="taken out alone",
        ),
        pytest.param(
            LAGS, AwaitBundle(present=names_of(NEW), phase=Phase.RETIRE), linked.OUT_OF_BUNDLE, id="the bundle follows"
        ),
        pytest.param(
            replace(LAGS, bundle=None), AwaitBundle(present=names_of(NEW), phase=Phase.RETIRE), replace(LAGS, bundle=None),
            id="there is no bundle",
        ),
        pytest.param(LAGS, WriteBundle(phase=Phase.RETIRE), linked.OUT_OF_BUNDLE, id="the bundle is written"),
        pytest.param(
            SETTLED, Publish(chains=(chain_of(INTERMEDIATE, ROOT),), phase=Phase.PREPARE),
            changed(SETTLED, published=names_of(INTERMEDIATE, ROOT)), id="with everything above",
        ),
        pytest.param(
            SETTLED, AwaitOutside(clients=(APP.name,), settled=(APP,), phase=Phase.TRUST), changed(SETTLED, outside=(APP,)),
            id="clients are as they will be",
        ),
        pytest.param(
            SETTLED, AwaitClients(certificate=NEW.certificate, until=NOW + HOUR), replace(SETTLED, now=NOW + HOUR),
            id="the time is over",
        ),
        pytest.param(
            SETTLED, AwaitClients(certificate=NEW.certificate, until=NOW - HOUR), SETTLED, id="time does not go back"
        ),
    ],
)  # fmt: skip
def test_what_comes_of_it(before: Snapshot, step: Step, after: Snapshot) -> None:
    assert step.effect(before, MadeHere()) == after


@pytest.mark.parametrize("gone", [NEW, INTERMEDIATE, THIRD], ids=["one", "with its root", "a third"])
def test_who_is_taken_out_takes_no_other_with_it(gone: Entity) -> None:
    every = {NEW: chain_of(NEW), INTERMEDIATE: chain_of(INTERMEDIATE, ROOT), THIRD: chain_of(THIRD)}
    after = Withdraw(certificate=gone.certificate).effect(beside(*every.values()), MadeHere())
    assert after.ca == beside(*(chain for one, chain in every.items() if one != gone)).ca
