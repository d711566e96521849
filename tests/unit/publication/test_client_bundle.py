# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bundle for clients in whole flows: never behind what brokers present, one password, nothing written twice."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import replace
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, pkcs12

from ansible_collections.trustops.strimzi.plugins.module_utils._trust import rules
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Promote, Publish

from ...fakes.flows import run_flow, work_on
from ...fakes.memory_api import Change
from ...fakes.world import World
from ...faults.checker import entries, verifies
from ...faults.flows import Case, finish, start
from .._trust import rotation as stage

BUNDLE = "demo-cluster-ca-bundle"
REPLACE = Intent(Goal.REPLACE_KEY, publish=True)


def published(world: World) -> dict[str, bytes]:
    return entries(world.api.find("secrets", world.namespace, BUNDLE))


def trusted(world: World) -> list[bytes]:
    """The roots that the certificate Secret holds, in DER: a bridge is for nodes to present, not for clients to trust."""
    secret = entries(world.api.find("secrets", world.namespace, "demo-cluster-ca-cert"))
    held = [x509.load_pem_x509_certificate(value) for key, value in secret.items() if key.endswith(".crt")]
    return sorted(one.public_bytes(Encoding.DER) for one in held if one.subject == one.issuer)


def read_pem(content: bytes) -> list[bytes]:
    return sorted(one.public_bytes(Encoding.DER) for one in x509.load_pem_x509_certificates(content))


def read_pkcs12(content: bytes, password: bytes) -> list[bytes]:
    return sorted(
        one.certificate.public_bytes(Encoding.DER) for one in pkcs12.load_pkcs12(content, password).additional_certs
    )


def read_jks(content: bytes, password: bytes) -> list[bytes]:
    """By the description of the format, and nothing of what wrote it."""
    body, digest = content[:-20], content[-20:]
    salted = "".join(map(chr, password)).encode("utf-16-be") + b"Mighty Aphrodite" + body
    assert hashlib.sha1(salted, usedforsecurity=False).digest() == digest
    magic, version, count = struct.unpack_from(">III", body)
    assert (magic, version) == (0xFEEDFEED, 2)
    place, found = 12, []
    for _entry in range(count):
        (tag, length) = struct.unpack_from(">IH", body, place)
        place += 6 + length + 8
        (length,) = struct.unpack_from(">H", body, place)
        assert (tag, body[place + 2 : place + 2 + length]) == (2, b"X.509")
        place += 2 + length
        (size,) = struct.unpack_from(">I", body, place)
        found.append(body[place + 4 : place + 4 + size])
        place += 4 + size
    assert place == len(body)
    return sorted(found)


def begin(way: Way = Way.COOPERATE) -> World:
    world, _checker = start(Case(Goal.REPLACE_KEY, way))
    return world


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("goal", [Goal.RENEW, Goal.REPLACE_KEY])
def test_clients_with_the_bundle_accept_every_node_after_every_write(goal: Goal, way: Way) -> None:
    world = begin(way)
    seen: list[int] = []

    def after(change: Change) -> None:
        held = published(world).get("ca.crt")
        for process in world.kubelet.processes.values() if held else ():
            for _secret, chain in process.presented if process.component == "kafka" else ():
                assert verifies(chain, held), f"{process.pod} after {change.verb} of {change.name}"
                seen.append(1)

    world.api.listeners.append(after)
    finish(world, Intent(goal, way, publish=True))
    assert len(seen) > 20
    assert read_pem(published(world)["ca.crt"]) == trusted(world)
    assert len(trusted(world)) == 1


def test_all_forms_say_the_same_under_one_password_for_good() -> None:
    world = begin()
    passwords = set()
    for phase in Phase:
        finish(world, replace(REPLACE, until=phase))
        bundle = published(world)
        passwords.add(bundle["ca.password"])
        assert read_pem(bundle["ca.crt"]) == trusted(world), phase
        assert read_pkcs12(bundle["ca.p12"], bundle["ca.password"]) == trusted(world), phase
        assert read_jks(bundle["ca.jks"], bundle["ca.password"]) == trusted(world), phase
    assert len(passwords) == 1


def test_a_second_run_writes_nothing_and_the_bundle_is_kept_without_being_asked_for() -> None:
    world = begin()
    finish(world, REPLACE)
    assert run_flow(work_on(world), REPLACE).changes == []
    before = published(world)["ca.crt"]
    finish(world, Intent(Goal.REPLACE_KEY, fresh_for=Intent(Goal.CREATE).fresh_for * 0))
    assert published(world)["ca.crt"] != before
    assert read_pem(published(world)["ca.crt"]) == trusted(world)


def test_where_nobody_asks_there_is_no_bundle() -> None:
    world = begin()
    finish(world, Intent(Goal.REPLACE_KEY))
    assert published(world) == {}


@pytest.mark.parametrize("entry", ["ca.crt", "ca.p12", "ca.jks", "ca.password"])
def test_a_damaged_bundle_is_made_whole(entry: str) -> None:
    world = begin()
    finish(world, REPLACE)
    path = f"/api/v1/namespaces/{world.namespace}/secrets/{BUNDLE}"
    damage: dict[str, Any] = {"data": {entry: None}}
    world.api.request("PATCH", path, body=damage, content_type="application/merge-patch+json")
    finish(world, Intent(Goal.RECONCILE))
    bundle = published(world)
    assert read_jks(bundle["ca.jks"], bundle["ca.password"]) == read_pem(bundle["ca.crt"]) == trusted(world)


def test_no_ca_is_promoted_before_clients_could_have_it() -> None:
    """Also when the rule that publishes is not asked first."""
    ready = stage.TRUSTED
    assert [type(step) for step in decide(ready, Intent(Goal.REPLACE_KEY)).steps] == [Promote]
    assert [type(step) for step in decide(ready, REPLACE).steps] == [Publish]
    assert rules.promote(ready, REPLACE, ready.ledger) == ()
