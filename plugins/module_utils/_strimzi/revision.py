# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""``strimzi.io/revision``: by which the operator tells a pod that it made from one that it has to roll.

Its rule is private to the operator (strimzi.md 5.4; operator-facts, "The reload", 3), so it is never relied on before
it has reproduced what the operator itself wrote: ``not_reproduced``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import names
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.secret_data import annotation

_REVISIONS = frozenset({names.REVISION, names.RESOURCE_REVISION})
_LENGTH = 8


def revision(pod: Mapping[str, Any]) -> str:
    """Of a pod as it stands in a StrimziPodSet; a live pod has had fields added and is not what was hashed.

    The first 8 hex digits of SHA-1 over compact JSON with sorted keys, without what can change in place (resources of
    containers and init containers) and without the two revisions themselves.
    """
    metadata, spec = dict(pod["metadata"]), dict(pod["spec"])
    marks = metadata.get("annotations") or {}
    metadata["annotations"] = {key: value for key, value in marks.items() if key not in _REVISIONS}
    for group in ("initContainers", "containers"):
        if group in spec:
            spec[group] = [{k: v for k, v in one.items() if k != "resources"} for one in spec[group]]
    # As Jackson writes it: characters beyond ASCII stand for themselves.
    text = json.dumps(
        {**pod, "metadata": metadata, "spec": spec}, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:_LENGTH]


def not_reproduced(pod_set: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the pods of a StrimziPodSet whose present revision this rule does not give."""
    return tuple(
        pod["metadata"]["name"] for pod in pod_set["spec"]["pods"] if annotation(pod, names.REVISION) != revision(pod)
    )
