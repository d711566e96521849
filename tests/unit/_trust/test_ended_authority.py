# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CA that is to be replaced has ended: where no verifier looks at its dates, everything goes on as before."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import removal_gate, trust_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.journal import in_flight
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.target import is_renewal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import PrepareAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import Forecast, forecast

from ...tools.support.certificates import DAY, NOW, YEAR, Entity, key, make
from ...tools.support.golden import GoldenFiles
from ...tools.support.intents import changed_intent
from .authorities import NEW, ROOT, chain_of, name_of
from .builders import changed, prepared, secrets
from .ledgers import ALL, entry, ledger
from .of_users import presenter, presenting, stages, users
from .rules.asking import RECONCILE, RENEW, REPLACE_KEY
from .stand_in import MadeHere

LIVING = make("clients-ca v0", key(21), end=NOW + YEAR)
ENDED = make("clients-ca v0", key(21), end=NOW - DAY)
ABORT, DOWNGRADE = Intent(Goal.ABORT), Intent(Goal.DOWNGRADE)


def at_each_stage(old: Entity) -> dict[str, Snapshot]:
    """Before anything has begun as well."""
    found = stages(old)
    settled = users(
        ca=secrets(old),
        ledger=ledger(entry(old, ALL, {0})),
        presenters=presenting(presenter(issuer=old), current=old),
    )
    waiting = replace(settled, ca=secrets(old, prepared=(prepared(NEW),)))
    return {"settled": settled, "prepared": waiting, **found}


def told(found: Forecast) -> list[str]:
    """The two CAs differ in nothing but their end."""
    return [re.sub(r" \([0-9a-f]{12}\)", "", step.what) for step in found.steps]


@pytest.mark.parametrize("stage", list(at_each_stage(ENDED)))
@pytest.mark.parametrize("intent", [REPLACE_KEY, RENEW, RECONCILE, ABORT], ids=lambda one: one.goal.value)
def test_a_flow_on_an_ended_ca_takes_the_same_steps_as_on_a_valid_ca(stage: str, intent: Intent) -> None:
    before, after = (
        forecast(at_each_stage(old)[stage], changed_intent(intent, client_grace=timedelta(0)), MadeHere(old))
        for old in (LIVING, ENDED)
    )
    assert (before.violations, after.violations) == ((), ())
    assert told(after) == told(before)
    assert bool(after.steps) is (stage != "settled" or intent in (REPLACE_KEY, RENEW))


@pytest.mark.parametrize("stage", list(at_each_stage(ENDED)))
def test_a_recovery_renews_an_ended_ca_or_goes_on_with_the_flow_in_flight(stage: str) -> None:
    seen = at_each_stage(ENDED)[stage]
    same = RENEW if in_flight(seen.ledger) is None else RECONCILE
    assert decide(seen, Intent(Goal.RECOVER)) == decide(seen, same)
    assert stage != "settled" or isinstance(decide(seen, same).steps[0], PrepareAuthority)
    assert decide(at_each_stage(LIVING)["settled"], Intent(Goal.RECOVER)).done


def test_brokers_accept_certificates_of_an_ended_ca() -> None:
    seen = at_each_stage(ENDED)["trusted"]
    assert trust_gate(seen, seen.ledger_or_empty, chain_of(ENDED)) == ()
    assert removal_gate(seen, seen.ledger_or_empty, name_of(NEW)) == ()


def test_a_ca_with_the_same_name_and_key_renews_it() -> None:
    renewed = make("clients-ca v0", key(21), end=NOW + 2 * YEAR)
    assert is_renewal(renewed.certificate, at_each_stage(ENDED)["settled"])


def refused(snapshot: Snapshot, intent: Intent) -> list[str]:
    found = decide(snapshot, intent).violations
    assert {one.condition for one in found} <= {Condition.AUTHORITY_IS_VALID_NOW}
    return [str(one) for one in found]


def test_an_ended_ca_is_not_handed_back() -> None:
    assert [ENDED.certificate.subject in text for text in refused(at_each_stage(ENDED)["settled"], DOWNGRADE)] == [True]


def test_an_ended_ca_in_a_chain_stands_in_the_way_of_the_operator(golden: GoldenFiles) -> None:
    chain = chain_of(make("Kafka users", key(7), ROOT, end=NOW - DAY), ROOT)
    used = changed(
        at_each_stage(ENDED)["settled"], ca=secrets(chain), ledger=ledger(entry(chain, ALL, {0})), presenters=()
    )
    (text,) = refused(used, REPLACE_KEY)
    golden.compare_said("stops_in_rules", text)


def test_an_ended_ca_that_was_never_used_is_not_taken_into_use(golden: GoldenFiles) -> None:
    seen = stages(LIVING, ENDED)["trusted"]
    (text,) = refused(seen, RECONCILE)
    golden.compare_said("stops_in_rules", text)
