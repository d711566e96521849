# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A further condition under which a CA may leave the trust: it keeps a CA that is there. Once the CA is out, it changes
nothing.
"""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import Violations
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Violation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import Switch
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import Withdraw
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.situation import Situation

from ..authorities import OLD
from .asking import FLOWS, REPLACE_KEY

#: The violation of the made-up condition while it is not met.
UNMET = Violation(Condition.REMOVAL, "approval 7", "is not given.", "Give this approval.")


@pytest.fixture
def _unmet(monkeypatch: pytest.MonkeyPatch) -> None:
    """The condition is there, and it is not met."""
    others = Situation.why_it_stays

    def why_it_stays(at: Situation, fingerprint: str) -> Violations:
        return (*others(at, fingerprint), UNMET)

    monkeypatch.setattr(Situation, "why_it_stays", why_it_stays)


def stages(*, is_out: bool) -> list[str]:
    """The stages of the replacements at which the old CA is out of the certificate Secret, or in it."""
    return [
        stage
        for stage, (snapshot, intent) in FLOWS.items()
        if intent is REPLACE_KEY and (OLD.certificate.fingerprint not in snapshot.ca.projected) is is_out
    ]


@pytest.mark.usefixtures("_unmet")
@pytest.mark.parametrize("stage", stages(is_out=False))
def test_no_step_takes_the_ca_out(stage: str) -> None:
    steps = decide(*FLOWS[stage]).steps
    assert not any(isinstance(step, Withdraw) or (isinstance(step, Switch) and step.leaving) for step in steps)


@pytest.mark.usefixtures("_unmet")
@pytest.mark.parametrize("stage", ["linked ALONE", "unlinked PHASED_OUT"])
def test_the_flow_waits_and_says_why(stage: str) -> None:
    """All of the flow before this is done, and nothing else keeps the CA."""
    decision = decide(*FLOWS[stage])
    assert (decision.steps, decision.violations, decision.done) == ((), (UNMET,), False)


@pytest.mark.parametrize("stage", stages(is_out=True))
def test_nothing_changes_once_the_ca_is_out(stage: str, request: pytest.FixtureRequest) -> None:
    """It is not put back, and the ledger forgets nothing of it."""
    before = decide(*FLOWS[stage])
    request.getfixturevalue("_unmet")
    assert decide(*FLOWS[stage]) == before
