# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports for servers that start seconds later, beside other checks that connect all the time and start servers as well.

The kernel gives a connection any free port of its ephemeral range, and a listener on port 0 as well. A port of that
range may be taken before the server listens, so ports here come from below it. Checks run side by side, each in a
process of its own: a port belongs to the process that took it first, until that process ends.
"""

from __future__ import annotations

import fcntl
import os
import random
import socket
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path

from .cache import cache_root

#: Below it servers of the system listen.
_LOWEST = 16_000
#: From where on the kernel chooses by itself, if the file does not say it.
_EPHEMERAL = 32_768
#: The ports of this process.
_taken: set[int] = set()


def _first_ephemeral() -> int:
    try:
        return int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except OSError:
        return _EPHEMERAL


@lru_cache(maxsize=1)
def _lock_file() -> int:
    """The descriptor of a file in which the byte at a port's number is locked by the process with that port. It stays
    open: a process loses all its locks on a file when it closes the file.
    """
    cache_root().mkdir(parents=True, exist_ok=True)
    return os.open(cache_root() / ".ports.lock", os.O_RDWR | os.O_CREAT, 0o600)


def _take(port: int) -> bool:
    """Whether the port belongs to this process from now on; not if it belongs to any process already."""
    if port in _taken:
        return False
    try:
        fcntl.lockf(_lock_file(), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    _taken.add(port)
    return True


def free_ports(count: int) -> list[int]:
    """Distinct ports that no process listens on now, that the kernel gives to none by itself, and that no other call
    of this function gets as long as this process runs.
    """
    highest = _first_ephemeral()
    candidates = list(range(_LOWEST, highest))
    random.SystemRandom().shuffle(candidates)
    ports: list[int] = []
    with ExitStack() as probes:
        for port in candidates:
            probe = probes.enter_context(socket.socket())
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            if not _take(port):
                continue
            ports.append(port)
            if len(ports) == count:
                return ports
    raise AssertionError(f"only {len(ports)} of {count} ports below {highest} are free")


def free_port() -> int:
    """A port where nothing listens."""
    return free_ports(1)[0]
