# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One CA after another: between roots and intermediates, below the same root and below another one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal

from .authorities import Authority, below, root
from .scene import BOTH_WAYS, EVERY_BRIDGE, Scene, assert_only

Pair = tuple[Authority, Authority]


def same_root() -> Pair:
    corporate = root()
    return below(corporate, "Kafka CA 1"), below(corporate, "Kafka CA 2")


def another_root() -> Pair:
    return below(root("Corporate Root 1"), "Kafka CA 1"), below(root("Corporate Root 2"), "Kafka CA 2")


def one_level_further_down() -> Pair:
    first = below(root(), "Corporate Issuing CA")
    return first, below(first, "Kafka CA 1")


def one_level_further_up() -> Pair:
    second, first = one_level_further_down()
    return first, second


def below_the_root_in_use() -> Pair:
    first = root()
    return first, below(first)


def the_root_above() -> Pair:
    first, second = below_the_root_in_use()
    return second, first


SUCCESSIONS = [
    same_root,
    another_root,
    one_level_further_down,
    one_level_further_up,
    below_the_root_in_use,
    the_root_above,
]
#: Everybody trusts what is presented with these leaves already.
BELOW_THE_ONE_IN_USE = (one_level_further_down, below_the_root_in_use)


@EVERY_BRIDGE
@pytest.mark.parametrize("way", BOTH_WAYS)
@pytest.mark.parametrize("succession", SUCCESSIONS)
def test_the_old_one_is_gone(scene: Scene, succession: Callable[[], Pair], way: Way) -> None:
    """Only the issuing CA itself is an anchor (strimzi.md 1.4): kinship above it matters to nobody."""
    old, new = succession()
    scene.create(old, way)
    scene.finish(Goal.REPLACE_KEY, way, new)
    assert scene.rolls == {2 if succession in BELOW_THE_ONE_IN_USE else scene.replacement_by(new)}
    assert_only(scene, new.fingerprint, way, scene.bridges)


@EVERY_BRIDGE
@pytest.mark.parametrize("way", BOTH_WAYS)
def test_a_generated_root_gives_way_to_an_intermediate_and_returns(scene: Scene, way: Way) -> None:
    scene.create(way=way)
    first = scene.current
    corporate = below(root())
    scene.finish(Goal.REPLACE_KEY, way, corporate, replaces=first)
    assert_only(scene, corporate.fingerprint, way)
    scene.finish(Goal.REPLACE_KEY, way, replaces=corporate.fingerprint)
    assert scene.rolls == {scene.replacement_by(corporate) + scene.replacement}
    assert scene.current not in (first, corporate.fingerprint)
    assert_only(scene, scene.current, way, scene.bridges)
    assert scene.issuers() == {"CN=cluster-ca v2,O=io.strimzi"}


@pytest.mark.parametrize("way", BOTH_WAYS)
def test_a_ca_that_was_replaced_can_come_back(scene: Scene, way: Way) -> None:
    old, new = another_root()
    scene.create(old, way)
    scene.finish(Goal.REPLACE_KEY, way, new, replaces=old.fingerprint)
    scene.finish(Goal.REPLACE_KEY, way, old, replaces=new.fingerprint)
    assert scene.rolls == {6}
    assert_only(scene, old.fingerprint, way)
