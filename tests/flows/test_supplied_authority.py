# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA that the caller brings: a root, or an intermediate with everything above it in one chain."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal

from .authorities import SHAPES, Authority
from .scene import BOTH_WAYS, CERTIFICATES, EVERY_BRIDGE, Scene, assert_only

pytestmark = pytest.mark.parametrize("way", BOTH_WAYS)
EVERY_SHAPE = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


@EVERY_SHAPE
def test_a_cluster_is_created_with_it(scene: Scene, shape: Callable[[], Authority], way: Way) -> None:
    supplied = shape()
    scene.create(supplied, way)
    assert scene.rolls == {0}
    assert scene.secret(CERTIFICATES)["ca.crt"] == supplied.pem
    assert_only(scene, supplied.fingerprint, way)


@EVERY_BRIDGE
@EVERY_SHAPE
def test_it_takes_the_place_of_a_generated_root(scene: Scene, shape: Callable[[], Authority], way: Way) -> None:
    scene.create()
    supplied = shape()
    scene.finish(Goal.REPLACE_KEY, way, supplied)
    assert scene.rolls == {scene.replacement_by(supplied)}
    assert scene.secret(CERTIFICATES)["ca.crt"] == supplied.pem
    assert_only(scene, supplied.fingerprint, way, scene.bridges)
