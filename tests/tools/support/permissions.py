"""An API server that lets its client do everything but some things, and says so when it is asked beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .memory_api import ACCESS_REVIEWS, MemoryApi, Response, parts_of

_VERBS = {"POST": "create", "PATCH": "patch", "PUT": "update", "DELETE": "delete"}


def forbidden(what: str) -> Response:
    message = f'{what} is forbidden: User "ci" cannot do this in the namespace "kafka"'
    return Response(403, {"kind": "Status", "code": 403, "reason": "Forbidden", "message": message})


def verb_of(method: str, named: bool) -> str:
    """As a rule of a Role has it; named: whether the path leads to one object."""
    return _VERBS.get(method) or ("get" if named else "list")


@dataclass
class Restricted:
    api: MemoryApi
    #: Verb and plural, as "patch pods".
    denied: frozenset[str] = frozenset()
    #: Answered to every review instead of what is so.
    review: Response | None = None
    #: The permissions that were reviewed, in order.
    reviewed: list[str] = field(default_factory=list)
    #: The answer to these, by plural.
    refusal: Callable[[str], Response] = forbidden

    def request(self, method: str, path: str, **arguments: Any) -> Response:
        if path == ACCESS_REVIEWS:
            return self._answer(arguments["body"])
        _group, resource, name = parts_of(path)
        plural = resource.partition("/")[0]
        if f"{verb_of(method, bool(name))} {plural}" in self.denied:
            return self.refusal(plural)
        return self.api.request(method, path, **arguments)

    def stream(self, path: str, **arguments: Any) -> Iterator[Any]:
        return self.api.stream(path, **arguments)

    def _answer(self, body: dict[str, Any]) -> Response:
        asked = body["spec"]["resourceAttributes"]
        self.reviewed.append(f"{asked['verb']} {asked['resource']}")
        if self.review is not None:
            return self.review
        return Response(201, {**body, "status": {"allowed": self.reviewed[-1] not in self.denied}})
