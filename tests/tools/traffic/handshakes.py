"""A TLS handshake of a client that verifies, and its outcome."""

from __future__ import annotations

import socket
import ssl
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

from ...kafka.listeners import QUESTION
from ..cluster.binaries import find_go_client

_PATIENCE = 5.0


class Outcome(Enum):
    DONE = "done"
    FAILED = "failed"  # one side does not accept the certificate of the other
    INTERRUPTED = "interrupted"  # no verdict: refused, reset or silent, as while a pod restarts


@dataclass(frozen=True)
class Verdict:
    outcome: Outcome
    detail: str = ""


class Connects(Protocol):
    """A client that connects to a node and verifies it."""

    def __call__(self, address: str, port: int, host: str) -> Verdict: ...


@dataclass(frozen=True)
class GoClient:
    """A program of Go's own TLS library, which trusts these certificates (PEM) and presents none."""

    trusted: bytes

    def __call__(self, address: str, port: int, host: str) -> Verdict:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "ca.crt")
            file.write_bytes(self.trusted)
            done = subprocess.run(
                [find_go_client(), f"{address}:{port}", host, file], capture_output=True, text=True, timeout=60, check=False
            )  # fmt: skip
        if done.returncode == 0:
            return Verdict(Outcome.DONE)
        # The library's prefixes: a certificate that it refuses, and an alert of the node.
        refused = "x509: " in done.stdout or "remote error: tls: " in done.stdout
        return Verdict(Outcome.FAILED if refused else Outcome.INTERRUPTED, (done.stdout + done.stderr).strip())


def attempt(context: ssl.SSLContext, address: str, port: int, host: str) -> Verdict:
    """With TLS 1.3 a client has finished before it hears that it is refused: it is done when Kafka answers."""
    try:
        with (
            socket.create_connection((address, port), _PATIENCE) as plain,
            context.wrap_socket(plain, server_hostname=host) as connection,
        ):
            with suppress(OSError):  # a refused client may find the connection closed: the alert is still to be read
                connection.sendall(QUESTION)
            answer = connection.recv(4)
    except OSError as error:
        return judge(error)
    return Verdict(Outcome.DONE) if answer else Verdict(Outcome.INTERRUPTED, "closed")


def attempt_in_memory(client: ssl.SSLContext, server: ssl.SSLContext, host: str) -> Verdict:
    """Between two ends of which neither listens anywhere: done when each has heard that the other has finished."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        client.wrap_bio(to_client, to_server, server_hostname=host),
        server.wrap_bio(to_server, to_client, server_side=True),
    ]
    try:
        while ends:
            ends = [end for end in ends if not _finishes(end)]
    except ssl.SSLError as error:
        return judge(error)
    return Verdict(Outcome.DONE)


def _finishes(end: ssl.SSLObject) -> bool:
    try:
        end.do_handshake()
    except ssl.SSLWantReadError:
        return False
    return True


def judge(error: OSError) -> Verdict:
    """A certificate that does not verify and an alert are verdicts, an end without one is not."""
    ended = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)
    verdict = isinstance(error, ssl.SSLError) and not isinstance(error, ended) and not isinstance(error, TimeoutError)
    return Verdict(Outcome.FAILED if verdict else Outcome.INTERRUPTED, str(error))
