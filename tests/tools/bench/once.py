"""Calls ``observe`` and ``decide`` once, in a process of its own, as a module call does: ``python -m tests.tools.bench.once [FOLDER]``.

Prints the seconds that took and the most memory the process ever had. Without a folder it only imports.
"""

from __future__ import annotations

import json
import re
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import observe
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent

from .replay import Replay


def peak_kib() -> int:
    """VmHWM and not ru_maxrss: ru_maxrss includes the memory that the parent had before the exec."""
    found = re.search(r"^VmHWM:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    if found is None:
        raise RuntimeError("this kernel does not say how much memory a process had")
    return int(found[1])


def main() -> None:
    begun = time.perf_counter()
    for folder in sys.argv[1:]:
        client = KubeClient(Replay(Path(folder)))
        seen = observe(client, ClusterNames("kafka", "demo"), datetime.now(timezone.utc))
        decide(seen.snapshot, Intent(Goal.REPLACE_KEY))
    print(json.dumps({"seconds": time.perf_counter() - begun, "peak": peak_kib()}))


if __name__ == "__main__":
    main()
