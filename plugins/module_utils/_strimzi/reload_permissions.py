# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The permissions that a reload takes beyond a restart: reading the settings of nodes, and telling the operator what
they have read.

They are asked for beforehand, so that no reload is begun that cannot be brought to its end. Whether ports of pods can
be opened shows in the look at the running nodes.
"""

from __future__ import annotations

from typing import TypeAlias

from .._errors import Forbidden, Invalid, ResourceTypeMissing
from .._kube.access import is_allowed
from .._kube.client import KubeClient
from .._kube.resources import CONFIG_MAPS, PODS, Attempt, Resource
from .._kube.statuses import rule_for
from .resources import STRIMZI_POD_SETS

Needed: TypeAlias = tuple[tuple[str, Resource], ...]
#: Verb and kind, for the stamps on pods and StrimziPodSets.
TO_ANNOTATE: Needed = (("patch", STRIMZI_POD_SETS), ("patch", PODS))
#: For a reload, which takes the settings of a node as well.
NEEDED: Needed = (*TO_ANNOTATE, ("get", CONFIG_MAPS))


def why_not_permitted(client: KubeClient, namespace: str, needed: Needed = NEEDED) -> str:
    """The part of it that the identity of this run may not do, as a sentence; empty where it may do all of it.

    Where the API server does not say, it counts as not permitted. Raises KubeError where it cannot be reached.
    """
    attempts = [Attempt(verb, resource, namespace) for verb, resource in needed]
    try:
        missing = [attempt for attempt in attempts if not is_allowed(client, attempt)]
    except (Forbidden, ResourceTypeMissing, Invalid) as error:
        return f"it is not known whether the identity of this run may do what a reload takes: {error}"
    if not missing:
        return ""
    what = ", ".join(f"{attempt.verb} {attempt.resource.plural}" for attempt in missing)
    rules = "; ".join(rule_for(attempt) for attempt in missing)
    return f"the identity of this run may not {what} in namespace {namespace}. Its Role lacks {rules}."
