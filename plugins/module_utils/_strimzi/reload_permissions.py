# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""What a reload takes beyond a restart: reading what a node reads, and telling the operator what was reloaded.

Asked beforehand, so that a reload is not begun that could not be brought to its end. That ports of pods can be opened
is shown by the look at the running nodes itself.
"""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.access import is_allowed
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.errors import (
    Attempt,
    Forbidden,
    Invalid,
    ResourceTypeMissing,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import CONFIG_MAPS, PODS
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.statuses import rule_for
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.resources import STRIMZI_POD_SETS

#: Verb and kind: the stamps on pods and on what pods are made from, and the settings of a node.
NEEDED = (
    ("list", STRIMZI_POD_SETS),
    ("patch", STRIMZI_POD_SETS),
    ("patch", PODS),
    ("get", CONFIG_MAPS),
)


def why_not_permitted(client: KubeClient, namespace: str) -> str:
    """What the identity of this run may not do of it, as a sentence; nothing where it may do all.

    Where the API server does not say, nobody knows: not permitted. Raises KubeError where it cannot be reached.
    """
    attempts = [Attempt(verb, resource, namespace) for verb, resource in NEEDED]
    try:
        missing = [attempt for attempt in attempts if not is_allowed(client, attempt)]
    except (Forbidden, ResourceTypeMissing, Invalid) as error:
        return f"it is not known whether the identity of this run may do what a reload takes: {error}"
    if not missing:
        return ""
    what = ", ".join(f"{attempt.verb} {attempt.resource.plural}" for attempt in missing)
    rules = "; ".join(rule_for(attempt) for attempt in missing)
    return f"the identity of this run may not {what} in namespace {namespace}. Its Role lacks {rules}."
