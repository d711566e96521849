# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nobody outside the cluster is issued a certificate under the name of one of its processes."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.clients import namesakes
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition

from ..of_users import users

NAMES = ("KafkaUser kafka/cluster-operator", "KafkaUser kafka/demo-kafka")


def test_each_is_named_with_the_remedy() -> None:
    found = tuple(namesakes(users(namesakes=NAMES)))
    assert tuple(one.subject for one in found) == NAMES
    assert {one.condition for one in found} == {Condition.PRESENTERS_CAN_BE_ISSUED_TO}
    assert {one.remedy for one in found} == {"Give the user another name."}


def test_others_are_let_be() -> None:
    assert tuple(namesakes(users())) == ()
