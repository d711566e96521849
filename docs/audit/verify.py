# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Verify an audit trail: python3 verify.py FILE SHA256

FILE has the entries as JSON lines. SHA256 is that of an entry, as a run has returned it: it proves this entry and all
entries before it. Needs Python 3.9 and nothing else. Exits with 1 if an entry was changed, removed or inserted.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256


def digest(line: str) -> str:
    return sha256(line.encode()).hexdigest()


def problems(lines: Sequence[str], proof: str) -> Iterator[str]:
    """The problems of these entries, as sentences. proof: SHA-256 of one of them, as it was noted elsewhere."""
    before = None
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            place, previous = int(entry["entry"]), str(entry["previous"])
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
            yield f"line {number} is no entry of an audit trail"
            before = None
            continue
        if before is not None and (place, previous) != before:
            yield f"line {number}, entry {place}, does not follow the line before it"
        before = (place + 1, digest(line))
    if proof not in map(digest, lines):
        yield f"no entry has the SHA-256 {proof}"


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 2:
        print(__doc__)
        return 2
    with open(arguments[0], encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    proof = arguments[1].lower()
    found = list(problems(lines, proof))
    for problem in found:
        print(f"{arguments[0]}: {problem}")
    if found:
        return 1
    proven = next(number for number, line in enumerate(lines) if digest(line) == proof)
    first, last = (json.loads(lines[number])["entry"] for number in (0, proven))
    print(f"{arguments[0]}: entries {first} to {last} are as they were written")
    if proven + 1 < len(lines):
        print(
            f"The {len(lines) - proven - 1} entries after them follow in an unbroken chain; "
            "a later SHA-256 proves them."
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
