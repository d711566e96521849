# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A supplied CA is renewed: the same key in another certificate, whoever signed it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import AuthorityUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal

from .authorities import SHAPES, Authority, below, renewed, root, under
from .scene import BOTH_WAYS, CERTIFICATES, Scene, assert_only

EVERY_WAY = pytest.mark.parametrize("way", BOTH_WAYS)
EVERY_SHAPE = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
AT_ONCE = timedelta(0)


@EVERY_WAY
@EVERY_SHAPE
def test_by_a_supplied_certificate_in_one_roll(scene: Scene, shape: Callable[[], Authority], way: Way) -> None:
    old = shape()
    scene.create(old, way)
    new = renewed(old)
    scene.finish(Goal.RENEW, way, new)
    assert scene.rolls == {1}
    assert scene.secret(CERTIFICATES)["ca.crt"] == new.pem
    assert_only(scene, new.fingerprint, way, twins={old.fingerprint})


@EVERY_WAY
def test_an_intermediate_moves_below_another_root_with_its_key(scene: Scene, way: Way) -> None:
    """What is presented with the leaf does not matter where the CA itself is the anchor."""
    old = below(root("Corporate Root 1"))
    scene.create(old, way)
    new = under(root("Corporate Root 2"), old)
    scene.finish(Goal.RENEW, way, new)
    assert scene.rolls == {1}
    assert_only(scene, new.fingerprint, way, twins={old.fingerprint})


@EVERY_WAY
def test_a_supplied_root_by_its_own_key(scene: Scene, way: Way) -> None:
    old = root()
    scene.create(old, way)
    scene.finish(Goal.RENEW, way)
    assert scene.rolls == {1}
    assert scene.current != old.fingerprint
    assert_only(scene, scene.current, way, twins={old.fingerprint})


@pytest.mark.parametrize("shape", ["intermediate", "two levels"])
def test_an_intermediate_cannot_renew_itself(scene: Scene, shape: str) -> None:
    old = SHAPES[shape]()
    scene.create(old)
    with pytest.raises(AuthorityUnavailable, match="only its issuer"):
        scene.run(Goal.RENEW)
    assert_only(scene, old.fingerprint)
