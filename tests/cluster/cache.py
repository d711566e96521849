"""Where built things are kept: outside the work tree, keyed by version and content, built once at a time."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path


class MissingTool(Exception):
    """Something has to be installed first; the text says what."""


def cache_root() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(os.environ.get("TRUSTOPS_CACHE") or os.path.join(base, "trustops-strimzi"))


def digest(*files: Path) -> str:
    found = hashlib.sha256()
    for file in files:
        found.update(file.read_bytes())
    return found.hexdigest()[:12]


@contextlib.contextmanager
def _locked(name: str) -> Iterator[None]:
    cache_root().mkdir(parents=True, exist_ok=True)
    with (cache_root() / f".{name}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def cached(name: str, build: Callable[[Path], None]) -> Path:
    """The folder ``name`` of the cache, made by ``build`` in a scratch folder first if it is not there yet."""
    target = cache_root() / name
    if target.exists():
        return target
    with _locked(name):
        if not target.exists():
            scratch = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=cache_root()))
            try:
                build(scratch)
                scratch.rename(target)
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
    return target
