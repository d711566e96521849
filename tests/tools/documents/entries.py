"""A YAML file as texts, so that what is copied from it looks as it was written."""

from __future__ import annotations

import re

_KEY = re.compile(r"^(?=[a-z_]+:$)", re.MULTILINE)


def entries_of(text: str) -> dict[str, str]:
    """The text of each top-level key, itself included."""
    return {entry.split(":", 1)[0]: entry.rstrip("\n") for entry in _KEY.split(text)[1:]}
