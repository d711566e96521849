# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A tiny HTTP(S) server on the loopback interface that answers as a function says."""

from __future__ import annotations

import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: list[tuple[str, str]]
    body: bytes
    client_subject: str = ""

    def header(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name.lower()]


@dataclass(frozen=True)
class Reply:
    status: int = 200
    body: Any = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    #: Sent as separate pieces of a chunked answer, instead of a body; each as soon as the iterable gives it.
    chunks: Iterable[bytes] | None = None
    complete: bool = True


class Reset:
    """The connection is reset instead of an answer."""


Answer = Callable[[Request], "Reply | Reset"]


class Server:
    """``requests``: what arrived. ``connections``: how many were opened."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.connections = 0
        self.url = ""

    @property
    def address(self) -> str:
        return self.url.split("//")[1]


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            server.connections += 1

        def handle_one(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            subject = ""
            if isinstance(self.connection, ssl.SSLSocket):
                names: Any = (self.connection.getpeercert() or {}).get("subject", ())
                subject = ",".join(value for name in names for key, value in name if key == "commonName")
            request = Request(self.command, self.path, list(self.headers.items()), body, subject)
            server.requests.append(request)
            self.reply(server.answer(request))

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_CONNECT = handle_one

        def reply(self, reply: Reply | Reset) -> None:
            if isinstance(reply, Reset):
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                self.connection.close()
                return
            body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            chunked = reply.chunks is not None
            length = {"Transfer-Encoding": "chunked"} if chunked else {"Content-Length": str(len(body))}
            lines = [f"HTTP/1.1 {reply.status} Status", *(f"{k}: {v}" for k, v in {**length, **reply.headers}.items())]
            head = "\r\n".join([*lines, "", ""]).encode()
            if not chunked:
                self.wfile.write(head + body)
                return
            self.wfile.write(head)
            for chunk in reply.chunks or ():
                self.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
            if reply.complete:
                self.wfile.write(b"0\r\n\r\n")
            else:
                self.reply(Reset())

        def log_message(self, format: str, *args: Any) -> None:
            """Silent."""

    return Handler


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is part of the tests."""


@contextmanager
def serving(answer: Answer, context: ssl.SSLContext | None = None) -> Iterator[Server]:
    server = Server(answer)
    http = _Quiet(("127.0.0.1", 0), _handler(server))
    if context is not None:
        http.socket = context.wrap_socket(http.socket, server_side=True)
    server.url = f"{'https' if context else 'http'}://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
