# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Removes what Ansible puts on a disk to run a module, also where Ansible is killed before it can do that itself.

Without pipelining the module comes as a file that holds all of its options, a private key among them. It unpacks its code
into a folder, which holds no option.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from .._kube.held_folders import keep_folder, remove_abandoned

_WRAPPER = "AnsiballZ_strimzi_*.py"
_PAYLOADS = "ansible_trustops.strimzi.*_payload_*"


def remove_remains(code: str, command: Sequence[str]) -> None:
    """code: a file of this collection as it was imported. command: of this process."""
    for argument in command[1:]:
        _remove_wrapper(Path(argument))
    for folder in Path(code).parents:
        if folder.match(_PAYLOADS) and folder.is_dir():
            keep_folder(folder)
            remove_abandoned(folder.parent, _PAYLOADS)


def _remove_wrapper(file: Path) -> None:
    """Python has read it by now, and Ansible does not mind that it is gone already."""
    if file.match(f"ansible-tmp-*/{_WRAPPER}"):
        try:
            os.unlink(file)
        except OSError:
            # With become it belongs to the user who connects, and Ansible removes it at the end of the task.
            return
