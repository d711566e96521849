"""The few calls that the bed itself makes to its API server."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import urllib3
import yaml

Object = dict[str, Any]


@dataclass(frozen=True)
class Response:
    status: int
    body: Object
    headers: Mapping[str, str]


class Kube:
    """A transport over a kubeconfig with a token (``request`` and ``stream``, as the fakes have them)."""

    def __init__(self, kubeconfig: Path) -> None:
        config = yaml.safe_load(kubeconfig.read_text())
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self.server = cluster["server"]
        self._headers = {"Authorization": f"Bearer {user['token']}"}
        self._pool = urllib3.PoolManager(
            maxsize=16, ca_certs=cluster.get("certificate-authority"), cert_reqs="CERT_REQUIRED"
        )

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        timeout: float | None = None,
    ) -> Response:
        answer = self._pool.request(
            method,
            f"{self.server}{path}?{urlencode(query or {})}",
            body=None if body is None else json.dumps(body),
            headers={**self._headers, "Content-Type": content_type},
            timeout=timeout or 30,
            retries=2,
        )
        return Response(answer.status, _decode(answer.data), answer.headers)

    def stream(
        self, path: str, *, query: Mapping[str, str] | None = None, timeout: float | None = None
    ) -> Iterator[Object]:
        answer = self._pool.request(
            "GET", f"{self.server}{path}?{urlencode(query or {})}", headers=self._headers, preload_content=False,
            timeout=timeout or 30, retries=False,
        )  # fmt: skip
        rest = b""
        try:
            for chunk in answer.stream(65536):
                *lines, rest = (rest + chunk).split(b"\n")
                yield from (json.loads(line) for line in lines if line.strip())
        except urllib3.exceptions.HTTPError:
            return
        finally:
            answer.close()

    def apply(self, manifests: Iterable[Object]) -> None:
        """Create, or replace what exists."""
        for manifest in manifests:
            path = collection_path(manifest)
            made = self.request("POST", path, body=manifest)
            if made.status == 409:
                name = manifest["metadata"]["name"]
                made = self.request(
                    "PATCH", f"{path}/{name}", body=manifest, content_type="application/merge-patch+json"
                )
            if made.status >= 300:
                raise RuntimeError(f"{manifest['kind']} {manifest['metadata'].get('name')}: {made.body.get('message')}")


def _decode(data: bytes) -> Object:
    try:
        return json.loads(data)
    except ValueError:
        return {"message": data[:300].decode("utf-8", "replace")}


def collection_path(manifest: Object) -> str:
    """The API path of a manifest's kind, without discovery."""
    version = manifest["apiVersion"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    kind = manifest["kind"].lower()
    plural = f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}es" if kind.endswith("s") else f"{kind}s"
    namespace = manifest["metadata"].get("namespace")
    return f"{root}/namespaces/{namespace}/{plural}" if namespace else f"{root}/{plural}"


def wait_for(condition: Callable[[], bool], what: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not happen within {seconds:.0f} s")
        time.sleep(0.05)


def write_kubeconfig(path: Path, server: str, ca: Path | None, token: str) -> None:
    cluster: Object = {"server": server}
    if ca:
        cluster["certificate-authority"] = str(ca)
    config = {
        "apiVersion": "v1", "kind": "Config", "current-context": "bed",
        "clusters": [{"name": "bed", "cluster": cluster}],
        "users": [{"name": "bed", "user": {"token": token}}],
        "contexts": [{"name": "bed", "context": {"cluster": "bed", "user": "bed"}}],
    }  # fmt: skip
    path.touch(mode=0o600)
    os.chmod(path, 0o600)
    path.write_text(yaml.safe_dump(config))
