"""Where the checks keep what they make: outside the work tree, but for the logs. Standard library only."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "build" / "checks"
REQUIREMENTS = ROOT / "tests" / "requirements"
#: Where a collection lies below a collections root.
COLLECTION = Path("ansible_collections") / "trustops" / "strimzi"


def cache_root() -> Path:
    """The same folder as that of the test bed (``tests.cluster.cache``)."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(os.environ.get("TRUSTOPS_CACHE") or os.path.join(base, "trustops-strimzi"))


def checkout() -> str:
    """A short name for this work tree, so that two of them can share the cache."""
    return hashlib.sha256(str(ROOT).encode()).hexdigest()[:10]


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """One process at a time makes ``name``."""
    cache_root().mkdir(parents=True, exist_ok=True)
    with (cache_root() / f".{name}.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
