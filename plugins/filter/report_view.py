# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

DOCUMENTATION = r"""
name: report_view
short_description: Texts, rows and pictures for a report about a flow
version_added: 1.0.0
description:
  - Turns the facts of P(trustops.strimzi.report#filter) into the texts, rows and pictures of a report.
  - It escapes nothing; the template of the page has to.
options:
  _input:
    description: The result of P(trustops.strimzi.report#filter).
    type: dict
    required: true
seealso:
  - plugin: trustops.strimzi.report
    plugin_type: filter
author:
  - The trustops.strimzi contributors (@trustops)
"""

EXAMPLES = r"""
- name: Say in words what a flow did
  ansible.builtin.debug:
    msg: "{{ ([plan, roll] | trustops.strimzi.report(goal='replace_key') | trustops.strimzi.report_view).sentences }}"
"""

RETURN = r"""
_value:
  description: What the templates of the role P(trustops.strimzi.report#role) show. The keys may change at any time, but
    for C(sentences).
  type: dict
  contains:
    sentences:
      description: What a person wants to know first.
      type: list
      elements: str
      sample: ["0 pods trust the removed CA cluster-ca v0 (2736f5982559): 6 of 6 listeners asked refuse it.",
        "3 rolls of 3 nodes, no two nodes down together."]
"""

from collections.abc import Callable, Mapping
from typing import Any

from ansible.errors import AnsibleFilterError

from ansible_collections.trustops.strimzi.plugins.plugin_utils._report.view import view_of


def report_view(facts: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(facts, Mapping) or "schema" not in facts:
        raise AnsibleFilterError("trustops.strimzi.report_view works on what trustops.strimzi.report returned.")
    return view_of(facts)


class FilterModule:
    """Ansible asks for the filters of this file."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {"report_view": report_view}
