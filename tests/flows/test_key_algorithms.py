# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ECDSA keys of both curves, generated and supplied, and from one to the other."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeySpec
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.tests.operator import certs

from .authorities import EC256, EC384, Authority, below, renewed, root
from .scene import BOTH_WAYS, CERTIFICATES, EVERY_BRIDGE, Scene, assert_only

pytestmark = pytest.mark.parametrize("way", BOTH_WAYS)


def curve(scene: Scene) -> int:
    return certs.load(scene.secret(CERTIFICATES)["ca.crt"])[0].public_key().curve.key_size


@EVERY_BRIDGE
@pytest.mark.parametrize(
    ("first", "second"), [(EC256, EC384), (EC384, EC256)], ids=["P-256 to P-384", "P-384 to P-256"]
)
def test_generated(scene: Scene, first: KeySpec, second: KeySpec, way: Way) -> None:
    scene.ca_key = first
    scene.create(way=way)
    assert curve(scene) == first.size
    created = scene.current
    scene.ca_key = second
    scene.finish(Goal.RENEW, way)
    assert curve(scene) == first.size, "a renewal keeps the key"
    assert_only(scene, scene.current, way, twins={created})
    scene.finish(Goal.REPLACE_KEY, way)
    assert curve(scene) == second.size
    assert scene.rolls == {1 + scene.replacement}
    assert_only(scene, scene.current, way, scene.bridges)


@pytest.mark.parametrize(
    ("upper", "lower"), [(EC256, EC384), (EC384, EC256)], ids=["P-384 below P-256", "P-256 below P-384"]
)
def test_supplied(scene: Scene, upper: KeySpec, lower: KeySpec, way: Way) -> None:
    corporate = root(key=upper)
    supplied: Authority = below(corporate, key=lower)
    scene.create(way=way)
    scene.finish(Goal.REPLACE_KEY, way, supplied)
    renewal = renewed(supplied)
    scene.finish(Goal.RENEW, way, renewal)
    assert curve(scene) == lower.size
    assert scene.rolls == {4}
    assert_only(scene, renewal.fingerprint, way, twins={supplied.fingerprint})
