# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Keys for libraries that read them from paths only, without a file on a disk.

A memory file has no name that another process could open. It is reached through /proc/self/fd of this process, which only
root and processes that may trace it can enter. It is on no disk, closed in every child, and gone when this process closes
it or is killed. A temporary file would have been on a disk, in its journal and perhaps in a snapshot, even if it were
removed at once.
"""

from __future__ import annotations

import os
import ssl

from .._errors import NoMemoryFiles, UnusablePair


def are_available() -> bool:
    return hasattr(os, "memfd_create")


def memory_file(name: str, content: bytes) -> int:
    """The descriptor of a new memory file, for the caller to close. name: for people who look at this process."""
    # Closed in children: an exec plugin is not given the key.
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC)
    os.fchmod(descriptor, 0o600)
    os.write(descriptor, content)
    return descriptor


def path_of(descriptor: int) -> str:
    """The path by which this process alone reads the file."""
    return f"/proc/self/fd/{descriptor}"


def present(context: ssl.SSLContext, pem: bytes, name: str) -> None:
    """Have the context present this certificate, with its chain and key. Raises NoMemoryFiles, UnusablePair."""
    if not are_available():
        raise NoMemoryFiles
    descriptor = memory_file(name, pem)
    try:
        # With an empty password an encrypted key is an error; without one OpenSSL would ask for it on the terminal.
        context.load_cert_chain(path_of(descriptor), password="")
    except (ssl.SSLError, OSError):
        raise UnusablePair from None
    finally:
        os.close(descriptor)
