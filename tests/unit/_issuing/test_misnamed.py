# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves with other names than an operator wants that cannot issue them."""

from __future__ import annotations

import base64

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending.pending import with_misnamed
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.subjects import cruise_control_names
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import sign_leaf

from ...support.certificates import NOW, YEAR, Entity, key
from .._strimzi.bench import SCOPE, Bench, conditions, pem
from .elsewhere import elsewhere
from .office import BY_SECRET, CA, NODES, OLD, office
from .test_wanted import helpless, of_resource


def stored(bench: Bench, *names: str, by: Entity = CA) -> Bench:
    """A leaf with these names for the first node."""
    name = DistinguishedName("demo-kafka")
    leaf = sign_leaf(key(50).public_key, name, names, by.certificate, by.key, not_before=NOW - YEAR / 2, validity=YEAR)
    data = {f"{NODES[0]}.crt": base64.b64encode(pem(leaf)).decode()}
    bench.change("secrets", NODES[0], {"data": data})
    return bench


def misnamed(bench: Bench) -> dict[str, str]:
    return dict(with_misnamed(bench.observe()).snapshot.leaves.misnamed)


WANTED = of_resource(helpless())


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (WANTED - {"demo-kafka-brokers"}, "it lacks demo-kafka-brokers"),
        (WANTED | {"old.example"}, "it should not have old.example"),
        ((WANTED - {"demo-kafka-brokers"}) | {"a", "b"}, "it lacks demo-kafka-brokers and should not have a, b"),
    ],
)
def test_the_difference_is_told(names: set[str], why: str) -> None:
    assert misnamed(stored(helpless(), *names)) == {NODES[0]: why}


def test_the_right_names() -> None:
    assert misnamed(stored(helpless(), *WANTED)) == {}


@pytest.mark.parametrize(
    "bench",
    [
        pytest.param(lambda: helpless({"conditions": conditions("Ready")}), id="the operator is ready"),
        pytest.param(lambda: helpless(bench=office()), id="it has the key"),
        pytest.param(elsewhere, id="there is no such node any more"),
    ],
)
def test_nothing_is_in_the_way(bench: type[Bench]) -> None:
    assert misnamed(stored(bench(), "old.example")) == {}


def test_a_leaf_of_another_ca_is_another_matter() -> None:
    assert misnamed(stored(helpless(), "old.example", by=OLD)) == {}


@pytest.mark.parametrize(("domain", "told"), [("cluster.local", {}), ("corp.internal", True)])
def test_cruise_control_has_names_too(domain: str, told: object) -> None:
    """Its domain is that of the nodes."""
    bench, where = stored(helpless(), *WANTED), BY_SECRET["demo-cruise-control-certs"]
    names = cruise_control_names(SCOPE, domain)
    leaf = sign_leaf(
        key(50).public_key, DistinguishedName(where.common_name), names, CA.certificate, CA.key, not_before=NOW - YEAR / 2, validity=YEAR
    )  # fmt: skip
    content = {f"{where.entry}.crt": base64.b64encode(pem(leaf)).decode()}
    bench.change("secrets", where.secret, {"data": content})
    wrong = {
        where.secret: "it lacks demo-cruise-control.kafka.svc.cluster.local and should not have demo-cruise-control.kafka.svc.corp.internal"
    }
    assert misnamed(bench) == (wrong if told else {})
