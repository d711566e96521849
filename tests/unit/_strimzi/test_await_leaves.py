# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where only Secrets are behind, no pod shows that the operator has acted: their generations do."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import OperatorSilent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll, RollReason

from .._issuing.office import BY_SECRET, CA, office
from .bench import Bench, recorded

OWN = "demo-cluster-operator-certs"
GENERATION = "strimzi.io/cluster-ca-cert-generation"
#: Nobody is restarted, and the operator is still to issue its own leaf.
WAIT = Roll(reason=RollReason.USE, uids=frozenset(), authority=CA.certificate, phase=Phase.USE)


def set_generation(bench: Bench, secret: str, generation: str) -> None:
    bench.change("secrets", secret, {"metadata": {"annotations": {GENERATION: generation}}})


@pytest.fixture
def bench() -> Bench:
    """All leaves are of the current generation but the operator's own, which was left of a switch that did not come."""
    made = office()
    for secret in BY_SECRET:
        set_generation(made, secret, str(made.observe().snapshot.ca.certificate_generation))
    set_generation(made, OWN, "9")
    return made


def test_the_leaf_that_is_behind_is_waited_for(bench: Bench) -> None:
    current = str(bench.observe().snapshot.ca.certificate_generation)
    bench.at(2, lambda: set_generation(bench, OWN, current))
    request, wait = recorded(carry_out, WAIT, bench.observe(), bench.work(operator_timeout=timedelta(seconds=20)))
    assert (request.verb, request.object) == ("update", "Kafka kafka/demo")
    assert (wait.verb, wait.object) == ("wait", f"Secret kafka/{OWN}")
    assert bench.clock.seconds >= 2


def test_an_operator_that_does_not_issue_is_told_by_the_leaf(bench: Bench) -> None:
    with pytest.raises(OperatorSilent, match=f"has not issued the leaf in Secret kafka/{OWN} within 5 s") as caught:
        carry_out(WAIT, bench.observe(), bench.work(operator_timeout=timedelta(seconds=5)))
    assert "run the flow again" in caught.value.remedy
