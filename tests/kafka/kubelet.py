"""The programs that run on the node beside containerd: kubelet, kube-proxy and CoreDNS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from . import node
from .network import Network

DOMAIN = "cluster.local"
NODE = "node-0"


def write_configuration(folder: Path, network: Network, bed: str) -> None:
    (folder / "kubelet.yaml").write_text(yaml.safe_dump(_kubelet(folder, network, bed)))
    (folder / "kube-proxy.yaml").write_text(yaml.safe_dump(_proxy(folder, network)))
    (folder / "Corefile").write_text(f"""\
.:53 {{
    bind {network.node}
    errors
    ready {network.node}:8181
    kubernetes {DOMAIN} {{
        kubeconfig {folder}/kubeconfig
        ttl 0
    }}
}}
""")


def _kubelet(folder: Path, network: Network, bed: str) -> dict[str, Any]:
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": network.node,
        # The API server's own certificate is the one that it shows to the kubelet.
        "authentication": {
            "anonymous": {"enabled": False}, "webhook": {"enabled": False},
            "x509": {"clientCAFile": f"{folder}/ca.crt"},
        },
        "authorization": {"mode": "AlwaysAllow"},
        "cgroupDriver": "cgroupfs", "cgroupRoot": node.cgroup_root(bed), "enforceNodeAllocatable": [],
        "failCgroupV1": False, "failSwapOn": False, "evictionHard": {"memory.available": "0%"},
        "imageGCHighThresholdPercent": 100, "localStorageCapacityIsolation": False, "readOnlyPort": 0,
        "clusterDNS": [network.node], "clusterDomain": DOMAIN, "resolvConf": "",
        "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
        "volumePluginDir": f"{folder}/volume-plugins", "oomScoreAdj": 0, "maxPods": 100,
        "syncFrequency": "10s", "nodeStatusUpdateFrequency": "5s", "healthzPort": 0,
    }  # fmt: skip


def _proxy(folder: Path, network: Network) -> dict[str, Any]:
    return {
        "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
        "kind": "KubeProxyConfiguration",
        "bindAddress": network.node, "clientConnection": {"kubeconfig": f"{folder}/kubeconfig"},
        "clusterCIDR": network.pods, "mode": "iptables", "healthzBindAddress": "", "metricsBindAddress": "",
        # Limits of connection tracking belong to the machine's kernel.
        "conntrack": {"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"},
        "iptables": {"minSyncPeriod": "0s"},
    }  # fmt: skip


def steps(pid: int, folder: Path, binaries: dict[str, Path], network: Network) -> list[dict[str, Any]]:
    kubelet = [
        str(binaries["kubelet"]), f"--config={folder}/kubelet.yaml", f"--kubeconfig={folder}/kubeconfig",
        f"--hostname-override={NODE}", f"--node-ip={network.node}", f"--cert-dir={folder}/kubelet-pki",
    ]  # fmt: skip
    proxy = [str(binaries["kube-proxy"]), f"--config={folder}/kube-proxy.yaml", f"--hostname-override={NODE}"]
    coredns = [str(binaries["coredns"]), f"-conf={folder}/Corefile"]
    commands = {"kubelet": kubelet, "kube-proxy": proxy, "coredns": coredns}
    return [{"name": name, "command": node.inside(pid, *command)} for name, command in commands.items()]
