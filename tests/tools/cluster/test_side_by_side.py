# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two preparations at the same time: both results, or the failure when both have ended."""

from __future__ import annotations

import threading

import pytest

from .side_by_side import both


def test_both_run_at_the_same_time() -> None:
    meet = threading.Barrier(2, timeout=60)
    assert both(lambda: (meet.wait(), "one")[1], lambda: (meet.wait(), 2)[1]) == ("one", 2)


def test_when_one_fails_the_other_is_finished() -> None:
    failed, finished = threading.Event(), threading.Event()

    def fails() -> None:
        failed.set()
        raise RuntimeError("no network")

    def takes_longer() -> None:
        assert failed.wait(60)
        finished.set()

    with pytest.raises(RuntimeError, match="no network"):
        both(takes_longer, fails)
    assert finished.is_set()
