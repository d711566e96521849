# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of the next certificate of an end entity."""

from __future__ import annotations

from datetime import datetime, timezone

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import LeafRequest

from ...support.certificates import key, leaf, make

CA = make("cluster-ca v1", key(1))
LEAF = leaf(CA)
NOW = datetime(2026, 6, 1, 12, 0, tzinfo=timezone.utc)


def test_the_certificate_is_the_first_of_the_answer() -> None:
    answered = LeafRequest("demo-kafka-0", "someone", "ca", NOW, answer=(LEAF, CA.certificate))
    assert answered.certificate == LEAF
    assert LeafRequest("demo-kafka-0", "someone", "ca", NOW).certificate is None
