# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The memory of a run is that of all its processes."""

from __future__ import annotations

import os
import subprocess
import sys

from .fleet import memory_of

#: MiB.
LARGE = 64
PROGRAM = f"import sys; held = bytearray(b'x') * ({LARGE} << 20); print('ready', flush=True); sys.stdin.read()"


def test_memory_of_children_counts_while_they_run() -> None:
    before = memory_of(os.getpid())
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        during = memory_of(os.getpid())
        child.communicate("")
    assert during - before > LARGE * 0.9
    assert memory_of(os.getpid()) - before < LARGE / 2
