# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Keys and certificates for libraries that read them from paths only, without a file on a disk.

A memory file has no name for other processes to open. Its path is in /proc/self/fd of this process: only root, and
processes that may trace this process, can enter it. The file is on no disk, closed in every child, and gone if this
process closes it or is killed. A temporary file would have been on a disk, in its journal and perhaps in a snapshot,
even if it were removed at once.

TLS reads the certificates and keys of a kubeconfig from paths only, so the Kubernetes library writes them into files.
If the system has a file system in memory, the library writes them there, and this module moves the content to a memory
file at once. A link to it stays under the name that the library remembers; no other process can follow it.

Folders of a process carry a lock: the kernel drops a lock with its process. By the lock, others can recognise the
remains of a killed process.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import ssl
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from .._errors import NoMemoryFiles, UnusablePair

if TYPE_CHECKING:
    from kubernetes.client.configuration import Configuration


#: Seconds from the making of a folder within which its process surely locks it.
_TIME_TO_LOCK = 3600.0

#: Descriptors with locks; they live as long as the process.
_locks: dict[Path, int] = {}


def keep_folder(folder: Path) -> None:
    """Keep the folder from being taken for abandoned until this process ends."""
    if folder in _locks:
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        # Some network file systems have no locks; there no process can lock a folder to remove it, either.
        os.close(descriptor)
    else:
        _locks[folder] = descriptor


def remove_abandoned(parent: Path, pattern: str) -> None:
    """Remove folders of this user that were made long enough ago, if no process has a lock on them."""
    for folder in parent.glob(pattern):
        try:
            _remove_if_abandoned(folder)
        except OSError:
            # Of another user, locked, or removed by another process at the same moment.
            continue


def _remove_if_abandoned(folder: Path) -> None:
    """Remove the folder. Raises OSError if it is not to be removed."""
    # If another user put a link into a public folder, it is not followed.
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        status = os.fstat(descriptor)
        if status.st_uid == os.geteuid() and time.time() - status.st_mtime > _TIME_TO_LOCK:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
    finally:
        os.close(descriptor)


def are_available() -> bool:
    return hasattr(os, "memfd_create")


def memory_file(name: str, content: bytes) -> int:
    """The descriptor of a new memory file, for the caller to close. Tools that inspect this process show its name."""
    # Closed in children: an exec plugin is not given the key.
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC)
    os.fchmod(descriptor, 0o600)
    os.write(descriptor, content)
    return descriptor


def path_of(descriptor: int) -> str:
    """The path of the file, for this process alone."""
    return f"/proc/self/fd/{descriptor}"


def present(context: ssl.SSLContext, pem: bytes, name: str) -> None:
    """Have the context present this certificate, with its chain and key. Raises NoMemoryFiles, UnusablePair."""
    if not are_available():
        raise NoMemoryFiles
    descriptor = memory_file(name, pem)
    try:
        # With an empty password an encrypted key is an error; without any, OpenSSL would ask for it on the terminal.
        context.load_cert_chain(path_of(descriptor), password="")
    except (ssl.SSLError, OSError):
        raise UnusablePair from None
    finally:
        os.close(descriptor)


_PREFIX = "trustops-strimzi-keys-"
#: A file system in memory on every Linux; it can be swapped out like all memory. The folder in it gets a random name.
_IN_MEMORY = Path("/dev/shm")  # noqa: S108
_ATTRIBUTES = ("ssl_ca_cert", "cert_file", "key_file")


@cache
def folder_for_keys() -> str:
    """A folder of this process that only its user can enter; removed at its end."""
    parent = _IN_MEMORY if os.access(_IN_MEMORY, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())
    remove_abandoned(parent, f"{_PREFIX}*")
    folder = tempfile.mkdtemp(prefix=_PREFIX, dir=parent)
    keep_folder(Path(folder))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def move_into_memory(configuration: Configuration) -> None:
    """Move the library's files in the folder for keys into memory files. If the system has no memory files, they stay
    until the process ends.
    """
    if not are_available():
        return
    for attribute in _ATTRIBUTES:
        path = Path(getattr(configuration, attribute) or "")
        if path.parent == Path(folder_for_keys()) and not path.is_symlink():
            _move(path)


def _move(path: Path) -> None:
    descriptor = memory_file(path.name, path.read_bytes())
    path.unlink()
    path.symlink_to(path_of(descriptor))
