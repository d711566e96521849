# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Putting the CA that was in use back into the place that somebody gave to another one, which becomes the next."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KubeError
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import PutBack

from ...support.certificates import leaf
from .bench import SCOPE, Bench, pem, secret
from .steps import GONE, NEXT, OLD, fingerprint
from .test_switching import Cut

BACK = PutBack(chain=(OLD.certificate,), generation=3, key_generation=2)
CERTIFICATES, KEYS = SCOPE.ca_certificate_secret, SCOPE.ca_key_secret


@pytest.fixture
def bench() -> Bench:
    """NEXT lies in the place of OLD, which somebody has kept beside it."""
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


def test_what_follows_is_as_its_effect_says(bench: Bench) -> None:
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
def test_it_comes_back_with_the_bytes_that_nodes_have_behind_their_leaves(bench: Bench, text: bytes) -> None:
    """docs/operator.md, "Re-issue" (e): other bytes would have the operator issue all of them anew."""
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
