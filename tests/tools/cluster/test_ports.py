# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports for servers are free, and stay so while others connect."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from . import ports
from .ports import free_ports


def test_ports_are_distinct_and_free() -> None:
    found = free_ports(50)
    assert len(set(found)) == 50
    with ExitStack() as stack:
        for port in found:
            stack.enter_context(socket.socket()).bind(("127.0.0.1", port))


def test_no_connection_gets_one_of_them() -> None:
    first, last = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    assert not set(free_ports(50)) & set(range(first, last + 1))


def test_a_port_that_is_taken_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    (port,) = free_ports(1)
    monkeypatch.setattr(ports, "_LOWEST", port)
    monkeypatch.setattr(ports, "_first_ephemeral", lambda: port + 1)
    assert free_ports(1) == [port]
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        with pytest.raises(AssertionError, match="0 of 1"):
            free_ports(1)
