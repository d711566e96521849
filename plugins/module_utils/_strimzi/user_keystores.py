# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Whether the User Operator makes PKCS#12 files: without them it stores an empty certificate where it cannot sign (docs/operator.md, "Users")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

_CONTAINER, _SETTING = "user-operator", "STRIMZI_PKCS12_KEYSTORE_GENERATION"


def why_users_are_paused(pods: Iterable[Mapping[str, Any]], elsewhere: Sequence[str] = ()) -> str:
    """Why it may see no user while key and certificate of the CA do not match, as a sentence; empty where it may. pods: those of the Entity
    Operator; where there is none it may start at any moment. elsewhere: namespaces with a User Operator of their own, whose pods are unknown.
    """
    settings = list(_settings(pods))
    would = "would store an empty certificate for every user that it looks at between the two writes of the switch"
    if not settings:
        return f"No User Operator runs that shows whether it makes PKCS#12 files; one that does not {would}."
    if "false" in settings:
        return f"The User Operator makes no PKCS#12 files, and {would}."
    if elsewhere:
        return f"The collection cannot see whether the User Operator of {', '.join(elsewhere)} makes PKCS#12 files; one that does not {would}."
    return ""


def _settings(pods: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """As each User Operator was told; Strimzi's default where it was told nothing."""
    for pod in pods:
        for container in (pod.get("spec") or {}).get("containers") or ():
            if container.get("name") == _CONTAINER:
                told = (one.get("value") for one in container.get("env") or () if one.get("name") == _SETTING)
                yield str(next(told, None) or "true").lower()
