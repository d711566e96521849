"""A Vault server of a test's own: its store is in memory, and it ends with the test."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .binaries import find_vault


@dataclass(frozen=True)
class VaultServer:
    url: str
    #: May do everything.
    token: str
    #: Unseals it.
    key: str


@contextmanager
def vault_server(*pair: Path) -> Iterator[VaultServer]:
    """It listens on the loopback interface. pair: certificate and key, in PEM form, where it speaks TLS. Raises MissingTool."""
    command = [str(find_vault()), *map(str, pair)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            assert process.stdout is not None
            yield VaultServer(**json.loads(process.stdout.readline()))
        finally:
            process.terminate()
