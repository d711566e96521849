# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The next CA is made where nothing uses it yet: certificate and key together, the present ones untouched."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import BACKDATED, authority_generation
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import placeholder
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import (
    SuppliedAuthority,
    secret_patch,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import PreparedAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import PrepareAuthority

from ...support.certificates import Entity, key, make
from .bench import LABELS, SCOPE, Bench, recorded
from .steps import BROUGHT, OLD, SUPPLIED, fingerprint

ROOT = make("root", key(20))
BELOW = make("below", key(21), ROOT)


def bench_of(current: Entity = OLD) -> Bench:
    bench = Bench()
    bench.authority(current)
    return bench


def prepare(bench: Bench, goal: Goal, replaces: Chain = (), generation: int = 1, **settings: Any) -> PreparedAuthority:
    supplied = settings["supplied"].chain if "supplied" in settings else ()
    step = PrepareAuthority(goal=goal, replaces=replaces, generation=generation, supplied=supplied)
    carry_out(step, bench.observe(), bench.work(**settings))
    (prepared,) = bench.observe().snapshot.ca.prepared
    return prepared


def test_replacement_has_a_new_key_and_the_next_name() -> None:
    prepared = prepare(bench_of(), Goal.REPLACE_KEY, (OLD.certificate,), 4)
    certificate = prepared.chain[0]
    assert authority_generation(certificate) == 4
    assert certificate.signed_by(certificate)
    assert prepared.key == certificate.public_key_sha256 != OLD.certificate.public_key_sha256
    assert certificate.path_length == 1


def test_renewal_has_the_same_name_and_key_and_is_valid_from_now_on() -> None:
    bench = bench_of()
    bench.clock.seconds = 3600
    prepared = prepare(bench, Goal.RENEW, (OLD.certificate,), validity=timedelta(days=30))
    certificate = prepared.chain[0]
    assert (certificate.subject_der, certificate.public_key_sha256) == (OLD.certificate.subject_der, prepared.key)
    assert prepared.key == OLD.certificate.public_key_sha256
    assert certificate.not_before == bench.clock.now() - BACKDATED
    assert certificate.not_after == bench.clock.now() + timedelta(days=30)
    assert certificate != OLD.certificate


def test_certificate_and_key_arrive_in_one_write() -> None:
    """A crash leaves both or neither."""
    bench = bench_of()
    (change,) = bench.carry_out(PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=(OLD.certificate,), generation=1))
    assert change.name == SCOPE.ca_key_secret
    assert bench.data(SCOPE.ca_key_secret)["ca.key"] == OLD.key.reveal()


def test_first_ca_of_a_new_cluster_makes_the_secret() -> None:
    bench = Bench()
    prepared = prepare(bench, Goal.CREATE, generation=0)
    created = bench.find("secrets", SCOPE.ca_key_secret)
    assert (created["type"], created["metadata"]["labels"]) == ("Opaque", LABELS)
    assert bench.annotation("secrets", SCOPE.ca_key_secret, "ca-key-generation") == "0"
    assert set(created["data"]) == {f"{prepared.fingerprint}.crt", f"{prepared.fingerprint}.key"}


@pytest.mark.parametrize("goal", [Goal.REPLACE_KEY, Goal.RENEW, Goal.CREATE])
def test_supplied_ca_is_taken_as_it_is(goal: Goal) -> None:
    prepared = prepare(bench_of(), goal, (OLD.certificate,), supplied=SUPPLIED)
    assert prepared == PreparedAuthority((BROUGHT.certificate,), BROUGHT.certificate.public_key_sha256)


def test_key_is_stored_in_the_form_that_all_of_strimzi_reads() -> None:
    bench = bench_of()
    prepared = prepare(bench, Goal.REPLACE_KEY, (OLD.certificate,))
    assert bench.data(SCOPE.ca_key_secret)[f"{prepared.fingerprint}.key"].startswith(b"-----BEGIN PRIVATE KEY-----")


