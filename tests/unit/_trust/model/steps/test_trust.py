# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that bring CAs to where processes and clients read them, take them out again, and write the ledger."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Look, Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    FormerLeaf,
    Ledger,
    RemovedEntry,
    Upkeep,
    WhenDue,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import (
    AwaitBundle,
    AwaitClients,
    AwaitOutside,
    DeleteLedger,
    Project,
    Publish,
    RemoveMarks,
    Withdraw,
    WriteBundle,
    WriteLedger,
)

from .....tools.support.certificates import DAY, HOUR, NOW, Entity
from .....tools.support.golden import GoldenFiles
from ... import linked
from ...authorities import INTERMEDIATE, NEW, OLD, ROOT, THIRD, chain_of, names_of, stored_chain
from ...builders import changed, cluster, secrets
from ...ledgers import ALL, ANY, UNTRUSTED, UNUSED, a_journal, entry, ledger
from ...nodes import PODS, uids_of
from ...stand_in import MadeHere

APP = OutsideClient("Secret kafka/app", chain_of(NEW))
SETTLED = cluster()


def test_steps_about_trust_in_words(golden: GoldenFiles) -> None:
    steps: list[Step] = [
        Project(chains=(chain_of(NEW), chain_of(INTERMEDIATE, ROOT))),
        Withdraw(certificate=OLD.certificate),
        AwaitBundle(present=names_of(OLD, NEW), phase=Phase.PREPARE),
        AwaitBundle(present=names_of(NEW), absent=(THIRD.certificate,), phase=Phase.RETIRE),
        WriteBundle(phase=Phase.RETIRE),
        Publish(chains=(chain_of(OLD), chain_of(NEW)), phase=Phase.PREPARE),
        Publish(chains=(chain_of(INTERMEDIATE, ROOT),), phase=Phase.PREPARE),
        AwaitOutside(clients=("one", "two"), settled=(), phase=Phase.TRUST),
        AwaitOutside(clients=("one",), settled=(), phase=Phase.TRUST),
        AwaitClients(certificate=NEW.certificate, earliest_use=NOW + HOUR),
    ]
    assert "13:00:00" in steps[-1].sentence()
    golden.compare_said("steps", "\n".join(step.sentence() for step in steps))


def beside(*chains: Chain) -> Snapshot:
    return replace(SETTLED, ca=secrets(other_entries={f"{chain[0].fingerprint}.crt": chain for chain in chains}))


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
            SETTLED, AwaitOutside(clients=(APP.name,), settled=(APP,), phase=Phase.TRUST), changed(SETTLED, outside_clients=(APP,)),
            id="clients are as they will be",
        ),
        pytest.param(
            SETTLED, AwaitClients(certificate=NEW.certificate, earliest_use=NOW + HOUR), replace(SETTLED, now=NOW + HOUR),
            id="the time is over",
        ),
        pytest.param(
            SETTLED, AwaitClients(certificate=NEW.certificate, earliest_use=NOW - HOUR), SETTLED, id="time does not go back"
        ),
    ],
)  # fmt: skip
def test_a_step_has_this_effect(before: Snapshot, step: Step, after: Snapshot) -> None:
    assert step.effect(before, MadeHere()) == after


@pytest.mark.parametrize("gone", [NEW, INTERMEDIATE, THIRD], ids=["one", "with its root", "a third"])
def test_withdrawing_a_ca_keeps_every_other_ca_with_its_chain(gone: Entity) -> None:
    every = {NEW: chain_of(NEW), INTERMEDIATE: chain_of(INTERMEDIATE, ROOT), THIRD: chain_of(THIRD)}
    after = Withdraw(certificate=gone.certificate).effect(beside(*every.values()), MadeHere())
    assert after.ca == beside(*(chain for one, chain in every.items() if one != gone)).ca


# Steps that write the ledger: what they say has changed.

BEFORE = ledger(entry(OLD, ALL), entry(NEW, UNTRUSTED))
FORMER = FormerLeaf(stored_chain(OLD)[0], uids_of())
UPKEEP = Upkeep(WhenDue.RENEW, 30 * DAY, NOW)
GONE = RemovedEntry(THIRD.certificate, uids_of())
BACK = replace(GONE, is_back=True)


def write(after: Ledger, before: Ledger = BEFORE) -> WriteLedger:
    return WriteLedger(ledger=after, before=before, phase=Phase.USE)


def test_the_ledger_in_words(golden: GoldenFiles) -> None:
    steps: list[Step] = [
        write(BEFORE.with_entry(entry(NEW, UNUSED))),
        *(write(ledger(*entries)) for entries in permutations((entry(OLD, ANY), entry(NEW, ANY)))),
        write(BEFORE, ledger(entry(OLD, ALL))),
        write(ledger(entry(OLD, ALL))),
        write(replace(BEFORE, former_leaves=(FORMER,))),
        write(
            replace(BEFORE, former_leaves=(replace(FORMER, awaited_pods=uids_of(PODS[0])),)),
            replace(BEFORE, former_leaves=(FORMER,)),
        ),
        write(replace(BEFORE.with_entry(entry(NEW, UNUSED)), former_leaves=(FORMER,))),
        write(replace(BEFORE, upkeep=UPKEEP)),
        write(BEFORE, replace(BEFORE, upkeep=UPKEEP)),
        write(replace(BEFORE, journal=a_journal())),
        DeleteLedger(),
        RemoveMarks(),
    ]
    golden.compare_said("steps", "\n".join(step.sentence() for step in steps))


def test_writing_the_ledger_stores_it_and_deleting_removes_it() -> None:
    assert write(BEFORE).effect(cluster(), MadeHere()) == cluster(ledger=BEFORE)
    assert DeleteLedger().effect(cluster(), MadeHere()) == cluster(ledger=None)
    assert RemoveMarks().effect(cluster(), MadeHere()) == cluster()


@pytest.mark.parametrize(
    ("before", "after", "look"),
    [
        pytest.param((GONE,), (), Look.FRESH, id="no pod trusts it any more"),
        pytest.param((GONE,), (replace(GONE, awaited_pods=frozenset()),), Look.FRESH, id="no listener does"),
        pytest.param((GONE,), (GONE,), Look.NONE, id="it is remembered"),
        pytest.param((), (GONE,), Look.NONE, id="it is remembered from now on"),
        pytest.param((GONE,), (BACK,), Look.NONE, id="it is back"),
        pytest.param((BACK,), (GONE,), Look.NONE, id="it has left again"),
        pytest.param((BACK,), (), Look.FRESH, id="it has left again, and no pod trusts it"),
    ],
)
def test_nodes_are_asked_before_the_ledger_says_that_they_trust_a_ca_no_more(
    before: tuple[RemovedEntry, ...], after: tuple[RemovedEntry, ...], look: Look
) -> None:
    step = write(replace(BEFORE, removed_cas=after), replace(BEFORE, removed_cas=before))
    assert step.look(cluster()) is look
    assert step.look(cluster(pods=())) is Look.NONE
