# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Lines that the action plugin shows while a module still works: appended to a file on the same machine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from .._pki.printable import printable

#: The start of a line that is shown only when nothing has happened for a while.
_KEPT = "\t"


def reporter(path: str | None, *, kept: bool = False) -> Callable[[str], None]:
    """A function that appends one line; without a file it does nothing. The lines hold public facts only. kept: whether they say what the module is
    at, which is shown only when that takes long.

    They go to a terminal as they are, so nothing in them may command it or begin another line. A line that cannot be
    written is lost: nothing stops for that, least of all while the operator is paused.
    """

    def append(line: str) -> None:
        if path:
            with suppress(OSError), open(path, "a", encoding="utf-8") as progress:
                progress.write(f"{_KEPT if kept else ''}{printable(line)}\n")

    return append
