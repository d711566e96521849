# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates have ended: whichever module looks, and wherever its result says what helps, it names one command, and that command helps."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ...tools.operator import certs, clusters
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.reloads import ReloadingNodes
from . import stages
from .fast_clock import FastClock
from .running import Ended, call
from .stages import DAY, FAST

#: Days for which leaves live, and a CA that is to end.
LIFE = 100
#: The calls of modules that go on with a flow, begin one, or look. In check mode each says what it would do, and changes nothing.
FACES: list[tuple[str, dict[str, Any]]] = [
    ("strimzi_ca_info", {}),
    ("strimzi_ca_info", {"goal": "recover"}),
    ("strimzi_ca", {"state": "recovered"}),
    ("strimzi_ca", {"state": "renewed"}),
    ("strimzi_ca", {"state": "replaced"}),
    ("strimzi_ca", {"state": "adopted"}),
    ("strimzi_trusted_certs", {"state": "retired"}),
    ("strimzi_ee_cert", {"state": "renewed"}),
    ("strimzi_roll", {}),
]


def _created(authority: int, leaves: int = LIFE, **options: Any) -> MemoryCluster:
    """An adopted cluster whose cluster CA, and whose certificates, live for so many days."""
    memory = MemoryCluster()
    stages.done(memory, "strimzi_ca", before_kafka=True, validity_days=authority, **FAST)
    *others, kafka = clusters.dual_role(memory.cluster, memory.namespace)
    kafka["spec"]["clusterCa"] |= {"validityDays": leaves, "renewalDays": 20}
    kafka["spec"]["clientsCa"] = {**kafka["spec"].get("clientsCa", {}), "validityDays": LIFE, "renewalDays": 20}
    memory.apply(*others, kafka)
    memory.settle()
    stages.done(memory, "strimzi_ca", validity_days=authority, **FAST, **options)
    return memory


def _let_leaves_end(memory: MemoryCluster, later: Callable[[int], None], back: tuple[str, ...] = ()) -> None:
    """The operator is away until the certificates have ended, and stores others when it has started again; some nodes have restarted since."""
    memory.operator_runs = False
    later(LIFE + 10)
    memory.operator_runs = True
    memory.settle(2)
    for node in back:
        memory.kubelet.restart_in_place(node)


def _leaves_ended(later: Callable[[int], None]) -> MemoryCluster:
    memory = _created(3650)
    _let_leaves_end(memory, later)
    return memory


def _one_leaf_ended(later: Callable[[int], None]) -> MemoryCluster:
    memory = _created(3650)
    _let_leaves_end(memory, later, back=tuple(sorted(memory.kubelet.nodes)[1:]))
    return memory


def _secrets_lost_too(later: Callable[[int], None]) -> MemoryCluster:
    memory = _leaves_ended(later)
    memory.api.request("DELETE", f"/api/v1/namespaces/{memory.namespace}/secrets/{stages.KEYS}")
    return memory


def _ended_in_replacement(later: Callable[[int], None]) -> MemoryCluster:
    """The next CA is prepared, and its key is kept elsewhere."""
    memory = _created(LIFE)
    stages.done(memory, "strimzi_ca", **stages.PREPARED, certificate=stages.ELSEWHERE.certificate.pem.decode())
    _let_leaves_end(memory, later)
    return memory


def _clients_ca_ended(later: Callable[[int], None]) -> MemoryCluster:
    """It is adopted too, so that the operator does not renew it."""
    memory = _created(3650, leaves=3650)
    stages.done(memory, "strimzi_ca", ca="clients", state="adopted")
    later(LIFE + 10)
    memory.settle(2)
    return memory


def _clients_ca_ended_in_replacement(later: Callable[[int], None]) -> MemoryCluster:
    """The next clients CA is prepared."""
    memory = _created(3650, leaves=3650)
    stages.done(memory, "strimzi_ca", ca="clients", state="adopted")
    stages.done(memory, "strimzi_ca", ca="clients", validity_days=3650, **stages.PREPARED)
    later(LIFE + 10)
    memory.settle(2)
    return memory


def _secrets_lost(later: Callable[[int], None]) -> MemoryCluster:
    """Long before any certificate ends."""
    memory = _created(3650, backup=True)
    for secret in (stages.KEYS, f"{stages.KEYS}-cert", stages.LEDGER):
        memory.api.request("DELETE", f"/api/v1/namespaces/{memory.namespace}/secrets/{secret}")
    return memory


def _secrets_lost_in_time(later: Callable[[int], None]) -> MemoryCluster:
    """The certificates are in the operator's time for renewal."""
    memory = _created(3650, backup=True)
    memory.operator_runs = False
    later(LIFE - 5)
    for secret in (stages.KEYS, f"{stages.KEYS}-cert", stages.LEDGER):
        memory.api.request("DELETE", f"/api/v1/namespaces/{memory.namespace}/secrets/{secret}")
    memory.operator_runs = True
    return memory


def _both_ended(later: Callable[[int], None]) -> MemoryCluster:
    memory = _created(LIFE)
    _let_leaves_end(memory, later)
    return memory


