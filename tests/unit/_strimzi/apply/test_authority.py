# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes that make the next CA, switch to it, and put the CA that was in use back into its place."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KubeError, StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import BACKDATED, authority_generation
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import placeholder
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import secret_patch
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_secrets import SuppliedAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import PreparedAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    PrepareAuthority,
    PutBack,
    RaiseKeyGeneration,
    RestoreKey,
    Switch,
    TidyKeys,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import Project

from ....tools.support.certificates import Entity, key, leaf, make
from ....tools.support.golden import GoldenFiles
from ....tools.support.memory_api import Response
from ..bench import LABELS, SCOPE, Bench, pem, recorded, secret
from ..steps import BROUGHT, GONE, NEXT, OLD, SUPPLIED, cluster, fingerprint, switch_to

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


def test_renewal_with_the_key_of_another_ca_is_refused(golden: GoldenFiles) -> None:
    """It would be another CA under the same name."""
    bench = bench_of(Entity(OLD.certificate, BROUGHT.key))
    with pytest.raises(StepError) as caught:
        prepare(bench, Goal.RENEW, (OLD.certificate,))
    golden.compare_said("cluster", caught.value)


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


# An outside issuer keeps the key.

UNKEYED = SuppliedAuthority((BROUGHT.certificate,), None)


#: The CA in use, brought in a new certificate and without its key.
AGAIN = make("cluster-ca v0", OLD.key, end=OLD.certificate.not_after + timedelta(days=9))


def test_a_ca_is_brought_without_its_key() -> None:
    bench = bench_of()
    prepared = prepare(bench, Goal.REPLACE_KEY, (OLD.certificate,), supplied=UNKEYED)
    digest = BROUGHT.certificate.public_key_sha256
    assert prepared == PreparedAuthority((BROUGHT.certificate,), digest, key_is_elsewhere=True)
    stored = bench.data(SCOPE.ca_key_secret)
    assert stored[f"{prepared.fingerprint}.key"] == placeholder(digest).encode()
    assert stored["ca.key"] == OLD.key.reveal()


def test_a_renewal_keeps_the_key_that_is_here_although_the_caller_does_not_bring_it() -> None:
    bench = bench_of()
    supplied = SuppliedAuthority((AGAIN.certificate,), None)
    prepared = prepare(bench, Goal.RENEW, (OLD.certificate,), supplied=supplied)
    assert (prepared.key, prepared.key_is_elsewhere) == (OLD.certificate.public_key_sha256, False)
    assert bench.data(SCOPE.ca_key_secret)[f"{prepared.fingerprint}.key"] == OLD.key.reveal()


def test_a_renewal_of_a_ca_that_is_kept_elsewhere_stays_there() -> None:
    bench = bench_of()
    text = placeholder(OLD.certificate.public_key_sha256).encode()
    bench.change("secrets", SCOPE.ca_key_secret, secret_patch({"ca.key": text}))
    supplied = SuppliedAuthority((AGAIN.certificate,), None)
    prepared = prepare(bench, Goal.RENEW, (OLD.certificate,), supplied=supplied)
    assert (prepared.key, prepared.key_is_elsewhere) == (OLD.certificate.public_key_sha256, True)
    assert bench.data(SCOPE.ca_key_secret)[f"{prepared.fingerprint}.key"] == text


def test_without_the_key_the_ca_is_not_renewed_here(golden: GoldenFiles) -> None:
    bench = bench_of()
    text = placeholder(OLD.certificate.public_key_sha256).encode()
    bench.change("secrets", SCOPE.ca_key_secret, secret_patch({"ca.key": text}))
    with pytest.raises(StepError) as caught:
        prepare(bench, Goal.RENEW, (OLD.certificate,))
    golden.compare_said("cluster", caught.value)


# The switch to the prepared CA. A crash at any point leaves a cluster that the operator does not touch.

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


def test_a_ca_that_no_pod_uses_leaves_with_the_same_write_and_its_key_is_the_way_back() -> None:
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


def test_a_half_written_switch_is_undone_with_the_former_generation(half_way: Bench) -> None:
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


# Putting the CA that was in use back into its place, which a user gave to another CA; that CA becomes the next.

BACK = PutBack(chain=(OLD.certificate,), generation=3, key_generation=2)


@pytest.fixture
def bench() -> Bench:
    """NEXT lies in the place of OLD, which a user has kept beside it."""
    made = Bench()
    made.authority(NEXT, old=OLD, gone=GONE)
    return made


def test_the_key_is_kept_first_then_each_takes_its_place(bench: Bench) -> None:
    first, second = bench.carry_out(BACK)
    assert (first.name, second.name) == (KEYS, CERTIFICATES)
    assert bench.data(KEYS) == {
        "ca.key": NEXT.key.reveal(), f"{fingerprint(NEXT)}.crt": pem(NEXT), f"{fingerprint(NEXT)}.key": NEXT.key.reveal(),
    }  # fmt: skip
    assert bench.data(CERTIFICATES) == {
        "ca.crt": pem(OLD),
        f"{fingerprint(NEXT)}.crt": pem(NEXT),
        "gone.crt": pem(GONE),
    }
    assert bench.annotation("secrets", CERTIFICATES, "ca-cert-generation") == "3"
    assert bench.annotation("secrets", KEYS, "ca-key-generation") == "2"


def test_the_cluster_follows_the_effect_of_the_step(bench: Bench) -> None:
    before = bench.observe().snapshot
    bench.carry_out(BACK)
    assert bench.observe().snapshot.ca == BACK.effect(before, None).ca  # type: ignore[arg-type]


def test_interrupted_between_the_two_writes_it_is_done_again(bench: Bench) -> None:
    with pytest.raises(KubeError):
        carry_out(BACK, bench.observe(), bench.work(transport=Cut(bench, 1)))
    assert bench.observe().snapshot.ca.current == (NEXT.certificate,)
    bench.carry_out(BACK)
    ca = bench.observe().snapshot.ca
    assert (ca.current, [one.chain for one in ca.prepared]) == ((OLD.certificate,), [(NEXT.certificate,)])


@pytest.mark.parametrize("text", [pem(OLD), b"# by hand\n" + pem(OLD) + b"\n"], ids=["plain", "with a remark"])
def test_a_ca_is_put_back_with_the_bytes_that_nodes_have_behind_their_leaves(bench: Bench, text: bytes) -> None:
    """docs/operator.md, "Re-issue" (e): other bytes would have the operator issue all of them again."""
    node = secret("demo-kafka-0", {"demo-kafka-0.crt": leaf(OLD).pem + text, "demo-kafka-0.key": b"k"})
    node["metadata"]["labels"]["strimzi.io/name"] = "demo-kafka"
    bench.create("secrets", node)
    assert [one.secret for one in bench.observe().snapshot.leaves.stored] == ["demo-kafka-0"]
    bench.carry_out(BACK)
    assert bench.data(CERTIFICATES)["ca.crt"] == text


def test_leaves_that_end_with_something_else_say_nothing_about_it(bench: Bench) -> None:
    node = secret("demo-kafka-0", {"demo-kafka-0.crt": leaf(NEXT).pem + pem(NEXT), "demo-kafka-0.key": b"k"})
    node["metadata"]["labels"]["strimzi.io/name"] = "demo-kafka"
    bench.create("secrets", node)
    bench.create("secrets", secret("demo-cruise-control-certs", {"other": b"x"}))
    bench.carry_out(BACK)
    assert bench.data(CERTIFICATES)["ca.crt"] == pem(OLD)
