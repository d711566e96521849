# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A user whom a User Operator serves, and for whom another issuer has issued a certificate as well."""

from __future__ import annotations

import base64
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ..tools.cluster.bed_cluster import BedCluster
from ..tools.operator import certs
from ..tools.operator.api import ApiError
from ..tools.operator.user_operator import UserOperatorDouble
from ..tools.support.users import CERTIFICATE_SECRET, KEY_SECRET, entries, kafka_user


@contextmanager
def served_user(cluster: BedCluster, name: str) -> Iterator[None]:
    """The other certificate is in Secret ``<name>-cm``, as cert-manager leaves it."""
    cluster.kube.apply([kafka_user(name, cluster.namespace), _kept_by_cert_manager(cluster, name)])
    operator = UserOperatorDouble(cluster.kube, cluster.namespace, "demo")
    ended = threading.Event()

    def serve() -> None:
        while not ended.wait(1):
            try:
                operator.reconcile()
            except ApiError as error:
                print(f"the User Operator: {error}", flush=True)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _kept_by_cert_manager(cluster: BedCluster, name: str) -> dict[str, object]:
    secrets = f"/api/v1/namespaces/{cluster.namespace}/secrets"
    stored = [entries(cluster.kube.request("GET", f"{secrets}/{one}").body) for one in (CERTIFICATE_SECRET, KEY_SECRET)]
    ca, key = stored[0]["ca.crt"], certs.new_leaf_key()
    leaf = certs.leaf(certs.name(name, None), (), key, ca, certs.load_key(stored[1]["ca.key"]), 90)
    assert leaf is not None
    content = {"tls.crt": leaf, "tls.key": certs.key_pem(key), "ca.crt": ca}
    return {
        "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls",
        "metadata": {"name": f"{name}-cm", "namespace": cluster.namespace},
        "data": {entry: base64.b64encode(value).decode() for entry, value in content.items()},
    }  # fmt: skip
