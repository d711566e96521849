# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parties that log in with a certificate: users, and programs in pods that read a user's Secret only when they start."""

from __future__ import annotations

from .listeners import INTERNAL_USERS, USERS

#: The users of clients that are kept, of clients that are made anew all the time, and of Connect.
KEPT, ANEW, CONNECT = "orders", "payments", "pipeline"
LOGGING_IN = (KEPT, ANEW, CONNECT)
#: Programs, by the names of their pods. The first stands for the clients that are kept and is restarted by their owner, the second by the operator.
APPLICATION, WORKER = "application", f"{CONNECT}-connect-0"
PROGRAMS = (APPLICATION, WORKER)
PORTS = (INTERNAL_USERS, USERS.port)


def by_secret(user: str) -> str:
    """The name under which we count a user that reads the Secret for each login."""
    return f"user {user}"
