"""Transports that keep what an API server answers and answer with it again: from bytes, parsed for every request."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from email.utils import formatdate
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..support.memory_api import MemoryApi, Response


def _file(folder: Path, method: str, path: str, query: Mapping[str, str] | None = None, **_more: Any) -> Path:
    asked = sha256(repr((method, path, sorted((query or {}).items()))).encode()).hexdigest()
    return folder / f"{asked}.json"


class Recorder:
    """Keeps every answer in ``folder``."""

    def __init__(self, api: MemoryApi, folder: Path) -> None:
        self._api = api
        self._folder = folder

    def request(self, method: str, path: str, **more: Any) -> Response:
        response = self._api.request(method, path, **more)
        _file(self._folder, method, path, **more).write_text(
            json.dumps({"status": response.status, "body": response.body})
        )
        return response

    def stream(self, path: str, **more: Any) -> Iterator[dict[str, Any]]:
        raise NotImplementedError("only lists and objects are kept")


class Replay:
    """Knows the requests that were recorded in ``folder``, and no others."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        #: How many requests there were, and the bytes of their answers.
        self.requests = self.bytes = 0

    def request(self, method: str, path: str, **more: Any) -> Response:
        text = _file(self._folder, method, path, **more).read_bytes()
        self.requests, self.bytes = self.requests + 1, self.bytes + len(text)
        kept = json.loads(text)
        # A call that is told no time is held by its first precondition.
        return Response(kept["status"], kept["body"], {"Date": formatdate(usegmt=True)})

    def stream(self, path: str, **more: Any) -> Iterator[dict[str, Any]]:
        raise NotImplementedError("only lists and objects are kept")
