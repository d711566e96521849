"""Issuers that are asked for certificates, each with a client that asks it and does nothing else."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, Protocol

import urllib3

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.links import InternalIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import (
    Certificate,
    Chain,
    encode_certificates,
    parse_certificates,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import (
    CertManagerIssuer,
    ExternalIssuer,
    IssuerSettings,
)

from ..cluster.bed import Bed
from ..cluster.cert_manager import start_cert_manager
from ..cluster.corporate_issuer import set_up_issuer
from ..cluster.kube import Kube
from ..support.authorities import Authority, root
from ..support.checker import entries
from ..support.flows import MemoryClock
from ..support.memory_api import MemoryApi
from ..support.outside_authority import CORPORATE
from ..support.vault_mount import SetUp, fake_set_up

NAMESPACE = "kafka"
#: Of leaves: half a year is what the CAs have at least.
VALIDITY = timedelta(days=90)
_REQUESTS = f"/apis/cert-manager.io/v1/namespaces/{NAMESPACE}/certificaterequests"


class NowClock(MemoryClock):
    """Issuers outside the memory have the real time."""

    def now(self) -> datetime:
        return datetime.now(timezone.utc)


class AskedIssuer(Protocol):
    name: str
    settings: IssuerSettings
    #: Its CA, with its chain.
    authority: Chain

    def api(self, memory: MemoryApi) -> Any:
        """Where the collection sends its requests to Kubernetes."""

    def serve(self, memory: MemoryApi) -> None:
        """Between asking and looking: what the issuer does, where it does not work by itself."""

    def ask(self, requests: Mapping[str, bytes]) -> None:
        """All certificates for these requests, by a client that does nothing else."""


@dataclass
class External:
    """A person signs, and puts everything back at once."""

    signing: Authority = field(default_factory=root)
    name: str = "external"
    settings: IssuerSettings = field(default_factory=ExternalIssuer)

    @property
    def authority(self) -> Chain:
        return self.signing.chain

    def api(self, memory: MemoryApi) -> MemoryApi:
        return memory

    def serve(self, memory: MemoryApi) -> None:
        path = f"/api/v1/namespaces/{NAMESPACE}/secrets/demo-issuing-kafka"
        asked = entries(memory.request("GET", path).body)
        answers = {
            f"{entry.removesuffix('.requested')}.issued": base64.b64encode(self._sign(_request_in(content))).decode()
            for entry, content in asked.items()
        }
        memory.request("PATCH", path, body={"data": answers}, content_type="application/merge-patch+json")

    def ask(self, requests: Mapping[str, bytes]) -> None:
        for request in requests.values():
            parse_certificates(self._sign(request))

    def _sign(self, request: bytes) -> bytes:
        begin = datetime.now(timezone.utc) - timedelta(minutes=1)
        issued = InternalIssuer(self.signing.chain, self.signing.keys[0], begin, VALIDITY).sign(request)
        return encode_certificates((issued.leaf, *issued.chain))


def _request_in(record: bytes) -> bytes:
    return str(json.loads(record)["request"]).encode()


@dataclass
class Vault:
    """Signs at once."""

    ready: SetUp
    name: str = "vault"

    @property
    def settings(self) -> IssuerSettings:
        return self.ready.settings()

    @property
    def authority(self) -> Chain:
        return self.ready.authority

    def api(self, memory: MemoryApi) -> MemoryApi:
        return memory

    def serve(self, memory: MemoryApi) -> None:
        """It has."""

    def ask(self, requests: Mapping[str, bytes]) -> None:
        who, settings = self.ready.administrator, self.ready.settings()
        url = f"{who.url}/v1/{settings.mount}/issuer/{settings.issuer_ref}/sign/{settings.role}"
        with urllib3.PoolManager() as pool:
            for request in requests.values():
                body = {
                    "csr": request.decode(),
                    "ttl": f"{int(VALIDITY.total_seconds())}s",
                    "exclude_cn_from_sans": True,
                }
                answer = pool.request("POST", url, body=json.dumps(body), headers={"X-Vault-Token": who.token})
                parse_certificates(json.loads(answer.data)["data"]["certificate"].encode())


@dataclass
class CertManager:
    """Its own controllers. ``ask`` makes all requests, waits until all are Ready, and removes them."""

    kube: Kube
    authority: Chain
    name: str = "cert-manager"
    settings: IssuerSettings = field(default_factory=lambda: CertManagerIssuer(CORPORATE))

    def api(self, memory: MemoryApi) -> _CertManagerBeside:
        return _CertManagerBeside(memory, self.kube)

    def serve(self, memory: MemoryApi) -> None:
        """It does."""

    def ask(self, requests: Mapping[str, bytes]) -> None:
        for name, request in requests.items():
            spec = {
                "request": base64.b64encode(request).decode(), "issuerRef": {"name": CORPORATE}, "duration": "2160h",
                "usages": ["digital signature", "key encipherment", "server auth", "client auth"],
            }  # fmt: skip
            manifest = {"apiVersion": "cert-manager.io/v1", "kind": "CertificateRequest", "spec": spec}
            self.kube.request("POST", _REQUESTS, body={**manifest, "metadata": {"name": name, "namespace": NAMESPACE}})
        while len(found := self._certificates()) < len(requests):
            """The collection looks again at once here, too."""
        for name in found:
            self.kube.request("DELETE", f"{_REQUESTS}/{name}")

    def _certificates(self) -> dict[str, Certificate]:
        listed = self.kube.request("GET", _REQUESTS).body["items"]
        contents = {request["metadata"]["name"]: (request.get("status") or {}).get("certificate") for request in listed}
        return {name: parse_certificates(base64.b64decode(text))[0] for name, text in contents.items() if text}


@dataclass(frozen=True)
class _CertManagerBeside:
    """Kubernetes in memory, but for what cert-manager's controllers see."""

    memory: MemoryApi
    kube: Kube

    def request(self, method: str, path: str, **others: Any) -> Any:
        beside = path.startswith("/apis/cert-manager.io/")
        return (self.kube if beside else self.memory).request(method, path, **others)


@contextmanager
def asked_issuers() -> Iterator[list[AskedIssuer]]:
    with ExitStack() as stack:
        bed = stack.enter_context(Bed("bench", nodes=0))
        kube = Kube(bed.kubeconfig)
        kube.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}])
        start_cert_manager(bed, approving=NAMESPACE)
        corporate = parse_certificates(set_up_issuer(kube, NAMESPACE, CORPORATE).encode())
        _fake, ready = stack.enter_context(fake_set_up())
        yield [External(), Vault(ready), CertManager(kube, corporate)]
