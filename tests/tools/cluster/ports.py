# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports for servers that start seconds later, beside other checks that connect all the time.

The kernel gives a connection any free port of its ephemeral range, and a listener on port 0 as well. A port of that
range may be taken before the server listens, so ports here come from below it.
"""

from __future__ import annotations

import random
import socket
from contextlib import ExitStack
from pathlib import Path

#: Below it servers of the system listen.
_LOWEST = 16_000
#: From where on the kernel chooses by itself, if the file does not say it.
_EPHEMERAL = 32_768


def _first_ephemeral() -> int:
    try:
        return int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except OSError:
        return _EPHEMERAL


def free_ports(count: int) -> list[int]:
    """Distinct ports that no process listens on now, and that the kernel gives to none by itself."""
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
            ports.append(port)
            if len(ports) == count:
                return ports
    raise AssertionError(f"only {len(ports)} of {count} ports below {highest} are free")


def free_port() -> int:
    """A port where nothing listens."""
    return free_ports(1)[0]
