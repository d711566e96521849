# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Times as the API server writes them, and what is none."""

from __future__ import annotations

import ast
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins import module_utils
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import ahead_of_server, read_time

NOON = datetime(2026, 6, 1, 12, 0, tzinfo=timezone.utc)
#: They read times that this collection has written, or that a person has.
ELSEWHERE = {"_ansible/arguments.py", "_kube/resources.py", "_issuing/pending/requests.py"}


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("2026-06-01T12:00:00Z", NOON),
        ("2026-06-01T12:00:00.250000Z", NOON + timedelta(milliseconds=250)),
        ("2026-06-01T14:00:00+02:00", NOON),
        ("2026-06-01T12:00:00", None),
        ("soon", None),
        # Nothing can be added to the one or taken from the other.
        ("9999-12-31T23:59:59Z", None),
        ("0001-01-01T00:00:00Z", None),
        ("", None),
        (None, None),
        (17, None),
    ],
)
def test_what_is_read(value: object, time: datetime | None) -> None:
    assert read_time(value) == time


DATE = "Mon, 01 Jun 2026 12:00:00 GMT"


@pytest.mark.parametrize(
    ("sent", "received", "date", "ahead"),
    [
        (0, 0, DATE, 0),
        (0.9, 1.5, DATE, 0),
        (-3, 4, DATE, 0),
        (601, 602, DATE, 600),
        (-602, -600, DATE, -600),
        (0, 0, "", None),
        (0, 0, "soon", None),
        (0, 0, "Mon, 01 Jun 2026 12:00:00 -0000", None),
    ],
)
def test_how_far_this_clock_is_ahead(sent: float, received: float, date: str, ahead: int | None) -> None:
    """A server's time is rounded down to whole seconds, and what a request takes is no difference."""
    found = ahead_of_server(NOON + timedelta(seconds=sent), NOON + timedelta(seconds=received), date)
    assert found == (None if ahead is None else timedelta(seconds=ahead))


def test_nobody_else_reads_times_of_the_api_server() -> None:
    """Python 3.10, where modules may run and no test does, refuses these."""
    (folder,) = map(Path, module_utils.__path__)
    reading = {
        str(path.relative_to(folder))
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "fromisoformat"
    }
    assert reading == ELSEWHERE
