# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A callback of Ansible: modules are packed and compiled once for all playbooks of the tests.

Ansible packs a module with everything that it imports once for each run of a playbook, and each call compiles what was packed: most of the
CPU time of a short playbook. Here all runs share the folder in which Ansible keeps what one run has packed, and bytecode lies beside each source.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import io
import marshal
import os
import shutil
import sys
import time
import zipfile
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from ansible import constants
from ansible.executor import module_common
from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: packed_once
type: notification
short_description: packs and compiles modules once for all playbooks
description: For the tests of this collection.
"""
#: Names the folder that all runs share.
FOLDER = "TRUSTOPS_PACKED"
#: PEP 552: the bytecode is taken without a look at its source.
_UNCHECKED = (1).to_bytes(4, "little")
_DAY = 86_400
#: Files of Ansible beside what it has packed.
_OTHERS = (".lock", "-part", "-compiled")


def what_is_packed() -> str:
    """Tells apart what different sources, or versions of Ansible and Python, would be packed to."""
    found = hashlib.sha256(f"{version('ansible-core')} {sys.version}".encode())
    collection = importlib.util.find_spec("ansible_collections.trustops.strimzi")
    for place in (collection and collection.submodule_search_locations) or ():
        for file in sorted(Path(place, "plugins").rglob("*.py")):
            found.update(str(file.relative_to(place)).encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def compiled(packed: bytes) -> bytes:
    """The same archive with bytecode beside each source."""
    content = io.BytesIO(packed)
    with zipfile.ZipFile(content, "a", zipfile.ZIP_DEFLATED) as archive:
        known = set(archive.namelist())
        for name in known:
            if name.endswith(".py") and f"{name}c" not in known:
                source = archive.read(name)
                code = marshal.dumps(compile(source, name, "exec", dont_inherit=True))
                head = importlib.util.MAGIC_NUMBER + _UNCHECKED + importlib.util.source_hash(source)
                archive.writestr(f"{name}c", head + code)
    return content.getvalue()


def compile_all(folder: Path) -> None:
    """Compiles what is there and has no bytecode yet. A run beside this one finds either form."""
    for file in folder.iterdir():
        done = file.with_name(f"{file.name}-compiled")
        if file.name.endswith(_OTHERS) or done.exists():
            continue
        packed = module_common._CachedModule.load(str(file))
        archive = compiled(base64.b64decode(packed.zip_data))
        scratch = file.with_name(f"{file.name}-{os.getpid()}-part")
        replace(packed, zip_data=base64.b64encode(archive)).dump(str(scratch))
        scratch.rename(file)
        done.touch()


def remove_old(parent: Path) -> None:
    """Removes what other sources were packed to, unless a run beside this one may use it still."""
    for folder in parent.glob("*"):
        if time.time() - folder.stat().st_mtime > _DAY:
            shutil.rmtree(folder, ignore_errors=True)


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "packed_once"

    def __init__(self) -> None:
        super().__init__()
        self._folder: Path | None = None
        # Older versions of Ansible keep something else.
        if FOLDER in os.environ and hasattr(module_common, "_CachedModule"):
            self._share(Path(os.environ[FOLDER], what_is_packed()))

    def _share(self, folder: Path) -> None:
        # Without a folder that it may write to, a run packs for itself.
        with suppress(OSError):
            if not folder.exists():
                remove_old(folder.parent)
            folder.mkdir(parents=True, exist_ok=True)
            Path(constants.DEFAULT_LOCAL_TMP, "ansiballz_cache").symlink_to(folder)
            self._folder = folder

    def v2_playbook_on_stats(self, stats: object) -> None:
        if self._folder:
            with suppress(OSError):
                compile_all(self._folder)
