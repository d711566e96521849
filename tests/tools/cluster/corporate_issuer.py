"""CAs that cert-manager makes and keeps the keys of, and Issuers of them."""

from __future__ import annotations

import base64

from .kube import Kube, Object, wait_for

_GROUP = "cert-manager.io"
#: Days that such a CA lives: longer than the leaves that it issues.
_LIFE = 730


def issuer(name: str, namespace: str | None, spec: Object) -> Object:
    """A ClusterIssuer where there is no namespace."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    kind = "Issuer" if namespace else "ClusterIssuer"
    return {"apiVersion": f"{_GROUP}/v1", "kind": kind, "metadata": metadata, "spec": spec}


def authority(name: str, namespace: str, by: str) -> Object:
    """The Certificate of a CA, whose key lies in the Secret of its name. by: the Issuer that signs it."""
    spec = {
        "isCA": True, "commonName": f"{name} CA", "secretName": name, "issuerRef": {"name": by},
        "duration": f"{_LIFE * 24}h", "privateKey": {"algorithm": "ECDSA", "size": 256},
    }  # fmt: skip
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": f"{_GROUP}/v1", "kind": "Certificate", "metadata": metadata, "spec": spec}


def made_authority(kube: Kube, namespace: str, name: str) -> str:
    """The certificate of such a CA, in PEM form, when cert-manager has made it. Raises TimeoutError."""
    path = f"/api/v1/namespaces/{namespace}/secrets/{name}"

    def made() -> str:
        return str((kube.request("GET", path).body.get("data") or {}).get("tls.crt") or "")

    wait_for(lambda: bool(made()), f"the CA {name} being made")
    return base64.b64decode(made()).decode()


def set_up_issuer(kube: Kube, namespace: str, name: str) -> str:
    """A root CA and an Issuer of it, both with this name; the CA's certificate in PEM form. Raises TimeoutError."""
    self_signed = f"{name}-self-signed"
    kube.apply([issuer(self_signed, namespace, {"selfSigned": {}}), authority(name, namespace, self_signed)])
    certificate = made_authority(kube, namespace, name)
    kube.apply([issuer(name, namespace, {"ca": {"secretName": name}})])
    return certificate
