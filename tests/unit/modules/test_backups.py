# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backups through the modules: beside the writes of a flow, in its actions, in check mode, as facts, and on the way back."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.flow_options import FLOW

from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .mistakes import put
from .running import FLOW_MODULES, call
from .stages import DAY, KEYS, LEDGER, NOW
from .uses import USES, Use

BACKUPS = [f"{KEYS}-backup-{number}" for number in (1, 2, 3)]
BACKED_UP: dict[str, Any] = {"backup": True}
#: The uses of modules that can back up; and of these the uses that change the CA Secrets or the ledger of an adopted CA.
ABLE = [use for use in USES if use.module in FLOW_MODULES]
CHANGING = [
    use for use in ABLE
    if "POST secrets" not in use.writes and {f"PATCH secrets/{name}" for name in (KEYS, f"{KEYS}-cert", LEDGER)} & {*use.writes}
]  # fmt: skip


def is_backup(write: str) -> bool:
    return write == "POST secrets" or any(name in write for name in BACKUPS)


def stored(memory: MemoryCluster) -> list[str]:
    return [name for name in BACKUPS if memory.api.find("secrets", memory.namespace, name)]


def test_backups_are_made_unless_the_caller_says_otherwise() -> None:
    assert FLOW.options["backup"]["default"] is True


@pytest.mark.parametrize("use", ABLE, ids=str)
def test_a_use_writes_what_it_always_writes_and_backups(use: Use) -> None:
    memory = use.start()
    first = use.take(memory, **BACKED_UP)
    assert [one for one in first.writes_but_lease if not is_backup(one)] == [
        one for one in use.writes if not is_backup(one)
    ]
    again = use.take(memory, **BACKED_UP)
    assert (again.result["changed"], again.writes) == (False, []), "a second run wrote something (I9)"


@pytest.mark.parametrize("use", CHANGING, ids=str)
def test_a_backup_comes_first(use: Use) -> None:
    memory = use.start()
    planned = use.take(memory, check=True, **BACKED_UP)
    done = use.take(memory, **BACKED_UP)
    assert stored(memory)
    first = f"Secret {memory.namespace}/{BACKUPS[0]}"
    assert [ended.result["actions"][0]["object"] for ended in (planned, done)] == [first, first]


def test_facts_name_the_backups() -> None:
    memory = stages.managed()
    stages.done(memory, "strimzi_ca", **stages.PREPARED, **BACKED_UP)
    seen = call("strimzi_ca_info", memory).result
    (backup,) = seen["backups"]
    (current,) = [ca for ca in seen["cas"] if ca["current"]]
    assert (backup["object"], backup["sha256"], backup["generation"]) == (
        f"Secret {memory.namespace}/{BACKUPS[0]}", current["sha256"], 0,
    )  # fmt: skip
    assert backup["kept_at"] >= f"{NOW - DAY:%Y-%m-%d}"


def test_a_deleted_key_comes_back() -> None:
    memory = stages.managed()
    stages.done(memory, "strimzi_ca", **stages.PREPARED, **BACKED_UP)
    memory.api.request("DELETE", f"/api/v1/namespaces/{memory.namespace}/secrets/{KEYS}")
    held = call("strimzi_ca", memory, state="replaced")
    assert "secrets_are_complete" in [one["gate"] for one in held.result["violations"]]
    back = stages.done(memory, "strimzi_ca", state="recovered")
    assert back.writes_but_lease[0] == "POST secrets"
    assert back.result["actions"][0]["object"] == f"Secret {memory.namespace}/{KEYS}"


@pytest.mark.parametrize(
    "lost", [(f"{KEYS}-cert", KEYS, LEDGER), (f"{KEYS}-cert", KEYS), (f"{KEYS}-cert",), (KEYS,)], ids=" ".join
)
@pytest.mark.parametrize("state", ["renewed", "replaced", "present"])
def test_where_secrets_are_lost_every_call_names_the_recovery_alone(state: str, lost: tuple[str, ...]) -> None:
    """An earlier CA has a backup too, and the ledger may have the lost certificate: neither is a second remedy."""
    memory = stages.managed()
    stages.done(memory, "strimzi_ca", state="replaced", client_grace=0, **stages.FAST, **BACKED_UP)
    for name in lost:
        memory.api.request("DELETE", f"/api/v1/namespaces/{memory.namespace}/secrets/{name}")
    for ended in (call("strimzi_ca_info", memory), held := call("strimzi_ca", memory, state=state)):
        (violation,) = ended.result["violations"]
        assert violation["gate"] == "secrets_are_complete"
        assert ended.warnings == []
    assert (held.failed, held.writes_but_lease) == (True, [])


def test_what_holds_the_recovery_stands_beside_it() -> None:
    memory = stages.managed()
    stages.done(memory, "strimzi_ca", state="renewed", **stages.FAST, **BACKED_UP)
    memory.api.request("DELETE", f"/api/v1/namespaces/{memory.namespace}/secrets/{KEYS}")
    path = f"/apis/kafka.strimzi.io/v1/namespaces/{memory.namespace}/kafkas/{memory.cluster}"
    paused = {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": "true"}}}
    memory.api.request("PATCH", path, body=paused, content_type="application/merge-patch+json")
    found = [one["gate"] for one in call("strimzi_ca", memory, state="replaced").result["violations"]]
    assert found == ["not_paused_by_others", "secrets_are_complete"]


def test_a_replacement_takes_the_ca_of_a_backup() -> None:
    """The way back to a CA that processes no longer trust leads forward."""
    memory = stages.managed()
    first = next(ca["sha256"] for ca in call("strimzi_ca_info", memory).result["cas"])
    stages.done(memory, "strimzi_ca", state="replaced", **stages.FAST, client_grace=0, **BACKED_UP)
    assert next(ca["sha256"] for ca in call("strimzi_ca_info", memory).result["cas"] if ca["current"]) != first
    stages.done(
        memory, "strimzi_ca", state="replaced", fresh_for_hours=0, client_grace=0, certificate_from={"secret": BACKUPS[0]}, **BACKED_UP
    )  # fmt: skip
    assert next(ca["sha256"] for ca in call("strimzi_ca_info", memory).result["cas"] if ca["current"]) == first


def test_the_plan_of_a_hand_back_shows_that_the_backups_go() -> None:
    memory = stages.managed()
    stages.done(memory, "strimzi_ca", state="renewed", **BACKED_UP)
    kept = {f"Secret kafka/{name}" for name in stored(memory)}
    diff = call("strimzi_ca", memory, check=True, state="handed_back", operator_may_renew=True).result["diff"]
    assert {one["after_header"] for one in diff if "backup" in one["after_header"]} == kept
    stages.done(memory, "strimzi_ca", state="handed_back", operator_may_renew=True)
    assert stored(memory) == []


def test_a_hand_back_names_a_backup_whose_annotation_was_edited() -> None:
    memory = stages.managed()
    stages.done(memory, "strimzi_ca", state="renewed", **BACKED_UP)
    assert len(stored(memory)) == 2
    put(memory, "secrets", BACKUPS[0], annotations={"trustops.strimzi/backup": "edited"})
    ended = call("strimzi_ca", memory, state="handed_back")
    assert not ended.failed, ended.result["msg"]
    assert stored(memory) == BACKUPS[:1]
    (told,) = [one for one in ended.warnings if "stays" in one]
    assert told.startswith(f"Secret kafka/{BACKUPS[0]} stays: ")
    assert f"kubectl delete secret {BACKUPS[0]} -n kafka" in told
