# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Taking over the CA of a cluster that runs already: it keeps what it has, byte for byte."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal

from .authorities import SHAPES, Authority, below, root
from .scene import BOTH_WAYS, CERTIFICATES, EVERY_BRIDGE, IN_USE, KEYS, UNUSED, Scene, assert_only, expired_name

EVERY_WAY = pytest.mark.parametrize("way", BOTH_WAYS)
EVERY_SHAPE = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


def adopt(scene: Scene, way: Way) -> None:
    before = scene.secret(CERTIFICATES), scene.secret(KEYS)
    scene.look_away()
    scene.finish(Goal.UPGRADE, way)
    assert (scene.secret(CERTIFICATES), scene.secret(KEYS)) == before
    assert scene.issued_by_operator == []


@EVERY_WAY
def test_a_ca_that_the_operator_generated(scene: Scene, way: Way) -> None:
    scene.deploy(generated=True)
    adopt(scene, way)
    assert scene.rolls == {0}
    assert scene.states == {scene.current: IN_USE}
    assert scene.kafka["spec"]["clusterCa"] == {"generateCertificateAuthority": False}


@EVERY_WAY
@EVERY_SHAPE
def test_a_ca_that_a_user_made(scene: Scene, shape: Callable[[], Authority], way: Way) -> None:
    own = shape()
    scene.store(own, cert="4", key="2")
    scene.deploy()
    adopt(scene, way)
    assert scene.rolls == {0}
    assert_only(scene, own.fingerprint)


def an_unrelated_root(own: Authority) -> tuple[str, Authority]:
    return "partner.crt", root("Partner Root")


def an_unrelated_chain(own: Authority) -> tuple[str, Authority]:
    return "partner.crt", below(root("Partner Root"), "Partner CA")


def a_sibling(own: Authority) -> tuple[str, Authority]:
    return "next.crt", below(Authority(own.chain[1:], own.keys[1:]), "Kafka CA 7")


def the_root_above(own: Authority) -> tuple[str, Authority]:
    """Both validate the leaves as nodes present them; the generation tells which one is meant."""
    return "root.crt", Authority(own.chain[1:], own.keys[1:])


def a_retired_one(own: Authority) -> tuple[str, Authority]:
    old = root("Kafka CA 0")
    return expired_name(old), old


ADDITIONAL = [an_unrelated_root, an_unrelated_chain, a_sibling, the_root_above, a_retired_one]


@EVERY_WAY
@pytest.mark.parametrize("additional", ADDITIONAL)
def test_further_cas_stay_trusted_after_one_roll(
    scene: Scene, additional: Callable[[Authority], tuple[str, Authority]], way: Way
) -> None:
    """Whether the running processes know them cannot be told from outside: one roll makes it so."""
    own = below(root())
    key, other = additional(own)
    scene.store(own, {key: other.pem})
    scene.deploy()
    adopt(scene, way)
    assert scene.rolls == {1}
    assert scene.states == {own.fingerprint: IN_USE, other.fingerprint: UNUSED}
    assert scene.trusted == {own.fingerprint, other.fingerprint}


@EVERY_BRIDGE
@EVERY_WAY
@pytest.mark.parametrize("additional", ADDITIONAL)
def test_further_cas_outlive_a_replacement(
    scene: Scene, additional: Callable[[Authority], tuple[str, Authority]], way: Way
) -> None:
    own = below(root())
    key, other = additional(own)
    scene.store(own, {key: other.pem})
    scene.deploy()
    adopt(scene, way)
    scene.look_away()
    scene.finish(Goal.REPLACE_KEY, way)
    assert scene.rolls == {scene.replacement}
    assert scene.states == {scene.current: IN_USE, other.fingerprint: UNUSED}
    assert scene.trusted - scene.bridges == {scene.current, other.fingerprint}
    assert scene.secret(CERTIFICATES)[key] == other.pem


@EVERY_BRIDGE
@EVERY_WAY
def test_the_ca_in_use_under_a_second_key_leaves_with_it(scene: Scene, way: Way) -> None:
    own = root()
    scene.store(own, {"corporate.crt": own.pem})
    scene.deploy()
    adopt(scene, way)
    assert scene.rolls == {0}
    scene.finish(Goal.REPLACE_KEY, way)
    assert scene.rolls == {scene.replacement}
    assert_only(scene, scene.current, twins=scene.bridges)
    assert "corporate.crt" not in scene.secret(CERTIFICATES)
