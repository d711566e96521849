# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Certificates and keys that a kubeconfig holds as data, kept in memory.

TLS reads them from paths only, so the Kubernetes library writes them into files. Where the system has them, that happens
in a file system in memory, and the content is moved to a memory file at once, which is gone when this process ends,
however it ends. What stays under the name that the library remembers is a link to it, which no other process can follow.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from .held_folders import keep_folder, remove_abandoned
from .memory_files import are_available, memory_file, path_of

if TYPE_CHECKING:
    from kubernetes.client.configuration import Configuration

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
    """The files that the library wrote into that folder; where there are no memory files they stay until the end."""
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
