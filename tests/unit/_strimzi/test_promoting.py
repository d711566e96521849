# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The prepared CA becomes the issuing one. A crash at any point leaves a cluster that the operator does not touch."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.errors import KubeError
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Promote, TidyKeys
from ansible_collections.trustops.strimzi.tests.fakes.memory_api import Response
from ansible_collections.trustops.strimzi.tests.unit._pki.hierarchy import Entity, key, make

from .bench import LABELS, SCOPE, Bench, pem
from .steps import GONE, NEXT, OLD, cluster, fingerprint

PROMOTE = Promote(fingerprint(NEXT), 7)
CERTIFICATES, KEYS = SCOPE.ca_certificate_secret, SCOPE.ca_key_secret


def test_key_first_then_certificate_and_generation_in_one_write() -> None:
    bench = cluster()
    first, second = bench.carry_out(PROMOTE)
    assert (first.name, second.name) == (KEYS, CERTIFICATES)
    assert bench.data(KEYS)["ca.key"] == NEXT.key.reveal()
    assert bench.data(CERTIFICATES)["ca.crt"] == pem(NEXT)
    assert bench.annotation("secrets", CERTIFICATES, "ca-cert-generation") == "7"


def test_key_generation_is_not_raised_along_with_it() -> None:
    """It would start a trust roll that has long been done (strimzi.md 4.3)."""
    bench = cluster()
    bench.carry_out(PROMOTE)
    assert bench.annotation("secrets", KEYS, "ca-key-generation") == "0"


def test_old_ca_stays_trusted_and_its_key_is_kept() -> None:
    bench = cluster()
    bench.carry_out(PROMOTE)
    assert bench.data(CERTIFICATES)[OLD.certificate.expired_name()] == pem(OLD)
    assert bench.data(KEYS)[f"{fingerprint(OLD)}.key"] == OLD.key.reveal()
    assert bench.observe().snapshot.ca.projected == {fingerprint(one) for one in (OLD, NEXT, GONE)}


def test_new_ca_gives_up_the_entry_it_was_projected_under() -> None:
    bench = Bench()
    keys = {f"{fingerprint(NEXT)}.crt": pem(NEXT), f"{fingerprint(NEXT)}.key": NEXT.key.reveal()}
    bench.authority(OLD, keys, **{fingerprint(NEXT): NEXT})
    bench.carry_out(PROMOTE)
    assert set(bench.data(CERTIFICATES)) == {"ca.crt", OLD.certificate.expired_name()}


def test_two_cas_that_end_at_the_same_second_both_stay() -> None:
    twin = make("twin", key(30), end=OLD.certificate.not_after)
    assert twin.certificate.expired_name() == OLD.certificate.expired_name()
    bench = Bench()
    keys = {f"{fingerprint(NEXT)}.crt": pem(NEXT), f"{fingerprint(NEXT)}.key": NEXT.key.reveal()}
    bench.authority(OLD, keys, **{twin.certificate.expired_name().removesuffix(".crt"): twin})
    bench.carry_out(PROMOTE)
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


def test_interrupted_between_the_two_writes_it_is_finished_by_the_next_run() -> None:
    bench = cluster()
    with pytest.raises(KubeError):
        carry_out(PROMOTE, bench.observe(), bench.work(transport=Cut(bench, 1)))
    between = bench.observe().snapshot.ca
    assert between.current == (OLD.certificate,)
    assert (between.certificate_generation, between.key) == (0, NEXT.certificate.public_key_sha256)
    assert fingerprint(OLD) in between.kept_keys
    (second,) = bench.carry_out(PROMOTE)
    assert second.name == CERTIFICATES
    assert bench.data(KEYS)[f"{fingerprint(OLD)}.key"] == OLD.key.reveal()


def test_renewal_has_the_key_already() -> None:
    renewed = make("cluster-ca v0", OLD.key)
    bench = Bench()
    bench.authority(OLD, {f"{fingerprint(renewed)}.crt": pem(renewed), f"{fingerprint(renewed)}.key": OLD.key.reveal()})
    (only,) = bench.carry_out(Promote(fingerprint(renewed), 1))
    assert only.name == CERTIFICATES
    assert bench.observe().snapshot.ca.key == OLD.certificate.public_key_sha256


def test_a_key_that_is_not_the_present_cas_is_not_kept_under_its_name() -> None:
    bench = Bench()
    keys = {f"{fingerprint(NEXT)}.crt": pem(NEXT), f"{fingerprint(NEXT)}.key": NEXT.key.reveal()}
    bench.authority(Entity(OLD.certificate, GONE.key), keys)
    bench.carry_out(PROMOTE)
    assert f"{fingerprint(OLD)}.key" not in bench.data(KEYS)


def test_first_ca_of_a_cluster_makes_the_certificate_secret() -> None:
    bench = cluster()
    bench.remove("secrets", CERTIFICATES)
    bench.carry_out(Promote(fingerprint(NEXT), 0))
    created = bench.find("secrets", CERTIFICATES)
    assert (created["type"], created["metadata"]["labels"]) == ("Opaque", LABELS)
    assert bench.data(CERTIFICATES) == {"ca.crt": pem(NEXT)}
    assert bench.annotation("secrets", CERTIFICATES, "ca-cert-generation") == "0"


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
    step = TidyKeys(frozenset(map(fingerprint, prepared)), frozenset(map(fingerprint, kept)), Phase.RETIRE)
    bench.carry_out(step)
    assert set(bench.data(KEYS)) == left
