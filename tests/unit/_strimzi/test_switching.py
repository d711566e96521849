# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The switch to the prepared CA. A crash at any point leaves a cluster that the operator does not touch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KubeError
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    RaiseKeyGeneration,
    RestoreKey,
    Switch,
    TidyKeys,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import Project

from ...support.certificates import Entity, key, make
from ...support.memory_api import Response
from .bench import LABELS, SCOPE, Bench, pem
from .steps import GONE, NEXT, OLD, cluster, fingerprint, switch_to

SWITCH = replace(switch_to(), generation=7, key_generation=4)
#: The old CA leaves the trust with the same write.
LEAVING = replace(SWITCH, leaving=OLD.certificate)
CERTIFICATES, KEYS = SCOPE.ca_certificate_secret, SCOPE.ca_key_secret
NEXT_ENTRIES = {f"{fingerprint(NEXT)}.crt": pem(NEXT), f"{fingerprint(NEXT)}.key": NEXT.key.reveal()}


def test_key_first_then_certificate_each_with_its_generation() -> None:
    bench = cluster()
    first, second = bench.carry_out(SWITCH)
    assert (first.name, second.name) == (KEYS, CERTIFICATES)
    assert bench.data(KEYS)["ca.key"] == NEXT.key.reveal()
    assert bench.annotation("secrets", KEYS, "ca-key-generation") == "4"
    assert bench.data(CERTIFICATES)["ca.crt"] == pem(NEXT)
    assert bench.annotation("secrets", CERTIFICATES, "ca-cert-generation") == "7"


def test_a_ca_that_is_still_used_stays_trusted_and_its_key_is_kept() -> None:
    bench = cluster()
    bench.carry_out(SWITCH)
    assert bench.data(CERTIFICATES)[OLD.certificate.expired_name()] == pem(OLD)
    assert bench.data(KEYS)[f"{fingerprint(OLD)}.key"] == OLD.key.reveal()
    assert bench.observe().snapshot.ca.projected == {fingerprint(one) for one in (OLD, NEXT, GONE)}


def test_a_ca_that_nobody_uses_leaves_with_the_same_write_and_its_key_is_the_way_back() -> None:
    bench = cluster()
    bench.carry_out(Project(chains=((OLD.certificate,),)))
    _first, second = bench.carry_out(LEAVING)
    assert second.name == CERTIFICATES
    assert bench.observe().snapshot.ca.projected == {fingerprint(one) for one in (NEXT, GONE)}
    assert bench.data(KEYS)[f"{fingerprint(OLD)}.key"] == OLD.key.reveal()


@pytest.mark.parametrize(
    ("step", "beside"),
    [(SWITCH, {OLD.certificate.expired_name()}), (LEAVING, set())],
    ids=["the old one stays", "the old one leaves"],
)
def test_the_new_one_gives_up_the_entry_it_was_projected_under(step: Switch, beside: set[str]) -> None:
    bench = Bench()
    bench.authority(OLD, NEXT_ENTRIES, **{fingerprint(NEXT): NEXT})
    bench.carry_out(step)
    assert set(bench.data(CERTIFICATES)) == {"ca.crt", *beside}


def test_two_cas_that_end_at_the_same_second_both_stay() -> None:
    twin = make("twin", key(30), end=OLD.certificate.not_after)
    assert twin.certificate.expired_name() == OLD.certificate.expired_name()
    bench = Bench()
    bench.authority(OLD, NEXT_ENTRIES, **{twin.certificate.expired_name().removesuffix(".crt"): twin})
    bench.carry_out(SWITCH)
    assert bench.observe().snapshot.ca.projected == {fingerprint(one) for one in (OLD, NEXT, twin)}


class Cut:
    """A transport on which only so many writes arrive."""

    def __init__(self, bench: Bench, writes: int) -> None:
        self.bench, self.left = bench, writes

    def request(self, method: str, path: str, **arguments: Any) -> Response:
        if method != "GET":
            self.left -= 1
            if self.left < 0:
                return Response(403, {"kind": "Status", "reason": "Forbidden", "message": "cut"})
        return self.bench.api.request(method, path, **arguments)


