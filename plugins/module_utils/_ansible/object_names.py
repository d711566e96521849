# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Options that name objects. Their values become parts of paths and selectors, so what no object can be called is refused before
anything is asked: an empty name would ask for a list, and one with a slash for another resource.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_NAMESPACE = re.compile(_LABEL)
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_LONGEST_NAMESPACE, _LONGEST_NAME = 63, 253


def name_problem(options: Mapping[str, Any]) -> str:
    """The first option whose value no object can have as its name, as a message; empty where none is."""
    for option, name, is_namespace in _given(options):
        pattern, longest = (_NAMESPACE, _LONGEST_NAMESPACE) if is_namespace else (_NAME, _LONGEST_NAME)
        if not pattern.fullmatch(name) or len(name) > longest:
            kind = "namespace" if is_namespace else "object"
            return (
                f"{option}: {name!r} cannot be the name of any {kind} in Kubernetes. Give the name as kubectl shows it: "
                f"lower case letters, digits, hyphens{'' if is_namespace else ' and dots'}, at most {longest}."
            )
    return ""


def _given(options: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Each option that is given, its value, and whether that is a namespace."""
    for option in ("cluster", "pool", "user", "secret"):
        if options.get(option) is not None:
            yield option, options[option], False
    yield "namespace", options["namespace"], True
    if options.get("user_namespace"):
        yield "user_namespace", options["user_namespace"], True
    for one in options.get("user_namespaces") or ():
        yield "user_namespaces", one["namespace"], True
    if source := options.get("ca_source"):
        yield "ca_source", source["name"], False
        if source["namespace"]:
            yield "ca_source", source["namespace"], True
