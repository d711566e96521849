# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The channels that a reload reaches: by the version of Kafka, as calls count on it, and as docs/operator.md has it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model import channels
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.channels import (
    REACHES,
    Channel,
    Reach,
    name_channels,
    reached_by_reload,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component

from ..builders import cluster
from ..nodes import PODS, a_pod, uids_of

LISTENERS, RAFT, AGENT = Channel.LISTENERS, Channel.RAFT_CLIENT, Channel.AGENT
OPERATOR = Path(__file__).parents[4] / "docs" / "operator.md"
#: As if real nodes had shown everything that the sources of Kafka say.
SEEN = tuple(replace(reach, is_seen=True) for reach in REACHES)
NUMBERS = st.tuples(st.integers(3, 6), st.integers(0, 12), st.integers(0, 3))
VERSIONS = NUMBERS.map(lambda numbers: ".".join(map(str, numbers)))
#: Everything that stands for no released version.
UNKNOWN = st.sampled_from(
    ["", "4.5", "4.5.0-SNAPSHOT", "4.5.0-rc1", "4.5.0.1", "v4.5.0", "latest", " 4.5.0", "4.5.0\n"]
)


@pytest.mark.parametrize(
    ("version", "as_seen", "as_read"),
    [
        ("3.9.1", {LISTENERS}, {LISTENERS}),
        ("4.0.0", {LISTENERS}, {LISTENERS}),
        ("4.3.1", {LISTENERS}, {LISTENERS}),
        ("4.4.0", {LISTENERS}, {LISTENERS}),
        ("4.4.12", {LISTENERS}, {LISTENERS}),
        ("4.5.0", {LISTENERS}, {LISTENERS, RAFT}),
        ("4.10.0", {LISTENERS}, {LISTENERS, RAFT}),
        ("5.0.0", {LISTENERS}, {LISTENERS, RAFT}),
        ("4.5.0-SNAPSHOT", {LISTENERS}, {LISTENERS}),
        ("", {LISTENERS}, {LISTENERS}),
    ],
)
def test_the_channels_that_a_reload_reaches(
    version: str, as_seen: set[Channel], as_read: set[Channel], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls count on nothing that no real node has shown."""
    assert reached_by_reload(version) == as_seen
    monkeypatch.setattr(channels, "REACHES", SEEN)
    assert reached_by_reload(version) == as_read


def test_no_version_reaches_the_agent() -> None:
    assert [reach.since for reach in REACHES] == sorted(reach.since for reach in REACHES)
    assert [reach for reach in REACHES if AGENT in reach.channels or LISTENERS not in reach.channels] == []


@given(st.lists(VERSIONS | UNKNOWN, min_size=1, max_size=5))
def test_of_several_nodes_the_least_counts(versions: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(channels, "REACHES", SEEN)
        pods = tuple(a_pod(f"demo-nodes-{number}", kafka_version=one) for number, one in enumerate(versions))
        topics = a_pod("topics", component=Component.ENTITY_OPERATOR)
        reached = frozenset.intersection(*map(reached_by_reload, versions))
        assert cluster(pods=(*pods, topics)).left_by_reload == frozenset(Channel) - reached


@given(VERSIONS, VERSIONS)
def test_a_later_version_reaches_no_less(one: str, other: str) -> None:
    earlier, later = sorted((one, other), key=lambda version: [*map(int, version.split("."))])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(channels, "REACHES", SEEN)
        assert reached_by_reload(earlier) <= reached_by_reload(later)


@given(UNKNOWN)
def test_an_unknown_version_counts_as_the_least(version: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(channels, "REACHES", (REACHES[0], Reach((0, 0), frozenset(Channel), is_seen=True)))
        assert reached_by_reload("4.4.0") == frozenset(Channel)
        patch.setattr(channels, "REACHES", SEEN)
        assert reached_by_reload(version) == REACHES[0].channels


@pytest.mark.parametrize(
    ("fields", "left"),
    [
        ({"kafka_version": "4.3.1"}, {RAFT, AGENT}),
        ({}, {RAFT, AGENT}),
        ({"verifies_only": True}, set()),
        ({"component": Component.CRUISE_CONTROL}, {LISTENERS, RAFT, AGENT}),
        ({"component": Component.CRUISE_CONTROL, "kafka_version": "4.3.1"}, {LISTENERS, RAFT, AGENT}),
    ],
)
def test_the_channels_of_a_pod_that_a_reload_leaves(fields: dict[str, object], left: set[Channel]) -> None:
    assert a_pod(**fields).left_by_reload == left


def test_pods_that_a_reload_reaches_as_a_whole() -> None:
    pods = (a_pod(), a_pod(PODS[1], verifies_only=True), a_pod("topics", component=Component.ENTITY_OPERATOR))
    assert cluster(pods=pods).reached_whole == uids_of(PODS[1])


@pytest.mark.parametrize(
    ("left", "named"),
    [({RAFT, AGENT}, "Raft clients and agents"), ({AGENT}, "agents"), (set(), "")],
)
def test_channels_in_a_sentence(left: set[Channel], named: str) -> None:
    assert name_channels(frozenset(left)) == named


def test_the_page_about_the_operator_has_the_same_table() -> None:
    _before, _title, section = OPERATOR.read_text().partition("### Where the reload ends\n")
    rows = re.findall(r"^\| (\d+)\.(\d+) [^|]*\| ([^|]+) \| (seen|read) ", section.partition("\n### ")[0], re.MULTILINE)
    told = {((int(major), int(minor)), named, how == "seen") for major, minor, named, how in rows}
    assert told == {(reach.since, name_channels(reach.channels), reach.is_seen) for reach in REACHES}
