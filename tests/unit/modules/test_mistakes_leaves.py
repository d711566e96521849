# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves that somebody has put into their Secrets, or taken out of them."""

from __future__ import annotations

import time
from datetime import timedelta

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import encode_certificates

from ...support.certificates import key, make
from ...support.certificates import leaf as issue_leaf
from . import stages
from .mistakes import put
from .stages import DAY, NOW

NODE = "demo-kafka-0"


def test_a_chain_that_was_made_to_lead_in_circles_costs_no_time() -> None:
    """Nine CAs of one name and key, of which each has signed all others."""
    memory = stages.managed()
    twins = [make("evil", key(1), begin=NOW - DAY, end=NOW + timedelta(days=day)) for day in range(1, 10)]
    sent = (issue_leaf(twins[0], begin=NOW - DAY, end=NOW + DAY), *(one.certificate for one in twins))
    put(memory, "secrets", NODE, {f"{NODE}.crt": encode_certificates(sent)})
    begin = time.process_time()
    stages.done(memory, "strimzi_ca_info", goal="replace_key", fresh_for_hours=0)
    assert time.process_time() - begin < 10
