# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An API server that lets its client do what Roles say, as Kubernetes' RBAC does, and remembers what of them was used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .memory_api import ACCESS_REVIEWS, MemoryApi, Response, parts_of
from .permissions import Restricted, forbidden, verb_of

Rule = dict[str, Any]
#: Verb, resource, and the name of an object or "*" for a rule without names.
Permission = tuple[str, str, str]
_ONE = "metadata.name="


def permissions(rules: Sequence[Rule]) -> set[Permission]:
    """Each permission by itself."""
    return {
        (verb, resource, name)
        for rule in rules
        for verb in rule["verbs"]
        for resource in rule["resources"]
        for name in rule.get("resourceNames", ["*"])
    }


class ByRoles(Restricted):
    """rules: of all Roles that the client is bound to. used: what the requests needed of them; refused: what was lacking."""

    def __init__(self, api: MemoryApi, rules: Sequence[Rule]) -> None:
        super().__init__(api)
        self.rules = rules
        self.used: set[Permission] = set()
        self.refused: list[Permission] = []

    def request(self, method: str, path: str, *, query: Mapping[str, str] | None = None, **arguments: Any) -> Response:
        if path == ACCESS_REVIEWS:
            return self._review(arguments["body"])
        group, resource, name = parts_of(path)
        if not self._may(verb_of(method, bool(name)), group, resource, name or _named(query)):
            return forbidden(resource)
        return self.api.request(method, path, query=query, **arguments)

    def stream(self, path: str, *, query: Mapping[str, str] | None = None, **arguments: Any) -> Iterator[Any]:
        group, plural, _name = parts_of(path)
        if not self._may("watch", group, plural, _named(query)):
            return iter([{"type": "ERROR", "object": forbidden(plural).body}])
        return self.api.stream(path, query=query, **arguments)

    def _may(self, verb: str, group: str, resource: str, name: str) -> bool:
        permitted = self._permitted(verb, group, resource, name)
        self.used |= permitted
        if not permitted:
            self.refused.append((verb, resource, name))
        return bool(permitted)

    def _permitted(self, verb: str, group: str, resource: str, name: str) -> set[Permission]:
        """By a rule for all objects where there is one, else by one that names this object."""
        fitting = [
            rule
            for rule in self.rules
            if group in rule["apiGroups"] and resource in rule["resources"] and verb in rule["verbs"]
        ]
        if any("resourceNames" not in rule for rule in fitting):
            return {(verb, resource, "*")}
        return {(verb, resource, name)} if any(name in rule["resourceNames"] for rule in fitting) else set()

    def _review(self, body: dict[str, Any]) -> Response:
        asked = body["spec"]["resourceAttributes"]
        place = asked["verb"], asked.get("group", ""), asked["resource"], asked.get("name", "")
        return Response(201, {**body, "status": {"allowed": bool(self._permitted(*place))}})


def _named(query: Mapping[str, str] | None) -> str:
    """The object that a list or a watch is limited to; no rule with names fits the empty name."""
    selector = (query or {}).get("fieldSelector", "")
    return selector.removeprefix(_ONE) if selector.startswith(_ONE) else ""
