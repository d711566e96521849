# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients as people write them, each asking brokers with another TLS library, and what each of them was refused for."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from ..tools.cluster.binaries import find_go_client
from ..tools.cluster.tls import client_context
from ..tools.traffic.handshakes import Outcome, attempt
from .jars import find_jars, java_command

#: Seconds in which a client that is not refused has got an answer.
PATIENCE = 20
_SOURCE = Path(__file__).parent / "Asking.java"


class Asks(Protocol):
    """A client that knows no other CAs than those in a file."""

    def __call__(self, bootstrap: str, trusted: Path) -> str:
        """The reason why the broker refused it; empty when it got an answer."""


@dataclass
class Jvm:
    """Kafka's own client; one process for all questions."""

    process: subprocess.Popen[str]

    def __call__(self, bootstrap: str, trusted: Path) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{bootstrap} {trusted}\n")
        self.process.stdin.flush()
        # Kafka's log lines stand between the answers.
        said = iter(self.process.stdout.readline, "")
        answer = next(line for line in said if line.startswith(("accepted", "refused: ")))
        return answer.strip().partition("refused: ")[2]


@contextmanager
def started_jvm(version: str) -> Iterator[Jvm]:
    """version: of Kafka's client."""
    java = [*java_command(find_jars(version)), _SOURCE]
    streams: Mapping[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(java, text=True, **streams) as process:
        yield Jvm(process)


def ask_as_librdkafka(bootstrap: str, trusted: Path) -> str:
    """librdkafka goes on trying for ever: the first refusal counts."""
    said: list[str] = []

    def hear(error: KafkaError) -> None:
        said.append(error.str())

    configuration: dict[str, Any] = {
        "bootstrap.servers": bootstrap, "security.protocol": "ssl", "ssl.ca.location": str(trusted),
        "ssl.endpoint.identification.algorithm": "https", "error_cb": hear, "log_level": 0,
    }  # fmt: skip
    client = AdminClient(configuration)
    deadline = time.monotonic() + PATIENCE
    while not said and time.monotonic() < deadline:
        with suppress(KafkaException):
            client.list_topics(timeout=1)
            return ""
        client.poll(0)
    return said[0] if said else "no answer"


def ask_as_openssl(bootstrap: str, trusted: Path) -> str:
    """Python's ssl, which says what librdkafka does not."""
    port = int(bootstrap.rpartition(":")[2])
    found = attempt(client_context(trusted.read_bytes()), "127.0.0.1", port, "localhost")
    return "" if found.outcome is Outcome.DONE else found.detail or found.outcome.value


def ask_as_go(bootstrap: str, trusted: Path) -> str:
    """A client in Go, as Kafka Exporter is one."""
    address = bootstrap.partition(",")[0]
    done = subprocess.run(
        [find_go_client(), address, "localhost", trusted], capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout + done.stderr
