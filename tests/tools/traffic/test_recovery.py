# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of a recovery, from what clients have reported."""

from __future__ import annotations

from .handshakes import Outcome
from .ledger import Ledger, Window
from .recovery import outside_times, restarts, unacknowledged
from .targets import CLIENT

FAILED, DONE, INTERRUPTED = Outcome.FAILED, Outcome.DONE, Outcome.INTERRUPTED


def test_a_client_outside_is_served_first_and_then_by_every_node() -> None:
    results = [
        (9.0, CLIENT, DONE), (10.5, CLIENT, FAILED), (12.0, CLIENT, DONE), (13.0, CLIENT, INTERRUPTED),
        (14.0, CLIENT, DONE), (11.0, "demo-kafka-0", DONE), (20.0, "demo-kafka-0", FAILED),
    ]  # fmt: skip
    assert outside_times(results, 10.0) == (2.0, 3.0)


def test_a_client_outside_that_is_never_served_counts_as_such() -> None:
    assert outside_times([(11.0, CLIENT, FAILED)], 10.0) == (float("inf"), 1.0)


def test_a_record_of_any_producer_ends_the_time_without_records() -> None:
    ledger = Ledger()
    ledger.acked.update({"1.0": 11.0, "2.0": 12.0, "1.1": 19.0, "2.1": 99.0})
    assert unacknowledged(ledger, Window("recover", 10.0, 20.0)) == 7.0


def test_processes_start_again_in_their_pods_and_in_pods_that_replace_them() -> None:
    before = {"demo-kafka-0": ("a", 1), "demo-kafka-1": ("b", 1)}
    assert restarts(before, {"demo-kafka-0": ("a", 2), "demo-kafka-1": ("b", 1)}) == 1
    assert restarts(before, {"demo-kafka-0": ("c", 0), "demo-kafka-1": ("d", 1)}) == 3
