"""``python -m …tests.tools.support.kubectl_command``: as much of the command ``kubectl`` as the documentation uses.

Like the real one it is told by KUBECONFIG which Kubernetes cluster is meant, and as whom.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

from ..cluster.kube import Kube, Object, wait_for

Words = Sequence[str]
#: The API of what is named by its plural.
_CERT_MANAGER = "/apis/cert-manager.io/v1"
_APIS = {"secret": "/api/v1", "issuers.cert-manager.io": _CERT_MANAGER, "certificates.cert-manager.io": _CERT_MANAGER}
_PLURALS = {"secret": "secrets"}


def main(words: Words) -> None:
    kube = Kube(Path(os.environ["KUBECONFIG"]))
    match list(words):
        case ["apply", "-f", path]:
            found = (document for document in yaml.safe_load_all(Path(path).read_text()) if document)
            kube.apply(
                each for document in found for each in (document["items"] if document["kind"] == "List" else [document])
            )
        case ["wait", "-n", namespace, condition, patience, object_]:
            wanted = condition.removeprefix("--for=")
            seconds = float(patience.removeprefix("--timeout=").removesuffix("s"))
            wait_for(
                lambda: _is_so(_found(kube, namespace, *object_.split("/")), wanted), f"{wanted} of {object_}", seconds
            )
        case ["get", kind, "-n", namespace, name, "-o", output]:
            print(_selected(_found(kube, namespace, kind, name), output), end="")
        case ["create", "configmap", "-n", namespace, name, source]:
            entry, path = source.removeprefix("--from-file=").split("=")
            kind = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}}
            kube.apply([{**kind, "data": {entry: Path(path).read_text()}}])
        case _:
            raise SystemExit(f"kubectl: the stand-in does not know {' '.join(words)}")


def _found(kube: Kube, namespace: str, kind: str, name: str) -> Object:
    plural = _PLURALS.get(kind, kind.partition(".")[0])
    answer = kube.request("GET", f"{_APIS[kind]}/namespaces/{namespace}/{plural}/{name}")
    if answer.status != 200:
        raise SystemExit(f"kubectl: {answer.body.get('message')}")
    return answer.body


def _is_so(found: Object, wanted: str) -> bool:
    """wanted: ``condition=<type>``, or ``jsonpath={…}=<value>``."""
    kind, _equals, value = wanted.rpartition("=")
    if kind != "condition":
        return _selected(found, kind) == value
    conditions = (found.get("status") or {}).get("conditions") or []
    return any(condition["type"] == value and condition["status"] == "True" for condition in conditions)


def _selected(found: Object, output: str) -> str:
    """The field that an output such as ``jsonpath={.data.tls\\.crt}`` selects."""
    (path,) = re.findall(r"^jsonpath=\{\.(.*)\}$", output)
    value: object = found
    for part in re.split(r"(?<!\\)\.", path):
        assert isinstance(value, dict), path
        value = value[part.replace("\\.", ".")]
    return str(value)


if __name__ == "__main__":
    main(sys.argv[1:])
