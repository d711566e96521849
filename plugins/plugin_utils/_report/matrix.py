# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The matrix of channels and CAs, with rows that say the same folded into one: a hundred nodes stay readable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.trustops.strimzi.plugins.plugin_utils._report import words
from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.channels import HANDSHAKE

Facts = Mapping[str, Any]
#: Up to this number, equal rows are shown one by one.
APART = 3


def matrix(facts: Facts, cas: Sequence[Facts]) -> dict[str, Any]:
    """``more``: channels that are like the first of their row."""
    alike: dict[tuple[Any, ...], list[Facts]] = {}
    for channel in facts["channels"]:
        alike.setdefault(_likeness(channel, cas), []).append(channel)
    return {
        "caption": _caption(facts["look"]),
        "cas": [
            {"letter": ca["letter"], "colour": ca["colour"], "name": ca["name"], "short": ca["short"]} for ca in cas
        ],
        "rows": [row for channels in alike.values() for row in _rows(channels, cas)],
    }


def _likeness(channel: Facts, cas: Sequence[Facts]) -> tuple[Any, ...]:
    """Two channels are alike when they have the same cells for the same reasons, but for their own names."""
    reasons = tuple(why.replace(channel["party"], "") if channel["party"] else why for why in channel["why"])
    return channel["kind"], channel["port"], channel["evidence"], tuple(_cells(channel, cas)), reasons


def _rows(channels: Sequence[Facts], cas: Sequence[Facts]) -> list[dict[str, Any]]:
    if len(channels) <= APART:
        return [_row(channel, [], cas) for channel in channels]
    return [_row(channels[0], channels[1:], cas)]


def _row(channel: Facts, others: Sequence[Facts], cas: Sequence[Facts]) -> dict[str, Any]:
    return {
        "name": _name(channel),
        "more": f"{len(others)} more like this" if others else "",
        "others": [_name(other) for other in others],
        "cells": _cells(channel, cas),
        "known_from": _known_from(channel),
        "why": "; ".join(channel["why"]),
    }


def _name(channel: Facts) -> str:
    if channel["kind"] == "listener":
        return f"{channel['party']}:{channel['port']}"
    return f"Raft client and agent of {channel['party']}" if channel["kind"] == "raft" else str(channel["party"])


def _known_from(channel: Facts) -> str:
    if channel["evidence"] != HANDSHAKE:
        return "stored evidence, not observed"
    answered = channel["presents"] or channel["trusts"] or channel["refuses"]
    return HANDSHAKE if answered else "asked, not observed"


def _cells(channel: Facts, cas: Sequence[Facts]) -> list[str]:
    return [_cell(channel, ca["short"]) for ca in cas]


def _cell(channel: Facts, ca: str) -> str:
    """The text of a cell. A listener that verifies no client by these CAs neither trusts nor refuses them."""
    presents = ["presents"] if ca in channel["presents"] else []
    if not channel["verifies"]:
        return "presents" if presents else "-"
    return ", ".join([*presents, _trust(channel, ca)])


def _trust(channel: Facts, ca: str) -> str:
    trusts, refuses = ca in channel["trusts"], ca in channel["refuses"]
    if trusts is refuses:
        return "unknown"
    return "trusts" if trusts else "refuses"


def _caption(look: Facts) -> str:
    if not look["seen_at"]:
        why = f" ({look['why']})" if look["why"] else ""
        return f"No listener was asked in this run{why}: all of this is stored evidence, and what it does not show is unknown"
    return (
        f"Listeners as they answered handshakes, asked last at {words.time_for_people(look['seen_at'])}; everything else from stored "
        "evidence at the end of the run"
    )
