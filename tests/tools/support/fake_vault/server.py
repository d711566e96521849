# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTTP side: routes, the order of checks, and faults to order."""

from __future__ import annotations

import json
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .auth import Tokens
from .errors import ApiError
from .pki import Mount, seconds

_SEALED = ApiError(503, "Vault is sealed")


@dataclass
class Fault:
    """An answer instead of the right one."""

    status: int
    errors: tuple[str, ...] = ()
    headers: dict[str, str] = field(default_factory=dict)
    #: A part of the paths that it is for.
    path: str = "/sign/"
    #: How often it happens; -1: for ever.
    times: int = 1
    raw: bytes | None = None
    #: Seconds before it comes.
    delay: float = 0.0


@dataclass(frozen=True)
class Seen:
    """A request."""

    method: str
    path: str
    headers: dict[str, str]
    #: The body that was sent.
    body: dict[str, Any]


@dataclass
class FakeVault:
    clock: Callable[[], float] = time.monotonic
    url: str = ""
    sealed: bool = False
    namespace: str = ""
    faults: list[Fault] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    mounts: dict[str, Mount] = field(default_factory=dict)
    #: Changes the data of a signed certificate on its way.
    distort: Callable[[dict[str, Any]], dict[str, Any]] = field(default=lambda data: data)

    def __post_init__(self) -> None:
        self.tokens = Tokens(self._now)
        self.root = self.tokens.make("root")

    def _now(self) -> float:
        """By the clock as it is then: tests put another one in its place."""
        return self.clock()

    def signed(self) -> int:
        """How often clients have asked for a leaf."""
        return sum("/sign/" in request.path for request in self.seen)

    def answer(self, seen: Seen, client_certificate: bytes | None) -> tuple[int, dict[str, Any]]:
        """Raises ApiError."""
        self.seen.append(seen)
        if self.sealed:
            raise _SEALED
        if seen.headers.get("x-vault-namespace", "") != self.namespace:
            # Policies and mounts are those of another namespace.
            raise ApiError(403, "permission denied")
        if login := re.fullmatch(r"auth/(.+)/login", seen.path):
            if seen.method != "POST":
                raise ApiError(405, "unsupported operation")
            return 200, _envelope(auth=self.tokens.log_in(login[1], seen.body, client_certificate))
        token = seen.headers.get("x-vault-token", "")
        capability = {"GET": "read", "DELETE": "delete"}.get(seen.method, "update")
        self.tokens.check(token, seen.path, capability)
        return self._routed(seen, token)

    def _routed(self, seen: Seen, token: str) -> tuple[int, dict[str, Any]]:
        if seen.path == "auth/token/lookup-self":
            return 200, _envelope(data=self.tokens.look_up(token))
        if seen.path == "auth/token/renew-self":
            return 200, _envelope(auth=self.tokens.renew(token))
        if seen.path == "auth/token/create":
            return 200, _envelope(auth=self.tokens.create(seen.body))
        if found := re.fullmatch(r"sys/mounts/(.+?)(/tune)?", seen.path):
            return 204, self._mounted(found[1], bool(found[2]), seen)
        if found := re.fullmatch(r"sys/policies/acl/(.+)", seen.path):
            self.tokens.policies[found[1]] = seen.body["policy"]
            return 204, {}
        for mount in sorted(self.mounts, key=len, reverse=True):
            if seen.path.startswith(f"{mount}/"):
                return self._in_mount(self.mounts[mount], seen.path.removeprefix(f"{mount}/"), seen)
        raise ApiError(404, f'no handler for route "{seen.path}". route entry not found.')

    def _mounted(self, path: str, tuned: bool, seen: Seen) -> dict[str, Any]:
        if seen.method == "DELETE":
            self.mounts.pop(path, None)
        else:
            mount = self.mounts.setdefault(path, Mount())
            settings = seen.body if tuned else seen.body.get("config", {})
            if "max_lease_ttl" in settings:
                mount.longest = seconds(settings["max_lease_ttl"])
        return {}

    def _in_mount(self, mount: Mount, path: str, seen: Seen) -> tuple[int, dict[str, Any]]:
        routes: list[tuple[str, Callable[..., Any]]] = [
            (r"issuers/generate/root/internal", lambda: mount.generate_root(seen.body)),
            (r"issuers/generate/intermediate/internal", lambda: mount.generate_intermediate(seen.body)),
            (r"issuer/([^/]+)/sign-intermediate", lambda ref: mount.sign_intermediate(ref, seen.body)),
            (r"issuer/([^/]+)/sign-self-issued", lambda ref: mount.sign_self_issued(ref, seen.body)),
            (r"intermediate/cross-sign", lambda: mount.cross_sign(seen.body)),
            (r"intermediate/set-signed", lambda: mount.set_signed(seen.body)),
            (r"roles/([^/]+)", lambda name: mount.set_role(name, seen.body)),
            (r"issuer/([^/]+)/sign/([^/]+)", lambda ref, role: mount.sign(ref, role, seen.body)),
            (r"sign/([^/]+)", lambda role: mount.sign("default", role, seen.body)),
        ]
        if seen.method == "GET" and (found := re.fullmatch(r"issuer/([^/]+)", path)):
            return 200, _envelope(data=mount.read_issuer(found[1]))
        for pattern, act in routes:
            if found := re.fullmatch(pattern, path):
                if seen.method != "POST":
                    raise ApiError(405, "1 error occurred:\n\t* unsupported operation\n\n")
                made = act(*found.groups())
                if made is None:
                    return 204, {}
                data, warnings = made if isinstance(made, tuple) else (made, [])
                data = self.distort(data) if "/sign/" in seen.path else data
                return 200, _envelope(data=data, warnings=warnings or None)
        raise ApiError(404, "1 error occurred:\n\t* unsupported path\n\n")

    def fault(self, path: str) -> Fault | None:
        for fault in self.faults:
            if fault.path in path and fault.times:
                fault.times -= 1
                return fault
        return None


@contextmanager
def serving(vault: FakeVault, context: ssl.SSLContext | None = None) -> Iterator[FakeVault]:
    """On a free port of this machine; over TLS with a context."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(vault))
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    vault.url = f"{'https' if context else 'http'}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield vault
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def _envelope(**content: Any) -> dict[str, Any]:
    empty = {"lease_id": "", "renewable": False, "lease_duration": 0, "data": None, "warnings": None, "auth": None}
    return {"request_id": "00000000-0000-0000-0000-000000000000", **empty, **content}


def _handler(vault: FakeVault) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def do_DELETE(self) -> None:
            self._serve()

        def _serve(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = self.path.split("?")[0].removeprefix("/v1/")
            headers = {key.lower(): value for key, value in self.headers.items()}
            seen = Seen(self.command, path, headers, json.loads(data) if data else {})
            if found := vault.fault(path):
                vault.seen.append(seen)
                time.sleep(found.delay)
                body = found.raw if found.raw is not None else _errors(found.errors)
                # A client that has waited too long is gone.
                with suppress(ConnectionError):
                    self._send(found.status, body, found.headers)
                return None
            try:
                status, content = vault.answer(seen, self._client_certificate())
            except ApiError as error:
                return self._send(error.status, _errors(error.errors), error.headers)
            return self._send(status, json.dumps(content).encode() if status != 204 else b"", {})

        def _client_certificate(self) -> bytes | None:
            return self.connection.getpeercert(True) if isinstance(self.connection, ssl.SSLSocket) else None

        def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for key, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing."""

    return Handler


def _errors(errors: tuple[str, ...]) -> bytes:
    return json.dumps({"errors": list(errors)}).encode()
