# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each gate holds something back that would break an invariant at once, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import Engine, decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import (
    GATES,
    Gates,
    alone_gate,
    removal_gate,
    trust_gate,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import IssueLeaves
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import Withdraw

from .. import linked, unlinked
from ..builders import (
    INTERMEDIATE,
    OLD,
    ROOT,
    THIRD,
    UNTRUSTED,
    UNUSED,
    a_leaf,
    chain_of,
    changed,
    entry,
    hashes_of,
    ledger,
    names_of,
    secrets,
    uids_of,
)

CORPORATE = chain_of(INTERMEDIATE, ROOT)


def _outside() -> Snapshot:
    """A client of the listeners trusts another CA, and would refuse what nodes are to present (I3)."""
    client = OutsideClient("Secret kafka/app", (THIRD.certificate,), declared=True)
    return changed(linked.TRUSTED, outside=(client,))


def _intermediate() -> Snapshot:
    """Everybody trusts the root above a CA, which helps nobody to whom a leaf is sent alone, as the operator does (I3)."""
    return replace(
        unlinked.SETTLED,
        ca=secrets(others={"root.crt": chain_of(ROOT), "issuing.crt": CORPORATE}),
        bundle=names_of(OLD, ROOT, INTERMEDIATE),
        ledger=ledger(
            entry(OLD, generations={0}, leaves=hashes_of(OLD)),
            entry(ROOT, UNUSED),
            entry(CORPORATE, UNTRUSTED, awaiting=uids_of()),
        ),
    )


def _unreadable() -> Snapshot:
    """Nobody knows whose leaf it is: it may be of the CA that is to leave (I2)."""
    return changed(
        unlinked.RETIRING, leaves=(*unlinked.RETIRING.leaves.stored, a_leaf("late", chain=None, generation=1))
    )


def issues(found: Decision) -> bool:
    return any(isinstance(step, IssueLeaves) for step in found.steps)


def calls_trusted(found: Decision) -> bool:
    return any(taken.after is UNUSED for taken in found.transitions)


def withdraws(found: Decision) -> bool:
    return any(isinstance(step, Withdraw) for step in found.steps)


@pytest.mark.parametrize(
    ("gate", "snapshot", "happens"),
    [("trust", _outside(), issues), ("alone", _intermediate(), calls_trusted), ("removal", _unreadable(), withdraws)],
)
def test_what_a_gate_holds_back_happens_where_it_is_taken_out(
    gate: str, snapshot: Snapshot, happens: Callable[[Decision], bool]
) -> None:
    opened = Engine(gates=replace(GATES, **{gate: lambda *_about: ()}))
    assert not happens(decide(snapshot, Intent(Goal.REPLACE_KEY)))
    assert happens(decide(snapshot, Intent(Goal.REPLACE_KEY), opened))


def test_the_gates_are_all_there() -> None:
    assert Gates() == GATES == Gates(trust=trust_gate, alone=alone_gate, removal=removal_gate)
