# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m …tests.tools.support.cmctl_command``: as much of the command ``cmctl`` of cert-manager as docs/issuers/cert-manager.md uses.

``renew`` does what the real one does: it adds the condition ``Issuing`` to the Certificate.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ..cluster.kube import Kube


def main(words: Sequence[str]) -> None:
    match list(words):
        case ["renew", "-n", namespace, name]:
            _renew(Kube(Path(os.environ["KUBECONFIG"])), namespace, name)
        case _:
            raise SystemExit(f"cmctl: the stand-in does not know {' '.join(words)}")


def _renew(kube: Kube, namespace: str, name: str) -> None:
    path = f"/apis/cert-manager.io/v1/namespaces/{namespace}/certificates/{name}"
    found = kube.request("GET", path).body
    issuing = {
        "type": "Issuing",
        "status": "True",
        "observedGeneration": found["metadata"]["generation"],
        "reason": "ManuallyTriggered",
        "message": "Certificate re-issuance manually triggered",
    }
    conditions = [condition for condition in found["status"]["conditions"] if condition["type"] != "Issuing"]
    found["status"]["conditions"] = [*conditions, issuing]
    answer = kube.request("PUT", f"{path}/status", body=found)
    if answer.status != 200:
        raise SystemExit(f"cmctl: {answer.body.get('message')}")


if __name__ == "__main__":
    main(sys.argv[1:])
