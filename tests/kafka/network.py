"""Addresses of the node, its pods and services, and the link between the machine and the node's network namespace."""

from __future__ import annotations

import hashlib
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ..tools.cluster.control_plane import Addresses

LINK_PREFIX = "tok"  # of the machine's end of the link; 15 characters are all that an interface's name may have


@dataclass(frozen=True)
class Network:
    """A network, of 256 out of the range for benchmarks of networks (RFC 2544), which no router forwards."""

    number: int

    @property
    def machine(self) -> str:
        """The machine's address on the link: the API server listens there."""
        return f"198.18.{self.number}.1"

    @property
    def node(self) -> str:
        """The node's address: kubelet and CoreDNS listen there."""
        return f"198.18.{self.number}.2"

    @property
    def pods(self) -> str:
        return f"198.19.{self.number}.0/25"

    @property
    def services(self) -> str:
        return f"198.19.{self.number}.128/25"

    @property
    def kubernetes_service(self) -> str:
        """The first address of the range is the API server's."""
        return f"198.19.{self.number}.129"

    @property
    def link(self) -> str:
        return f"{LINK_PREFIX}{self.number}"

    @property
    def api(self) -> Addresses:
        names = ("localhost", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local")
        return Addresses(self.machine, self.services, (*names, self.machine, self.kubernetes_service))

    def connect(self, node_pid: int) -> None:
        """Link and routes; they vanish when the network namespace of this process does."""
        _ip("link", "add", self.link, "type", "veth", "peer", "name", "eth0", "netns", str(node_pid))
        _ip("address", "add", f"{self.machine}/24", "dev", self.link)
        _ip("link", "set", self.link, "up")
        inside = ("nsenter", f"--net=/proc/{node_pid}/ns/net", "ip")
        _run(*inside, "address", "add", f"{self.node}/24", "dev", "eth0")
        _run(*inside, "link", "set", "eth0", "up")
        _ip("route", "add", f"198.19.{self.number}.0/24", "via", self.node)

    def connected(self) -> bool:
        return Path("/sys/class/net", self.link).exists()

    def disconnect(self) -> None:
        if self.connected():
            _ip("link", "delete", self.link)


def choose(name: str) -> Network:
    """The network of this bed, or a free one after it when another bed is there."""
    first = hashlib.sha256(name.encode()).digest()[0]
    used = {address["local"] for link in json.loads(_ip("-json", "address")) for address in link["addr_info"]}
    for number in range(first, first + 256):
        network = Network(number % 256)
        if network.machine not in used and not network.connected():
            return network
    raise RuntimeError("all networks of the range 198.18.0.0/16 are in use")


def cni_configuration(network: Network) -> str:
    """Each pod has a link of its own to the node, so that all traffic passes the node's packet filter."""
    ranges = [[{"subnet": network.pods}]]
    ipam = {"type": "host-local", "ranges": ranges, "routes": [{"dst": "0.0.0.0/0"}]}
    plugins = [{"type": "ptp", "ipam": ipam}]
    return json.dumps({"cniVersion": "0.4.0", "name": "pods", "plugins": plugins})


def _ip(*arguments: str) -> str:
    return _run("ip", *arguments)


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout
