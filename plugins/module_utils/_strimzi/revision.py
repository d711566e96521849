# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""``strimzi.io/revision``: the annotation by which the operator knows whether it has to roll a pod.

Its rule is private to the operator (docs/operator.md, "Pod sets", "Reload", 3), so it is used only where it gives the
value that the operator itself has written: ``not_reproduced``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from . import names
from .secret_data import annotation

_REVISIONS = frozenset({names.REVISION, names.RESOURCE_REVISION})
_LENGTH = 8


def revision(pod: Mapping[str, Any]) -> str:
    """The revision of a pod as it stands in a StrimziPodSet. A live pod has further fields, so its hash is another one.

    The first 8 hex digits of SHA-1 over compact JSON with sorted keys, without the resources of containers and init
    containers, which can change in place, and without the two revisions themselves.
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
