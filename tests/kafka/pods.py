"""Pods from outside: their addresses and logs, and commands that run in them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

import kubernetes.client
import kubernetes.config
import kubernetes.stream

from ..tools.cluster.bed_cluster import BedCluster


@dataclass(frozen=True)
class Executed:
    code: int
    output: str


@dataclass(frozen=True)
class Pods:
    """Of the namespace of a cluster on the bed."""

    cluster: BedCluster

    def _api(self) -> Any:
        # A connection of its own for each call: a stream changes the client that it is opened with.
        client = kubernetes.config.new_client_from_config(str(self.cluster.bed.kubeconfig))
        return kubernetes.client.CoreV1Api(client)

    def address(self, pod: str) -> str:
        return str(self.cluster.get("pods", pod)["status"]["podIP"])

    def logs(self, pod: str, *, of_the_process_before: bool = False) -> str:
        return str(self._api().read_namespaced_pod_log(pod, self.cluster.namespace, previous=of_the_process_before))

    def execute(self, pod: str, *command: str, container: str | None = None, timeout: float = 120) -> Executed:
        """Run a command in the container of a pod, to be named where it has several; output and errors come together."""
        channel = kubernetes.stream.stream(
            self._api().connect_get_namespaced_pod_exec, pod, self.cluster.namespace, command=list(command),
            container=container, stdout=True, stderr=True, stdin=False, tty=False, _preload_content=False,
        )  # fmt: skip
        channel.run_forever(timeout=timeout)
        code = channel.returncode  # before all is read: it is found in what has been received
        output = channel.read_all()
        if code is None:
            channel.close()
            raise TimeoutError(f"{shlex.join(command)} in {pod} took more than {timeout:.0f} s:\n{output}")
        return Executed(code, output)

    def administer(self, pod: str, java_class: str, *arguments: str) -> Executed:
        """Run one of Kafka's tools in a pod with the node's own certificate, which every node accepts as a superuser's.

        The tool gets ``--command-config``; the host of a node is ``<pod>.<cluster>-kafka-brokers.<namespace>.svc``.
        """
        script = 'cat >/tmp/admin.properties <<"END"\n' + self._properties(pod) + "END\n"
        script += (
            'class=$1 && shift && exec bin/kafka-run-class.sh "$class" --command-config /tmp/admin.properties "$@"'
        )
        return self.execute(pod, "sh", "-c", script, "sh", java_class, *arguments)

    def _properties(self, pod: str) -> str:
        namespace = self.cluster.namespace
        name = self.cluster.get("pods", pod)["metadata"]["labels"]["strimzi.io/cluster"]
        secret = "${strimzisecrets:" + namespace
        return f"""\
config.providers=strimzisecrets
config.providers.strimzisecrets.class=io.strimzi.kafka.KubernetesSecretConfigProvider
security.protocol=SSL
ssl.truststore.type=PEM
ssl.truststore.certificates={secret}/{name}-trustbundle:cluster-ca.crt}}
ssl.keystore.type=PEM
ssl.keystore.certificate.chain={secret}/{pod}:{pod}.crt}}
ssl.keystore.key={secret}/{pod}:{pod}.key}}
"""
