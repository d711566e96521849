# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports for servers are free, and stay so while others connect."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ..checks.places import ROOT
from . import ports
from .ports import free_ports


@pytest.fixture(autouse=True)
def lock_file_of_this_test() -> Iterator[None]:
    """Each test here has a cache of its own, and so the file with the ports."""
    ports._lock_file.cache_clear()
    yield
    ports._lock_file.cache_clear()


def test_ports_are_distinct_and_free() -> None:
    found = free_ports(50)
    assert len(set(found)) == 50
    with ExitStack() as stack:
        for port in found:
            stack.enter_context(socket.socket()).bind(("127.0.0.1", port))


def test_no_connection_gets_one_of_them() -> None:
    first, last = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    assert not set(free_ports(50)) & set(range(first, last + 1))


#: Says the number of the port that it gets between these two, or why it gets none.
ANOTHER_PROCESS = """
import sys
from tests.tools.cluster import ports
ports._LOWEST, end = map(int, sys.argv[1:])
ports._first_ephemeral = lambda: end
try:
    print(*ports.free_ports(1))
except AssertionError as none:
    print(none)
"""


def get_in_another_process(lowest: int, end: int) -> str:
    command = [sys.executable, "-c", ANOTHER_PROCESS, str(lowest), str(end)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def test_a_port_where_a_process_listens_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    (port,) = free_ports(1)
    monkeypatch.setattr(ports, "_first_ephemeral", lambda: port + 1)
    monkeypatch.setattr(ports, "_LOWEST", port)
    monkeypatch.setattr(ports, "_taken", set())
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        with pytest.raises(AssertionError, match="0 of 1"):
            free_ports(1)
    assert free_ports(1) == [port]


def test_a_port_belongs_to_the_process_that_took_it_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its server may start seconds later, or again; meanwhile nothing listens there."""
    (port,) = free_ports(1)
    assert get_in_another_process(port, port + 1).startswith("only 0 of 1")
    monkeypatch.setattr(ports, "_first_ephemeral", lambda: port + 1)
    monkeypatch.setattr(ports, "_LOWEST", port)
    with pytest.raises(AssertionError, match="0 of 1"):
        free_ports(1)


def test_a_port_of_a_process_that_has_ended_is_given_again() -> None:
    port = int(get_in_another_process(ports._LOWEST, ports._EPHEMERAL))
    assert get_in_another_process(port, port + 1) == str(port)
