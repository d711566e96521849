# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bridge in the CA Secrets: made with the next CA, read with it, promoted before it, and removed with it."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import AuthorityUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import PreparedAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import PrepareAuthority, Promote, TidyKeys
from ansible_collections.trustops.strimzi.tests.unit._pki.hierarchy import YEAR, Entity, key, make

from .bench import SCOPE, Bench, pem
from .steps import BROUGHT, OLD, SUPPLIED

CERTIFICATES, KEYS = SCOPE.ca_certificate_secret, SCOPE.ca_key_secret
BRIDGED = PrepareAuthority(Goal.REPLACE_KEY, (OLD.certificate,), 1, bridged=True)
#: Another name, another key.
STRANGER, NAMESAKE = make("Somebody", key(40)), make("cluster-ca v1", key(41))


def prepared(bench: Bench) -> PreparedAuthority:
    (found,) = bench.observe().snapshot.ca.prepared
    return found


def with_bridge() -> Bench:
    bench = Bench()
    bench.authority(OLD)
    bench.carry_out(BRIDGED)
    return bench


def test_it_is_made_in_the_same_write_as_the_next_ca() -> None:
    bench = Bench()
    bench.authority(OLD)
    (change,) = bench.carry_out(BRIDGED)
    made = prepared(bench)
    bridge, issuer = made.bridge
    assert change.name == KEYS
    assert issuer == OLD.certificate
    assert bridge.signed_by(OLD.certificate)
    assert (bridge.subject_der, bridge.public_key_sha256) == (made.chain[0].subject_der, made.key)
    assert made.chain[0].self_issued


def test_it_is_valid_while_both_cas_are_and_not_in_the_future_of_a_slow_clock() -> None:
    bridge, issuer = prepared(with_bridge()).bridge
    assert bridge.not_before == issuer.not_before
    assert bridge.not_after <= issuer.not_after


@pytest.mark.parametrize("years", [0.1, 40], ids=["the old one", "the new one"])
def test_it_ends_with_the_first_of_the_two(years: float) -> None:
    old = make("cluster-ca v0", key(0), path_length=1, end=OLD.certificate.not_before + years * YEAR)
    bench = Bench()
    bench.authority(old)
    bench.carry_out(PrepareAuthority(Goal.REPLACE_KEY, (old.certificate,), 1, bridged=True))
    made = prepared(bench)
    assert made.bridge[0].not_after == min(made.chain[0].not_after, old.certificate.not_after)


def test_a_supplied_ca_is_bridged_too() -> None:
    bench = Bench()
    bench.authority(OLD)
    carry_out(BRIDGED, bench.observe(), bench.work(supplied=SUPPLIED))
    made = prepared(bench)
    assert made.chain == (BROUGHT.certificate,)
    assert made.bridge[0].public_key_sha256 == BROUGHT.certificate.public_key_sha256


def test_without_the_old_key_there_is_none_and_nothing_is_written() -> None:
    bench = Bench()
    bench.authority(Entity(OLD.certificate, STRANGER.key))
    with pytest.raises(AuthorityUnavailable, match="cluster-ca v0"):
        bench.carry_out(BRIDGED)
    assert bench.observe().snapshot.ca.prepared == ()


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"placeholder", id="unreadable"),
        pytest.param(pem(OLD), id="of another CA"),
        pytest.param(pem(NAMESAKE, OLD), id="of another key"),
    ],
)
def test_what_is_no_bridge_of_this_ca_is_done_without(content: bytes) -> None:
    made = prepared(with_bridge())
    bench = Bench()
    name = made.fingerprint
    bench.authority(OLD, {f"{name}.crt": pem(*made.chain), f"{name}.bridge.crt": content})
    assert prepared(bench) == PreparedAuthority(made.chain, None, ())


def test_promoted_it_is_the_issuing_ca_and_both_others_stay_trusted() -> None:
    bench = with_bridge()
    made = prepared(bench)
    first, second = bench.carry_out(Promote(made.fingerprint, 1, bridged=True))
    ca = bench.observe().snapshot.ca
    assert (first.name, second.name) == (KEYS, CERTIFICATES)
    assert parse_certificates(bench.data(CERTIFICATES)["ca.crt"]) == made.bridge == ca.current
    assert ca.key == made.key
    assert ca.certificate_generation == 1
    assert ca.projected == {made.bridge[0].fingerprint, OLD.certificate.fingerprint}
    assert prepared(bench) == made
    assert bench.annotation("secrets", KEYS, "ca-key-generation") == "0"


def test_the_ca_itself_takes_its_place_without_another_key() -> None:
    bench = with_bridge()
    made = prepared(bench)
    bench.carry_out(Promote(made.fingerprint, 1, bridged=True))
    (change,) = bench.carry_out(Promote(made.fingerprint, 2, phase=Phase.RETIRE))
    assert change.name == CERTIFICATES
    ca = bench.observe().snapshot.ca
    assert ca.current == made.chain
    assert made.bridge in ca.others.values()


def test_it_is_tidied_with_the_ca() -> None:
    bench = with_bridge()
    made = prepared(bench)
    bench.carry_out(TidyKeys(frozenset({made.fingerprint}), frozenset(), Phase.USE))
    assert set(bench.data(KEYS)) == {"ca.key"}
