# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A policy engine writes a field of a Certificate back: calls go on, and warn of the field, both values and the writer."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ...tools.support.authorities import root
from ...tools.support.cert_manager import NAMESPACE
from ...tools.support.cert_manager_certificates import MemoryCertificates
from ...tools.support.certificates import YEAR, Entity
from ...tools.support.completing import POLICY_ENGINE, Completing, When
from ...tools.support.memory_api import merge
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .fast_clock import FastClock
from .running import Ended, call

ISSUER = {"type": "cert_manager", "name": "corporate", "resource": "Certificate"}
NODE = "demo-kafka-0"


def reconcile(memory: MemoryCluster) -> Ended:
    ended = call("strimzi_trusted_certs", memory, state="retired", issuer=ISSUER, spare_leaves=0)
    assert not ended.failed, ended.result["msg"]
    return ended


def force(plural: str, new: dict[str, Any], *, created: bool) -> None:
    if plural == "certificates":
        merge(new["spec"], {"encodeUsagesInRequest": False, "privateKey": {"rotationPolicy": "Never"}})


@pytest.mark.parametrize("when", When, ids=lambda one: one.value)
def test_a_field_of_a_certificate_that_is_written_back(when: When) -> None:
    memory, began = stages.managed(), FastClock().now()
    theirs = root("Corporate Root", end=began + 10 * YEAR)
    begin = began - timedelta(seconds=memory.seconds + 60)
    entity = Entity(theirs.chain[0], theirs.keys[0])
    MemoryCertificates(memory.api, entity, clock=lambda: begin + timedelta(seconds=memory.seconds))
    moved = call(
        "strimzi_ca", memory, state="replaced", certificate=replace(theirs, elsewhere=True).pem.decode(), issuer=ISSUER,
        fresh_for_hours=0, client_grace=0, spare_leaves=0,
    )  # fmt: skip
    assert not moved.failed, moved.result["msg"]
    assert reconcile(memory).warnings == []
    Completing(memory.api, when, force).begin()
    corrected = reconcile(memory)
    again = reconcile(memory)
    assert again.writes == []
    names = [one["metadata"]["name"] for one in memory.api.all("certificates", NAMESPACE)]
    for ended in (corrected, again):
        told = [one for one in ended.warnings if f"Certificate {NAMESPACE}/{NODE}: " in one]
        assert len(told) == 1
        for part in ("privateKey.rotationPolicy is Never and is to be Always", POLICY_ENGINE, "docs/other-writers.md"):
            assert part in told[0]
        assert "encodeUsagesInRequest" not in told[0]
        renewals = {one["secret"]: one for one in ended.result["renewals"]}
        assert set(renewals) == set(names)
        assert (renewals[NODE]["problem"], renewals[NODE]["differs"]) == (told[0], "")
