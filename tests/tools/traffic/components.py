"""The keys and certificates that processes of components, and programs of users, have loaded at their start, whatever their Secrets contain now."""

from __future__ import annotations

import base64
import io
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...kafka.tier import Tier
from ..cluster.kube import Object
from ..operator.api import ready
from ..operator.real_components import MEMORY, PROCESSES
from ..operator.real_programs import CONTAINER
from .trust import anchors

_READ = 'tar -c -C "$1" leaf trust | base64 -w 0'


@dataclass(frozen=True)
class Loaded:
    """The certificates and the key that a component has loaded."""

    #: The chain of its leaf.
    certificates: bytes
    #: The private key of its leaf.
    key: bytes
    #: The CAs of nodes that it trusts.
    trusted: bytes
    #: ``ca.crt`` alone, where the component has that.
    ca: bytes


def loaded(files: Mapping[str, bytes]) -> Loaded:
    """Reads the files that a process has copied, by their paths."""
    leaf, trust = (
        {name.removeprefix(folder): content for name, content in files.items() if name.startswith(folder)}
        for folder in ("leaf/", "trust/")
    )
    (certificates,) = (content for name, content in leaf.items() if name.endswith(".crt"))
    (key,) = (content for name, content in leaf.items() if name.endswith(".key"))
    # The Secret with the trust bundle has one file for each CA of the cluster, and the exporter reads all of one.
    trusted = trust.get("cluster-ca.crt") or anchors(trust)
    return Loaded(certificates, key, trusted, anchors({name: trust[name] for name in trust if name == "ca.crt"}))


def serving(pods: Sequence[Object], name: str) -> Object | None:
    """The pod of a Deployment that is ready and stays; the newest, where there are two."""
    found = [
        pod for pod in pods
        if pod["metadata"]["labels"].get("strimzi.io/name") == name and _serves(pod)
    ]  # fmt: skip
    return max(found, key=lambda pod: str(pod["metadata"]["creationTimestamp"]), default=None)


def _serves(pod: Object) -> bool:
    return ready(pod) and "deletionTimestamp" not in pod["metadata"]


@dataclass
class Components:
    tier: Tier
    _read: dict[tuple[str, str], Loaded] = field(default_factory=dict)

    def loaded(self, pods: Sequence[Object]) -> dict[str, Loaded]:
        """By identity; a component whose pod restarts is missing. Each pod is asked once."""
        found = {}
        for process in PROCESSES:
            pod = serving(pods, f"{self.tier.name}-{process.component}")
            if pod is not None:
                found[process.identity] = self._of(pod, process.container)
        return found

    def programs(self, pods: Sequence[Object]) -> dict[str, Loaded]:
        """By the names of these pods, without those that start or go."""
        serving = (pod for pod in pods if _serves(pod))
        return {pod["metadata"]["name"]: self._of(pod, CONTAINER) for pod in serving}

    def _of(self, pod: Object, container: str) -> Loaded:
        known = pod["metadata"]["uid"], container
        if known not in self._read:
            self._read[known] = loaded(self._files(pod["metadata"]["name"], container))
        return self._read[known]

    def _files(self, pod: str, container: str) -> dict[str, bytes]:
        done = self.tier.pods.execute(pod, "sh", "-c", _READ, "sh", MEMORY, container=container, timeout=20)
        if done.code:
            raise RuntimeError(f"{container} in {pod}: {done.output}")
        with tarfile.open(fileobj=io.BytesIO(base64.b64decode(done.output))) as archive:
            members = [member for member in archive if member.isfile()]
            return {member.name: content.read() for member in members if (content := archive.extractfile(member))}