def _authority_ended(later: Callable[[int], None]) -> MemoryCluster:
    """The operator has issued certificates in their time, of a CA that ends before they do."""
    memory = _created(LIFE)
    later(LIFE - 15)
    memory.settle(6)
    later(20)
    memory.settle(2)
    return memory


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Lets days go by, for the modules and the operator."""

    def go_on(days: int) -> None:
        begin = certs.now() + days * DAY
        monkeypatch.setattr(certs, "now", lambda: begin)
        monkeypatch.setattr(FastClock, "passed", FastClock.passed + days * DAY)

    return go_on


def commands_in(text: str) -> set[str]:
    """The playbooks that the text names."""
    return {name for pair in re.findall(r"\b([a-z_]+) playbook\b|\bplaybook ([a-z_]+)", text) for name in pair if name}


def commands_of(ended: Ended) -> set[str]:
    """The playbooks that the call names, in its warnings and anywhere in its result."""
    return commands_in(" ".join([*ended.warnings, json.dumps(ended.result)]))


@pytest.mark.parametrize("face", FACES, ids=lambda face: " ".join([face[0], *map(str, face[1].values())]))
@pytest.mark.parametrize(
    ("begin", "command"),
    [
        (_leaves_ended, "recover"),
        (_one_leaf_ended, "recover"),
        (_both_ended, "recover"),
        (_secrets_lost_too, "recover"),
        (_secrets_lost, "recover"),
        (_secrets_lost_in_time, "recover"),
        (_authority_ended, "renew"),
        (_ended_in_replacement, "recover"),
    ],
    ids=[
        "leaves",
        "one leaf",
        "both",
        "leaves and a Secret",
        "Secrets",
        "Secrets and leaves in their time",
        "CA",
        "both in a replacement",
    ],
)
def test_every_call_names_the_one_command_that_helps(
    begin: Callable[[Callable[[int], None]], MemoryCluster],
    command: str,
    face: tuple[str, dict[str, Any]],
    later: Callable[[int], None],
    reading: Callable[[MemoryCluster], ReloadingNodes],
) -> None:
    memory = begin(later)
    reading(memory)
    module, options = face
    ended = call(module, memory, check=True, **options)
    assert commands_of(ended) == {command}


def test_the_events_of_a_call_that_is_held_name_it_too(
    later: Callable[[int], None], reading: Callable[[MemoryCluster], ReloadingNodes]
) -> None:
    memory = _both_ended(later)
    reading(memory)
    ended = call("strimzi_ca", memory, state="renewed")
    notes = [found["note"] for found in memory.api.all_stored("events", memory.namespace)]
    assert ended.failed
    assert commands_in(" ".join(notes)) == {"recover"}


@pytest.mark.parametrize("module", ["strimzi_ca_info", "strimzi_ca"])
def test_where_secrets_are_lost_no_certificate_is_said_to_be_renewed(
    module: str, later: Callable[[int], None], reading: Callable[[MemoryCluster], ReloadingNodes]
) -> None:
    """The operator, which lacks the CA, renews none of them."""
    memory = _secrets_lost(later)
    reading(memory)
    ended = call(module, memory, check=True, **({"state": "recovered"} if module == "strimzi_ca" else {}))
    said = json.dumps(
        {name: value for name, value in ended.result.items() if name in ("first_to_end", "expiring", "leaves")}
    )
    assert "Cluster Operator" not in said


@pytest.mark.parametrize("face", FACES, ids=lambda face: " ".join([face[0], *map(str, face[1].values())]))
def test_where_the_clients_ca_has_ended_every_call_warns_of_the_command_that_renews_it(
    face: tuple[str, dict[str, Any]],
    later: Callable[[int], None],
    reading: Callable[[MemoryCluster], ReloadingNodes],
    golden: GoldenFiles,
) -> None:
    """Flows on the cluster CA are not held by it."""
    memory = _clients_ca_ended(later)
    reading(memory)
    module, options = face
    ended = call(module, memory, check=True, **options)
    (told,) = [one for one in ended.warnings if "clients-ca" in one and "ended" in one]
    assert commands_in(told) == {"renew"}
    golden.compare_said("calls", told)


#: The calls that can be about the clients CA.
OF_CLIENTS = [(module, options) for module, options in FACES if module != "strimzi_ee_cert"]


def commands_without_other_ca(ended: Ended) -> set[str]:
    """The playbooks that the call names for anything but the cluster CA, which has years left."""
    first = {**(ended.result.get("first_to_end") or {}), "other_ca": None}
    return commands_of(replace(ended, result={**ended.result, "first_to_end": first, "other_ca": None}))


@pytest.mark.parametrize("face", OF_CLIENTS, ids=lambda face: " ".join([face[0], *map(str, face[1].values())]))
@pytest.mark.parametrize(
    ("begin", "commands"),
    [(_clients_ca_ended, {"renew"}), (_clients_ca_ended_in_replacement, set())],
    ids=["clients CA", "clients CA in a replacement"],
)
def test_calls_about_an_ended_clients_ca_name_one_way_on(
    begin: Callable[[Callable[[int], None]], MemoryCluster],
    commands: set[str],
    face: tuple[str, dict[str, Any]],
    later: Callable[[int], None],
    reading: Callable[[MemoryCluster], ReloadingNodes],
    golden: GoldenFiles,
) -> None:
    memory = begin(later)
    reading(memory)
    module, options = face
    ended = call(module, memory, check=True, ca="clients", **options)
    (told,) = [one for one in ended.warnings if "clients-ca" in one and "ended" in one]
    assert commands_without_other_ca(ended) == commands
    golden.compare_said("calls", told, begin.__name__)
