"""The page about the conditions that hold a flow, from its table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition

TABLE = Path(__file__).parent / "stops.yml"
_PAGE = Path(__file__).parents[3] / "docs" / "stops.md"
_HEAD = """# It stopped: what now

This page is for administrators whose run has stopped: it explains each condition that a run can name, and the way out. A run that stops names the object, the
cause and the remedy, and ends with the names of the conditions that are not met, as in `docs/stops.md: cluster_exists`: search this page for the name.
Usually, follow the remedy and run the same playbook again, which goes on from the state of the cluster. Other symptoms are in
[troubleshooting.md](troubleshooting.md).
"""


def stops_document() -> Iterator[tuple[Path, str]]:
    """Raises ValueError where the table and ``Condition`` differ in names or in order."""
    groups: list[dict[str, Any]] = yaml.safe_load(TABLE.read_text())
    named, known = (
        [name for group in groups for name in group["conditions"]],
        [condition.value for condition in Condition],
    )
    if named != known:
        different = sorted({*named} ^ {*known}) or "their order"
        raise ValueError(f"{TABLE.name} and Condition differ: {different}")
    yield _PAGE, "\n".join((_HEAD, *(line for group in groups for line in _group(group))))


def _group(group: dict[str, Any]) -> Iterator[str]:
    yield f"## {group['group']}\n\n{group['about']}\n"
    for name, told in group["conditions"].items():
        yield f"### {name}\n\n{told['means']}\n\n**{told['do']}**\n"
