# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Folders of a process, which others can tell from what a killed process left: the kernel drops a lock with its process."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from pathlib import Path

#: Seconds from the making of a folder within which its process surely comes to hold it.
_TIME_TO_HOLD = 3600.0

#: Descriptors with locks; they live as long as the process.
_held: dict[Path, int] = {}


def keep_folder(folder: Path) -> None:
    """Keep the folder from being taken for abandoned until this process ends."""
    if folder in _held:
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        # Some network file systems have no locks; no process gets one there to remove the folder by, either.
        os.close(descriptor)
    else:
        _held[folder] = descriptor


def remove_abandoned(parent: Path, pattern: str) -> None:
    """Remove folders of this user that were made long enough ago, and that no process holds."""
    for folder in parent.glob(pattern):
        try:
            _remove_if_abandoned(folder)
        except OSError:
            # Of another user, held, or removed by another process at the same moment.
            continue


def _remove_if_abandoned(folder: Path) -> None:
    """Raises OSError where it is not to be removed."""
    # A link that another user put into a public folder is not followed.
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        if found.st_uid == os.geteuid() and time.time() - found.st_mtime > _TIME_TO_HOLD:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
    finally:
        os.close(descriptor)
