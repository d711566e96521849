# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bundle for clients in whole flows: never behind what brokers present, one password, nothing written twice."""

from __future__ import annotations

import hashlib
import struct
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, pkcs12

from ansible_collections.trustops.strimzi.plugins.module_utils._engine import engine
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import ENGINE
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Resume
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.switch import publish

from ..tools.operator import certs
from ..tools.support.checker import entries, verifies
from ..tools.support.engines import without
from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.memory_api import Change
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import CERTIFICATES, WatchedCluster, assert_only
from .cases import REPLACEMENTS, Case, mostly_long
from .test_abort import component_starts
from .test_costs import of_components

BUNDLE = "demo-cluster-ca-bundle"


def trusted(cluster: WatchedCluster) -> list[bytes]:
    """The CAs in the certificate Secret, in DER."""
    return sorted(
        one.public_bytes(Encoding.DER)
        for key, value in cluster.secret(CERTIFICATES).items() if key.endswith(".crt")
        for one in certs.load(value)
    )  # fmt: skip


def read_pem(content: bytes) -> list[bytes]:
    return sorted(one.public_bytes(Encoding.DER) for one in x509.load_pem_x509_certificates(content))


def read_pkcs12(content: bytes, password: bytes) -> list[bytes]:
    return sorted(
        one.certificate.public_bytes(Encoding.DER) for one in pkcs12.load_pkcs12(content, password).additional_certs
    )


def read_jks(content: bytes, password: bytes) -> list[bytes]:
    """Reads the file by the description of the format, without any code of the writer."""
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


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("case", mostly_long([Case(Goal.RENEW), *REPLACEMENTS]))
def test_clients_with_the_bundle_accept_every_node_after_every_write(cluster: WatchedCluster, case: Case) -> None:
    flow = case.begin(cluster)
    seen: list[str] = []

    def after(change: Change) -> None:
        held = cluster.secret(BUNDLE).get("ca.crt")
        for process in cluster.memory.kubelet.processes.values() if held else ():
            for _secret, chain in process.presented if process.component == "kafka" else ():
                assert verifies(chain, held, jvm=False), f"{process.pod} after {change.verb} of {change.name}"
                seen.append(process.pod)

    cluster.memory.api.listeners.append(after)
    flow.finish(publishes_bundle=True)
    assert len(seen) > 20
    assert read_pem(cluster.secret(BUNDLE)["ca.crt"]) == trusted(cluster)


def meet_a_swift_operator(cluster: WatchedCluster, patch: pytest.MonkeyPatch) -> None:
    """As soon as it may go on it restarts what takes up the switch, and the run looks again after that."""
    carry_out = engine.carry_out

    def before_it(step: Step, *arguments: Any) -> Any:
        done = carry_out(step, *arguments)
        if isinstance(step, Resume):
            cluster.memory.settle(3)
        return done

    patch.setattr(engine, "carry_out", before_it)


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("case", mostly_long(REPLACEMENTS))
def test_the_bundle_costs_no_restart(cluster: WatchedCluster, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients read it until after the switch, so the old CA leaves the ledger when the operator has already restarted what takes up the switch: these pods
    started without the old CA."""
    flow = case.begin(cluster)
    cluster.run(Goal.RECONCILE, publishes_bundle=True)
    before = component_starts(cluster)
    meet_a_swift_operator(cluster, monkeypatch)
    flow.finish(publishes_bundle=True)
    assert component_starts(cluster) - before == of_components(case)
    assert cluster.paid == flow.cost


@pytest.mark.parametrize("is_recorded", [False, True], ids=["the pods are not recorded yet", "the pods are recorded"])
def test_killed_when_the_old_ca_has_left_what_processes_read(
    cluster: WatchedCluster, nodes: ReloadingNodes, is_recorded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every process has forgotten it in the end, and for that each component restarts as often as in a run that is not killed."""
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    cluster.run(Goal.RECONCILE, publishes_bundle=True)
    before, next_write = component_starts(cluster), KillingTransport(cluster.permitted, after=is_recorded)
    meet_a_swift_operator(cluster, monkeypatch)

    def kill(change: Change) -> None:
        if change.name == "demo-trustbundle" and change.old and change.new:
            was, now = (entries(one)["cluster-ca.crt"] for one in (change.old, change.new))
            next_write.at = next_write.writes + 1 if len(read_pem(now)) < len(read_pem(was)) else None

    cluster.memory.api.listeners.append(kill)
    permitted, cluster.permitted = cluster.permitted, next_write
    with pytest.raises(Killed):
        flow.run(publishes_bundle=True)
    cluster.memory.api.listeners.remove(kill)
    cluster.permitted = permitted
    assert any(key.endswith(".knowing") for key in cluster.ledger) is is_recorded
    flow.finish(publishes_bundle=True)
    assert_only(cluster, cluster.current)
    assert component_starts(cluster) - before == of_components(flow.case)


def test_all_forms_say_the_same_under_one_password_for_good(cluster: WatchedCluster) -> None:
    cluster.create()
    passwords = set()
    for phase in Phase:
        cluster.run(Goal.REPLACE_KEY, publishes_bundle=True, last_phase=phase)
        bundle = cluster.secret(BUNDLE)
        passwords.add(bundle["ca.password"])
        assert read_pem(bundle["ca.crt"]) == trusted(cluster), phase
        assert read_pkcs12(bundle["ca.p12"], bundle["ca.password"]) == trusted(cluster), phase
        assert read_jks(bundle["ca.jks"], bundle["ca.password"]) == trusted(cluster), phase
    assert len(passwords) == 1


def test_a_bundle_is_kept_without_being_asked_for(cluster: WatchedCluster) -> None:
    cluster.create()
    cluster.finish(Goal.REPLACE_KEY, publishes_bundle=True)
    before = cluster.secret(BUNDLE)["ca.crt"]
    cluster.finish(Goal.REPLACE_KEY, replaces=cluster.current)
    assert cluster.secret(BUNDLE)["ca.crt"] != before
    assert read_pem(cluster.secret(BUNDLE)["ca.crt"]) == trusted(cluster)


def test_a_flow_without_publish_makes_no_bundle(cluster: WatchedCluster) -> None:
    cluster.create()
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.secret(BUNDLE) == {}


@pytest.mark.parametrize("entry", ["ca.crt", "ca.p12", "ca.jks", "ca.password"])
def test_a_damaged_bundle_is_made_whole(cluster: WatchedCluster, entry: str) -> None:
    cluster.create()
    cluster.run(Goal.RECONCILE, publishes_bundle=True)
    cluster.change("secrets", BUNDLE, {"data": {entry: None}})
    cluster.finish(Goal.RECONCILE)
    bundle = cluster.secret(BUNDLE)
    assert read_jks(bundle["ca.jks"], bundle["ca.password"]) == read_pem(bundle["ca.crt"]) == trusted(cluster)


@pytest.mark.parametrize("case", mostly_long([Case(Goal.RENEW), *REPLACEMENTS]))
def test_no_ca_is_used_before_clients_could_have_it(cluster: WatchedCluster, case: Case) -> None:
    """Even if the rule that publishes is not asked."""
    flow = case.begin(cluster)
    before = cluster.current, {node: cluster.secret(node) for node in cluster.memory.kubelet.nodes}
    cluster.engine = without(publish)
    flow.run(publishes_bundle=True)
    assert (cluster.current, {node: cluster.secret(node) for node in cluster.memory.kubelet.nodes}) == before
    cluster.engine = ENGINE
    flow.finish(publishes_bundle=True)
