# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The audit trail through the modules: whole, before the writes, without a key, and a proof in the result."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.tables import CLUSTER

from ...tools.support.audit import digest, lines_of, problems
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .leaks import keys_of, leaks
from .running import FLOW_MODULES, Ended, call, refusing
from .uses import USES, Use

TRAILS = ("demo-cluster-ca-audit", "demo-clients-ca-audit")
AUDITED: dict[str, Any] = {"audit": True}
WRITING = [use for use in USES if use.writes]


def is_audit(write: str) -> bool:
    return "configmaps" in write


def lines(memory: MemoryCluster) -> list[str]:
    """The lines of the only trail in the cluster."""
    (found,) = [one for name in TRAILS if (one := memory.api.find("configmaps", memory.namespace, name))]
    return lines_of(found)


def recorded(memory: MemoryCluster, kind: str) -> list[dict[str, Any]]:
    return [one[kind] for one in map(json.loads, lines(memory)) if kind in one]


def changes(ended: Ended) -> list[tuple[str, str, str]]:
    return [(one["verb"], one["object"], one["what"]) for one in ended.result["actions"] if one["verb"] != "wait"]


def test_calls_record_what_they_do_unless_the_caller_says_otherwise() -> None:
    assert CLUSTER.options["audit"]["default"] is True


@pytest.mark.parametrize("use", WRITING, ids=str)
def test_a_use_records_each_of_its_actions_once(use: Use) -> None:
    memory = use.start()
    first = use.take(memory, **AUDITED)
    assert [one for one in first.writes_but_lease if not is_audit(one)] == use.writes
    assert [(one["verb"], one["object"], one["what"]) for one in recorded(memory, "done")] == changes(first)
    assert problems(lines(memory)) == []
    last = lines(memory)[-1]
    assert (first.result["audit"]["entry"], first.result["audit"]["sha256"]) == (len(lines(memory)), digest(last))
    assert leaks("".join(lines(memory)), keys_of(memory)) == []
    again = use.take(memory, **AUDITED)
    assert (again.writes, again.result["audit"]) == ([], None), "a second run wrote something (I9)"


@pytest.mark.parametrize("use", [use for use in WRITING if use.module in FLOW_MODULES], ids=str)
def test_check_mode_records_nothing(use: Use) -> None:
    memory = use.start()
    planned = use.take(memory, check=True, **AUDITED)
    assert (planned.writes, planned.result["audit"]) == ([], None)


def test_a_decision_comes_before_its_writes_and_the_end_of_the_flow_last() -> None:
    memory = stages.managed()
    done = stages.done(memory, "strimzi_ca", **stages.PREPARED, **AUDITED)
    assert done.writes_but_lease[0] == "POST configmaps"
    decisions, (ended,) = recorded(memory, "decided"), recorded(memory, "ended")
    assert {(one["goal"], one["phase"], len(one["evidence"])) for one in decisions} == {
        ("replace_key", phase, 64) for phase in ("prepare", "trust")
    }
    assert [(one["before"], one["after"]) for decided in decisions for one in decided["transitions"]] == [
        (None, "UNTRUSTED"),
        ("UNTRUSTED", "TRUSTED_UNUSED"),
    ]
    assert all(decided["steps"] for decided in decisions)
    assert ended == {"done": done.result["done"], "violations": []}
    assert "ended" in json.loads(lines(memory)[-1])


def test_the_evidence_of_another_state_has_another_digest() -> None:
    def evidence(memory: MemoryCluster) -> str:
        stages.done(memory, "strimzi_ca", **stages.PREPARED, **AUDITED)
        return str(recorded(memory, "decided")[0]["evidence"])

    first, same, other = stages.managed(), stages.managed(), stages.managed()
    other.api.request("DELETE", f"/api/v1/namespaces/{other.namespace}/pods/demo-kafka-1")
    other.settle()
    assert evidence(first) == evidence(same) != evidence(other)


def test_nothing_is_written_where_it_cannot_be_recorded() -> None:
    refuse = refusing("POST", "/configmaps")
    memory = stages.managed()
    failed = call("strimzi_ca", memory, answer=refuse, **stages.PREPARED, **AUDITED)
    assert failed.failed
    assert failed.writes_but_lease == []
    assert "demo-cluster-ca-audit" in failed.result["msg"]


def test_a_call_that_fails_records_what_it_has_done_and_no_end() -> None:
    memory, refuse = stages.managed(), refusing("PATCH", "/demo-cluster-ca-cert")
    failed = call("strimzi_ca", memory, answer=refuse, **stages.PREPARED, **AUDITED)
    assert failed.failed
    assert changes(failed)
    assert [(one["verb"], one["object"], one["what"]) for one in recorded(memory, "done")] == changes(failed)
    assert recorded(memory, "ended") == []
    assert failed.result["audit"]["sha256"] == digest(lines(memory)[-1])


def test_the_entries_are_shown_where_they_are_wanted() -> None:
    memory = stages.managed()
    assert "audit_entries" not in call("strimzi_ca_info", memory).result
    assert call("strimzi_ca_info", memory, audit_entries=True).result["audit_entries"] == []
    stages.done(memory, "strimzi_ca", **stages.PREPARED, **AUDITED)
    assert call("strimzi_ca_info", memory, audit_entries=True).result["audit_entries"] == lines(memory)
