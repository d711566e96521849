# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA is not taken over while the operator renews or replaces it by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Reconciliation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.goals import (
    current_is_usable,
    operator_has_finished,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import check

from ....tools.support.unusable import UNUSABLE
from ..authorities import INTERMEDIATE, NEW, OLD, ROOT, THIRD, chain_of
from ..builders import cluster, secrets
from ..ledgers import entry, ledger
from ..nodes import PODS, a_pod, pods
from .refusals import CREATE, DOWNGRADE, RECONCILE, RENEW, REPLACE_KEY, UPGRADE, refusal

GENERATED = Reconciliation(generated=True)
OLD_ENTRY = "ca-2027-01-26T17-32-00Z.crt"
MANY = tuple(f"demo-nodes-{number}" for number in range(11))
LEAVES = f"{named(OLD.certificate)} has still to leave ({OLD_ENTRY})"


def replacing(**fields: Any) -> Any:
    """The CA Secrets in the middle of the operator's replacement of its key."""
    return secrets(
        NEW, other_entries={OLD_ENTRY: chain_of(OLD)}, retired=(OLD_ENTRY,), certificate_generation=1, key_generation=1, **fields
    )  # fmt: skip


def at_work(seen: str, *, name: str, **fields: Any) -> ParameterSet:
    return refusal(
        operator_has_finished,
        f"Kafka kafka/demo: has a CA that the Cluster Operator is renewing or replacing by itself: {seen}. "
        "Let it come to its end, for which it may restart every node up to three times, then run the flow again; where nothing "
        "moves, look at the operator's log.",
        name=name, intent=UPGRADE, reconciliation=GENERATED, **{"ledger": None, **fields},
    )  # fmt: skip


def keyed(key_generation: int | None, generation: int | None = 0, names: tuple[str, ...] = PODS) -> Any:
    return tuple(replace(one, key_generation=key_generation) for one in pods(generation, names=names))


NAMELESS, SHA1 = (next(one.authority for one in UNUSABLE if one.name == name) for name in ("no subject", "sha1_below"))
UNNAMED = (
    f"Secret kafka/demo-cluster-ca-cert, ca.crt: the CA without a name ({NAMELESS.sha256[:16]}) has an empty subject, which JVMs (Kafka and Strimzi) "
    "refuse. Put a CA there with a subject; or replace it (replace_key)."
)


def unnamed(intent: Intent, **fields: Any) -> ParameterSet:
    return refusal(
        current_is_usable,
        UNNAMED,
        name=intent.goal.value,
        intent=intent,
        ca=secrets((NAMELESS,)),
        **{"ledger": None, "leaves": (), **fields},
    )


CASES = [
    unnamed(CREATE),
    unnamed(UPGRADE, reconciliation=GENERATED),
    unnamed(RECONCILE),
    unnamed(RENEW),
    unnamed(RENEW, ledger=ledger(entry((NAMELESS,), generations={0}))),
    at_work(
        f"3 pods ({', '.join(PODS)}) still have to restart to trust the new key; {LEAVES}",
        name="no pod trusts", ca=replacing(), pods=keyed(0),
    ),
    at_work(
        f"1 pod ({PODS[0]}) still has to restart to trust the new key; {LEAVES}",
        name="some pods trust", ca=replacing(), pods=(*keyed(0)[:1], *keyed(1)[1:]),
    ),
    at_work(
        f"3 pods ({', '.join(PODS)}) still have to restart to use the new certificate; {LEAVES}",
        name="no pod uses", ca=replacing(), pods=keyed(1),
    ),
    at_work(LEAVES, name="every pod uses", ca=replacing(), pods=keyed(1, 1)),
    at_work(
        f"11 pods ({', '.join(sorted(MANY)[:5])} and 6 more) still have to restart to use the new certificate",
        name="a renewal", ca=secrets(OLD, certificate_generation=1), pods=keyed(0, 0, MANY),
    ),
    at_work(
        f"5 pods ({', '.join(MANY[:5])}) still have to restart to use the new certificate",
        name="a renewal in a small cluster", ca=secrets(OLD, certificate_generation=1), pods=keyed(0, 0, MANY[:5]),
    ),
    at_work(
        f"{named(INTERMEDIATE.certificate)} has still to leave ({OLD_ENTRY})", name="a CA with its root",
        ca=replace(replacing(), other_entries={OLD_ENTRY: chain_of(INTERMEDIATE, ROOT)}), pods=keyed(1, 1),
    ),
    at_work(
        LEAVES, name="the ledger of an earlier adoption", ca=replacing(), pods=keyed(1, 1),
        ledger=ledger(entry(NEW, generations={1})),
    ),
]  # fmt: skip


@pytest.mark.parametrize("intent", [CREATE, RENEW, REPLACE_KEY, RECONCILE], ids=lambda intent: intent.goal.value)
def test_every_goal_is_refused_while_the_operator_is_at_work(intent: Intent) -> None:
    seen = cluster(ca=replacing(), pods=keyed(1, 1), reconciliation=GENERATED, ledger=None)
    found = [violation.condition for violation in check(seen, intent)]
    assert found == [Condition.AUTHORITY_IS_USER_MANAGED, Condition.OPERATOR_HAS_FINISHED]


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"ca": replacing(), "pods": ()}, id="without pods the operator takes nothing out"),
        pytest.param({"pods": keyed(None, None)}, id="an annotation that is missing counts as current"),
        pytest.param(
            {"ca": secrets(other_entries={"mine.crt": chain_of(THIRD)})}, id="the operator leaves other entries alone"
        ),
        pytest.param(
            {"ca": replacing(), "reconciliation": Reconciliation()}, id="user-managed: no operator takes it out"
        ),
    ],
)
def test_the_operator_is_not_at_work(fields: dict[str, Any]) -> None:
    seen = cluster(**{"reconciliation": GENERATED, "ledger": None, **fields})
    assert tuple(operator_has_finished(seen, UPGRADE)) == ()


def test_a_ca_that_was_handed_back_may_be_renewed_at_once() -> None:
    seen = cluster(ca=replacing(), pods=(a_pod(),), reconciliation=GENERATED)
    assert tuple(operator_has_finished(seen, DOWNGRADE)) == ()
    assert tuple(operator_has_finished(seen, Intent(Goal.UPGRADE)))


@pytest.mark.parametrize("intent", [REPLACE_KEY, DOWNGRADE])
def test_a_ca_without_a_name_may_be_replaced_and_given_back(intent: Intent) -> None:
    found = check(cluster(ca=secrets((NAMELESS,)), ledger=None), intent)
    assert Condition.CURRENT_IS_USABLE not in {one.condition for one in found}


def test_a_defect_that_kafka_does_not_mind_holds_no_adoption() -> None:
    """The cluster works with the CA, and its owner knows its clients."""
    assert check(cluster(ca=secrets((SHA1,)), ledger=None), UPGRADE) == ()
