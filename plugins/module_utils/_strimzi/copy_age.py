# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Whether running pods have read the present content of a Secret: they have if they were created after it last changed.

Both times come from the API server, so the clock of this machine does not matter. A pod that was created in the second
of the change starts its processes after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from .._kube.times import read_time
from .pods import is_final


def unread_by(pods: Iterable[Mapping[str, Any]], secret: Mapping[str, Any]) -> str:
    """Why these pods may trust something else than the Secret holds, without a full stop; empty when they do not."""
    running = [pod for pod in pods if not is_final(pod)]
    if not running:
        return ""
    metadata = secret["metadata"]
    name = f"Secret {metadata.get('namespace')}/{metadata['name']}"
    changed = data_changed(metadata)
    if changed is None:
        return f"it is not recorded when {name} last changed, so its pods may have started with something else"
    older = sorted(str(pod["metadata"]["name"]) for pod in running if not is_created_since(pod, changed))
    if not older:
        return ""
    what = f"{', '.join(older)} started before {name} last changed ({changed:%Y-%m-%dT%H:%M:%SZ})"
    return f"{what}, and may trust something else"


def is_created_since(pod: Mapping[str, Any], moment: datetime) -> bool:
    """Whether the pod was created at this time or later."""
    created = read_time(pod["metadata"].get("creationTimestamp"))
    return created is not None and created >= moment


def data_changed(metadata: Mapping[str, Any]) -> datetime | None:
    """The time of the last change of the data, as the API server has recorded it."""
    times = [
        read_time(field.get("time"))
        for field in metadata.get("managedFields") or []
        if "f:data" in (field.get("fieldsV1") or {})
    ]
    known = [moment for moment in times if moment is not None]
    return max(known) if known and len(known) == len(times) else None
