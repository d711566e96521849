"""A double of the Cluster Operator, 1.2 or another release (docs/operator.md, "CA reconcile", "KafkaRoller", "Tried by
hand", "Releases").

It stands in for the real one where that cannot be had; it is written to those facts and knows nothing of the
collection that is tested against it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import certs
from .api import Api, Object, annotation, ready
from .authority import Authority, ReconcileFailed, reconcile_authority, remove_old, write_trust_bundle
from .components import deployments_of, reconcile_components, simulated_pod
from .leaves import node_names, reconcile_leaf
from .load_balancers import addresses_of, reconcile_load_balancers
from .podsets import KAFKA_VERSION, Node, build_pod, control_pod_sets, kafka_version, nodes_of, write_pod_sets
from .real_components import real_pod
from .real_pods import RealPods, cluster_id
from .releases import STRIMZI_1_2, Release
from .roller import Nodes, Roller, Waiter
from .security import configure

KEY_GENERATION = "strimzi.io/cluster-ca-key-generation"
CONFIGURATION_HASH = "strimzi.io/configuration-hash"


class OperatorDouble:
    """``reconcile`` is one full reconcile of one Kafka resource.

    running: how the double asks the nodes of a Kafka resource, where nodes run.
    """

    def __init__(
        self,
        transport: Any,
        namespace: str,
        wait: Waiter,
        real_pods: RealPods | None = None,
        running: Callable[[Api, Object], Nodes] | None = None,
        release: Release = STRIMZI_1_2,
    ) -> None:
        self.api = Api(transport, namespace)
        self.become(release)
        self.wait = wait
        self.real_pods = real_pods
        self.running = running
        self.roller = Roller(self.api, wait)
        self.reconciles = 0
        self.is_reconciling = False
        #: Called between the moment at which it reads leaves and the one at which it writes them.
        self.having_read: Callable[[], None] = lambda: None
        #: Called at the end of a reconcile; it raises ReconcileFailed for what the real one would not accept and this double does not look at.
        self.having_reconciled: Callable[[], None] = lambda: None

    def become(self, release: Release) -> None:
        """The operator is of this release from here on, as after an upgrade."""
        self.release = release
        self.api.version = release.api_version

    def reconcile(self, cluster: str) -> None:
        kafka = self.api.get("kafkas", cluster)
        if kafka is None:
            return
        self.reconciles += 1
        if annotation(kafka, "pause-reconciliation") == "true":
            self._pause(kafka)
            return
        self.is_reconciling = True
        before, reached = (kafka.get("status") or {}).get("clusterSecurity"), {}
        if before is not None:
            reached = {"clusterSecurity": before}
        try:
            reached = {"clusterSecurity": configure(kafka, self.release).status}
            cluster_ca = self._reconcile(kafka)
            self.having_reconciled()
        except ReconcileFailed as failure:
            self._status(kafka, "NotReady", failure.reason, str(failure), reached)
            return
        finally:
            self.is_reconciling = False
        self._status(kafka, "Ready", None, None, {**reached, **self._details(kafka, cluster_ca)})

    def _reconcile(self, kafka: Object) -> Authority:
        """KafkaAssemblyOperator.reconcile; the first half is CaReconciler in its order (docs/operator.md,
        "CA reconcile").
        """
        cluster = kafka["metadata"]["name"]
        self.roller.running = self.running(self.api, kafka) if self.running else None
        cluster_ca = reconcile_authority(self.api, kafka, "cluster")
        clients_ca = reconcile_authority(self.api, kafka, "clients")
        write_trust_bundle(self.api, kafka, cluster_ca, clients_ca)
        need_full_trust, fully_used = self._verify(cluster, cluster_ca)
        secret = f"{cluster}-cluster-operator-certs"
        if not (need_full_trust and self.api.get("secrets", secret)):
            own, by_labels = "cluster-operator", self.release.finds_own_secret_by_labels
            reconcile_leaf(self.api, kafka, cluster_ca, secret, own, own, by_labels=by_labels)
        nodes = nodes_of(self.api, cluster)
        if cluster_ca.replaced or need_full_trust:
            self._trust_roll(kafka, cluster_ca, nodes)
        if fully_used:
            remove_old(self.api, kafka, cluster_ca)
        self._reconcile_nodes(kafka, cluster_ca, clients_ca, nodes)
        reconcile_components(self.api, kafka, cluster_ca, self.wait, real_pod if self.real_pods else simulated_pod)
        return cluster_ca

    def _verify(self, cluster: str, ca: Authority) -> tuple[bool, bool]:
        """Terminating pods are skipped, a missing annotation counts as current (docs/operator.md, "CA reconcile", step
        3).
        """
        pods = [
            pod for pod in self.api.list("pods", f"strimzi.io/cluster={cluster},strimzi.io/kind=Kafka")
            if "deletionTimestamp" not in pod["metadata"]
        ]  # fmt: skip
        key, cert = str(ca.key_generation), str(ca.certificate_generation)
        need = any(annotation(pod, "cluster-ca-key-generation", key) != key for pod in pods)
        used = bool(pods) and all(annotation(pod, "cluster-ca-cert-generation", cert) == cert for pod in pods)
        return need, used

    def _trust_roll(self, kafka: Object, ca: Authority, nodes: list[Node]) -> None:
        """maybeRollingUpdateForNewClusterCaKey: the revision is not recomputed (docs/operator.md, "CA reconcile", step
        5).
        """
        cluster, value = kafka["metadata"]["name"], str(ca.key_generation)
        for pod_set in self.api.list("strimzipodsets", f"strimzi.io/cluster={cluster}"):
            for pod in pod_set["spec"]["pods"]:
                pod["metadata"]["annotations"][KEY_GENERATION] = value
            self.api.patch("strimzipodsets", pod_set["metadata"]["name"], {"spec": {"pods": pod_set["spec"]["pods"]}})

        def old(pod: Object) -> list[str]:
            current = annotation(pod, "cluster-ca-key-generation", value) == value
            return [] if current else ["ClusterCaCertKeyReplaced"]

        self.roller.roll(nodes, old)
        for deployment in deployments_of(kafka):
            self.roller.restart_deployment_pod(deployment, "ClusterCaCertKeyReplaced")

    def _reconcile_nodes(self, kafka: Object, ca: Authority, clients: Authority, nodes: list[Node]) -> None:
        """KafkaReconciler (docs/operator.md, "Restart reasons"): manual roll, listeners, leaves, pod sets, roll, ready."""
        self._manual_roll(kafka["metadata"]["name"], nodes)
        addresses = reconcile_load_balancers(self.api, kafka, nodes, self.wait)
        read = {node.pod: self.api.get("secrets", node.pod) for node in nodes}
        self.having_read()
        leaves = {node.pod: self._node_leaf(kafka, ca, node, read.__getitem__, addresses) for node in nodes}
        self._delete_foreign(kafka, nodes)
        if self.real_pods:
            self.real_pods.prepare(self.api, kafka, nodes)
        model = {
            node.pod: self._pod(kafka, node, nodes, self._annotations(kafka, ca, clients, leaves[node.pod]))
            for node in nodes
        }
        write_pod_sets(self.api, kafka, nodes, model)
        control_pod_sets(self.api)
        if not self.wait(lambda: all(self.api.get("pods", node.pod) for node in nodes)):
            raise ReconcileFailed("TimeoutException", "Exceeded timeout waiting for pods to be created")
        self.roller.roll(nodes, self._reasons(ca, clients, model))
        if not self.wait(lambda: all(ready(self.api.get("pods", node.pod)) for node in nodes)):
            raise ReconcileFailed("TimeoutException", "Exceeded timeout waiting for pods to be ready")

    def _pod(self, kafka: Object, node: Node, nodes: list[Node], annotations: dict[str, str]) -> Object:
        if self.real_pods is None:
            return build_pod(kafka, node, annotations, self.release)
        annotations[CONFIGURATION_HASH] = self.real_pods.configuration_hash(kafka, node, nodes)
        return self.real_pods.complete(build_pod(kafka, node, annotations, self.release), kafka, node)

    def _manual_roll(self, cluster: str, nodes: list[Node]) -> None:
        """On StrimziPodSets (all pods) and on single pods; failure is only logged (docs/operator.md,
        "Manual rolling update").
        """
        asked = {
            pod["metadata"]["name"]
            for pod_set in self.api.list("strimzipodsets", f"strimzi.io/cluster={cluster}")
            if annotation(pod_set, "manual-rolling-update") == "true"
            for pod in pod_set["spec"]["pods"]
        }
        selector = f"strimzi.io/cluster={cluster},strimzi.io/kind=Kafka,strimzi.io/name={cluster}-kafka"
        for pod in self.api.list("pods", selector):
            if annotation(pod, "manual-rolling-update") == "true":
                asked.add(pod["metadata"]["name"])
        if not asked:
            return
        try:
            self.roller.roll([node for node in nodes if node.pod in asked], lambda pod: ["ManualRollingUpdate"])
        except ReconcileFailed:
            return

    def _node_leaf(
        self, kafka: Object, ca: Authority, node: Node, read: Callable[[str], Object | None], addresses: dict[str, str]
    ) -> bytes:
        cluster = kafka["metadata"]["name"]
        labels = {
            "strimzi.io/cluster": cluster, "strimzi.io/kind": "Kafka", "strimzi.io/name": f"{cluster}-kafka",
            "strimzi.io/component-type": "kafka",
        }  # fmt: skip
        names = node_names(kafka, node.pool, node.node_id, node.broker)
        names |= addresses_of(kafka, node.pool, node.node_id, addresses) if node.broker else set()
        return reconcile_leaf(
            self.api, kafka, ca, node.pod, node.pod, f"{cluster}-kafka", names, True, labels, read, by_labels=True
        )

    def _delete_foreign(self, kafka: Object, nodes: list[Node]) -> None:
        """The deletion trap: Secrets with all four labels that are no node's (docs/operator.md, "Leaves")."""
        cluster = kafka["metadata"]["name"]
        selector = (
            f"strimzi.io/cluster={cluster},strimzi.io/kind=Kafka,strimzi.io/name={cluster}-kafka,"
            "strimzi.io/component-type=kafka"
        )
        wanted = {node.pod for node in nodes} | {f"{cluster}-kafka-jmx"}
        for secret in self.api.list("secrets", selector):
            if secret["metadata"]["name"] not in wanted:
                self.api.delete("secrets", secret["metadata"]["name"])

    def _annotations(self, kafka: Object, ca: Authority, clients: Authority, leaf: bytes) -> dict[str, str]:
        return {
            "strimzi.io/cluster-ca-cert-generation": str(ca.certificate_generation),
            KEY_GENERATION: str(ca.key_generation),
            "strimzi.io/clients-ca-cert-generation": str(clients.certificate_generation),
            CONFIGURATION_HASH: "0a0b0c0d",
            KAFKA_VERSION: kafka_version(kafka),
            "strimzi.io/server-cert-hash": certs.thumbprint(leaf),
        }

    def _reasons(self, ca: Authority, clients: Authority, model: dict[str, Object]) -> Callable[[Object], list[str]]:
        """ReconcilerUtils.reasonsToRestartPod (docs/operator.md, "Restart reasons"). Renewed and removed hold for this
        reconcile only.
        """
        old_pods = {p["metadata"]["uid"] for p in self.api.list("pods", "strimzi.io/component-type=kafka")}

        def reasons(pod: Object) -> list[str]:
            wanted = model[pod["metadata"]["name"]]
            found = []
            if annotation(pod, "revision") != annotation(wanted, "revision"):
                found.append("PodHasOldRevision")
            if annotation(pod, "resource-revision") != annotation(wanted, "resource-revision"):
                found.append("PodHasOldResourceRevision")
            for authority in (ca, clients):
                name = f"{authority.kind}-ca-cert-generation"
                if pod["metadata"]["uid"] in old_pods and (authority.renewed or authority.replaced):
                    found.append("CaCertRenewed")
                if pod["metadata"]["uid"] in old_pods and authority.removed:
                    found.append("CaCertRemoved")
                if annotation(pod, name) != str(authority.certificate_generation):
                    found.append("CaCertHasOldGeneration")
            if annotation(pod, "server-cert-hash") != annotation(wanted, "server-cert-hash"):
                found.append("KafkaCertificatesChanged")
            return found

        return reasons

    def _pause(self, kafka: Object) -> None:
        """Nothing is reconciled; status is rebuilt from scratch, observedGeneration stays (docs/operator.md, "Pause")."""
        status = kafka.get("status") or {}
        kept = {key: status[key] for key in ("clusterId", "clusterSecurity", "observedGeneration") if key in status}
        self._write_status(kafka, {**kept, "conditions": [{"type": "ReconciliationPaused", "status": "True"}]})

    def _details(self, kafka: Object, ca: Authority) -> Object:
        listeners = [
            {"name": listener["name"], "certificates": [ca.current.decode()]} if listener.get("tls")
            else {"name": listener["name"]}
            for listener in kafka["spec"]["kafka"].get("listeners") or []
        ]  # fmt: skip
        return {
            "listeners": listeners,
            "kafkaVersion": kafka_version(kafka),
            "operatorLastSuccessfulVersion": self.release.version,
        }

    def _status(self, kafka: Object, kind: str, reason: str | None, message: str | None, details: Object) -> None:
        condition = {"type": kind, "status": "True", "reason": reason, "message": message}
        self._write_status(kafka, {
            **details, "clusterId": cluster_id(kafka), "observedGeneration": kafka["metadata"]["generation"],
            "conditions": [{key: value for key, value in condition.items() if value is not None}],
        })  # fmt: skip

    def _write_status(self, kafka: Object, status: Object) -> None:
        old = kafka.get("status") or {}
        bare = [{k: v for k, v in c.items() if k != "lastTransitionTime"} for c in old.get("conditions") or []]
        if bare == status["conditions"]:
            status["conditions"] = old["conditions"]
        else:
            for condition in status["conditions"]:
                condition["lastTransitionTime"] = certs.now().strftime("%Y-%m-%dT%H:%M:%SZ")
        # A merge patch keeps what it does not name: what is gone is named as null.
        body = {**{key: None for key in old if key not in status}, **status}
        if any(old.get(key) != value for key, value in body.items()):
            self.api.patch("kafkas", kafka["metadata"]["name"], {"status": body}, "status")
