"""The differences between the releases of Strimzi that the double can stand for (docs/operator.md, "Releases")."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Release:
    #: The version that the operator gives in the status of the Kafka resource.
    version: str
    #: The version of Strimzi's API through which the Cluster Operator reads and writes; the User Operator always uses v1.
    api_version: str = "v1"
    #: Whether the resources of containers have a revision of their own, beside that of the pod.
    has_resource_revision: bool = True
    #: Whether the User Operator acts on ``strimzi.io/force-renew``.
    renews_users_on_request: bool = True
    #: Whether a user keeps a certificate that cannot be read; else its reconcile fails.
    keeps_unreadable: bool = False
    #: Whether the Cluster Operator finds the Secret with its own certificate by labels; else by its name.
    finds_own_secret_by_labels: bool = True
    #: Whether the operator acts on ``strimzi.io/internal-cluster-security``.
    configures_security: bool = False


STRIMZI_0_51 = Release(
    "0.51.0",
    api_version="v1beta2",
    has_resource_revision=False,
    renews_users_on_request=False,
    keeps_unreadable=True,
    finds_own_secret_by_labels=False,
)
STRIMZI_1_0 = Release("1.0.0", finds_own_secret_by_labels=False)
STRIMZI_1_2 = Release("1.2.0")
STRIMZI_1_3 = Release("1.3.0", configures_security=True)
RELEASES = {release.version: release for release in (STRIMZI_0_51, STRIMZI_1_0, STRIMZI_1_2, STRIMZI_1_3)}
