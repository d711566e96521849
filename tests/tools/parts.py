"""Parts of what takes too long as a whole: ``--part=3/24`` takes the same tests, or the same mutants, each time. Standard library only."""

from __future__ import annotations

from zlib import crc32


def is_in_part(name: str, part: str) -> bool:
    """Whether the test or mutant of this name is in the part, such as 3/24."""
    number, parts = map(int, part.split("/"))
    return crc32(name.encode()) % parts == number - 1
