# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The logs of all nodes while they restart: also those of pods that have gone, and whose files have gone with them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

#: Seconds between two looks: the kubelet removes the file of a pod some seconds after its process has ended.
_LOOK = 0.5


@dataclass
class NodeLogs:
    """Keeps each file open that it has seen: what is in it can be read after it was removed."""

    #: The folder of the logs of all pods, as the kubelet lays it out.
    folder: Path
    #: Whether a line is kept.
    wanted: Callable[[str], bool]
    #: The lines that are kept, with the name of the folder of their pod.
    lines: list[tuple[str, str]] = field(default_factory=list)
    _files: dict[Path, BinaryIO] = field(default_factory=dict)
    _rests: dict[Path, bytes] = field(default_factory=dict)

    def skip(self) -> None:
        """Passes over all that the logs have by now."""
        self.read()
        self.lines.clear()

    def read(self) -> None:
        """Takes in what has come since the last look."""
        for path in sorted(self.folder.glob("*/kafka/*.log")):
            if path not in self._files:
                try:
                    self._files[path] = path.open("rb")
                except OSError:  # it has gone meanwhile
                    continue
        for path, file in self._files.items():
            *whole, self._rests[path] = (self._rests.get(path, b"") + file.read()).split(b"\n")
            found = (line.decode(errors="replace") for line in whole)
            self.lines += [(path.parent.parent.name, line) for line in found if self.wanted(line)]

    def close(self) -> None:
        for file in self._files.values():
            file.close()


@contextmanager
def followed(folder: Path, wanted: Callable[[str], bool]) -> Iterator[NodeLogs]:
    """The lines of these logs that are written in the block; all of them when it has ended."""
    logs, end = NodeLogs(folder, wanted), threading.Event()
    logs.skip()

    def follow() -> None:
        while not end.wait(_LOOK):
            logs.read()

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield logs
    finally:
        end.set()
        thread.join()
        logs.read()
        logs.close()
