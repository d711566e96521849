# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator says that it cannot use what is stored: no call is green, each shows its words, and the first run after that is mended is."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import module as composition

from ...tools.operator import certs
from ...tools.operator.authority import EMPTY_CERTIFICATE, ReconcileFailed
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .running import Ended, call

SAYS = f"is not ready, the Cluster Operator says: RuntimeException: {EMPTY_CERTIFICATE}."
UNRELATED = "The storage class slow does not exist"
LIMITS = {"operator_timeout": 1}


@pytest.fixture(autouse=True)
def _one_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The operator has the time of the modules, which passes while they sleep."""
    monkeypatch.setattr(certs, "now", lambda: composition.SystemClock().now())


def refuse(memory: MemoryCluster, message: str = EMPTY_CERTIFICATE) -> None:
    """From now on each reconcile of the operator ends with this error."""

    def fail() -> None:
        raise ReconcileFailed("RuntimeException", message)

    memory.operator.having_reconciled = fail


def accept(memory: MemoryCluster) -> None:
    memory.operator.having_reconciled = lambda: None
    memory.settle(1)


def verdicts(ended: Ended) -> list[str]:
    return [one["message"] for one in ended.result["violations"] if one["gate"] == "verdict"]


def assert_refused(ended: Ended) -> None:
    assert ended.failed
    (said,) = verdicts(ended)
    assert said.startswith(SAYS)
    assert ended.result["done"] is False


@pytest.mark.parametrize(
    ("start", "module", "options"),
    [
        (stages.managed, "strimzi_ca", {}),
        (stages.managed, "strimzi_trusted_certs", {"state": "retired"}),
        (stages.managed, "strimzi_ee_cert", {"state": "renewed"}),
        (stages.issued, "strimzi_roll", {}),
        (stages.switched, "strimzi_trusted_certs", {"state": "retired"}),
        (stages.generated, "strimzi_ca", {"state": "adopted"}),
    ],
)
def test_calls_fail_while_the_operator_cannot_use_the_secrets(start: Any, module: str, options: dict[str, Any]) -> None:
    memory = start()
    refuse(memory)
    memory.settle(1)
    assert_refused(call(module, memory, **options, **LIMITS))
    (shown,) = verdicts(call("strimzi_ca_info", memory))
    assert shown.startswith(SAYS)
    accept(memory)
    stages.done(memory, module, **options)
    assert verdicts(call("strimzi_ca_info", memory)) == []


def test_a_flow_that_ends_a_pause_waits_for_the_next_reconcile() -> None:
    """The operator judges what was stored in the pause only then; until then its status is that of the pause."""
    memory = stages.taken_up()
    stages.done(memory, "strimzi_ca", state="promoted")
    refuse(memory)
    assert_refused(call("strimzi_trusted_certs", memory, state="retired", **LIMITS))


def test_the_operator_is_asked_once_for_the_same_secrets() -> None:
    memory = stages.managed()
    refuse(memory)
    memory.settle(1)
    first = call("strimzi_trusted_certs", memory, state="retired", **LIMITS)
    assert first.writes_but_lease == ["PATCH kafkas/demo"]
    again = call("strimzi_trusted_certs", memory, state="retired", **LIMITS)
    assert_refused(again)
    assert again.writes == []


def test_a_verdict_that_changes_while_it_is_waited_for() -> None:
    """An operator that stands still for a reason that is gone by now looks again when it is asked."""
    memory = stages.managed()
    refuse(memory)
    memory.settle(1)
    memory.operator.having_reconciled = lambda: None
    ended = stages.done(memory, "strimzi_trusted_certs", state="retired", **LIMITS)
    assert (ended.result["done"], ended.result["cluster"]["ready"]) == (True, True)


def test_a_failure_of_another_day_about_something_else_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = stages.managed()
    monkeypatch.setattr(certs, "now", lambda: stages.NOW + timedelta(days=1))
    refuse(memory, UNRELATED)
    memory.settle(1)
    flow = [("strimzi_trusted_certs", {"state": "retired"}), ("strimzi_ca_info", {})]
    for module, options in flow:
        ended = stages.done(memory, module, **options)
        assert ended.result["violations"] == []
        (told,) = [text for text in ended.warnings if "is not ready" in text]
        assert UNRELATED in told
        assert ended.result["cluster"]["failure"] == f"RuntimeException: {UNRELATED}"


def test_a_flow_may_be_what_mends_it() -> None:
    """A failure from before the flow holds none of its phases but the last."""
    memory = stages.managed()
    refuse(memory)
    memory.settle(1)
    ended = stages.done(memory, "strimzi_ca", **stages.PREPARED)
    assert any(EMPTY_CERTIFICATE in text for text in ended.warnings)


def test_in_check_mode_nothing_is_asked() -> None:
    memory = stages.managed()
    refuse(memory)
    memory.settle(1)
    before = memory.api.but_events()
    call("strimzi_trusted_certs", memory, check=True, state="retired")
    assert memory.api.but_events() == before
