"""Places in the work tree; what is made is kept outside (``tests.tools.cluster.cache``). Standard library only."""

from __future__ import annotations

import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LOGS = ROOT / "build" / "checks"
REQUIREMENTS = ROOT / "tests" / "tools" / "requirements"
#: Where a collection lies below a collections root.
COLLECTION = Path("ansible_collections") / "trustops" / "strimzi"


def checkout() -> str:
    """A short name for this work tree, so that two of them can share the cache."""
    return hashlib.sha256(str(ROOT).encode()).hexdigest()[:10]