@pytest.fixture
def half_way() -> Bench:
    """The key is the next CA's, and the certificate is not."""
    bench = cluster()
    with pytest.raises(KubeError):
        carry_out(SWITCH, bench.observe(), bench.work(transport=Cut(bench, 1)))
    between = bench.observe().snapshot.ca
    assert (between.current, between.certificate_generation) == ((OLD.certificate,), 0)
    assert between.key == NEXT.certificate.public_key_sha256
    assert fingerprint(OLD) in between.kept_keys
    return bench


def test_interrupted_between_the_two_writes_it_is_finished_by_the_next_run(half_way: Bench) -> None:
    (second,) = half_way.carry_out(SWITCH)
    assert second.name == CERTIFICATES
    assert half_way.data(KEYS)[f"{fingerprint(OLD)}.key"] == OLD.key.reveal()


def test_or_it_is_undone_with_the_generation_that_was(half_way: Bench) -> None:
    (only,) = half_way.carry_out(RestoreKey(certificate=OLD.certificate, key_generation=0))
    assert only.name == KEYS
    assert half_way.data(KEYS)["ca.key"] == OLD.key.reveal()
    assert half_way.annotation("secrets", KEYS, "ca-key-generation") == "0"
    assert half_way.observe().snapshot.ca.prepared[0].key == NEXT.certificate.public_key_sha256


def test_a_renewal_has_the_key_already_and_keeps_its_generation() -> None:
    renewed = make("cluster-ca v0", OLD.key)
    bench = Bench()
    bench.authority(OLD, {f"{fingerprint(renewed)}.crt": pem(renewed), f"{fingerprint(renewed)}.key": OLD.key.reveal()})
    (made,) = bench.observe().snapshot.ca.prepared
    (only,) = bench.carry_out(switch_to(made))
    assert only.name == CERTIFICATES
    assert bench.observe().snapshot.ca.key == OLD.certificate.public_key_sha256
    assert bench.annotation("secrets", KEYS, "ca-key-generation") == "0"


def test_a_key_that_is_not_the_present_cas_is_not_kept_under_its_name() -> None:
    bench = Bench()
    bench.authority(Entity(OLD.certificate, GONE.key), NEXT_ENTRIES)
    bench.carry_out(SWITCH)
    assert f"{fingerprint(OLD)}.key" not in bench.data(KEYS)


def test_first_ca_of_a_cluster_makes_the_certificate_secret() -> None:
    bench = cluster()
    bench.remove("secrets", CERTIFICATES)
    bench.carry_out(replace(SWITCH, generation=0))
    created = bench.find("secrets", CERTIFICATES)
    assert (created["type"], created["metadata"]["labels"]) == ("Opaque", LABELS)
    assert bench.data(CERTIFICATES) == {"ca.crt": pem(NEXT)}
    assert bench.annotation("secrets", CERTIFICATES, "ca-cert-generation") == "0"


def test_raising_the_key_generation_leaves_the_keys_alone() -> None:
    bench = cluster()
    before = bench.data(KEYS)
    bench.carry_out(RaiseKeyGeneration(generation=5))
    assert bench.annotation("secrets", KEYS, "ca-key-generation") == "5"
    assert bench.data(KEYS) == before


@pytest.mark.parametrize(
    ("prepared", "kept", "left"),
    [
        ((), (), {"ca.key", f"{fingerprint(NEXT)}.crt", f"{fingerprint(NEXT)}.key", f"{fingerprint(GONE)}.key"}),
        ((NEXT,), (), {"ca.key", f"{fingerprint(GONE)}.key"}),
        ((), (GONE,), {"ca.key", f"{fingerprint(NEXT)}.crt", f"{fingerprint(NEXT)}.key"}),
        ((NEXT,), (GONE, OLD), {"ca.key"}),
    ],
)
def test_tidying_removes_what_is_named_and_never_the_signing_key(
    prepared: tuple[Entity, ...], kept: tuple[Entity, ...], left: set[str]
) -> None:
    bench = cluster()
    gone = (frozenset(map(fingerprint, ones)) for ones in (prepared, kept))
    bench.carry_out(TidyKeys(prepared=next(gone), kept_keys=next(gone), phase=Phase.RETIRE))
    assert set(bench.data(KEYS)) == left
