# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines about what stops a flow, for pages of roles and plays."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.trustops.strimzi.plugins.filter.violation_rows import FilterModule

rows = FilterModule().filters()["violation_rows"]


def violation(node: int, **changed: str) -> dict[str, str]:
    same = {"gate": "evidence", "message": "does not answer.", "remedy": "Look at it.", "command": f"kubectl n-{node}"}
    return {**same, "subject": f"Pod kafka/n-{node}", **changed}


def test_nodes_of_which_the_same_is_said_are_one_line_and_others_have_their_own() -> None:
    given = [*map(violation, range(500)), violation(500, message="is not ready."), violation(501, gate="trust")]
    assert [line.split(": ")[0] for line in rows(given)] == [
        "Pod kafka/n-0, Pod kafka/n-1, Pod kafka/n-2, Pod kafka/n-3, Pod kafka/n-4 and 495 more",
        "Pod kafka/n-500",
        "Pod kafka/n-501",
    ]


def test_without_violations_there_is_no_line() -> None:
    assert rows([]) == []


@pytest.mark.parametrize("given", ["a sentence", {"gate": "trust"}, ["a"], [{}], None])
def test_what_is_no_list_of_violations_is_refused(given: Any) -> None:
    with pytest.raises(AnsibleFilterError, match="violations of a result"):
        rows(given)
