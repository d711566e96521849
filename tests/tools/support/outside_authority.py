"""CAs from outside a Kafka cluster, as playbooks name them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from ..cluster.bed_cluster import BedCluster
from ..cluster.cert_manager import start_cert_manager
from ..cluster.corporate_issuer import made_authority, set_up_issuer
from ..cluster.vault import vault_server
from .vault_mount import Administrator, SetUp, given_server, set_up_on

#: Of cert-manager's Issuer, its CA and the Secret with that.
CORPORATE = "corporate"
#: Seconds that a run waits for issuers that answer by themselves.
_PATIENCE = 120


@dataclass(frozen=True)
class OutsideOptions:
    #: Variables of the flow that leads to this CA.
    authority: Mapping[str, object]
    #: Variables of that flow and of all that come after it, which say who has the key.
    issuer: Mapping[str, object] = field(default_factory=dict)

    @property
    def moving(self) -> Mapping[str, object]:
        """The variables of the flow that leads there."""
        return {**self.authority, **self.issuer}


def _with_issuer(certificate: str, options: Mapping[str, object], **others: object) -> OutsideOptions:
    """certificate: of the CA, in PEM form. options: the value of ``strimzi_issuer``."""
    issuer = {"strimzi_issuer": dict(options), "strimzi_issue_timeout": _PATIENCE, **others}
    return OutsideOptions({"strimzi_certificate": certificate}, issuer)


def set_up_cert_manager(cluster: BedCluster) -> None:
    """cert-manager's own controllers beside this cluster, a root that they make, and an Issuer of it."""
    start_cert_manager(cluster.bed, approving=cluster.namespace)
    set_up_issuer(cluster.kube, cluster.namespace, CORPORATE)


def of_cert_manager(cluster: BedCluster) -> OutsideOptions:
    """The CA that was set up there."""
    certificate = made_authority(cluster.kube, cluster.namespace, CORPORATE)
    return _with_issuer(certificate, {"type": "cert_manager", "name": CORPORATE})


@contextmanager
def in_cert_manager(cluster: BedCluster) -> Iterator[OutsideOptions]:
    set_up_cert_manager(cluster)
    yield of_cert_manager(cluster)


@contextmanager
def in_vault(_cluster: BedCluster) -> Iterator[OutsideOptions]:
    """A CA below a root, in the server of VAULT_ADDR, or else in one that is started."""
    with ExitStack() as stack:
        server = given_server()
        if server is None:
            started = stack.enter_context(vault_server())
            server = Administrator(started.url, started.token)
        yield _of_mount(stack.enter_context(set_up_on(server)))


def _of_mount(ready: SetUp) -> OutsideOptions:
    """The CA of this mount lives for half a year, and no leaf of it may live longer."""
    chain = b"".join(certificate.pem for certificate in ready.authority).decode()
    return _with_issuer(chain, ready.options(), strimzi_validity_days=90)
