# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA that came into the place of the one in use past this collection, and its entry in the ledger when it is adopted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.enrolment import (
    adopt_swapped,
    find_adoption,
    find_swap,
    last_current,
    pods_yet_to_restart,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Ledger, TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ....support.certificates import NOW
from ....support.intents import an_intent
from ..builders import (
    ALL,
    IDENTIFIED,
    NEW,
    OLD,
    PHASE_OUT,
    RENEWED,
    ROOT,
    THIRD,
    UNTRUSTED,
    UNUSED,
    a_journal,
    books_of,
    chain_of,
    cluster,
    entry,
    ledger,
    pods,
    prepared,
    secrets,
)
from ..rules.asking import FLOWS

IN_USE = entry(OLD, generations={0})
ADOPT = an_intent(Goal.UPGRADE, adopts=NEW.certificate.sha256)


def swapped(*others: Any, **fields: Any) -> Snapshot:
    """NEW lies in the place of OLD. others: what the ledger knows beside OLD."""
    ca = secrets(NEW, certificate_generation=1, prepared=fields.pop("prepared", ()))
    return cluster(**{"ca": ca, "ledger": ledger(IN_USE, *others, **fields.pop("books", {})), **fields})


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(swapped(), id="nobody knows it"),
        pytest.param(swapped(entry(NEW, UNTRUSTED, awaiting=None)), id="it lay there as another one, and is not trusted yet"),
        pytest.param(swapped(prepared=(prepared(NEW),)), id="it was put among the prepared ones, and no flow is about it"),
        pytest.param(swapped(books={"journal": a_journal(new=THIRD)}), id="another one is to be switched to"),
        pytest.param(swapped(books={"journal": a_journal(finished_at=NOW)}), id="the flow about it has ended"),
        pytest.param(replace(swapped(), ca=secrets(IDENTIFIED)), id="a renewal that JVMs refuse"),
        pytest.param(replace(swapped(), ca=secrets(chain_of(NEW, OLD))), id="with the one in use behind it"),
        pytest.param(
            replace(swapped(books={"journal": a_journal(new=OLD)}), ca=secrets(chain_of(NEW, OLD))),
            id="with the one behind it that is to be switched to",
        ),
    ],
)  # fmt: skip
def test_another_ca_in_the_place_of_the_one_in_use(snapshot: Snapshot) -> None:
    found = find_swap(snapshot)
    assert found is not None
    assert (found.certificate, found.replaced) == (snapshot.ca.current[0], IN_USE)


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(cluster(), id="the CA in use"),
        pytest.param(swapped(books={"journal": a_journal()}), id="a flow has switched to it, and the books are behind"),
        pytest.param(swapped(entry(NEW, UNUSED)), id="it was brought to trust, as every gate knows"),
        pytest.param(swapped(entry(NEW, PHASE_OUT, {7})), id="from a backup, and not gone yet"),
        pytest.param(swapped(entry(NEW, UNTRUSTED, {1}, awaiting=None)), id="it has been in use, and no process runs"),
        pytest.param(replace(swapped(), ca=secrets(RENEWED)), id="a renewal with its key"),
        pytest.param(replace(swapped(), ca=secrets(chain_of(RENEWED, ROOT))), id="a renewal with its key, and a root"),
        pytest.param(
            replace(swapped(books={"journal": a_journal()}), ca=secrets(chain_of(NEW, ROOT))),
            id="a flow has switched to it and to its root",
        ),
        pytest.param(cluster(ledger=None, ca=secrets(NEW)), id="nothing was adopted yet"),
        pytest.param(cluster(ledger=Ledger(), ca=secrets(NEW)), id="no CA was in use before"),
        pytest.param(cluster(ca=secrets(None)), id="no CA lies there"),
    ],
)
def test_what_is_no_swap(snapshot: Snapshot) -> None:
    assert find_swap(snapshot) is None


@pytest.mark.parametrize("stage", FLOWS)
def test_no_flow_swaps(stage: str) -> None:
    assert find_swap(FLOWS[stage][0]) is None


def test_the_one_in_use_is_that_of_the_highest_generation() -> None:
    older, newer = entry(OLD, PHASE_OUT, {0, 3}), entry(NEW, ALL, {4})
    assert last_current(ledger(older, newer, entry(THIRD, UNTRUSTED))) == newer
    assert last_current(Ledger((entry(THIRD, UNTRUSTED),))) is None


@pytest.mark.parametrize(
    "adopts", [NEW.certificate.sha256, NEW.certificate.fingerprint, NEW.certificate.sha256.upper()]
)
def test_it_is_adopted_by_its_fingerprint(adopts: str) -> None:
    assert find_adoption(swapped(), an_intent(Goal.UPGRADE, adopts=adopts)) == find_swap(swapped())


@pytest.mark.parametrize(
    ("snapshot", "intent"),
    [
        pytest.param(swapped(), Intent(Goal.UPGRADE), id="nobody says so"),
        pytest.param(swapped(), an_intent(Goal.UPGRADE, adopts=OLD.certificate.sha256), id="another CA is meant"),
        pytest.param(swapped(), replace(ADOPT, goal=Goal.RECONCILE), id="another flow"),
        pytest.param(swapped(entry(NEW, UNUSED)), ADOPT, id="it is adopted already"),
    ],
)
def test_it_is_not_adopted_otherwise(snapshot: Snapshot, intent: Intent) -> None:
    assert find_adoption(snapshot, intent) is None
    assert adopt_swapped(snapshot, intent, books_of(snapshot)) == books_of(snapshot)


def test_pods_of_another_generation_have_yet_to_start_with_it() -> None:
    some = (*pods(1)[:1], *pods(0)[1:2], *pods(None)[2:])
    assert pods_yet_to_restart(swapped(pods=some)) == some[1:]


def test_what_every_process_has_started_with_is_known_to_all() -> None:
    """By the gates it becomes trusted then, and no process restarts for it."""
    started = swapped(pods=pods(1))
    (_old, found) = adopt_swapped(started, ADOPT, books_of(started)).entries
    assert found == entry(NEW, TrustState.UNTRUSTED, awaiting=())


def test_as_long_as_one_has_not_it_is_not_entered() -> None:
    """It is put aside first, and enrolled as the next one."""
    half = swapped(pods=(*pods(1)[:1], *pods(0)[1:]))
    assert adopt_swapped(half, ADOPT, books_of(half)) == books_of(half)
