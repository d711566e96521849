# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
name: violation_rows
short_description: A line for each cause that stops a flow
version_added: 1.0.0
description:
  - Describes the C(violations) of a result of this collection's modules, one line for each.
  - If violations say the same of more than three objects, they are one line, with the names of the first objects and
    the number of the others.
options:
  _input:
    description: The C(violations) of a result.
    type: list
    elements: dict
    required: true
author:
  - The trustops.strimzi contributors (@trustops)
"""

EXAMPLES = r"""
- name: Show what is in the way
  ansible.builtin.debug:
    msg: "{{ looked.violations | trustops.strimzi.violation_rows }}"
"""

RETURN = r"""
_value:
  description: The lines, each with the objects, the cause, and the remedy with its command.
  type: list
  elements: str
  sample: ["Pod kafka/demo-kafka-1: is not ready. Bring the cluster to health first."]
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ansible.errors import AnsibleFilterError

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.folding import (
    describe_violations_in_rows,
)


def violation_rows(violations: Sequence[Mapping[str, str]]) -> list[str]:
    is_list = isinstance(violations, Sequence) and not isinstance(violations, str)
    if not is_list or not all(isinstance(one, Mapping) and "gate" in one for one in violations):
        raise AnsibleFilterError(
            "trustops.strimzi.violation_rows works on the violations of a result of this collection's modules."
        )
    return list(describe_violations_in_rows(violations))


class FilterModule:
    """Ansible asks for the filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"violation_rows": violation_rows}
