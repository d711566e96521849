"""The table of reasons of TLS failures in docs/troubleshooting.md, from the rows that messages are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ansible_collections.trustops.strimzi.plugins.module_utils._tls.failures import ROWS, Peer

_PAGE = Path(__file__).parents[3] / "docs" / "troubleshooting.md"
_HEAD = "| reason | the server … | what to do |\n|---|---|---|\n"
_TABLE = re.compile(f"{re.escape(_HEAD)}(?:\\|.*\n)*")
_SERVER = Peer("the server", "the trusted CA", "the address", "the client certificate")


def tls_document() -> Iterator[tuple[Path, str]]:
    rows = [
        f"| {reason.value} | {row.cause} | {row.remedy.format_map(vars(_SERVER))} |\n" for reason, row in ROWS.items()
    ]
    yield _PAGE, _TABLE.sub(lambda _old: _HEAD + "".join(rows), _PAGE.read_text(), count=1)
