# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences about users that a call leaves paused."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.pausing import users_left_paused

_MARKS = "strimzi.io/pause-reconciliation- trustops.strimzi/paused-for-clients-ca-by-."


@pytest.mark.parametrize(
    ("users", "known", "begin", "end"),
    [
        (
            ["KafkaUser kafka/orders"], True, "The User Operator is left paused for KafkaUser kafka/orders, ",
            f"no other run is at work: kubectl annotate kafkauser orders -n kafka {_MARKS}",
        ),
        (
            ["KafkaUser kafka/b", "KafkaUser kafka/a"], False,
            "The User Operator may be left paused for KafkaUser kafka/a, KafkaUser kafka/b, ",
            f"no other run is at work, for each: kubectl annotate kafkauser <name> -n kafka {_MARKS}",
        ),
    ],
    ids=["one", "two"],
)  # fmt: skip
def test_users_are_named_with_what_ends_their_pauses(users: list[str], known: bool, begin: str, end: str) -> None:
    told = users_left_paused(users, known)
    assert told.startswith(begin)
    assert told.endswith(end)


def test_of_no_user_nothing_is_said() -> None:
    assert users_left_paused(frozenset()) == ""
