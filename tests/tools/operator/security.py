"""The security between the processes of a cluster: KafkaClusterSecurityContext (docs/operator.md, "Security between
processes").

Release 1.2 knows one combination, and reports it. From 1.3 on an annotation of the Kafka resource chooses.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from .api import Object, annotation
from .authority import ReconcileFailed
from .releases import Release

ANNOTATION = "internal-cluster-security"
_TLS, _MTLS, _NONE = "strimzi-tls", "strimzi-mtls", "none"


@dataclass(frozen=True)
class Security:
    """The two types, as the annotation and the status write them."""

    encryption: str = _TLS
    authentication: str = _MTLS

    @property
    def has_tls(self) -> bool:
        return self.encryption == _TLS

    @property
    def verifies_clients(self) -> bool:
        return self.authentication == _MTLS

    @property
    def status(self) -> Object:
        return {"encryption": {"type": self.encryption}, "authentication": {"type": self.authentication}}

    @property
    def annotation(self) -> str:
        return json.dumps(self.status)

    def __str__(self) -> str:
        return f"{self.encryption}, {self.authentication}"


MUTUAL, ONE_WAY, PLAIN = Security(), Security(authentication=_NONE), Security(_NONE, _NONE)


def security_of(kafka: Object) -> Security:
    """By the annotation; the default where there is none."""
    text = annotation(kafka, ANNOTATION)
    wanted = json.loads(text) if text else {}
    types = [(wanted.get(part) or {}).get("type") for part in ("encryption", "authentication")]
    return Security(types[0] or _TLS, types[1] or _MTLS)


def choose(kafka: Object, release: Release) -> Security:
    """The annotation as this release reads it."""
    return security_of(kafka) if release.configures_security else MUTUAL


def configure(kafka: Object, release: Release) -> Security:
    """The same, where the operator accepts it: it changes nothing about a cluster that it has configured otherwise."""
    wanted = choose(kafka, release)
    if wanted.verifies_clients and not wanted.has_tls:
        raise ReconcileFailed("InvalidResourceException", "Desired Cluster Security configuration is not valid")
    found = (kafka.get("status") or {}).get("clusterSecurity")
    if found is not None and found != wanted.status:
        raise ReconcileFailed(
            "InvalidResourceException",
            "Desired Cluster Security configuration does not match the current configuration",
        )
    return wanted