@pytest.mark.parametrize("content", [None, "", "cGxhY2Vob2xkZXI="])
def test_renewal_without_the_key_says_where_to_put_it(content: str | None) -> None:
    bench = bench_of()
    bench.change("secrets", SCOPE.ca_key_secret, {"data": {"ca.key": content}})
    with pytest.raises(StepError, match=r"CN=cluster-ca v0.*kafka/demo-cluster-ca") as caught:
        prepare(bench, Goal.RENEW, (OLD.certificate,))
    assert "ca.key" in caught.value.remedy
    assert bench.observe().snapshot.ca.prepared == ()


def test_renewal_with_the_key_of_another_ca_is_refused() -> None:
    """It would be another CA under the same name."""
    bench = bench_of(Entity(OLD.certificate, BROUGHT.key))
    with pytest.raises(StepError, match="is not in Secret"):
        prepare(bench, Goal.RENEW, (OLD.certificate,))


def test_an_intermediate_is_renewed_by_its_issuer_only() -> None:
    bench = bench_of(BELOW)
    with pytest.raises(StepError, match="CN=root"):
        prepare(bench, Goal.RENEW, (BELOW.certificate, ROOT.certificate))
    assert set(bench.data(SCOPE.ca_key_secret)) == {"ca.key"}


def test_dry_run_makes_no_key() -> None:
    bench = bench_of()
    (action,) = recorded(
        carry_out,
        PrepareAuthority(goal=Goal.REPLACE_KEY, replaces=(OLD.certificate,), generation=1),
        bench.observe(),
        bench.work(dry_run=True),
    )
    assert (action.verb, action.after) == ("update", None)
    assert fingerprint(OLD) not in repr(action)


# Somebody else keeps the key.

UNKEYED = SuppliedAuthority((BROUGHT.certificate,), None)
#: The CA in use, brought in a new certificate and without its key.
AGAIN = make("cluster-ca v0", OLD.key, end=OLD.certificate.not_after + timedelta(days=9))


def test_a_ca_is_brought_without_its_key() -> None:
    bench = bench_of()
    prepared = prepare(bench, Goal.REPLACE_KEY, (OLD.certificate,), supplied=UNKEYED)
    digest = BROUGHT.certificate.public_key_sha256
    assert prepared == PreparedAuthority((BROUGHT.certificate,), digest, elsewhere=True)
    stored = bench.data(SCOPE.ca_key_secret)
    assert stored[f"{prepared.fingerprint}.key"] == placeholder(digest).encode()
    assert stored["ca.key"] == OLD.key.reveal()


def test_a_renewal_keeps_the_key_that_is_here_although_the_caller_does_not_bring_it() -> None:
    bench = bench_of()
    supplied = SuppliedAuthority((AGAIN.certificate,), None)
    prepared = prepare(bench, Goal.RENEW, (OLD.certificate,), supplied=supplied)
    assert (prepared.key, prepared.elsewhere) == (OLD.certificate.public_key_sha256, False)
    assert bench.data(SCOPE.ca_key_secret)[f"{prepared.fingerprint}.key"] == OLD.key.reveal()


def test_a_renewal_of_a_ca_that_is_kept_elsewhere_stays_there() -> None:
    bench = bench_of()
    text = placeholder(OLD.certificate.public_key_sha256).encode()
    bench.change("secrets", SCOPE.ca_key_secret, secret_patch({"ca.key": text}))
    supplied = SuppliedAuthority((AGAIN.certificate,), None)
    prepared = prepare(bench, Goal.RENEW, (OLD.certificate,), supplied=supplied)
    assert (prepared.key, prepared.elsewhere) == (OLD.certificate.public_key_sha256, True)
    assert bench.data(SCOPE.ca_key_secret)[f"{prepared.fingerprint}.key"] == text


def test_without_the_key_the_ca_is_not_renewed_here() -> None:
    bench = bench_of()
    text = placeholder(OLD.certificate.public_key_sha256).encode()
    bench.change("secrets", SCOPE.ca_key_secret, secret_patch({"ca.key": text}))
    with pytest.raises(StepError) as caught:
        prepare(bench, Goal.RENEW, (OLD.certificate,))
    assert caught.value.remedy == (
        "Put it there as ca.key, or supply the next certificate, with its key, or without where the key is kept elsewhere."
    )
